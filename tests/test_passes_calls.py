"""Calls: what is inlined and what stays, and schedules of what stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ir_samples import SAMPLES, axis, dot, elman_layer, equation, gate_module, op, p, read, rows, single
from pass_programs import lines, small

from mathdsl.ir.nodes import (
    Abstraction,
    Argument,
    Call,
    CallTarget,
    Equation,
    Expr,
    Literal,
    Loop,
    Module,
    Origin,
    Poly,
    Program,
    Stage,
    Step,
    Structure,
    Submodule,
    Whole,
)
from mathdsl.passes.choose_schedules import choose_schedules
from mathdsl.passes.inline_modules import inline_modules
from mathdsl.passes.retarget_calls import retarget_calls

T, I, J = axis("t", 1, "S"), axis("i", 0, p("d") - 1), axis("j", 0, p("d") - 1)
FORMULA = Origin(r"f_t = \sigma(T(x_t, x_t))")


def call(submodule: str, *, at: Poly | None = None, argument: Expr | None = None) -> Call:
    value = read("x", "t", "j") if argument is None else argument
    arguments = (Argument("x", Abstraction((J,), value)), Argument("h", Abstraction((J,), value)))
    return Call((CallTarget("u", (p("t"), I.range)),), (T,), submodule, at, arguments, (), FORMULA)


def caller(step: Call, submodule: Submodule, *callees: Module, reader: Step | None = None) -> Program:
    """`f` applies a function to `u`, the result of the call."""
    reader = reader or replace(equation("f", ("t", "i"), (T, I), op("sigmoid", read("u", "t", "i"))), origin=FORMULA)
    module = small(
        step, reader, inputs={"x": (T, I)}, values={"u": (T, I), "f": (T, I)}, submodules=(submodule,), result=((), read("f", 1, 0))
    )
    return Program((module, *callees))


GATE = single("g", "T", d_x="d", d_h="d")


def test_inline_modules_fires_inside_the_formula_it_stands_in() -> None:
    inlined = inline_modules(caller(call("g"), GATE, gate_module()))
    product = "sum({0} in 0..d-1: g.{1}[i, {0}] * x[t, {0}])"
    products = f"{product.format('j_1', 'W_h')} + {product.format('k', 'W_x')}"
    assert lines(inlined)[:-1] == [f"f[t, i] = sigmoid({products} + g.b[i])    for t in 1..S, i in 0..d-1"]
    assert [array.name for array in inlined.modules[0].arrays] == ["x", "f", "g.W_x", "g.W_h", "g.b"]


def test_inline_modules_fires_and_computes_an_argument_once() -> None:
    weighed = dot(read("x", "t", "j"), read("x", "t", "k"), axis("k", 0, p("d") - 1))
    steps = lines(inline_modules(caller(call("g", argument=weighed), GATE, gate_module())))
    assert steps[0].startswith("g_x[t, j] = sum(k in 0..d-1: x[t, j] * x[t, k])")
    assert "g.W_x[i, k_1] * g_x[t, k_1]" in steps[2]


def test_a_named_value_keeps_its_name() -> None:
    reader = replace(equation("f", ("t", "i"), (T, I), op("sigmoid", read("u", "t", "i"))), origin=Origin(r"f_t = \sigma(u_t)"))
    inlined = inline_modules(caller(call("g"), GATE, gate_module(), reader=reader))
    assert lines(inlined)[1] == "f[t, i] = sigmoid(u[t, i])    for t in 1..S, i in 0..d-1"


def of_torch(module: Module) -> Module:
    """A library layer of more than one formula."""
    value = equation("m", ("i",), (I,), read("b", "i"))
    return replace(module, library="T", steps=(value,))


def with_list(module: Module) -> Module:
    assert not hasattr(module.results, "items")
    return replace(module, results=replace(module.results, structure=Structure.LIST))  # type: ignore[arg-type, type-var]


@pytest.mark.parametrize(
    ("step", "submodule", "callee"),
    [
        (call("g", at=p(1)), replace(GATE, is_stack=True), gate_module()),
        (call("g"), replace(GATE, callee=None), gate_module()),
        (call("g"), single("g", "ElmanLayer", H_in="d", H_out="d"), elman_layer()),
        (call("g"), GATE, with_list(gate_module())),
        (call("g"), GATE, of_torch(gate_module())),
    ],
    ids=["stack", "opaque", "recurrence", "list", "library"],
)
def test_inline_modules_declines(step: Call, submodule: Submodule, callee: Module) -> None:
    assert inline_modules(caller(step, submodule, callee)).modules[0].steps[0] is step


# ---- retarget_calls ------------------------------------------------------------------------------


def copied(reader: Equation) -> tuple[Step, ...]:
    return retarget_calls(caller(call("g"), GATE, gate_module(), reader=reader)).modules[0].steps


def test_retarget_calls_fires() -> None:
    (step,) = copied(equation("f", ("t", "i"), (T, I), read("u", "t", "i")))
    assert isinstance(step, Call)
    assert step.targets == (CallTarget("f", (p("t"), I.range)),)


def test_retarget_calls_fires_where_the_author_counts_from_another_base() -> None:
    (step,) = copied(equation("f", ("t", "k"), (T, axis("k", 1, "d")), read("u", "t", p("k") - 1)))
    assert isinstance(step, Call)
    assert step.targets == (CallTarget("f", (p("t"), rows(1, "d"))),)


@pytest.mark.parametrize(
    "reader",
    [
        equation("f", ("t", "i"), (T, I), op("tanh", read("u", "t", "i"))),
        equation("f", ("t", "i"), (T, axis("i", 1, p("d") - 1)), read("u", "t", "i")),
        equation("f", ("t", "i"), (T, I), op("add", read("u", "t", "i"), read("u", "t", 0))),
    ],
    ids=["an operation", "a part", "twice"],
)
def test_retarget_calls_declines(reader: Equation) -> None:
    assert len(copied(reader)) == 2


# ---- choose_schedules ----------------------------------------------------------------------------


def shape(stage: Stage) -> object:
    match stage:
        case Loop(axis=bound, body=body):
            return [bound.name, *map(shape, body)]
        case Whole(step=Equation(target=target)):
            return target
        case Whole(step=Call(submodule=submodule)):
            return submodule


def schedule(name: str) -> list[object]:
    sample = SAMPLES[name]
    return [shape(stage) for stage in choose_schedules(sample.program).module(sample.module).schedule]


def test_choose_schedules_fires() -> None:
    assert schedule("highway") == ["u", ["t", "s", ["k", "h", "g", "s"], "u"]]
    assert schedule("stack") == ["h", "h", ["l", "f", "h_hat"]]


def test_choose_schedules_declines_a_loop_where_none_is_needed() -> None:
    assert schedule("attention") == ["Q", "K", "V", "a", "o"]


def test_calls_of_a_stack_are_looped_over_without_a_recurrence() -> None:
    layers = axis("l", 1, "n")
    zeros = Argument("x", Abstraction((J,), Literal(0.0)))
    step = Call((CallTarget("u", (p("l"), I.range)),), (layers,), "f", p("l"), (zeros,), (), Origin(""))
    submodule = Submodule("f", "T", True, (replace(GATE.parts[0], range=layers.range),), "f")
    module = small(step, inputs={"x": (T,)}, values={"u": (layers, I)}, submodules=(submodule,), result=((), read("u", 1, 0)))
    (stage,) = choose_schedules(Program((module, gate_module()))).modules[0].schedule
    assert shape(stage) == ["l", "f"]
