r"""The document's tables as one program sees them: its header, its `\Require`s and its own tables go first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.names.usage import declared_name
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import header_rows

_Own: TypeAlias = dict[tuple[Name, bool], list[ast.Expression | None]]
"""By a name, and whether a superscript indexes it: the types that the program gives it."""


def visible_tables(procedure: ast.Procedure, shared: tuple[ast.Where, ...]) -> tuple[ast.Where, ...]:
    """The tables without what the program itself declares; of what it declares alike, the type and the description stay."""
    if not shared:
        return shared
    families = Families.of(procedure)
    own: _Own = {}
    for row in (row for where in procedure.wheres for row in where.rows if STATED not in row.flags):
        for symbol in row.symbols:
            own.setdefault(_key(families, row, symbol), []).append(row.type)
    for row in header_rows(procedure):
        for symbol in row.symbols if row.type is not None else ():
            name, _ = _key(families, row, symbol)
            for is_above in (False, True):
                own.setdefault((name, is_above), []).append(row.type)
    return tuple(replace(where, rows=tuple(seen for row in where.rows for seen in _visible(families, row, own))) for where in shared)


def _key(families: Families, row: ast.Declaration, symbol: ast.Expression) -> tuple[Name, bool]:
    scope = {name for item in row.ranges for name in bound_names(item)}
    plain = unaccent(symbol)
    return declared_name(families, symbol, scope) or NO_NAME, isinstance(plain, ast.Scripts) and plain.superscript is not None


def _visible(families: Families, row: ast.Declaration, own: _Own) -> Iterator[ast.Declaration]:
    """What is left of a row, symbol by symbol where the program declares one of them."""
    keys = [_key(families, row, symbol) for symbol in row.symbols]
    if STATED in row.flags or own.keys().isdisjoint(keys):
        yield row
        return
    for symbol, key in zip(row.symbols, keys, strict=True):
        if key not in own:
            yield replace(row, symbols=(symbol,))
        elif row.type is not None and row.type in own[key]:
            yield replace(row, symbols=(symbol,), default=None, initialiser=None, flags=())
