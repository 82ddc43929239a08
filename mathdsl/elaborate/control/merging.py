r"""Branches to `cases`: the values that the arms of an `If` give one target, in the order of its conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import transform


@dataclass(frozen=True)
class Row:
    """A value and when it holds (None: otherwise)."""

    condition: ast.Expression | None
    value: ast.Expression


def merge_rows(rows: list[Row], span: Span) -> ast.Expression:
    """One value for all rows, the last of which is the otherwise."""
    rows = _without_repeats(rows)
    first = rows[0]
    if len(rows) == 1:
        return first.value
    if len(rows) == 2 and first.condition is not None and not isinstance(rows[1].value, ast.Hole):
        empty = _emptiness(first.condition)
        if empty is not None:
            subject, is_empty = empty
            at_empty, general = (first.value, rows[1].value) if is_empty else (rows[1].value, first.value)
            if _without_part(general, subject) == at_empty:
                return general
    return ast.Cases(tuple(ast.CaseRow(row.value, row.condition, span=row.value.span) for row in rows), True, span=span)


def _without_repeats(rows: list[Row]) -> list[Row]:
    """Rows at the end that say the same as the otherwise are left out."""
    kept = list(rows)
    while len(kept) > 1 and kept[-2].value == kept[-1].value:
        del kept[-2]
    return kept


def assume(value: ast.Expression, holds: list[ast.Expression], fails: list[ast.Expression]) -> ast.Expression:
    """A value where some conditions are known: rows that cannot be reached are left out."""

    def change(node: ast.Node) -> ast.Node:
        node = transform(node, change)
        if not isinstance(node, ast.Cases):
            return node
        rows: list[ast.CaseRow] = []
        for row in node.rows:
            if row.condition is None or row.condition in holds:
                rows.append(ast.CaseRow(row.value, None, span=row.span))
                break
            if row.condition not in fails:
                rows.append(row)
        return rows[0].value if len(rows) == 1 and rows[0].condition is None else replace(node, rows=tuple(rows))

    return cast(ast.Expression, change(value))


def _emptiness(condition: ast.Expression) -> tuple[ast.Expression, bool] | None:
    r"""`c \text{ is empty}`, `c \text{ is not empty}`: `c`, and whether it is said to be empty."""
    match condition:
        case ast.Group(items=(inner,)):
            return _emptiness(inner)
        case ast.Juxtaposition(factors=(subject, ast.Phrase(text="is empty" | "is not empty" as text))):
            return subject, text == "is empty"
        case _:
            return None


def _without_part(value: ast.Expression, part: ast.Expression) -> ast.Expression | None:
    r"""A concatenation with one part left out, as it is where that part is empty: `\cat{x, c}` -> `x`."""
    match value:
        case ast.Command(name="cat", arguments=(items,)) if part in items and not any(isinstance(i, ast.Dots) for i in items):
            rest = tuple(item for item in items if item != part)
            return rest[0] if len(rest) == 1 else replace(value, arguments=(rest,)) if rest else None
        case ast.Binary(operator="||", left=left, right=right):
            return left if right == part else right if left == part else None
        case _:
            return None


def filled(node: ast.Expression) -> ast.Expression:
    """A value with 0 where it is not defined."""
    match node:
        case ast.Hole():
            return ast.Number("0", span=node.span)
        case ast.Group(items=(inner,)):
            return replace(node, items=(filled(inner),))
        case ast.Cases(rows=rows):
            return replace(node, rows=tuple(replace(row, value=filled(row.value)) for row in rows))
        case _:
            return node


def contains_hole(node: ast.Expression) -> bool:
    """Whether a value is not defined everywhere."""
    match node:
        case ast.Hole():
            return True
        case ast.Group(items=(inner,)):
            return contains_hole(inner)
        case ast.Cases(rows=rows):
            return any(contains_hole(row.value) for row in rows)
        case _:
            return False
