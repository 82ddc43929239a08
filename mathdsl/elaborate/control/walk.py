r"""Statement by statement: each assignment becomes a definition of a version, each read the version it means.

What stays: definitions (their values may be `cases`), loops, results, assertions, comments. What goes: branches,
assignments to a name that has a value, updates of elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control import carried as carrying
from mathdsl.elaborate.control.assigning import assign, place_target
from mathdsl.elaborate.control.branches import distribute_branches, is_in_order, merge_branches
from mathdsl.elaborate.control.carried import Carried, Rest
from mathdsl.elaborate.control.elements import Element, hiding
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.control.targets import Assigned, assigned_in, names_a_range
from mathdsl.elaborate.control.turns import carry_targets, guard_arrays, mark_unfinished
from mathdsl.elaborate.control.updating import check_along, start_updates, stop_updates
from mathdsl.elaborate.control.whole_axes import over_whole_axes
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, word_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.versions import Meaning, kept
from mathdsl.elaborate.report import refuse, unsupported_statement
from mathdsl.syntax import nodes as ast


def walk_block(progress: Progress, statements: tuple[ast.Statement, ...]) -> None:
    """The statements in order."""
    for position, statement in enumerate(statements):
        progress.rests.append(Rest(statements[position + 1 :]))
        for update in progress.state.updates.values():
            update.begun = update.begun or statement is update.statement
        _statement(progress, statement)
        progress.rests.pop()


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
        case ast.If() if is_in_order(progress, node):
            for statement, rest in distribute_branches(progress, node):
                progress.made += (statement, *rest)
                progress.rests.append(Rest(rest))
                _statement(progress, statement)
                progress.rests.pop()
        case ast.If():
            for element, target, value in merge_branches(progress, node):
                assign(progress, element, target, value, node, ast.Definition(target, value, span=node.span))
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
        placed = tuple(place_target(progress, item, node) for item in node.targets)
        assert isinstance(node.target, ast.Group)
        progress.emit(node, replace(node, target=replace(node.target, items=placed), value=value))
        return
    found = progress.state.reader.split(node.target, progress.state.scope)
    if found is None or found[1] is not None or names_a_range(node) and _is_own(progress, found[0]):
        progress.emit(node, replace(node, value=value))
        return
    match node.value:
        case ast.Attribute(base=ast.Identifier() | ast.Accent() as base, arguments=(ast.Number(text=text),)) if text.isdigit():
            side = Side(ast.Number("1", span=node.span), node.target)
            progress.state.sides.setdefault((word_of(base) or NO_NAME, int(text)), side)
    assign(progress, found[0], node.target, value, node, node)


def _heads(progress: Progress, node: ast.Definition) -> set[Name]:
    """The names that a definition assigns."""
    split = (progress.state.reader.split(target, progress.state.scope) for target in node.targets)
    return {found[0].head for found in split if found is not None}


def _is_own(progress: Progress, element: Element) -> bool:
    """Whether a family has only the author's own version."""
    array = progress.state.arrays.get(element.key)
    return (array is None or array.meaning.is_plain) and element.key not in progress.state.updates


def _loop(progress: Progress, node: ast.For) -> None:
    state = progress.state
    binding = state.reader.rewrite(node.binding, state.scope | set(bound_names(node.binding)), state.look)
    loop = read_loop(node, binding)
    assigned = list(assigned_in(state.reader, node.body, state.scope | {loop.spelling}))
    _check_variable(loop, assigned)
    check_along(progress, loop, assigned)
    wider = over_whole_axes(state, loop, assigned)
    if wider is not None:
        progress.replace(node, wider)
        _loop(progress, wider)
        return
    carried = carry_targets(progress, loop, assigned)
    state.begun |= {item.element.head for item in assigned}
    place = len(progress.out)
    for found in carried:
        carrying.enter(state, found)
    started = start_updates(progress, loop, assigned)
    with _turns(progress, loop, assigned, carried):
        body = _inside(progress, node.body)
        closing = [carrying.leave(state, found) for found in carried]
    body += tuple(c for c in closing if c is not None)
    progress.out[place:place] = [found.base for found in carried if found.base is not None and carrying.reads_before(found, body)]
    progress.emit(node, replace(node, binding=loop.upwards(binding), body=body))
    for found in carried:
        carrying.after(state, found)
    for item in assigned:
        if loop.variable not in item.element.indices and all(item.element.key != found.element.key for found in carried):
            carrying.forget(state, item.element.key)
    stop_updates(progress, loop, started)
    for found in carried:
        if (value := carrying.value_without_turns(state, found)) is not None:
            assign(
                progress, found.element, found.element.name, value, node, ast.Definition(found.element.name, value, span=node.binding.span)
            )
        if not found.element.is_whole:
            _settle(progress, found, node)
    state.ended[loop.spelling] = loop


def _check_variable(loop: Loop, assigned: list[Assigned]) -> None:
    r"""Refuse an assignment to the variable that a loop counts, `i \gets x_i` in a loop over `i`."""
    again = next((item.element for item in assigned if item.element.is_whole and item.element.head == loop.spelling), None)
    if again is not None:
        raise refuse(
            "E0303",
            f"the loop variable `{readable(loop.spelling)}` cannot be assigned",
            again.span,
            labels=(Label(loop.node.binding.span, "the loop that it counts"),),
            help="give the value a name of its own",
        )


@contextmanager
def _turns(progress: Progress, loop: Loop, assigned: list[Assigned], carried: list[Carried]) -> Iterator[None]:
    """The inside of a loop."""
    slots = [found.slot for found in carried if not found.element.is_whole]
    mark_unfinished(progress, loop, assigned)
    guarded = guard_arrays(progress, loop, assigned)
    progress.rests.append(Rest(loop.node.body, is_again=True))
    progress.state.loops.append(loop)
    progress.kept.extend(slots)
    yield
    del progress.kept[len(progress.kept) - len(slots) :]
    progress.state.loops.pop()
    progress.rests.pop()
    for key in guarded:
        progress.state.guarded[key].pop()


def _settle(progress: Progress, found: Carried, node: ast.For) -> None:
    """An element that a loop has accumulated goes into its array, unless the turn around assigns it again."""
    slot, element = found.slot, found.element
    if slot in progress.kept or (id(node), slot) in progress.unfinished:
        return
    value = kept(progress.state.value(element))
    assign(progress, element, element.written(Meaning(1)), value, node, ast.Definition(element.name, value, span=found.loop.node.span))
