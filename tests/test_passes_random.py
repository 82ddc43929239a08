"""Random recurrences: the passes keep what the interpreter computes, and padding full of NaN changes nothing."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ir_samples import axis, equation, op, p, read, sum_over, total
from pass_programs import small

from mathdsl.ir.nodes import Along, Element, Equation, Expr, Literal, Module, Program, Reduce
from mathdsl.oracle.interpreter import interpret
from mathdsl.passes import run_passes

T = axis("t", 1, "S")
REAL = Element.REAL
LENGTH = 4
VALUES = [0.5, -0.7, 0.9, 0.3]


@st.composite
def bodies(draw: st.DrawFn, reads: list[Expr], depth: int = 3) -> Expr:
    """A formula of the given reads; partial operations only where they are defined for every number."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*reads, read("w"), Literal(0.5)]))
    one = draw(bodies(reads, depth - 1))
    squared = op("add", Literal(0.25), op("mul", one, one))
    match draw(st.integers(0, 6)):
        case 0:
            return op("tanh", one)
        case 1:
            return op("sigmoid", one)
        case 2:
            return op("sub", Literal(1.0), op("sigmoid", one))
        case 3:
            return op("log", squared)
        case 4:
            return op("div", one, squared)
        case 5:
            return op("mul", one, draw(bodies(reads, depth - 1)))
        case _:
            return total(one, draw(bodies(reads, depth - 1)))


@st.composite
def modules(draw: st.DrawFn) -> Module:
    """Arrays a, b, c over t, each of the others before it, itself and itself one step aside, up or down; then a result."""
    back = draw(st.sampled_from([-1, 1]))
    steps: list[Equation] = []
    seen: list[Expr] = [read("x", "t")]
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]
    for name in names:
        steps.append(equation(name, (0 if back < 0 else p("S") + 1,), (), draw(st.sampled_from([Literal(0.0), Literal(1.0), read("w")]))))
    for name in names:
        carried = [read(other, p("t") + back) for other in names]
        steps.append(equation(name, ("t",), (T,), draw(bodies([*seen, *carried, read("x", p("S") - p("t") + 1)]))))
        seen.append(read(name, "t"))
    last = names[-1]
    results: list[Expr] = [
        sum_over(T, draw(bodies(seen, 2))),
        read(last, "S" if back < 0 else 1),
        Reduce("max", T, read(last, "t"), REAL),
        Reduce("logsumexp", T, read(last, "t"), REAL),
        sum_over(T, op("mul", Along("softmax", axis("s", 1, "S"), read(last, "s"), p("t"), REAL), read("x", "t"))),
    ]
    domain = axis("t", 0, "S") if back < 0 else axis("t", 1, p("S") + 1)
    values = dict.fromkeys(names, (domain,))
    return small(
        *draw(st.permutations(steps)), inputs={"x": (T,)}, parameters={"w": ()}, values=values, result=((), draw(st.sampled_from(results)))
    )


def run(program: Program, x: list[float], **more: Any) -> float:
    value = interpret(program, "M", {"x": x}, {"w": 0.8}, {"d": 2, "n": 2, "L": 1}, **more)
    assert isinstance(value, float)
    return value


@settings(max_examples=150, deadline=None)
@given(modules(), st.integers(1, LENGTH))
def test_passes_keep_what_is_computed(module: Module, length: int) -> None:
    program = Program((module,))
    expected = run(program, VALUES[:length])
    assume(math.isfinite(expected) and abs(expected) < 1e6)
    passed = run_passes(program)
    assert passed.modules[0].ragged == ("S",)
    assert run(passed, VALUES[:length]) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    padded = VALUES[:length] + [math.nan] * (LENGTH - length)
    assert run(passed, padded, lengths={"S": length}) == pytest.approx(expected, rel=1e-9, abs=1e-9)
