"""What has no order, and what our loops do not reach: the cycle in the author's notation, with a way out."""

from __future__ import annotations

import pytest
from ir_samples import axis, equation, given, hyper, op, p, read, returns, rows, runtime, sum_over, total, value

from mathdsl.diagnostics.model import Diagnostic, MathdslError
from mathdsl.ir.nodes import Element, Equation, Expr, Input, Module, Program, Size
from mathdsl.passes.choose_schedules import choose_schedules
from mathdsl.spans import Span

T = axis("t", 1, "S")
K = axis("k", 1, "n")


def module(*steps: Equation, arrays: dict[str, tuple[object, ...]], sizes: tuple[Size, ...] = ()) -> Program:
    values = tuple(value(name, *ranges) for name, ranges in arrays.items())
    steps = tuple(_placed(step, number) for number, step in enumerate(steps))
    return Program(
        (
            Module(
                name="M",
                sizes=(*runtime("S"), *sizes),
                settings=(),
                arrays=(given("x", T.range), given("q", T.range, element=Element.INTEGER), *values),
                inputs=(Input("x"), Input("q")),
                parameters=(),
                submodules=(),
                steps=steps,
                results=returns("y", (T,), read("x", "t")),
            ),
        )
    )


def _placed(step: Equation, number: int) -> Equation:
    """The equation with a place of its own."""
    return Equation(step.target, step.axes, step.index, step.value, type(step.origin)(step.origin.latex, Span("m.tex", number, number + 1)))


def found(program: Program) -> Diagnostic:
    with pytest.raises(MathdslError) as raised:
        choose_schedules(program)
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


def steps_in_a_cycle() -> tuple[Equation, ...]:
    """`h_t` is assembled from `h_{t,k}`, which needs `g_{t,k}`, which needs `h_t`."""
    rest = total(read("c", p("t") - 1, "k"), read("g", "t", "k"))
    return (
        equation("g", ("t", "k"), (T, K), op("tanh", sum_over(axis("j", 1, "n"), read("h", "t", "j"))), r"g_{t,k} = \tanh(U_k \cdot h_t)"),
        equation("c", (0, "k"), (K,), read("x", 1), "c_{0,k} = x_1"),
        equation("c", ("t", "k"), (T, K), rest, "c_{t,k} = c_{t-1,k} + g_{t,k}"),
        equation("h", ("t", "k"), (T, K), read("c", "t", "k"), "h_{t,k} = c_{t,k}"),
    )


def test_a_cycle_is_drawn_and_broken() -> None:
    arrays = {"g": (T.range, K.range), "c": (rows(0, "S"), K.range), "h": (T.range, K.range)}
    diagnostic = found(module(*steps_in_a_cycle(), arrays=arrays, sizes=hyper("n")))
    assert diagnostic.code == "E0501"
    assert diagnostic.message == "no order computes this: `g_{t,k}` needs `h_{t,k}`, which needs `c_{t,k}`, which needs `g_{t,k}`"
    assert diagnostic.span == Span("m.tex", 0, 1)
    labels = [(3, "`h_{t,k}` needs `c_{t,k}`"), (2, "`c_{t,k}` needs `g_{t,k}`")]
    assert [(label.span.start, label.text) for label in diagnostic.labels] == labels
    assert diagnostic.notes == ("the cycle is h_{t,k} → g_{t,k} → c_{t,k} → h_{t,k}",)
    assert diagnostic.help == "if the previous value is meant, read `c_{t-1,k}` in the equation of `h_{t,k}`"


def test_a_value_that_needs_itself() -> None:
    step = equation("h", ("t",), (T,), op("tanh", read("h", "t")), r"h[t] = \tanh(h[t])")
    diagnostic = found(module(step, arrays={"h": (T.range,)}))
    assert (diagnostic.code, diagnostic.message) == ("E0501", "no order computes this: `h[t]` needs `h[t]`")
    assert diagnostic.help == "if the previous value is meant, read `h[t-1]` in the equation of `h[t]`"


def test_both_neighbours_at_once() -> None:
    body = total(read("h", p("t") - 1), read("h", p("t") + 1))
    steps = (equation("h", (0,), (), read("x", 1)), equation("h", (p("S") + 1,), (), read("x", 1)), equation("h", ("t",), (T,), body))
    assert found(module(*steps, arrays={"h": (rows(0, p("S") + 1),)})).code == "E0501"


def test_a_value_over_all_that_needs_it() -> None:
    steps = (equation("m", (), (), sum_over(T, read("h", "t")), "m = sum"), equation("h", ("t",), (T,), read("m"), "h_t = m"))
    diagnostic = found(module(*steps, arrays={"m": (), "h": (T.range,)}))
    assert diagnostic.message == "no order computes this: `m` needs `h_t`, which needs `m`"


def recurrence(body: Expr, *more: Equation) -> tuple[Equation, ...]:
    return (equation("h", (0,), (), read("x", 1), "h_0 = x_1"), equation("h", ("t",), (T,), body, "h_t = f(h)"), *more)


@pytest.mark.parametrize(
    ("code", "steps", "arrays"),
    [
        ("E0751", recurrence(read("h", read("q", "t", element=Element.INTEGER))), {"h": (rows(0, "S"),)}),
        ("E0752", recurrence(sum_over(axis("s", 0, p("t") - 1), read("h", "s"))), {"h": (rows(0, "S"),)}),
        (
            "E0753",
            (
                equation("b", ("t",), (axis("t", 1, p("S") + 1),), read("a", p("t") - 2)),
                equation("a", ("t",), (axis("t", -1, 0),), read("x", 1)),
                equation("a", ("t",), (T,), read("b", p("t") + 1)),
            ),
            {"a": (rows(-1, "S"),), "b": (rows(1, p("S") + 1),)},
        ),
        (
            "E0754",
            (
                equation("a", (0,), (), read("x", 1)),
                equation("a", ("t",), (axis("t", 1, "n"),), read("b", p("t") - 1)),
                equation("b", ("t",), (axis("t", 0, "m"),), read("a", "t")),
            ),
            {"a": (rows(0, "n"),), "b": (rows(0, "m"),)},
        ),
    ],
)
def test_what_is_not_supported_yet(code: str, steps: tuple[Equation, ...], arrays: dict[str, tuple[object, ...]]) -> None:
    diagnostic = found(module(*steps, arrays=arrays, sizes=hyper("n", "m")))
    assert diagnostic.code == code
    assert "not supported yet" in diagnostic.message
