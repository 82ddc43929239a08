"""The verifier: every sample passes, and each way to break one is named together with the pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ir_samples import BOOLEAN, INTEGER, REAL, SAMPLES, Sample, axis, equation, op, p, read, scheduled, sum_over, value

from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import (
    Abstraction,
    Argument,
    Call,
    Check,
    Equation,
    Literal,
    Loop,
    Module,
    Origin,
    Program,
    Reduce,
    Result,
    Select,
    Setting,
    Step,
    Submodule,
    Whole,
)
from mathdsl.ir.own_parts import padded
from mathdsl.ir.sizes import OwnSize
from mathdsl.ir.traversal import with_schedule
from mathdsl.ir.verifying import verify
from mathdsl.library import LIBRARY
from mathdsl.ops.verifying import verify_operations

EVERY = {**SAMPLES, "scheduled": scheduled(SAMPLES["highway"])}


@pytest.mark.parametrize("sample", EVERY.values(), ids=EVERY)
def test_samples_hold_together(sample: Sample) -> None:
    verify(sample.program, "elaboration")
    verify_operations(sample.program, "elaboration")


def test_the_library_holds_together() -> None:
    verify(Program((), tuple(LIBRARY.values())), "the library")
    verify_operations(Program((), tuple(LIBRARY.values())), "the library")


def change_module(name: str, change: Callable[[Module], Module]) -> Program:
    """A sample's program with its first module changed."""
    program = EVERY[name].program
    return replace(program, modules=(change(program.modules[0]), *program.modules[1:]))


def with_step(name: str, position: int, change: Callable[[Step], Step]) -> Program:
    """A sample's program with one step of its first module changed."""

    def put(module: Module) -> Module:
        steps = list(module.steps)
        steps[position] = change(steps[position])
        return replace(module, steps=tuple(steps))

    return change_module(name, put)


def with_value(name: str, position: int, **parts: object) -> Program:
    return with_step(name, position, lambda step: replace(step, **parts))  # type: ignore[arg-type]


def with_result(name: str, value: Abstraction) -> Program:
    return change_module(name, lambda module: replace(module, results=Result("y", value)))


def call_of(name: str, position: int, change: Callable[[Call], Call]) -> Program:
    def put(step: Step) -> Step:
        assert isinstance(step, Call)
        return change(step)

    return with_step(name, position, put)


def without_arguments(module: Module) -> tuple[Submodule, ...]:
    """The submodules, the first one's constructor called without arguments."""
    first, *others = module.submodules
    return (replace(first, parts=(replace(first.parts[0], arguments=()),)), *others)


T = axis("t", 1, "S")

