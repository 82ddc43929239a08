"""Ways through the AST: the nodes directly below a node, all of them, all statements, all rows; a node with others below it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from dataclasses import fields, replace
from functools import cache
from operator import is_
from typing import Any, cast

from mathdsl.syntax.nodes import (
    Binary,
    Declaration,
    EquationGroup,
    Expression,
    For,
    If,
    Indexing,
    Node,
    Number,
    Procedure,
    Scripts,
    Statement,
    Where,
    While,
)

_LEAVES = frozenset({"Span", "str", "int", "int | None", "bool"})  # types of fields that hold no nodes


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, in the order of writing; found once, since elaboration asks again and again."""
    try:
        return node.below
    except AttributeError:
        found: list[Node] = []
        for name in _parts(cast(Hashable, type(node))):
            _collect(getattr(node, name), found)
        object.__setattr__(node, "below", tuple(found))
        return node.below


def descendants(node: Node) -> tuple[Node, ...]:
    """All nodes below, outer before inner, in the order of writing; found once."""
    try:
        return node.inside
    except AttributeError:
        found: list[Node] = []
        waiting = [*children(node)[::-1]]
        while waiting:
            below = waiting.pop()
            found.append(below)
            waiting += children(below)[::-1]
        object.__setattr__(node, "inside", tuple(found))
        return node.inside


def statements_in(body: Iterable[Statement]) -> Iterator[Statement]:
    """Statements and all those in their loops, branches and groups, outer before inner, in the order of writing."""
    for statement in body:
        yield statement
        match statement:
            case For(body=inner) | While(body=inner) | EquationGroup(body=inner):
                yield from statements_in(inner)
            case If(branches=branches, otherwise=otherwise):
                for inner in (*(branch.body for branch in branches), otherwise or ()):
                    yield from statements_in(inner)
            case _:
                pass


def header_rows(procedure: Procedure) -> tuple[Declaration, ...]:
    """What a header declares: inputs, then what stands behind `;`."""
    return (*procedure.inputs, *(procedure.owned or ()))


def declared_rows(procedure: Procedure, shared: Iterable[Where] = ()) -> tuple[Declaration, ...]:
    """The rows of a header, of the procedure's own tables, and of those that are `shared` with it."""
    return (*header_rows(procedure), *(row for where in (*procedure.wheres, *shared) for row in where.rows))


def with_bodies(node: Statement, change: Callable[[tuple[Statement, ...]], tuple[Statement, ...]]) -> Statement:
    """The statement with each block under it changed: the body of a loop or a group, the arms of a branch."""
    match node:
        case For(body=body) | While(body=body) | EquationGroup(body=body):
            return replace(node, body=change(body))
        case If(branches=branches, otherwise=otherwise):
            arms = tuple(replace(branch, body=change(branch.body)) for branch in branches)
            return replace(node, branches=arms, otherwise=None if otherwise is None else change(otherwise))
        case _:
            return node


def transform(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with `change` made to the nodes directly below; the same object where nothing changes."""
    found: dict[str, Any] = {}
    for name in _parts(cast(Hashable, type(node))):
        before = getattr(node, name)
        after = _transform_part(before, change)
        if after is not before:
            found[name] = after
    return replace(node, **found) if found else node


@cache
def _parts(kind: Hashable) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes of its own."""
    return tuple(field.name for field in fields(cast(Any, kind)) if field.compare and field.type not in _LEAVES)


def _collect(part: object, found: list[Node]) -> None:
    if isinstance(part, Node):
        found.append(part)
    elif isinstance(part, tuple):
        for one in part:
            _collect(one, found)


def _transform_part(part: object, change: Callable[[Node], Node]) -> object:
    if isinstance(part, Node):
        return change(part)
    if part and isinstance(part, tuple):
        items = tuple([_transform_part(item, change) for item in part])
        return part if all(map(is_, items, part)) else items
    return part


def shifted(node: Expression, by: int) -> Expression:
    """`node + by`, written short: `0` for `1 - 1`, `S` for `(S - 1) + 1`."""
    if by == 0:
        return node
    match node:
        case Number(text=text) if text.isdigit() and int(text) + by >= 0:
            return Number(str(int(text) + by), span=node.span)
        case Binary(operator="+" | "-" as operator, left=left, right=Number(text=text)) if text.isdigit():
            return shifted(left, by + (int(text) if operator == "+" else -int(text)))
        case _:
            return Binary("+" if by > 0 else "-", node, Number(str(abs(by)), span=node.span), span=node.span)


def whole_of(symbol: Expression, letters: Set[Expression]) -> Expression:
    """The family whose element is written with one of the letters: `x` of `x_i`, `W_Q` of `W_{Q,i}`."""
    match symbol:
        case Scripts(base, subscripts, superscript):
            left = tuple(item for item in subscripts if item not in letters)
            above = None if superscript in letters else superscript
            return replace(symbol, subscripts=left, superscript=above) if left or above is not None else base
        case Indexing(base=base, items=items):
            return base if any(item in letters for item in items) else symbol
        case _:
            return symbol
