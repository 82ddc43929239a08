"""What values are made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any, cast

from mathdsl.tensors.statements import Statement
from mathdsl.tensors.values import Cut, Fresh, Gather, Node, Pick, Value

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


def _values(part: object) -> Iterator[Value]:
    if isinstance(part, Node):
        yield part  # type: ignore[misc]
    elif isinstance(part, tuple):
        for one in part:
            yield from _values(one)
    elif isinstance(part, Pick | Cut | Gather | Fresh):
        for name in _names(cast(Hashable, type(part))):
            yield from _values(getattr(part, name))
