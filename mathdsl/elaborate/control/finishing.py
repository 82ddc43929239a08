"""Updates of arrays: the new version, with the old elements where the update has none."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control import carried as carrying
from mathdsl.elaborate.control.covers import Cover
from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.loops import Loop, loop_over
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import Box, Side, holds, is_apart, unknown_axes, what_remains
from mathdsl.elaborate.control.state import Array
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.versions import Meaning
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast


def version_over(progress: Progress, element: Element, old: Array, box: Box, node: int) -> int:
    """The version of an update: that of the array which a loop carries, if the update gives all elements of a turn."""
    known = progress.reserved_version(element, node)
    fixed = frozenset(progress.state.loops)
    if old.is_input and any(_exceeds(box, before, fixed) for before in old.boxes):
        raise no_such_element(element)
    if known is not None and all(what_remains(before, box, fixed) == [] for before in old.boxes):
        return known
    return progress.state.new_version(element)


def no_such_element(element: Element) -> MathdslError:
    return refuse(
        "E0303",
        f"`{readable(element.head)}` has no such element",
        element.span,
        help="give the value a name of its own, or define an array with this element by loops",
    )


def _exceeds(box: Box, whole: Box, fixed: frozenset[Loop]) -> bool:
    """Whether all of an array is assigned and more: `0..S` of an `x` over `1..S`."""
    return box.sides.keys() == whole.sides.keys() and holds(box, whole, fixed) and not holds(whole, box, fixed)


def finish_update(progress: Progress, element: Element, old: Array, meaning: Meaning, box: Box) -> None:
    """The array is the new version from here on, with the old elements where the update has none."""
    fixed = frozenset(progress.state.loops)
    left: list[Box] = []
    for before in old.boxes:
        rest = what_remains(before, box, fixed)
        if rest is None and old.is_input:
            before = Box({})
            rest = what_remains(before, box, fixed)
        if rest is None and (known := _with_rows(progress, element, before, box, old.meaning)) is not None:
            before, rest = known, what_remains(known, box, fixed)
        if rest is None:
            raise Unproved(element)
        left.extend(rest)
        if unknown_axes(before, box):
            progress.covers.append(Cover(element, meaning, old.meaning, tuple(progress.path)))
    if old.like is not None:
        progress.covers.append(Cover(element, old.meaning, old.like, tuple(progress.path)))
    for part in left:
        progress.out.append(_copy(progress, element, part, old.meaning, meaning))
    carrying.forget(progress.state, element.key)
    inside = any(holds(before, box, fixed) for before in old.boxes)
    progress.state.arrays[element.key] = Array(meaning, old.boxes if inside else [box, *left])


def _with_rows(progress: Progress, element: Element, before: Box, new: Box, old: Meaning) -> Box | None:
    """What was defined by rows, with the axes of the rows, which count from 1: `h_{t,1}` of `h_t`; None where the update lies outside."""
    known = Box({**progress.state.rows_of(element, old).sides, **before.sides})
    return None if before.sides.keys() >= new.sides.keys() or is_apart(known, new) else known


def _copy(progress: Progress, element: Element, part: Box, old: Meaning, new: Meaning) -> ast.Statement:
    """The elements of a box, as they were."""
    items = {axis: _variable(progress, axis, side) for axis, side in part.sides.items()}
    count = sum(axis >= 0 for axis in items)
    if any(k not in items for k in range(count)):
        raise Unproved(element)
    moved = replace(element, subscripts=tuple(items[k] for k in range(count)), superscript=items.get(-1))
    made: ast.Statement = ast.Definition(moved.written(new), moved.written(old), span=element.span)
    for axis, side in reversed(part.sides.items()):
        if items[axis] is not side.lower and side.loop not in progress.state.loops:
            made = loop_over(items[axis], side.lower, side.upper, made)
    return made


def _variable(progress: Progress, axis: int, side: Side) -> ast.Expression:
    """The index that a copy runs over an axis with: that of the loop which defined it, or a free letter."""
    if side.loop is not None:
        return side.loop.variable
    return side.lower if side.is_point else ast.Identifier(progress.state.free_letters()[axis], span=side.lower.span)
