"""Branches: a definition by `cases` for each target of their arms, and loops in their arms as branches in loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from mathdsl.diagnostics.readings.names import ELEMENT_OR_SYMBOL
from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.control.carried import Rest, is_read_later
from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.merging import Row, assume, merge_rows
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.state import Slot, State, no_array
from mathdsl.elaborate.control.targets import arms_of, assigned_in, contains_loop
from mathdsl.elaborate.control.updates import Unproved, is_update
from mathdsl.elaborate.control.uses import accesses, first_use
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.versions import kept, settled, unread
from mathdsl.elaborate.report import undecided, unsupported, unsupported_statement
from mathdsl.syntax import nodes as ast


def merge_branches(progress: Progress, node: ast.If) -> list[tuple[Element, ast.Expression, ast.Expression]]:
    """The targets of all branches, each with its value as `cases`."""
    state = progress.state
    conditions = [state.read(branch.condition) for branch in node.branches]
    tables: list[dict[Slot, ast.Expression]] = []
    begun: set[Name] = set()
    targets: dict[Slot, tuple[Element, ast.Expression]] = {}
    for position, body in enumerate(arms_of(node)):
        state.arms.append({})
        begun_before = set(state.begun)
        for at, statement in enumerate(body, 1):
            progress.rests.append(Rest(body[at:]))
            _in_branch(progress, statement, targets)
            progress.rests.pop()
        begun |= state.begun
        state.begun = begun_before
        holds, fails = conditions[position : position + 1], conditions[:position]
        tables.append({slot: assume(value, holds, fails) for slot, value in state.arms.pop().items()})
    state.begun |= begun
    found: list[tuple[Element, ast.Expression, ast.Expression]] = []
    for slot, (element, target) in targets.items():
        assigning = sum(slot in table for table in tables)
        is_temporary = assigning < len(tables) and element.is_whole and node.span not in progress.local  # if nothing reads it later
        if not assigning or is_temporary and not is_read_later(state, progress.rests, state.scope, *element.key):
            _check_is_no_element(state, element, target, node)
            continue
        before: ast.Expression | None = None
        values: list[ast.Expression] = []
        for position, table in enumerate(tables):
            if slot not in table and before is None:
                if progress.local and not state.exists(element):  # in a branch that is in order
                    _note_names_of_arms(progress, node)
                if state.exists(element):
                    before = kept(state.value(element))
                elif element.head in progress.local.get(node.span, ()):
                    before = unread(node.span)
                else:
                    before = ast.Hole(span=node.span)
            value = before or ast.Hole(span=node.span)
            values.append(table[slot] if slot in table else assume(value, conditions[position : position + 1], conditions[:position]))
        rows = [Row(c, v) for c, v in zip((*conditions, None), values, strict=True)]
        found.append((element, target, merge_rows(rows, node.span)))
    return found


def _check_is_no_element(state: State, element: Element, target: ast.Expression, node: ast.If) -> None:
    r"""Refuse a name that nothing reads and that may be an element: `B_c` behind `c \gets x_1`, `v_{n,1}`, beside an array."""
    name, reader = element.head, state.reader
    is_array = name.word in reader.standing | reader.declared | reader.families.subscripts.keys()
    indexing = state.assigned if len(name.labels) == 1 else state.assigned | reader.sizes | reader.counters
    if not name.labels or not is_array or not all(label in indexing or label.is_number and name.labels[1:] for label in name.labels):
        return
    if all(access.use != "read" or access.element.head != name for access in accesses(state.reader, (node,), state.scope)):
        indices = ", ".join(map(readable, name.labels))
        raise undecided(ELEMENT_OR_SYMBOL, target.span, symbol=readable(name), array=readable(name.word), indices=indices)


def _in_branch(progress: Progress, node: ast.Statement, targets: dict[Slot, tuple[Element, ast.Expression]]) -> None:
    match node:
        case ast.Definition(targets=assigned, values=values, domains=()) if len(assigned) == len(values):
            for target, value in zip(assigned, [progress.state.read(value) for value in values], strict=True):
                found = progress.state.reader.split(target, progress.state.scope)
                if found is None or found[1] is not None:
                    raise no_array(target)
                progress.state.begun.add(found[0].head)
                _note(progress, progress.as_meant(found[0]), target, value, targets)
        case ast.If():
            for element, target, value in merge_branches(progress, node):
                _note(progress, element, target, value, targets)
        case ast.Remark():
            progress.out.append(node)
        case ast.While():
            raise unsupported_statement(node)
        case _:
            raise unsupported("this statement in a branch", node.span, help="write it before or after the branch")


def _note(
    progress: Progress, element: Element, target: ast.Expression, value: ast.Expression, targets: dict[Slot, tuple[Element, ast.Expression]]
) -> None:
    slot = (element.key, element.indices)
    for other in targets.keys() - {slot}:
        if other[0] == slot[0] and all(distance(a, b) in (None, 0) for a, b in zip(other[1], slot[1], strict=False)):
            raise Unproved(element)
    progress.state.arms[-1][slot] = value
    targets.setdefault(slot, (element, target))


def is_in_order(progress: Progress, node: ast.If) -> bool:
    """Whether the statements of branches are executed one after the other: loops, and arrays that are assigned by parts."""
    arms = arms_of(node)
    nested = (statement for arm in arms for statement in arm if isinstance(statement, ast.If))
    updates = any(len(arm) > 1 and any(map(is_update, arm)) for arm in arms)
    return contains_loop((node,)) or updates or any(is_in_order(progress, inner) for inner in nested)


def _note_names_of_arms(progress: Progress, node: ast.If) -> None:
    """Find the names that arms assign and whose value of before nothing reads: what they are where an arm is not taken, nothing asks.

    In a loop these are whole names: elements may be those of another turn.
    """
    state, found = progress.state, set[Name]()
    for arm in arms_of(node) if node.span not in progress.local else ():
        for element in {item.element: None for item in assigned_in(state.reader, arm, state.scope)}:
            if element.head in state.header or state.loops and not element.is_whole:
                continue
            rests = [*progress.rests, Rest((node,))] if element.is_whole else progress.rests
            is_read = not element.is_whole and first_use(accesses(state.reader, arm, state.scope), *element.key) == "read"
            if not is_read and not is_read_later(state, rests, state.scope, *element.key):
                found.add(element.head)
    progress.local.setdefault(node.span, frozenset(found))


def distribute_branches(
    progress: Progress, node: ast.If, holds: tuple[ast.Expression, ...] = (), fails: tuple[ast.Expression, ...] = ()
) -> Iterator[tuple[ast.Statement, tuple[ast.Statement, ...]]]:
    """Branches as statements of which each stands in a branch of its own, and loops with branches; each with what follows.

    Arms that loop over the same range share a loop. Conditions are what they are before the first statement.
    """
    _note_names_of_arms(progress, node)
    conditions = [settled(assume(progress.state.read(b.condition), [*holds], [*fails])) for b in node.branches]
    arms = [list(body) for body in arms_of(node)]
    alone = any(map(is_update, chain(*arms)))

    def guarded(bodies: list[tuple[ast.Statement, ...]]) -> ast.If:
        branches = tuple(ast.Branch(c, b, span=node.span) for c, b in zip(conditions, bodies, strict=False))
        return ast.If(branches, bodies[-1] if node.otherwise is not None else None, span=node.span)

    def rest() -> tuple[ast.Statement, ...]:
        return (guarded([tuple(arm) for arm in arms]),) if any(arms) else ()

    while any(arms):
        plain = [tuple(_up_to_loop(progress, arm, alone)) for arm in arms]
        if any(plain):
            yield guarded(plain), rest()
            continue
        position = next(k for k, arm in enumerate(arms) if arm)
        match arms[position][0]:
            case ast.For() as first:
                bodies: list[tuple[ast.Statement, ...]] = []
                for arm in arms:
                    head = arm[0] if arm else None
                    shares = isinstance(head, ast.For) and head.binding == first.binding
                    bodies.append(head.body if isinstance(head, ast.For) and shares else ())
                    if shares:  # an empty loop, too, has had its turn
                        del arm[0]
                yield replace(first, body=(guarded(bodies),)), rest()
            case ast.If() as inner:
                del arms[position][0]
                asked = [condition.body for condition in conditions if isinstance(condition, ast.Accent)]
                around = (*holds, *asked[position : position + 1]), (*fails, *asked[:position])
                for statement, following in distribute_branches(progress, inner, *around):
                    single: list[tuple[ast.Statement, ...]] = [(statement,) if k == position else () for k in range(len(arms))]
                    if isinstance(statement, ast.For):
                        single = [statement.body if k == position else () for k in range(len(arms))]
                        yield replace(statement, body=(guarded(single),)), (*following, *rest())
                    else:
                        yield guarded(single), (*following, *rest())


def _up_to_loop(progress: Progress, arm: list[ast.Statement], alone: bool) -> Iterator[ast.Statement]:
    """The statements of an arm that stand in one branch: those before a loop, one alone where they are executed one after the other."""
    while arm and not isinstance(arm[0], ast.For) and not (isinstance(arm[0], ast.If) and is_in_order(progress, arm[0])):
        yield arm.pop(0)
        if alone:
            return
