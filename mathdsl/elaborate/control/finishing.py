"""Updates of arrays: the new version, with the old elements where the update has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control import carried as carrying
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.control.covers import Cover
from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.loops import loop_over
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import Box, Side, are_in_order, holds, is_apart, may_leave, unknown_axes, what_remains
from mathdsl.elaborate.control.state import Array, Update
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.names.spelling import is_whole_axis
from mathdsl.elaborate.names.versions import Meaning, kept, without_versions
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def version_over(progress: Progress, element: Element, old: Array, box: Box, node: int) -> int:
    """The version of an update: that of the array which a loop carries, if the update gives all elements of a turn."""
    known = progress.reserved_version(element, node)
    fixed = frozenset(progress.state.loops)
    if old.is_input and any(
        (box.sides.keys() == before.sides.keys() and holds(box, before, fixed) and not holds(before, box, fixed)) for before in old.boxes
    ):
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


def finish_update(progress: Progress, element: Element, old: Array, meaning: Meaning, box: Box, update: Update | None = None) -> None:
    """The array is the new version from here on, with the old elements where the update has none; `update`: that of a loop."""
    reads_others, is_read = update is not None and update.reads_others, update is not None and update.is_read
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
        if not is_apart(before, box):
            progress.out.extend(_insides(progress, element, before, box))
        left.extend(rest)
        if unknown_axes(before, box) or any(map(is_whole_axis, element.subscripts)):
            progress.covers.append(Cover(element, meaning, old.meaning))
    if (
        reads_others
        and len({axis for rest in left for axis, side in rest.sides.items() if all(side != b.sides.get(axis) for b in old.boxes)}) > 1
    ):
        raise Unproved(element)  # pieces along several axes, which a loop would run through one after the other
    if old.like is not None:
        progress.covers.append(Cover(element, old.meaning, old.like))
    (whole, *others), merged = old.boxes, meaning
    is_of_turn = old.meaning.prefix != meaning.prefix and not are_in_order(whole, box)
    if left and not others and (is_of_turn or not is_read and any(may_leave(whole, rest) for rest in left)):
        if reads_others:
            raise Unproved(element)
        if not whole.sides.keys() >= box.sides.keys():
            whole = Box({**progress.state.rows_of(element, old.meaning).sides, **whole.sides})
        merged = Meaning(progress.state.new_version(element), meaning.prefix)
        progress.out.append(_copy(progress, element, whole, old.meaning, merged, (box, meaning)))
    else:
        progress.out.extend(_copy(progress, element, part, old.meaning, meaning) for part in left)
    carrying.forget(progress.state, element.key)
    inside = any(holds(before, box, fixed) for before in old.boxes)
    progress.state.arrays[element.key] = Array(merged, old.boxes if inside else [box, *left])


def _with_rows(progress: Progress, element: Element, before: Box, new: Box, old: Meaning) -> Box | None:
    """What was defined by rows, with the axes of the rows, which count from 1: `h_{t,1}` of `h_t`; None where the update lies outside."""
    known = Box({**progress.state.rows_of(element, old).sides, **before.sides})
    return None if before.sides.keys() >= new.sides.keys() or is_apart(known, new) else known


def _insides(progress: Progress, element: Element, whole: Box, part: Box) -> Iterator[ast.Statement]:
    r"""That single elements are there, which an array without elements has not: `1 \leq n` for `x_1` of `n` elements."""
    name, span = render_expression(without_versions(element.written(Meaning(1)))), element.span
    loops = [side for side in part.sides.values() if side.loop is not None and side.loop not in progress.state.loops]
    for axis, side in part.sides.items():
        own = whole.sides.get(axis)
        if own is None or not side.is_point or side.loop is not None:
            continue
        for low, high in ((own.lower, side.lower), (side.upper, own.upper)):
            steps = difference(high, low)
            if steps is None or is_nonnegative(steps) or any(difference(other.upper, other.lower) == steps for other in loops):
                continue
            without_turns = (ast.Relation(("<",), (other.upper, other.lower), span=span) for other in loops)
            asked = (*without_turns, ast.Relation((r"\leq",), (low, high), span=span))
            bounds = " .. ".join(render_expression(without_versions(end)) for end in (own.lower, own.upper))
            condition = asked[0] if len(asked) == 1 else ast.Logic("or", asked, span=span)
            yield ast.Assertion(condition, words=f"{name} is inside {bounds}", span=span)


def _copy(
    progress: Progress, element: Element, part: Box, old: Meaning, new: Meaning, but: tuple[Box, Meaning] | None = None
) -> ast.Statement:
    """The elements of a box, as they were, but for those of a box in it that another version has."""
    items = {axis: _variable(progress, axis, side) for axis, side in part.sides.items()}
    count = sum(axis >= 0 for axis in items)
    if any(k not in items for k in range(count)):
        raise Unproved(element)
    moved = replace(element, subscripts=tuple(items[k] for k in range(count)), superscript=items.get(-1))
    value = kept(moved.written(old))
    if but is not None:
        rows = (
            ast.CaseRow(moved.written(but[1]), _inside(but[0], part, items), span=element.span),
            ast.CaseRow(value, None, span=element.span),
        )
        value = ast.Cases(rows, span=element.span)
    made: ast.Statement = ast.Definition(moved.written(new), value, span=element.span)
    for axis, side in reversed(part.sides.items()):
        if items[axis] is not side.lower and side.loop not in progress.state.loops:
            made = loop_over(items[axis], side.lower, side.upper, made)
    return made


def _inside(box: Box, whole: Box, items: Mapping[int, ast.Expression]) -> ast.Expression:
    """That indices are those of a box in the whole."""
    asked: list[ast.Expression] = []
    for axis, side in box.sides.items():
        low = () if side.lower == whole.sides[axis].lower else (side.lower,)
        high = () if side.upper == whole.sides[axis].upper else (side.upper,)
        if low or high:
            asked.append(ast.Relation((r"\leq",) * len(low + high), (*low, items[axis], *high), span=side.lower.span))
    return asked[0] if len(asked) == 1 else ast.Logic("and", tuple(asked), span=asked[0].span)


def _variable(progress: Progress, axis: int, side: Side) -> ast.Expression:
    """The index that a copy runs over an axis with: that of the loop which defined it, or a free letter."""
    if side.loop is not None and (side.loop in progress.state.loops or side.loop.spelling not in progress.state.scope):
        return side.loop.variable
    return side.lower if side.is_point else ast.Identifier(progress.state.free_letters()[axis], span=side.lower.span)
