"""What values are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from operator import is_
from typing import Any, TypeVar, cast

from mathdsl.tensors.statements import (
    Append,
    Between,
    Extents,
    ForEach,
    IfMissing,
    Let,
    Line,
    Loop,
    NewList,
    NewTable,
    Receive,
    Statement,
    Store,
    StoreAll,
    UnpackInput,
)
from mathdsl.tensors.values import At, Cut, Fresh, Gather, Local, Node, Pick, Value

T = TypeVar("T")
_ASSIGNED = frozenset({"local", "table", "targets", "argument"})  # fields of statements
_PLAIN = frozenset("tuple str int float bool None Poly Element Range Origin Span".split())  # types without values in them
_WORD = re.compile(r"\w+")


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "form")


@cache
def _holding_names(kind: Any) -> tuple[str, ...]:
    return tuple(
        field.name for field in fields(kind) if field.name in _names(kind) and not _PLAIN.issuperset(_WORD.findall(str(field.type)))
    )


def fields_of(part: object) -> tuple[str, ...]:
    """The names of what a value or an entry is made of."""
    kind: Any = type(part)
    return _names(kind)


def _holding(part: object) -> tuple[str, ...]:
    """The names of the fields in which values can stand: none of names, numbers and sizes."""
    kind: Any = type(part)
    return _holding_names(kind)


@cache
def _needing_names(kind: Any) -> tuple[str, ...]:
    """The names of the fields in which values that are needed can stand: of statements, not what they assign."""
    return tuple(name for name in _holding_names(kind) if not (issubclass(kind, Line) and name in _ASSIGNED))


def children(value: Value) -> list[Value]:
    """The values directly inside a value."""
    found: list[Value] = []
    for name in _holding(value):
        _add_values(getattr(value, name), found)
    return found


def values_of(statement: Statement) -> list[Value]:
    """The values that a statement needs, without those of the statements under it and without what it assigns."""
    found: list[Value] = []
    kind: Any = type(statement)
    for name in _needing_names(kind):
        _add_values(getattr(statement, name), found)
    return found


def bodies(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks that stand under a statement."""
    match statement:
        case Loop(body=body) | ForEach(body=body) | Between(body=body):
            return (body,)
        case IfMissing(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def with_bodies(statement: Statement, change: Callable[[Sequence[Statement]], tuple[Statement, ...]]) -> Statement:
    """The statement with each block under it changed."""
    match statement:
        case Loop(body=body) | ForEach(body=body) | Between(body=body):
            return replace(statement, body=change(body))
        case IfMissing(then=then, otherwise=otherwise):
            return replace(statement, then=change(then), otherwise=change(otherwise))
        case _:
            return statement


def assigned(statement: Statement) -> Iterator[str]:
    """The locals that a statement and those under it assign or store into, and the indices of loops."""
    match statement:
        case Let(local=local) | NewList(local=local) | Append(local=local) | NewTable(table=local) | StoreAll(table=local):
            yield local.name
        case Store(element=element):
            yield from _target(element)
        case Receive(targets=targets):
            for target in targets:
                yield from () if target is None else _target(target)
        case UnpackInput(argument=argument):
            yield from (local.name for _, local in argument.members)
        case Loop():
            yield from (statement.axis, statement.variable)
        case ForEach():
            yield from (statement.axis, statement.variable, statement.item)
        case _:
            pass
    for body in bodies(statement):
        for inner in body:
            yield from assigned(inner)


def _target(target: Local | At) -> Iterator[str]:
    root: Value = target
    while isinstance(root, At):
        root = root.of
    if isinstance(root, Local):
        yield root.name


def with_values(part: T, change: Callable[[Value], Value]) -> T:
    """The value or statement with each value directly inside it changed; of a statement, also those of the statements under it."""
    made: dict[str, Any] = {}
    kind: Any = type(part)
    for name in _needing_names(kind):
        old = getattr(part, name)
        new = _changed(old, change)
        if new is not old:
            made[name] = new
    return replace(cast(Any, part), **made) if made else part


def mapped(statement: Statement, change: Callable[[Value], Value]) -> Statement:
    """The statement, and those under it, with each value that it needs changed, from the inside out."""
    return with_values(statement, partial(_inside_out, change))


def _inside_out(change: Callable[[Value], Value], value: Value) -> Value:
    return change(with_values(value, partial(_inside_out, change)))


def renamed(statement: Statement, given: Mapping[str, str]) -> Statement:
    """The statement with other names for locals, those that it assigns included."""
    return cast(Statement, _renamed(statement, given)) if given else statement


def _renamed(part: Any, given: Mapping[str, str]) -> Any:
    match part:
        case Local(name=name):
            return replace(part, name=given[name]) if name in given else part
        case Node() | Line() | Pick() | Cut() | Gather() | Extents():
            changed = {name: _renamed(getattr(part, name), given) for name in _holding(part)}
            return replace(part, **changed) if any(changed[name] is not getattr(part, name) for name in changed) else part
        case tuple():
            made = tuple([_renamed(one, given) for one in part])
            return part if all(map(is_, made, part)) else made
        case _:
            return part


def _changed(part: object, change: Callable[[Any], Value]) -> object:
    match part:
        case Node():
            return change(part)
        case tuple():
            made = tuple([_changed(one, change) for one in part])
            return part if all(map(is_, made, part)) else made
        case Line() | Pick() | Cut() | Gather() | Extents():
            return with_values(part, change)
        case _:
            return part


def _add_values(part: object, found: list[Any]) -> None:
    match part:
        case Node():
            found.append(part)
        case tuple():
            for one in part:
                _add_values(one, found)
        case Pick() | Cut() | Gather() | Fresh() | Extents():
            for name in _holding(part):
                _add_values(getattr(part, name), found)
        case _:
            pass
