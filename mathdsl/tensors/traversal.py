"""What values are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, cast

from mathdsl.tensors.statements import Extents, Line, Statement
from mathdsl.tensors.values import Cut, Fresh, Gather, Node, Pick, Value

T = TypeVar("T")
_ASSIGNED = frozenset({"local", "table", "targets", "argument"})  # fields of statements


@cache
def _names(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cast(Any, kind)) if field.name != "form")


def children(value: Value) -> Iterator[Value]:
    """The values directly inside a value."""
    for name in _names(cast(Hashable, type(value))):
        yield from _values(getattr(value, name))


def values_of(statement: Statement) -> Iterator[Value]:
    """The values that a statement needs, without those of the statements under it and without what it assigns."""
    for name in _names(cast(Hashable, type(statement))):
        if name not in _ASSIGNED:
            yield from _values(getattr(statement, name))


def with_values(part: T, change: Callable[[Value], Value]) -> T:
    """The value or statement with each value directly inside it changed; of a statement, also those of the statements under it."""
    made: dict[str, Any] = {}
    for name in _names(cast(Hashable, type(part))):
        old = getattr(part, name)
        new = old if isinstance(part, Line) and name in _ASSIGNED else _changed(old, change)
        if new is not old:
            made[name] = new
    return replace(cast(Any, part), **made) if made else part


def mapped(statement: Statement, change: Callable[[Value], Value]) -> Statement:
    """The statement, and those under it, with each value that it needs changed, from the inside out."""

    def inside_out(value: Value) -> Value:
        return change(with_values(value, inside_out))

    return with_values(statement, inside_out)


def _changed(part: object, change: Callable[[Value], Value]) -> object:
    match part:
        case Node():
            return change(cast(Value, part))
        case Line() | Pick() | Cut() | Gather() | Extents():
            return with_values(part, change)
        case tuple():
            made = tuple(_changed(one, change) for one in part)
            return part if all(new is old for new, old in zip(made, part, strict=True)) else made
        case _:
            return part


def _values(part: object) -> Iterator[Value]:
    if isinstance(part, Node):
        yield part  # type: ignore[misc]
    elif isinstance(part, tuple):
        for one in part:
            yield from _values(one)
    elif isinstance(part, Pick | Cut | Gather | Fresh | Extents):
        for name in _names(cast(Hashable, type(part))):
            yield from _values(getattr(part, name))
