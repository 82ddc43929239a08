"""Ranges whose bounds depend on other tensor dimensions: the bounding box, with the neutral element outside the range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.ir.nodes import Along, Apply, Axis, Element, Expr, IndexValue, Literal, Range, Reduce, Select
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of
from mathdsl.ops import ALONG, REDUCTIONS
from mathdsl.tensors.lower.terms import Scope


def bounding(bounds: Range, scope: Scope) -> Range:
    """The smallest range with bounds free of the scope's axes that holds all of them (bounds are affine in axes)."""
    lower, upper = bounds.lower, bounds.upper
    for axis in reversed(scope.axes):
        lower = _extreme(lower, axis, least=True)
        upper = _extreme(upper, axis, least=False)
    return Range(lower, upper)


def _extreme(value: Poly, axis: Axis, least: bool) -> Poly:
    factor = value.coefficient(axis.name)
    if axis.name not in value.names or factor is None:
        return value
    rising = all(c > 0 for _, c in factor.terms)
    return value.substitute({axis.name: axis.range.lower if rising is least else axis.range.upper})


def rectangular(expr: Reduce, scope: Scope, ragged: Sequence[str]) -> Reduce:
    """The same reduction over a range that does not depend on tensor dimensions; inside it, up to each example's own end."""
    if not depends_on_dimensions(expr.axis.range, scope):
        return expr
    box, inside = _within(expr.axis, scope, ragged)
    neutral = REDUCTIONS[expr.op].neutral
    element = element_of(expr.body)
    value = float(neutral) if element is Element.REAL else bool(neutral) if element is Element.BOOLEAN else int(neutral)
    return replace(expr, axis=box, body=Select(inside, expr.body, Literal(value), element))


def rectangular_along(expr: Along, scope: Scope, ragged: Sequence[str]) -> Along:
    """The same operation along a range that does not depend on tensor dimensions; of an empty range, what is finite."""
    bounds = expr.axis.range
    if not depends_on_dimensions(bounds, scope):
        return expr
    box, inside = _within(expr.axis, scope, ragged)
    is_empty = Apply("less", (IndexValue(bounds.upper.owned(ragged)), IndexValue(bounds.lower)), Element.BOOLEAN)
    outside = Select(is_empty, Literal(0.0), Literal(ALONG[expr.op].fill_before), Element.REAL)
    return replace(expr, axis=box, body=Select(inside, expr.body, outside, Element.REAL))


def mean_as_sum(expr: Reduce, ragged: Sequence[str]) -> Expr:
    """`sum(j in a..b: e) / max(b - a + 1, 1)` of a mean: a check has said that no point wants the mean of nothing."""
    count = Apply("to_real", (IndexValue(expr.axis.range.extent.owned(ragged)),), Element.REAL)
    at_least_one = Apply("maximum", (count, Literal(1.0)), Element.REAL)
    return Apply("div", (replace(expr, op="sum"), at_least_one), Element.REAL)


def depends_on_dimensions(bounds: Range, scope: Scope) -> bool:
    """Whether a range is another one at other points of the scope's axes (`1..i`)."""
    return bool((bounds.lower.names | bounds.upper.names) & {a.name for a in scope.axes})


def _within(axis: Axis, scope: Scope, ragged: Sequence[str]) -> tuple[Axis, Expr]:
    """The axis over the bounding box, and the condition that a point of it lies in the range."""
    box = bounding(axis.range, scope)
    here = IndexValue(Poly.of(axis.name))
    above = Apply("greater_equal", (here, IndexValue(axis.range.lower)), Element.BOOLEAN)
    below = Apply("less_equal", (here, IndexValue(axis.range.upper.owned(ragged))), Element.BOOLEAN)
    tests = [test for test, bound, edge in ((above, axis.range.lower, box.lower), (below, axis.range.upper, box.upper)) if bound != edge]
    return Axis(axis.name, box), tests[0] if len(tests) == 1 else Apply("and", (tests[0], tests[1]), Element.BOOLEAN)
