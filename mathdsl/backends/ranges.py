"""Ranges whose bounds depend on other tensor dimensions: the bounding box, with the neutral element outside the range."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.backends.terms import Scope
from mathdsl.ir.nodes import Apply, Axis, Element, IndexValue, Literal, Range, Reduce, Select
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of
from mathdsl.ops import REDUCTIONS


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


def rectangular(expr: Reduce, scope: Scope) -> Reduce:
    """The same reduction over a range that does not depend on tensor dimensions."""
    axis = expr.axis
    inner = {a.name for a in scope.axes}
    if not (axis.range.lower.names | axis.range.upper.names) & inner:
        return expr
    box = bounding(axis.range, scope)
    here = IndexValue(Poly.of(axis.name))
    above = Apply("greater_equal", (here, IndexValue(axis.range.lower)), Element.BOOLEAN)
    below = Apply("less_equal", (here, IndexValue(axis.range.upper)), Element.BOOLEAN)
    tests = [test for test, bound, edge in ((above, axis.range.lower, box.lower), (below, axis.range.upper, box.upper)) if bound != edge]
    condition = tests[0] if len(tests) == 1 else Apply("and", (tests[0], tests[1]), Element.BOOLEAN)
    neutral = REDUCTIONS[expr.op].neutral
    element = element_of(expr.body)
    value = float(neutral) if element is Element.REAL else bool(neutral) if element is Element.BOOLEAN else int(neutral)
    return replace(expr, axis=Axis(axis.name, box), body=Select(condition, expr.body, Literal(value), element))