BROKEN: dict[str, tuple[Program, str]] = {
    "unknown array": (with_value("elman", 0, value=read("g", "i")), "g is read and not declared"),
    "number of indices": (with_value("elman", 0, value=read("h_0")), "h_0 has 1 axes and is read with 0 indices"),
    "element of a read": (with_value("elman", 0, value=read("h_0", "i", element=INTEGER)), "h_0 holds real and is read as integer"),
    "element of a definition": (with_value("elman", 0, value=Literal(1)), "h holds real and is defined as integer"),
    "axis not in scope": (with_value("elman", 0, value=read("h_0", "k")), "k in k is neither a size nor an axis in scope"),
    "axis named like a size": (
        with_result("fibonacci", Abstraction((axis("S", 1, 3),), read("f", "S"))),
        "the axis S has the name of a size",
    ),
    "axis bound twice": (
        with_value("prefix_sum", 0, value=sum_over(axis("t", 1, 3), read("x", "t"))),
        "the axis t is bound inside an axis of that name",
    ),
    "real index": (with_value("prefix_sum", 0, value=read("x", read("x", "t"))), "an index that is real"),
    "left side without an axis": (with_value("elman", 1, index=(p("t"), p(1))), "h is defined at t, not once at each of i, t"),
    "left side with a moved axis": (with_value("fibonacci", 2, index=(p("t") - 1,)), "not once at each of t"),
    "left side outside": (with_value("fibonacci", 0, index=(p(-2),)), "f is defined outside of its range -1 .. S"),
    "read below": (with_value("fibonacci", 2, value=read("f", p("t") - 3)), "f is read at t - 3, outside of -1 .. S"),
    "read above": (with_value("descending", 1, value=read("h", p("t") + 2, "i")), "h is read at t + 2, outside of 1 .. S + 1"),
    "read below by a whole axis": (
        with_value("prefix_sum", 0, value=read("x", p("t") - 1)),
        "x is read at t - 1, outside of 1 .. S",
    ),
    "defined twice": (with_value("fibonacci", 0, index=(p(0),)), "f is defined twice at one place"),
    "defined twice in a range": (with_value("fibonacci", 1, index=(p(1),)), "f is defined twice at one place"),
    "defines an input": (with_value("fibonacci", 0, target="x", index=(p(1),)), "x is defined and no value of the module"),
    "undefined value": (change_module("elman", lambda m: replace(m, arrays=(*m.arrays, value("g")))), "g is a value that nothing defines"),
    "array twice": (change_module("elman", lambda m: replace(m, arrays=(*m.arrays, m.arrays[0]))), "the array x is there 2 times"),
    "forgotten input": (change_module("elman", lambda m: replace(m, inputs=m.inputs[:1])), "h_0 is an input in one place only"),
    "forgotten size": (change_module("fibonacci", lambda m: replace(m, sizes=())), "S in S is neither a size nor an axis in scope"),
    "ragged hyperparameter": (change_module("elman", lambda m: replace(m, ragged=("H_in",))), "ragged in H_in, which is no run-time size"),
    "setting": (with_value("fibonacci", 0, value=Setting("q", REAL)), "the setting q is not declared as real"),
    "selection by a number": (
        with_value("fibonacci", 0, value=Select(Literal(1), Literal(1.0), Literal(2.0), REAL)),
        "a selection by a value that is integer",
    ),
    "branches of two elements": (
        with_value("fibonacci", 0, value=Select(Literal(True), Literal(1.0), Literal(2), REAL)),
        "a selection of real with a part that is integer",
    ),
    "padding along nothing": (
        with_value("fibonacci", 2, value=padded(Literal(1.0), p("t"), p(OwnSize("L")), Literal(0.0))),
        "L′ in L′ is neither a size nor an axis in scope",
    ),
    "assertion": (
        change_module("fibonacci", lambda m: replace(m, checks=(Check((T,), read("x", "t"), Origin("")),))),
        "an assertion that is real",
    ),
    "missing argument": (call_of("stack", 3, lambda c: replace(c, arguments=())), "f is called without x"),
    "foreign argument": (
        call_of("stack", 3, lambda c: replace(c, arguments=(*c.arguments, Argument("z", c.arguments[1].value)))),
        "f is called with z, which it does not take",
    ),
    "rank of an argument": (
        call_of("stack", 3, lambda c: replace(c, arguments=(Argument("x", c.arguments[1].value),))),
        "f takes x with 2 axes and gets 1",
    ),
    "missing run-time size": (call_of("stack", 3, lambda c: replace(c, sizes=())), "the size S of f is given in one place only"),
    "stack without an index": (call_of("stack", 3, lambda c: replace(c, at=None)), "f is a stack and is called otherwise"),
    "number of targets": (call_of("pair", 0, lambda c: replace(c, targets=c.targets[1:])), "halves returns 2 values for 1 targets"),
    "unknown submodule": (call_of("pair", 0, lambda c: replace(c, submodule="g")), "g is called and not owned"),
    "unknown callee": (replace(SAMPLES["pair"].program, library=()), "layer_norm is a LayerNorm, which is no module of the program"),
    "constructor argument": (change_module("pair", lambda m: replace(m, submodules=without_arguments(m))), "halves is built without n"),
    "module twice": (
        replace(SAMPLES["elman"].program, modules=SAMPLES["elman"].program.modules * 2),
        "the module ElmanLayer is there 2 times",
    ),
}


@pytest.mark.parametrize(("program", "message"), BROKEN.values(), ids=BROKEN)
def test_what_does_not_hold_together_is_named(program: Program, message: str) -> None:
    with pytest.raises(InternalError) as error:
        verify(program, "hoist_invariants")
    assert str(error.value).startswith("after hoist_invariants: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (op("frobnicate", Literal(1.0)), "frobnicate is no operation"),
        (op("add", Literal(1.0)), "add of (real) does not exist, not real"),
        (op("add", Literal(1.0), Literal(1)), "add of (real, integer) does not exist, not real"),
        (op("less", Literal(1.0), Literal(2.0)), "less of (real, real) is boolean, not real"),
        (Reduce("any", T, read("x", "t"), BOOLEAN), "any of (real) does not exist, not boolean"),
    ],
)
def test_operations_that_do_not_fit_are_named(value: object, message: str) -> None:
    with pytest.raises(InternalError) as error:
        verify_operations(with_value("fibonacci", 0, value=value), "fuse_products")
    assert f"after fuse_products: Fibonacci: {message}" in str(error.value)


