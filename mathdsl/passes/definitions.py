r"""Values by the equation that defines them, and their elements as expressions.

p[i] = softmax(j: z[j])[i]       p[3]  is  softmax(j: z[j])[3]
u[t] = log(x[t])                 u[k]  is  log(x[k]), where the data k says which
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Along, Apply, Array, Axis, Element, Equation, Expr, IndexValue, Module, Range, Read, Select
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, rewrite, step_targets, substitute_axes


def sole_definitions(module: Module) -> Mapping[str, Equation]:
    """The arrays that one equation defines, by name."""
    counts = Counter(target for step in module.steps for target in step_targets(step))
    return {step.target: step for step in module.steps if isinstance(step, Equation) and counts[step.target] == 1}


def joined_definition(array: Array, pieces: Sequence[Equation], fresh: FreshNames) -> Equation:
    """What several equations say of an array, as one: `u[t] = log(x[1]) if t = 1 else log(x[t]) + 1`."""
    axes = tuple(Axis(fresh(f"k_{number}"), bounds) for number, bounds in enumerate(array.ranges))
    index = tuple(Poly.of(axis.name) for axis in axes)
    value: Expr | None = None
    for piece in reversed(pieces):
        ranges = {axis.name: axis.range for axis in piece.axes}
        places = {name: at for entry, at in zip(piece.index, index, strict=True) if (name := entry.variable) in ranges and name is not None}
        own = substitute_axes(piece.value, places, fresh, {axis.name for axis in axes})
        asked: list[Expr] = []
        for entry, at, whole in zip(piece.index, index, array.ranges, strict=True):
            bounds = ranges.get(entry.variable or "", Range(entry, entry))
            asked += [_at_most(bounds.lower, at)] * (bounds.lower != whole.lower) + [_at_most(at, bounds.upper)] * (
                bounds.upper != whole.upper
            )
        is_there = reduce(lambda a, b: Apply("and", (a, b), Element.BOOLEAN), asked) if asked else None
        value = own if value is None or is_there is None else Select(is_there, own, value, array.element)
    assert value is not None
    return Equation(array.name, axes, index, value, pieces[0].origin)


def _at_most(left: Poly, right: Poly) -> Expr:
    return Apply("less_equal", (IndexValue(left), IndexValue(right)), Element.BOOLEAN)


def element_of_definition(equation: Equation, read: Read, fresh: FreshNames, around: Collection[str] = ()) -> Expr | None:
    """What the equation says of the element that is read; `around` are the axes at the place of the read.

    None where data says which element, and the equation does more with that index than to look it up.
    """
    values: dict[str, Poly] = {}
    data: dict[str, Expr] = {}
    for entry, place in zip(equation.index, read.index, strict=True):
        name = next(iter(entry.names & {axis.name for axis in equation.axes}), None)
        if name is None:
            continue
        if isinstance(place, Poly):
            values[name] = place
        else:
            hole = fresh(name)
            values[name], data[hole] = Poly.of(hole), place
    opened = substitute_axes(equation.value, values, fresh, around)
    for hole, place in data.items():
        opened = rewrite(opened, lambda node, hole=hole, place=place: _looked_up(node, hole, place, fresh))  # type: ignore[misc]
    return None if any(hole in free_names(opened) for hole in data) else opened


def _looked_up(node: Expr, hole: str, place: Expr, fresh: FreshNames) -> Expr:
    """The node with data in the place of the index `hole`."""
    match node:
        case Read(index=index):
            return replace(node, index=tuple(place if entry == Poly.of(hole) else entry for entry in index))
        case IndexValue(value=value) if value == Poly.of(hole):
            return place
        case Along(at=Poly() as at) if hole in at.names and hole not in (at - Poly.of(hole)).names:
            return replace(_rebased(node, at - Poly.of(hole), fresh), at=place)
        case _:
            return node


def _rebased(along: Along, shift: Poly, fresh: FreshNames) -> Along:
    """The operation over an axis that counts from another base, so that `shift` added to its index is the old one."""
    if shift == Poly.of(0):
        return along
    bounds, name = along.axis.range, along.axis.name
    axis = replace(along.axis, range=Range(bounds.lower - shift, bounds.upper - shift))
    return replace(along, axis=axis, body=substitute_axes(along.body, {name: Poly.of(name) + shift}, fresh))
