"""Arrays that are families: each element is stored once, and every read of one comes after its store, so that order does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import combinations

from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.elements import Reader
from mathdsl.elaborate.control.header_elements import header_elements
from mathdsl.elaborate.control.loops import extreme
from mathdsl.elaborate.control.regions import Box, Side, is_apart
from mathdsl.elaborate.control.targets import Assigned
from mathdsl.elaborate.core.defined import Proof
from mathdsl.elaborate.core.extents import box_of, polynomials
from mathdsl.elaborate.core.nodes import unmarked
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import is_whole_axis
from mathdsl.elaborate.names.usage import Usage
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast


def _is_family(
    reader: Reader, targets: list[Assigned], body: tuple[ast.Statement, ...], given: Sequence[tuple[Poly, ...]], owns: bool
) -> bool:
    """Whether an array that is nothing before is a family; `given` are elements that the header gives."""
    boxes = _stored_once(targets)
    if boxes is None:
        return False
    head, above = targets[0].element.head, targets[0].element.superscript is not None
    box = box_of([_of_places(item) for item in targets])
    return (
        box is not None
        and _is_whole(boxes)
        and Proof(reader, head, polynomials(box), above=above, owns_name=owns, first=tuple(given)).holds(body)
    )


def are_equations(targets: Sequence[Assigned], given: Set[Name]) -> bool:
    """Whether statements assign arrays by elements only, each of which is stored once, and none that is given."""
    by_head = _by_head(item for item in targets if not (isinstance(item.statement, ast.Definition) and item.statement.ranges))
    parts = [own for own in by_head.values() if not all(item.element.is_whole for item in own)]
    return all(own[0].element.head not in given and _stored_once(own) is not None for own in parts)


def _stored_once(targets: list[Assigned]) -> list[Box] | None:
    """The elements that each store fills, where no element is surely stored twice; None where that is not told."""
    above = targets[0].element.superscript is not None
    if any(item.element.is_whole or (item.element.superscript is not None) != above for item in targets):
        return None
    targets = [_of_places(item) for item in targets]
    boxes = list(map(_box, targets))
    return boxes if all(map(_counts_each, targets)) and all(is_apart(a, b) for a, b in combinations(boxes, 2)) else None


def _of_places(item: Assigned) -> Assigned:
    """A target whose index above is its first one."""
    return replace(item, element=replace(item.element, subscripts=item.element.places, superscript=None))


def _by_head(targets: Iterable[Assigned]) -> dict[Name, list[Assigned]]:
    found: dict[Name, list[Assigned]] = {}
    for item in targets:
        found.setdefault(item.element.head, []).append(item)
    return found


def _counts_each(item: Assigned) -> bool:
    """Whether every loop around counts one index, and no index is anything else that loops move."""
    variables = {loop.variable for loop in item.inner}
    counted = [index for index in item.element.subscripts if index in variables]
    letters = {str(loop.spelling) for loop in item.inner}
    others = [affine(index) for index in item.element.subscripts if index not in variables and not is_whole_axis(index)]
    return sorted(map(repr, counted)) == sorted(map(repr, variables)) and all(o is not None and letters.isdisjoint(o.names) for o in others)


def _is_whole(boxes: list[Box]) -> bool:
    """Whether stores differ along one axis alone, so that what they fill is a box."""
    differing = {axis for one in boxes for axis, side in one.sides.items() if side != boxes[0].sides.get(axis, side)}
    return len(differing) < 2


def _box(item: Assigned) -> Box:
    """The elements that a store fills over its loops."""
    items = [(axis, index) for axis, index in enumerate(item.element.subscripts) if not is_whole_axis(index)]
    return Box({axis: Side(extreme(index, item.inner, -1), extreme(index, item.inner, 1)) for axis, index in items})


def families_of(reader: Reader, targets: list[Assigned], procedure: ast.Procedure, heads: Set[Name]) -> frozenset[Name]:
    """The arrays among these that are families."""
    given = elements_given(reader, procedure)
    by_head = _by_head(targets)
    others = {*by_head, *Usage.inputs_of(procedure)}
    return frozenset(h for h in heads if _is_family(reader, by_head[h], procedure.body, given.get(h, ()), unmarked(h) not in others))


def elements_given(reader: Reader, procedure: ast.Procedure) -> dict[Name, list[tuple[Poly, ...]]]:
    """The elements of arrays that the header gives, `h_0` of `h`."""
    given: dict[Name, list[tuple[Poly, ...]]] = {item.family: [(item.at,)] for item in header_elements(procedure, reader)}
    for symbol in (symbol for row in procedure.inputs for symbol in row.symbols):
        found = reader.split(symbol, frozenset())
        if found is not None and found[0].superscript is not None and (at := affine(found[0].superscript)) is not None:
            given.setdefault(found[0].head, []).append((at,))
    return given
