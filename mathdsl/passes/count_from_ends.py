r"""Count from its own end what begins there: the last elements of an example, wherever its end lies.

Before -> after, where `n` is the length of an input::

    h[n-2] = 0                                         h[0] = 0
    h[t] = h[t-1] + x[t]    for t in n-1..n      ->    h[t] = h[t-1] + x[t+n-2]    for t in 1..2
    return h[n] + sum(j in n-1..n: x[j])               return h[2] + sum(j in 0..1: x[j+n-1])
    return sum(j in m..n: x[j])                        return sum(j in 0..n: x[j+m] if j <= n-m else 0)

Padding is at the upper end of an axis, so that a range which begins with a length has no place of its own in a batch; an element that
is counted from the end is read at each example's own. Preconditions: no schedule yet. Declines for what calls of modules define,
for reductions over a difference of lengths that need an element, and for loops in a loop along an end.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TypeAlias

from mathdsl.ir.nodes import (
    Along,
    Apply,
    Axis,
    Call,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Kind,
    Literal,
    Module,
    Range,
    Read,
    Reduce,
    Select,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import all_axes, element_of, map_module, map_polys, map_range, rewrite, step_targets
from mathdsl.ops import REDUCTIONS

Starts: TypeAlias = Mapping[tuple[str, int], Poly]  # for an axis of an array the first index that it had


def counted_from_ends(module: Module, lengths: Set[str]) -> Module:
    """The module in which no array that equations define, and no axis of a formula, begins with one of the lengths."""
    called = {target for step in module.steps if isinstance(step, Call) for target in step_targets(step)}
    starts = {
        (array.name, place): bounds.lower
        for array in module.arrays
        if array.kind is Kind.VALUE and array.name not in called
        for place, bounds in enumerate(array.ranges)
        if not bounds.lower.names.isdisjoint(lengths)
    }
    firsts: dict[str, Poly] = {}
    for step in module.steps:
        if isinstance(step, Equation):
            moved = ((entry.variable or "", starts.get((step.target, place))) for place, entry in enumerate(step.index))
            firsts |= {name: start for name, start in moved if start is not None and any(axis.name == name for axis in step.axes)}
    of_steps = [axis.name for step in module.steps for axis in step.axes]
    if any(of_steps.count(name) > 1 for name in firsts):
        return module
    for axis in all_axes(module):  # outer axes first, which a range inside may begin with
        first = axis.range.lower.substitute({name: start + name for name, start in firsts.items()})
        if axis.name not in of_steps and not first.names.isdisjoint(lengths):
            firsts[axis.name] = first
    if not starts and not firsts and all(_lengthened(axis.range.upper, lengths) == axis.range.upper for axis in all_axes(module)):
        return module
    return _shifted(module, starts, firsts, lengths)


def _shifted(module: Module, starts: Starts, firsts: Mapping[str, Poly], lengths: Set[str]) -> Module:
    """The module in which axes of arrays and of formulas are counted from what they began with."""
    values = {name: first + name for name, first in firsts.items()}
    nothing = Poly.of(0)

    def poly(old: Poly) -> Poly:
        return old.substitute(values)

    def axis(old: Axis) -> Axis:
        first = firsts.get(old.name, nothing)
        return Axis(old.name, map_range(old.range, lambda bound: poly(bound) - first))

    def entry(array: str, place: int, old: Poly) -> Poly:
        return poly(old) - starts.get((array, place), nothing)

    def index(array: str, place: int, old: Index) -> Index:
        if isinstance(old, Poly):
            return entry(array, place, old)
        start = starts.get((array, place))
        return old if start is None else Apply("sub", (old, IndexValue(start)), Element.INTEGER)

    def change(node: Expr) -> Expr:
        match node:
            case Read(array=array):
                return replace(node, index=tuple(index(array, place, old) for place, old in enumerate(node.index)))
            case Reduce():
                moved = _covered(replace(node, axis=axis(node.axis)), lengths)
                first = firsts.get(node.axis.name)
                if first is None or not REDUCTIONS[node.op].is_position:
                    return moved
                return Apply("add", (moved, IndexValue(first)), Element.INTEGER)
            case Along():
                first = firsts.get(node.axis.name, nothing)
                at = poly(node.at) - first if isinstance(node.at, Poly) else Apply("sub", (node.at, IndexValue(first)), Element.INTEGER)
                return replace(node, axis=axis(node.axis), at=at)
            case _:
                return map_polys(node, poly)

    return map_module(module, poly, axis, entry, lambda expr: rewrite(expr, change))


def _covered(reduce: Reduce, lengths: Set[str]) -> Reduce:
    """The reduction over a range that grows with all lengths, of its own elements alone: of a difference of lengths, the longer one."""
    row, bounds = REDUCTIONS[reduce.op], reduce.axis.range
    longer = _lengthened(bounds.upper, lengths)
    if longer == bounds.upper or row.of_nothing is None:
        return reduce
    axis = Axis(reduce.axis.name, Range(bounds.lower, longer))
    inside = Apply("less_equal", (IndexValue(Poly.of(axis.name)), IndexValue(bounds.upper)), Element.BOOLEAN)
    element = element_of(reduce.body)
    return replace(reduce, axis=axis, body=Select(inside, reduce.body, Literal(row.neutral_of(element)), element))


def _lengthened(upper: Poly, lengths: Set[str]) -> Poly:
    """The bound without the lengths that are taken from it: `n` for `n - m`."""
    return Poly(tuple(term for term in upper.terms if term[1] > 0 or all(name not in lengths for name, _ in term[0])))
