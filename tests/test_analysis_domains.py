"""Reads outside a domain are proved with a point as witness; what nothing defines is found; what may be right is not refused."""

from __future__ import annotations

import pytest
from ir_samples import SAMPLES, axis, equation, op, p, read, sum_over
from pass_programs import small

from mathdsl.analysis.domains import check_coverage, check_reads, find_overlaps
from mathdsl.ir.nodes import Axis, Element, Equation, Expr, IndexValue, Literal, Module, Select
from mathdsl.ir.sizes import Poly

REAL = Element.REAL
T = axis("t", 1, "S")


def verdicts(module: Module) -> list[tuple[str, str, dict[str, str]]]:
    return [(v.read.array, v.verdict, {name: str(value) for name, value in v.witness}) for v in check_reads(module)]


def reading(bound: Axis, expr: Expr, given: Axis = T) -> list[tuple[str, str, dict[str, str]]]:
    return verdicts(small(equation("y", ("t",), (bound,), expr), inputs={"x": (given,)}, values={"y": (bound,)}, result=((), Literal(0.0))))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_read_what_is_there(name: str) -> None:
    for module in SAMPLES[name].program.modules:
        assert not check_reads(module)
        assert not find_overlaps(module)


def test_only_the_corner_of_the_stack_is_not_defined() -> None:
    """h[0, 0]: neither a layer's first state nor an input, and nothing reads it."""
    holes = {name: check_coverage(sample.program.module(sample.module)) for name, sample in SAMPLES.items()}
    assert {name: len(found) for name, found in holes.items() if found} == {"stack": 1}


def test_an_index_beyond_either_end_has_a_witness() -> None:
    assert reading(T, read("x", p("t") - 1)) == [("x", "never", {"t": "1"})]
    assert reading(axis("t", 1, "S"), read("x", "t"), axis("t", 0, p("S") - 1)) == [("x", "never", {"t": "S"})]


def test_a_read_that_is_right_for_some_sizes_is_left_to_run_time() -> None:
    assert reading(T, read("x", 3)) == [("x", "unknown", {})]


def test_a_condition_keeps_a_read_inside() -> None:
    def guarded(op_name: str) -> Expr:
        condition = op(op_name, IndexValue(p("t")), Literal(1), element=Element.BOOLEAN)
        return Select(condition, Literal(0.0), read("x", p("t") - 1), REAL)

    assert reading(T, guarded("equal")) == []
    assert reading(T, guarded("greater")) == [("x", "never", {"t": "1"})]


def test_a_reduction_over_what_came_before() -> None:
    assert reading(T, sum_over(axis("s", 1, p("t") - 1), read("x", "s"))) == []
    assert reading(T, sum_over(axis("s", 0, p("t") - 1), read("x", "s"))) == [("x", "never", {"s": "0"})]


def recurrence(*bases: Equation, domain: Axis, first: Poly) -> Module:
    step = equation("h", ("t",), (axis("t", first, "S"),), op("tanh", read("h", p("t") - 1)))
    return small(*bases, step, inputs={"x": (T,)}, values={"h": (domain,)}, result=((), Literal(0.0)))


def test_a_missing_base_case() -> None:
    assert verdicts(recurrence(domain=T, first=p(1))) == [("h", "never", {"t": "1"})]
    assert verdicts(recurrence(equation("h", (0,), (), Literal(0.0)), domain=axis("t", 0, "S"), first=p(1))) == []


def test_a_hole_between_the_equations() -> None:
    module = recurrence(equation("h", (0,), (), Literal(0.0)), domain=axis("t", 0, "S"), first=p(2))
    (hole,) = check_coverage(module)
    assert hole.array == "h"
    assert [(array, verdict) for array, verdict, _ in verdicts(module)] == [("h", "never")]


def test_a_triangular_domain_has_a_hole_that_only_some_reads_meet() -> None:
    i, j = axis("i", 1, "S"), axis("j", 1, "i")
    fill = equation("a", ("i", "j"), (i, j), Literal(1.0))

    def summed(inner: Axis) -> list[tuple[str, str, dict[str, str]]]:
        step = equation("y", ("i",), (i,), sum_over(inner, read("a", "i", inner.name)))
        values = {"a": (i, axis("j", 1, "S")), "y": (i,)}
        return verdicts(small(fill, step, inputs={"x": (T,)}, values=values, result=((), Literal(0.0))))

    assert summed(j) == []
    assert [(array, verdict) for array, verdict, _ in summed(axis("k", 1, "S"))] == [("a", "unknown")]


def test_elements_that_are_defined_twice() -> None:
    module = recurrence(equation("h", (1,), (), Literal(0.0)), domain=axis("t", 0, "S"), first=p(1))
    assert find_overlaps(module) == [(0, 1, "h")]
    assert find_overlaps(recurrence(equation("h", (0,), (), Literal(0.0)), domain=axis("t", 0, "S"), first=p(1))) == []
