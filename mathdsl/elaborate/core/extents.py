"""The domain of an array: the hull of the places at which statements store its elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.loops import extreme
from mathdsl.elaborate.control.targets import Assigned
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.spelling import base_of, identifiers, is_whole_axis
from mathdsl.elaborate.terms.bounds import outermost
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast

Ends: TypeAlias = tuple[ast.Expression, ast.Expression]


@dataclass(frozen=True)
class Typed:
    """What types say of ends: those between which integers lie, and elements of their arrays; those of the axes of arrays."""

    integers: Mapping[Name, Ends] = field(default_factory=dict)
    axes: Mapping[str, tuple[Ends, ...]] = field(default_factory=dict)


def hull(targets: list[Assigned], computed: Set[Name], typed: Typed) -> list[Ends] | None:
    """The ends of the axes of an array; None where nothing tells them. `computed` are names that statements assign whole."""
    elements = [item for item in targets if not item.element.is_whole]
    count = _axes(elements)
    elements = [replace(i, element=replace(i.element, subscripts=i.element.subscripts[:count])) for i in elements]
    fixed = [item for item in elements if not _is_moved_by(computed, item)] or elements
    box = box_of(fixed, typed.integers)
    if box is not None and len(fixed) < len(elements) and all(lower == upper for lower, upper in box):
        box = None
    if box is not None and any(name in computed for ends in box for end in ends for name in identifiers(end)):
        box = None
    axes = typed.axes.get(targets[0].element.head)
    if box is None and axes is not None and all(len(item.element.indices) <= len(axes) for item in elements):
        return list(axes)
    first = [item for item in elements if item.statement is targets[0].statement]
    return box_of(first) if box is None and first and all(map(_runs_through_a_box, first)) else box


def _axes(elements: list[Assigned]) -> int:
    """How many axes stores tell the ends of: those of the shortest, and further ones that a loop runs through."""
    least = min(len(item.element.subscripts) for item in elements)
    for axis in range(least, max(len(item.element.subscripts) for item in elements)):
        own = [item for item in elements if axis < len(item.element.subscripts)]
        if not any(item.element.subscripts[axis] in {loop.variable for loop in item.inner} for item in own):
            return axis
        least = axis + 1
    return least


def box_of(targets: list[Assigned], counting: Mapping[Name, Ends] = MappingProxyType({})) -> list[Ends] | None:
    """The ends of each axis, between which all elements are that are assigned one by one; None where these are not known."""
    elements = [item.element for item in targets]
    if any(element.superscript is not None for element in elements):
        return None
    found: list[Ends] = []
    for axis in range(max(len(element.subscripts) for element in elements)):
        own = [item for item in targets if axis < len(item.element.subscripts) and not is_whole_axis(item.element.subscripts[axis])]
        lower, upper = (_end(own, axis, sign, counting) for sign in (-1, 1))
        if lower is None or upper is None:
            return None
        found.append((lower, upper))
    return found


def _is_moved_by(names: Set[Name], item: Assigned) -> bool:
    """Whether an index is reckoned from what statements assign: it is one of those that other statements give."""
    return any(name in names for index in item.element.indices for name in identifiers(index))


def polynomials(box: Sequence[Ends]) -> tuple[tuple[Poly, Poly], ...]:
    ends = [(affine(lower, of_quotients=True), affine(upper, of_quotients=True)) for lower, upper in box]
    return tuple((lower, upper) for lower, upper in ends if lower is not None and upper is not None)


def _runs_through_a_box(item: Assigned) -> bool:
    """Whether each index is the variable of a loop of its own."""
    indices = item.element.indices
    return len(set(indices)) == len(indices) and set(indices) <= {loop.variable for loop in item.inner}


def _end(targets: list[Assigned], axis: int, sign: int, counting: Mapping[Name, Ends]) -> ast.Expression | None:
    """The least or the greatest index of an axis that is assigned."""
    indices = [item.element.subscripts[axis] for item in targets]
    typed = [counting.get(word_of(base_of(index)) or NO_NAME) for index in indices]
    ends = [
        found[max(sign, 0)] if found is not None else extreme(index, item.inner, sign)
        for item, index, found in zip(targets, indices, typed, strict=True)
    ]
    values = [affine(end, of_quotients=True) for end in ends]
    moving = {loop.spelling for item in targets for loop in item.inner}
    known = [value for value, end in zip(values, ends, strict=True) if value is not None and moving.isdisjoint(identifiers(end))]
    found = outermost(known, sign > 0) if len(known) == len(values) else None
    return None if found is None else ends[values.index(found)]
