"""What a loop assigns: carried from turn to turn, local to a turn, by several statements of a turn."""

from __future__ import annotations

from itertools import takewhile

from mathdsl.elaborate.control import carried as carrying
from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.control.carried import Carried
from mathdsl.elaborate.control.elements import Element, Key
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import is_apart
from mathdsl.elaborate.control.state import Array, Slot
from mathdsl.elaborate.control.targets import Assigned, are_apart
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants


def carry_targets(progress: Progress, loop: Loop, assigned: list[Assigned]) -> list[Carried]:
    """The targets that miss the loop's index; what is local to a turn loses what it meant before."""
    found: list[Carried] = []
    for items in _missing(progress, loop, assigned):
        element = items[0].element
        by_elements = bool(element.indices) and not _stands_alone(progress, loop, items)
        carried = carrying.start_carrying(progress.state, loop, element, progress.rests, by_elements)
        if carried is None:
            carrying.forget(progress.state, element.key)
            continue
        last = items[-1]
        progress.reserved[id(last.statement), (element.key, last.element.indices)] = carried.family.version
        found.append(carried)
    return found


def _missing(progress: Progress, loop: Loop, assigned: list[Assigned]) -> list[list[Assigned]]:
    """The assignments without the loop's index: by array, or by element where each element is for itself."""
    by_key: dict[Key, list[Assigned]] = {}
    for item in assigned:
        if loop.variable not in item.element.indices:
            moving = [index for index in item.element.indices if loop.variable in descendants(index)]
            is_by_array = any((value := affine(index)) is not None and str(loop.spelling) not in value.names for index in moving)
            is_by_steps = all(distance(index, loop.variable) is not None for index in moving)
            if moving and (is_by_array or is_by_steps or progress.state.exists(item.element)):
                raise Unproved(item.element)
            by_key.setdefault(item.element.key, []).append(item)
    found: list[list[Assigned]] = []
    for items in by_key.values():
        slots: dict[tuple[ast.Expression, ...], list[Assigned]] = {}
        for item in items:
            slots.setdefault(item.element.indices, []).append(item)
        found.extend(slots.values() if all(_stands_alone(progress, loop, group) for group in slots.values()) else [items])
    return found


def _stands_alone(progress: Progress, loop: Loop, items: list[Assigned]) -> bool:
    """Whether a loop uses one element of an array as if it were a name: no other access in it may touch that element."""
    element = items[0].element
    if any(inner.variable in element.indices for item in items for inner in item.inner):
        return False
    return all(
        access.element.indices == element.indices or are_apart(access.element, element)
        for access in accesses(progress.state.reader, loop.node.body, progress.state.scope | {loop.spelling})
        if access.element.head == element.head and (access.element.is_whole or access.element.key == element.key)
    )


def mark_unfinished(progress: Progress, loop: Loop, assigned: list[Assigned]) -> None:
    """Of several statements of a turn that assign one element, only the last gives it to the array.

    Where that is the array's first version, it is there from the start: `h_{t-1}` is what the turn before ended with.
    """
    state, elements = progress.state, dict[Slot, Element]()
    by_slot: dict[Slot, list[ast.Statement]] = {}
    for item in assigned:
        element = item.element
        if loop.variable in element.indices and not any(inner.variable in element.indices for inner in item.inner):
            slot = (element.key, element.indices)
            elements.setdefault(slot, element)
            statements = by_slot.setdefault(slot, [])
            if not statements or statements[-1] is not item.statement:
                statements.append(item.statement)
    for slot, statements in by_slot.items():
        progress.unfinished |= {(id(statement), slot) for statement in statements[:-1]}
        element = elements[slot]
        if any(key == slot[0] and len(indices) != len(slot[1]) for key, indices in takewhile(slot.__ne__, by_slot)):
            continue  # elements of rows that an earlier statement of the turn defines
        if len(statements) > 1 and progress.state.old_array(element) is None and element.key not in state.updates:
            outer = tuple(v for v in state.prefix(element) if v != loop.variable)
            state.arrays[element.key] = Array(Meaning(state.new_version(element), outer), [state.box(element, (loop,))])
            state.pending.add(slot)


def guard_arrays(progress: Progress, loop: Loop, assigned: list[Assigned]) -> list[Key]:
    """Arrays that one statement of a turn defines and a later one updates: the elements of other turns are not told apart."""
    first: dict[Key, Assigned] = {}
    guarded: list[Key] = []
    for item in assigned:
        element = item.element
        before = first.setdefault(element.key, item)
        axis = next((k for k, i in before.element.axes.items() if i == loop.variable), None)
        if axis is None or before.statement is item.statement or not _updates(progress, loop, before, item):
            continue
        progress.state.guarded.setdefault(element.key, []).append((axis, loop))
        guarded.append(element.key)
    return guarded


def _updates(progress: Progress, loop: Loop, before: Assigned, item: Assigned) -> bool:
    """Whether a statement assigns elements again, in loops of its own."""
    inside = any(inner.variable in item.element.indices for inner in item.inner)
    boxes = (progress.state.box(a.element, (loop, *a.inner)) for a in (before, item))
    return (inside or item.element.indices != before.element.indices) and not is_apart(*boxes)
