"""Batch axes: which sizes may be ragged, which arrays carry a batch, and the fewest fills that keep padding out."""

from __future__ import annotations

import pytest
from ir_samples import INTEGER, axis, equation, op, p, parameter, read, rows, sum_over, total
from pass_programs import lines, small

from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Argument,
    Axis,
    Call,
    CallTarget,
    Element,
    Equation,
    Expr,
    IndexValue,
    Literal,
    Module,
    Origin,
    Program,
    Reduce,
    Select,
    StackPart,
    Submodule,
)
from mathdsl.passes.batch_axes import batch_axes

REAL = Element.REAL
T, I, J = axis("t", 1, "S"), axis("i", 1, "d"), axis("j", 1, "d")


def batched(module: Module) -> Module:
    return batch_axes(Program((module,))).modules[0]


def returned(expr: Expr, *axes: Axis) -> str:
    """What is returned in place of an expression of the ragged input `x`."""
    return lines(batched(small(inputs={"x": (T,)}, parameters={"w": ()}, result=(axes, expr))))[-1].removeprefix("return ")


X = read("x", "t")
SCALED = op("mul", read("w"), X)


@pytest.mark.parametrize(
    ("expr", "guarded"),
    [
        (sum_over(T, SCALED), "sum(t in 1..S: w * x_padded[t])"),
        (sum_over(T, total(SCALED, read("w"))), "sum(t in 1..S: w * x_padded[t] + w if t within S′ else 0.0)"),
        (Reduce("max", T, SCALED, REAL), "max(t in 1..S: w * x_padded[t] if t within S′ else -inf)"),
        (Reduce("mean", T, SCALED, REAL), "sum(t in 1..S: w * x_padded[t]) / maximum(to_real(S′), 1.0)"),
        (sum_over(T, op("log", SCALED)), "sum(t in 1..S: log(w * x_padded[t] if t within S′ else 1.0))"),
        (sum_over(T, op("sqrt", op("exp", X))), "sum(t in 1..S: sqrt(exp(x_padded[t])) if t within S′ else 0.0)"),
    ],
    ids=["already zero", "not zero", "neutral", "mean", "partial, then zero", "known to be safe"],
)
def test_batch_axes_fires_with_the_fewest_fills(expr: Expr, guarded: str) -> None:
    assert returned(expr) == guarded


def test_batch_axes_fires_on_softmax() -> None:
    softmax = Along("softmax", axis("s", 1, "S"), read("x", "s"), p("t"), REAL)
    weighted = sum_over(T, op("mul", softmax, op("cos", X)))
    inner = "softmax(s in 1..S: x_padded[s] if s within S′ else -inf)[t] if t within S′ else 0.0"
    assert returned(weighted) == f"sum(t in 1..S: ({inner}) * cos(x_padded[t]))"


def test_a_result_is_zero_in_padding_and_its_own_elements_are_not_touched() -> None:
    assert returned(op("tanh", SCALED), T) == "tanh(w * x_padded[t])"
    assert returned(op("cos", SCALED), T) == "cos(w * x_padded[t]) if t within S′ else 0.0"
    assert returned(read("x", "S")) == "x_padded[S′]"


def test_reading_from_the_end_stays_inside() -> None:
    assert returned(read("x", p("S") - p("t") + 1), T) == "x_padded[S′-t+1] if t within S′ else 0.0"


def test_a_condition_on_the_end_is_decided_before_the_padding() -> None:
    is_last = op("equal", IndexValue(p("t")), IndexValue(p("S")), element=Element.BOOLEAN)
    later = Select(is_last, Literal(0.0), read("x", p("t") + 1), REAL)
    assert returned(later, T) == "(0.0 if t == S′ else x_padded[t+1]) if t within S′ else 0.0"


# ---- recurrences ---------------------------------------------------------------------------------


def states(body: Expr, base: Equation, upper: object = "S") -> list[str]:
    module = small(
        base,
        equation("h", ("t",), (T,), body),
        inputs={"x": (T,)},
        parameters={"w": ()},
        values={"h": (axis("t", 0, upper),)},  # type: ignore[arg-type]
        result=((), read("h", 1)),
    )
    return lines(batched(module))[-2:-1]


def test_a_bounded_state_runs_on() -> None:
    body = op("tanh", op("mul", read("w"), read("h", p("t") - 1)))
    assert states(body, equation("h", (0,), (), Literal(0.0))) == ["h[t] = tanh(w * h[t-1])    for t in 1..S"]


def test_a_state_that_could_overflow_is_reset() -> None:
    body = op("mul", read("w"), read("h", p("t") - 1))
    assert states(body, equation("h", (0,), (), Literal(1.0))) == ["h[t] = w * h[t-1] if t within S′ else 0.0    for t in 1..S"]


