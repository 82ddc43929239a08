"""Branches: a definition by `cases` for each target of their arms, and loops in their arms as branches in loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.merging import Row, assume, merge_rows
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.state import Slot
from mathdsl.elaborate.control.targets import arms_of, contains_loop
from mathdsl.elaborate.control.uses import is_function, targets_of
from mathdsl.elaborate.control.versions import settled
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.report import unsupported
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
        for statement in body:
            _in_branch(progress, statement, targets)
        begun |= state.begun
        state.begun = begun_before
        holds, fails = conditions[position : position + 1], conditions[:position]
        tables.append({slot: assume(value, holds, fails) for slot, value in state.arms.pop().items()})
    state.begun |= begun
    found: list[tuple[Element, ast.Expression, ast.Expression]] = []
    for slot, (element, target) in targets.items():
        if not any(slot in table for table in tables):
            continue
        before = None
        values: list[ast.Expression] = []
        for table in tables:
            if slot not in table and before is None:
                before = state.value(element) if state.exists(element) else ast.Hole(span=node.span)
            values.append(table[slot] if slot in table else before or ast.Hole(span=node.span))
        rows = [Row(c, v) for c, v in zip((*conditions, None), values, strict=True)]
        found.append((element, target, merge_rows(rows, node.span)))
    return found


def _in_branch(progress: Progress, node: ast.Statement, targets: dict[Slot, tuple[Element, ast.Expression]]) -> None:
    match node:
        case ast.Definition() if not is_function(node) and len(targets_of(node)) == 1 and not node.domains:
            found = progress.state.reader.split(node.target, progress.state.scope)
            value = progress.state.read(node.value)
            if found is None or found[1] is not None:
                raise unsupported("this as a target in a branch", node.target.span)
            progress.state.begun.add(found[0].head)
            _note(progress, progress.as_meant(found[0]), node.target, value, targets)
        case ast.If():
            for element, target, value in merge_branches(progress, node):
                _note(progress, element, target, value, targets)
        case ast.Remark():
            progress.out.append(node)
        case _:
            raise unsupported("this statement in a branch", node.span, help="write it before or after the branch")


def _note(
    progress: Progress, element: Element, target: ast.Expression, value: ast.Expression, targets: dict[Slot, tuple[Element, ast.Expression]]
) -> None:
    slot = (element.key, element.indices)
    for other in targets.keys() - {slot}:
        if other[0] == slot[0] and all(distance(a, b) in (None, 0) for a, b in zip(other[1], slot[1], strict=False)):
            raise unsupported(
                f"an assignment to a part of `{readable(element.head)}` in a branch beside one to another part, which may hold it",
                element.span,
                help="write a branch for each of them",
            )
    progress.state.arms[-1][slot] = value
    targets.setdefault(slot, (element, target))


def distribute_branches(progress: Progress, node: ast.If) -> Iterator[ast.Statement]:
    """Branches with loops as loops with branches: arms that loop over the same range share a loop."""
    conditions = [settled(progress.state.read(branch.condition)) for branch in node.branches]
    arms = [list(body) for body in arms_of(node)]

    def guarded(bodies: list[tuple[ast.Statement, ...]]) -> ast.If:
        branches = tuple(ast.Branch(c, b, span=node.span) for c, b in zip(conditions, bodies, strict=False))
        return ast.If(branches, bodies[-1] if node.otherwise is not None else None, span=node.span)

    while any(arms):
        plain = [tuple(_up_to_loop(arm)) for arm in arms]
        if any(plain):
            yield guarded(plain)
        first = next((arm[0] for arm in arms if arm), None)
        if isinstance(first, ast.For):
            bodies: list[tuple[ast.Statement, ...]] = []
            for arm in arms:
                head = arm[0] if arm else None
                shares = isinstance(head, ast.For) and head.binding == first.binding
                bodies.append(head.body if isinstance(head, ast.For) and shares else ())
                if shares:  # an empty loop, too, has had its turn
                    del arm[0]
            yield replace(first, body=(guarded(bodies),))


def _up_to_loop(arm: list[ast.Statement]) -> Iterator[ast.Statement]:
    while arm and not isinstance(arm[0], ast.For):
        if contains_loop((arm[0],)):
            raise unsupported("a loop in a branch of a branch", arm[0].span, help="join the conditions in one branch")
        yield arm.pop(0)
