r"""Statement by statement: each assignment becomes a definition of a version, each read the version it means.

What stays: definitions (their values may be `cases`), loops, results, assertions, comments. What goes: branches,
assignments to a name that has a value, updates of elements.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.control.elements import Element, Key, Unproved, hiding
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.control.regions import is_apart
from mathdsl.elaborate.control.state import Array, Progress, State
from mathdsl.elaborate.control.targets import Assigned, assigned_in, names_a_range
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.core.along import check_along
from mathdsl.elaborate.core.liveness import Flows
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.elaborate.report import unsupported_statement
from mathdsl.syntax import nodes as ast


def walk_block(progress: Progress, statements: tuple[ast.Statement, ...]) -> None:
    """The statements in order."""
    for statement in statements:
        _statement(progress, statement)


def _statement(progress: Progress, node: ast.Statement) -> None:
    match node:
        case ast.Definition():
            _definition(progress, node)
        case ast.Return(value=value):
            progress.emit(node, replace(node, value=progress.state.read(value)))
        case ast.Assertion(condition=condition):
            progress.emit(node, replace(node, condition=progress.state.read(condition)))
        case ast.Remark():
            progress.out.append(node)
        case ast.EquationGroup(body=body):
            progress.state.begun |= {item.element.head for item in assigned_in(progress.state.reader, body, progress.state.scope)}
            progress.emit(node, replace(node, body=_inside(progress, body)))
        case ast.For():
            _loop(progress, node)
        case ast.While() | ast.Sampling() | ast.Leave():
            raise unsupported_statement(node)


def _inside(progress: Progress, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
    outer, progress.out = progress.out, []
    walk_block(progress, statements)
    outer, progress.out = progress.out, outer
    return tuple(outer)


def _definition(progress: Progress, node: ast.Definition) -> None:
    if node.function is not None:
        _, parameters = node.function
        reader = progress.state.reader.of_function(parameters)
        value = reader.rewrite(node.value, progress.state.scope, hiding(parameters, progress.state.look))
        progress.emit(node, replace(node, value=value))
        return
    domain = {name for item in node.ranges for name in bound_names(item)}
    if domain:  # an array over its domain may read itself
        progress.state.begun |= _heads(progress, node)
    value = progress.state.reader.rewrite(node.value, progress.state.scope | domain, progress.state.look)
    progress.state.begun |= _heads(progress, node)
    if domain:
        progress.emit(node, replace(node, value=value))
        return
    if len(node.targets) > 1:
        placed = tuple(place_target(progress, item) for item in node.targets)
        assert isinstance(node.target, ast.Group)
        progress.emit(node, replace(node, target=replace(node.target, items=placed), value=value))
        return
    found = progress.state.reader.split(node.target, progress.state.scope)
    if found is None or found[1] is not None or names_a_range(node) and _is_own(progress, found[0]):
        progress.emit(node, replace(node, value=value))
        return
    assign(progress, found[0], node.target, value, node, node)


def _heads(progress: Progress, node: ast.Definition) -> set[Name]:
    """The names that a definition assigns."""
    split = (progress.state.reader.split(target, progress.state.scope) for target in node.targets)
    return {found[0].head for found in split if found is not None}


def _is_own(progress: Progress, element: Element) -> bool:
    """Whether a family has only the author's own version."""
    array = progress.state.arrays.get(element.key)
    return array is None or array.meaning.is_plain


def _loop(progress: Progress, node: ast.For) -> None:
    state = progress.state
    binding = state.reader.rewrite(node.binding, state.scope | set(bound_names(node.binding)), state.look)
    loop = read_loop(node, binding)
    assigned = list(assigned_in(state.reader, node.body, state.scope | {loop.spelling}))
    if any(item.element.is_whole and item.element.head == loop.spelling for item in assigned):
        raise Unproved(assigned[0].element)
    heads = {item.element.head for item in assigned if state.exists(item.element)}
    check_along(state.reader, loop, heads, state.scope | {loop.spelling})
    check_carries_nothing(progress, loop, assigned)
    state.begun |= {item.element.head for item in assigned}
    check_assigns_once(progress, loop, assigned)
    state.loops.append(loop)
    body = _inside(progress, node.body)
    state.loops.pop()
    progress.emit(node, replace(node, binding=loop.upwards(binding), body=body))
    for item in assigned:
        if loop.variable not in item.element.indices:
            state.forget(item.element.key)
    state.ended[loop.spelling] = loop