def test_each_example_starts_at_its_own_end() -> None:
    body = op("tanh", op("mul", read("w"), read("h", p("t") + 1)))
    base = equation("h", (p("S") + 1,), (), op("exp", read("w")))
    assert states(body, base, p("S") + 1) == ["h[t] = tanh(w * h[t+1]) if t within S′ else exp(w)    for t in 1..S"]


# ---- lookups -------------------------------------------------------------------------------------


def looked_up(first: int, *steps: Equation, index: Expr) -> list[str]:
    module = small(*steps, inputs={"x": (T,)}, values={"s": (axis("t", 0, "S"),)}, result=((T,), read("E", index)))
    arrays = tuple(type(a)(a.name, a.kind, INTEGER, a.ranges, a.python, a.latex) if a.name in ("x", "s") else a for a in module.arrays)
    table = parameter("E", rows(first, "d"))
    return lines(batched(Module(**{**_fields(module), "arrays": (*arrays, table)})))


def _fields(module: Module) -> dict[str, object]:
    return {name: getattr(module, name) for name in module.__slots__}


def test_tokens_in_padding_become_the_first_row() -> None:
    token = read("x", "t", element=INTEGER)
    fill, result = looked_up(1, index=token)
    assert fill == "x_padded[n_1] = x[n_1] if n_1 within S′ else 1    for n_1 in 1..S"
    assert result == "return E[x_padded[t]] if t within S′ else 0.0"


def test_an_index_that_is_computed_is_guarded_where_it_is_used() -> None:
    index = op("add", read("x", "t", element=INTEGER), Literal(1), element=INTEGER)
    assert looked_up(3, index=index)[-1] == "return E[x_padded[t] + 1 if t within S′ else 3] if t within S′ else 0.0"


def test_a_fill_reaches_through_copies() -> None:
    """Padding is looked up at the shifted position without a second fill."""
    steps = (
        equation("s", (0,), (), Literal(0)),
        equation("s", ("t",), (T,), read("x", "t", element=INTEGER)),
    )
    assert looked_up(0, *steps, index=read("s", "t", element=INTEGER))[-1] == "return E[s[t]] if t within S′ else 0.0"


# ---- what is marked ------------------------------------------------------------------------------


def test_what_differs_between_examples_carries_the_batch() -> None:
    steps = (
        equation("a", ("i",), (I,), op("exp", read("w"))),
        equation("b", ("i",), (I,), op("mul", read("w"), op("to_real", IndexValue(p("S"))))),
        equation("c", ("i",), (I,), op("dropout", read("w"), Literal(0.5))),
        equation("e", ("i",), (I,), op("mul", read("b", "i"), read("a", "i"))),
    )
    values = {"a": (I,), "b": (I,), "c": (I,), "e": (I,)}
    module = batched(small(*steps, inputs={"x": (T,)}, parameters={"w": ()}, values=values, result=((I,), read("e", "i"))))
    assert [array.name for array in module.arrays if array.batch] == ["x", "b", "c", "e"]
    assert module.ragged == ("S",)


# ---- what is declined ----------------------------------------------------------------------------


def ragged(*steps: Equation | Call, values: dict[str, tuple[Axis, ...]], **more: object) -> tuple[str, ...]:
    module = small(*steps, inputs={"x": (T,), "y": (axis("s", 1, "L"),)}, values=values, result=((), Literal(0.0)), **more)  # type: ignore[arg-type]
    return batched(module).ragged


LONG, SQUARE = axis("t", 1, p("S") + p("L")), axis("t", 1, p("S") * p("S"))
LATE = axis("t", p("S") + 1, p("S") + 2)


@pytest.mark.parametrize(
    ("step", "axes", "left"),
    [
        (equation("a", ("t",), (LONG,), Literal(0.0)), (LONG,), ()),
        (equation("a", ("t",), (SQUARE,), Literal(0.0)), (SQUARE,), ("L",)),
        (equation("a", ("t",), (LATE,), Literal(0.0)), (LATE,), ("L",)),
        (equation("a", ("t",), (T,), Literal(0.0)), (T,), ("S", "L")),
    ],
    ids=["two sizes", "a square", "a moving lower bound", "none"],
)
def test_batch_axes_declines_what_padding_cannot_express(step: Equation, axes: tuple[Axis, ...], left: tuple[str, ...]) -> None:
    assert ragged(step, values={"a": axes}) == left


def test_batch_axes_declines_what_an_opaque_module_sees_whole() -> None:
    opaque = Submodule("f", None, False, (StackPart(rows(0, 0), ()),), "f")
    argument = Argument("0", Abstraction((T,), read("x", "t")))
    whole = Call((CallTarget("a", (I.range,)),), (), "f", None, (argument,), (), Origin(""))
    assert ragged(whole, values={"a": (I,)}, submodules=(opaque,)) == ("L",)
