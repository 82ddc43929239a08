"""Ways through the AST: the nodes directly below a node, and all of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any, cast

from mathdsl.syntax.nodes import Node

_LEAVES = frozenset({"Span", "str", "int", "bool"})  # types of fields that hold no nodes


def children(node: Node) -> list[Node]:
    """The nodes directly below, in the order of writing."""
    found: list[Node] = []
    for name in _parts(cast(Hashable, type(node))):
        part = getattr(node, name)
        if isinstance(part, Node):
            found.append(part)
        elif part and isinstance(part, tuple):
            _collect(part, found)
    return found


def descendants(node: Node) -> Iterator[Node]:
    """All nodes below, outer before inner, in the order of writing."""
    waiting = children(node)[::-1]
    while waiting:
        below = waiting.pop()
        yield below
        waiting += children(below)[::-1]


@cache
def _parts(kind: Hashable) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes."""
    return tuple(field.name for field in fields(cast(Any, kind)) if field.type not in _LEAVES)


def _collect(parts: tuple[object, ...], found: list[Node]) -> None:
    for part in parts:
        if isinstance(part, Node):
            found.append(part)
        elif isinstance(part, tuple):
            _collect(part, found)
