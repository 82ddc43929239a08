"""What a symbol holds before anything is said about it: a default, a fixed value, or what it is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.render.model import TableRow
from mathdsl.syntax.nodes import Expression, Identifier

_VALUES: Mapping[str, str] = MappingProxyType({"setting": "default", "input": "default", "buffer": "value", "parameter": "initially"})
_DRAWS: Mapping[str, str] = MappingProxyType({"buffer": "drawn from", "parameter": "initially drawn from"})
"""What is said before a value and before a distribution, by the kind of the symbol."""
_BY_NAME = "initialised by"  # Xavier

Start = tuple[str, Expression]
"""Words, and the value or the distribution."""


def find_start(row: TableRow) -> Start | None:
    """Of a row of a table; None where its declaration says nothing of it."""
    if row.declaration is None:
        return None
    draws, value = row.declaration.initialiser, row.declaration.default
    words, start = (_VALUES.get(row.row.kind), value) if draws is None else (_DRAWS.get(row.row.kind), draws)
    if words is None or start is None:
        return None
    return _BY_NAME if isinstance(draws, Identifier) else words, start
