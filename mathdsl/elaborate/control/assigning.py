"""Assignments: which version of a name or of an array a statement defines, and what the target means from there on."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.control import carried as carrying
from mathdsl.elaborate.control.elements import SUPERSCRIPT, Element
from mathdsl.elaborate.control.finishing import finish_update, no_such_element, version_over
from mathdsl.elaborate.control.merging import contains_hole
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import is_apart
from mathdsl.elaborate.control.state import Array
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.syntax import nodes as ast


def assign(
    progress: Progress, element: Element, target: ast.Expression, value: ast.Expression, node: ast.Statement, made: ast.Definition
) -> None:
    """Define an element by a value: the statement `made`, which comes of the statement `node` of the program."""
    moved = progress.as_meant(element)
    slot = (moved.key, moved.indices)
    if contains_hole(value) and (moved.is_whole or (id(node), slot) in progress.unfinished):
        progress.state.partial[slot] = value
        return
    progress.state.partial.pop(slot, None)
    placed = _target(progress, moved, target, node)
    progress.emit(node, replace(made, target=placed, value=value))


def place_target(progress: Progress, target: ast.Expression, node: ast.Statement) -> ast.Expression:
    """One of several targets, as the version that the statement defines."""
    found = progress.state.reader.split(target, progress.state.scope)
    return target if found is None or found[1] is not None else _target(progress, progress.as_meant(found[0]), target, node)


def _target(progress: Progress, element: Element, written: ast.Expression, node: ast.Statement) -> ast.Expression:
    """The version that a statement defines; from here on the element means it."""
    state, slot = progress.state, (element.key, element.indices)
    if element.is_whole:
        meaning = Meaning(_version(progress, element, node), state.prefix(element))
        state.remember(element)
        carrying.forget(state, element.key)
        state.names[element.head] = meaning
        return written if meaning.is_plain else element.written(meaning)
    state.check_parts(element)
    if slot in progress.kept or (id(node), slot) in progress.unfinished:
        meaning = Meaning(_version(progress, element, node), state.prefix(element))
        state.single[slot] = meaning
        return element.written(meaning)
    state.single.pop(slot, None)
    if slot in state.pending:
        state.pending.remove(slot)
        meaning = state.arrays[element.key].meaning
        return written if meaning.is_plain else element.written(meaning)
    running = state.updates.get(element.key)
    if running is not None:
        if running.done or running.element.indices != element.indices:
            raise Unproved(element)
        running.done = True
        return element.written(running.meaning)
    return _element(progress, element, written, node)


def _version(progress: Progress, element: Element, node: ast.Statement) -> int:
    known = progress.reserved_version(element, id(node))
    return progress.state.new_version(element) if known is None else known


def _element(progress: Progress, element: Element, written: ast.Expression, node: ast.Statement) -> ast.Expression:
    """An element of an array: the first of a version, one beside those that it has, or an update of the array."""
    state, key, box = progress.state, element.key, progress.state.box(element)
    loops = [item for item in element.indices if state.loop_of(item) is not None]
    if len(set(loops)) < len(loops):
        raise Unproved(element)  # `y_{i,i}`: no box
    old, prefix = progress.state.old_array(element), state.prefix(element)
    if old is None:
        meaning = Meaning(_version(progress, element, node), prefix)
        state.arrays[key] = Array(meaning, [box])
        return written if meaning.is_plain else element.written(meaning)
    if any(item in element.indices for item in old.meaning.prefix):
        raise Unproved(element)  # `v_k` of a `v` that each turn of a loop over `k` has for itself
    if old.meaning.prefix == prefix and all(is_apart(b, box) for b in old.boxes):
        if key not in state.arrays:
            raise no_such_element(element)
        if (cover := next((one for one in progress.covers if one.element.key == key and one.new == old.meaning), None)) is not None:
            raise Unproved(cover.element)  # the loop that gave this version has left an element to what was before
        old.boxes.append(box)
        return written if old.meaning.is_plain else element.written(old.meaning)
    if element.superscript is not None and all(b.sides[SUPERSCRIPT].is_point for b in (box, *old.boxes)):
        raise Unproved(element)  # a further version of `x^{(0)}`, of which no letter shows that it is indexed
    meaning = Meaning(version_over(progress, element, old, box, id(node)), prefix)
    finish_update(progress, element, old, meaning, box)
    return element.written(meaning)