def check_carries_nothing(progress: Progress, loop: Loop, assigned: list[Assigned]) -> None:
    """What a loop assigns without its index is local to a turn; else a turn hands it to the next, or to what follows."""
    flows, scope = Flows(progress.state.reader), progress.state.scope
    exposed = flows.of_block(loop.node.body, scope | {loop.spelling}).exposed
    for element in (item.element for item in assigned if loop.variable not in item.element.indices):
        if not element.is_whole or element.head in exposed or _is_read_outside(progress, loop, element.head):
            raise Unproved(element)


def _is_read_outside(progress: Progress, loop: Loop, head: Name) -> bool:
    """Whether a statement around a loop, or beside it, reads a name that the loop assigns."""
    counts = [
        sum(access.use == "read" and access.element.head == head for access in accesses(progress.state.reader, body, frozenset()))
        for body in (progress.state.body, (loop.node,))
    ]
    return counts[0] > counts[1]


def check_assigns_once(progress: Progress, loop: Loop, assigned: list[Assigned]) -> None:
    """Leave to execution what several statements of a turn assign to one element, or to elements that are not told apart."""
    first: dict[Key, Assigned] = {}
    for item in assigned:
        before = first.setdefault(item.element.key, item)
        if before.statement is item.statement or loop.variable not in before.element.indices:
            continue
        own = (access.element for access in accesses(progress.state.reader, loop.node.body, progress.state.scope | {loop.spelling}))
        of_turn = all(loop.variable in element.indices for element in own if element.key == item.element.key)
        if len(item.element.axes) < len(before.element.axes) and of_turn:
            continue  # a row, of which the turn has assigned elements before
        if not is_apart(*(progress.state.box(one.element, (loop, *one.inner)) for one in (before, item))):
            raise Unproved(item.element)


def assign(
    progress: Progress, element: Element, target: ast.Expression, value: ast.Expression, node: ast.Statement, made: ast.Definition
) -> None:
    """Define an element by a value: the statement `made`, which comes of the statement `node` of the program."""
    moved = progress.as_meant(element)
    placed = _target(progress, moved, target)
    progress.emit(node, replace(made, target=placed, value=value))


def place_target(progress: Progress, target: ast.Expression) -> ast.Expression:
    """One of several targets, as the version that the statement defines."""
    found = progress.state.reader.split(target, progress.state.scope)
    return target if found is None or found[1] is not None else _target(progress, progress.as_meant(found[0]), target)


def _target(progress: Progress, element: Element, written: ast.Expression) -> ast.Expression:
    """The version that a statement defines; from here on the element means it."""
    state = progress.state
    if element.is_whole:
        meaning = Meaning(state.new_version(element), state.prefix(element))
        state.forget(element.key)
        state.names[element.head] = meaning
        return written if meaning.is_plain else element.written(meaning)
    return _element(state, element, written)


def _element(state: State, element: Element, written: ast.Expression) -> ast.Expression:
    """An element of an array: the first of a version, or one beside those that it has."""
    key, box, prefix = element.key, state.box(element), state.prefix(element)
    loops = [item for item in element.indices if state.loop_of(item) is not None]
    old = state.arrays.get(key)
    is_given = not key[1] and (element.head in state.names or element.head in state.header)
    if len(set(loops)) < len(loops) or old is None and is_given:
        raise Unproved(element)  # `y_{i,i}`: no box
    if old is None:
        old = state.arrays[key] = Array(Meaning(state.new_version(element), prefix), [box])
    elif old.meaning.prefix != prefix or not all(is_apart(b, box) for b in old.boxes):
        raise Unproved(element)
    else:
        old.boxes.append(box)
    return written if old.meaning.is_plain else element.written(old.meaning)