# ---- schedules -----------------------------------------------------------------------------------------------


def schedule_of(name: str, *stages: Whole | Loop) -> Program:
    return change_module(name, lambda module: with_schedule(module, stages))


def loop(bound: object, *body: Whole | Loop, descending: bool = False) -> Loop:
    return Loop(bound, descending, body, tuple(None for _ in body))  # type: ignore[arg-type]


FIRST, STEP = (Whole(step) for step in SAMPLES["elman"].program.modules[0].steps)
LAST, BACK = (Whole(step) for step in SAMPLES["descending"].program.modules[0].steps)
H = [Whole(step) for step in EVERY["scheduled"].program.modules[0].steps]
K = axis("k", 1, "D")


def test_orders_that_respect_the_dependences_are_accepted() -> None:
    verify(schedule_of("elman", FIRST, loop(T, STEP)), "choose_schedules")
    verify(schedule_of("descending", LAST, loop(T, BACK, descending=True)), "choose_schedules")
    verify(schedule_of("highway", H[0], loop(T, H[1], loop(K, H[3], H[2], H[4]), H[5])), "choose_schedules")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (schedule_of("elman", loop(T, STEP), FIRST), "h is read before it is defined"),
        (schedule_of("elman", FIRST, STEP), "h is read before it is defined"),
        (schedule_of("elman", FIRST, loop(T, STEP, descending=True)), "h is read before it is defined"),
        (schedule_of("descending", LAST, loop(T, BACK)), "h is read before it is defined"),
        (schedule_of("highway", H[0], loop(T, H[1], loop(K, H[4], H[2], H[3]), H[5])), "h is read before it is defined"),
        (schedule_of("highway", H[0], loop(T, H[1], H[5], loop(K, H[2], H[3], H[4]))), "s is read before it is defined"),
        (schedule_of("highway", H[0], loop(T, H[1], H[2], H[3], H[4], H[5])), "s is read before it is defined"),
        (schedule_of("elman", FIRST), "0 steps too many and 1 too few"),
        (schedule_of("elman", FIRST, FIRST, loop(T, STEP)), "1 steps too many and 0 too few"),
        (schedule_of("elman", loop(T, FIRST, STEP)), "a step in the loop over t has no such axis"),
        (schedule_of("elman", FIRST, Loop(T, False, (STEP,), ())), "the loop over t has 1 stages and 0 guards"),
    ],
)
def test_orders_that_do_not_are_named(program: Program, message: str) -> None:
    with pytest.raises(InternalError, match=r"after choose_schedules: \w+: .*" + message):
        verify(program, "choose_schedules")


def test_a_read_behind_a_condition_is_left_to_the_program() -> None:
    """`x[t-1]` where `t > 1`: the range alone says that x[0] is read, the condition says that it is not."""
    condition = op("greater", read("x", "t"), Literal(0.0), element=BOOLEAN)
    guarded = Select(condition, read("x", p("t") - 1), Literal(0.0), REAL)
    verify(with_value("prefix_sum", 0, value=guarded), "elaboration")
    with pytest.raises(InternalError):
        verify(with_value("prefix_sum", 0, value=read("x", p("t") - 1)), "elaboration")


def test_a_read_in_a_triangle_is_left_to_the_program() -> None:
    """sum over s = 1 .. t - 1 of x[t-1] reads nothing at t = 1."""
    inner = sum_over(axis("s", 1, p("t") - 1), read("x", p("t") - 1))
    verify(with_value("prefix_sum", 0, value=inner), "elaboration")


def test_equations_may_share_an_array_where_they_are_disjoint() -> None:
    def split(module: Module) -> Module:
        whole = module.steps[-1]
        assert isinstance(whole, Equation)
        late = replace(whole, axes=(axis("t", 2, "S"),))
        return replace(module, steps=(*module.steps[:-1], equation("f", (1,), (), Literal(0.5)), late))

    verify(change_module("fibonacci", split), "elaboration")
