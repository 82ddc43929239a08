r"""Inputs of several numbers that lie in an interval, and inputs that are one of some numbers, as real ones with a condition.

p \in [0, 1]^n                          ->      p \in \mathbb{R}^n, \Assert 0 \leq p \leq 1
s_i \in \mathbb{R}_{>0}, i = 1, \dots, n  ->      s_i \in \mathbb{R}, i = 1, \dots, n, \Assert s > 0
y \in \{-1, 1\}                         ->      y \in \mathbb{R}, \Assert y = -1 \lor y = 1
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.declare.written_types import element_of_set
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.reserved import LETTERS
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, unaccent
from mathdsl.ir.nodes import Element
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, whole_of

_REAL = ast.Identifier("R", "mathbb")


def with_real_inputs(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> tuple[ast.Procedure, tuple[ast.Where, ...]]:
    """A procedure and the tables that it sees, in which the type of several inputs is no interval."""
    inputs = [unaccent(symbol) for row in procedure.inputs for symbol in row.symbols]
    found: list[ast.Assertion] = []
    tables = tuple(row for table in (*procedure.wheres, *shared) for row in table.rows)
    ranged = {name for row in tables for name in names_bound_in(row)}
    rows = {id(row): _plain(row, inputs, ranged, found) for table in (*procedure.wheres, *shared) for row in table.rows}
    header = tuple(_plain(row, inputs, ranged, found) for row in procedure.inputs)
    if not found:
        return procedure, tuple(shared)
    own, others = (
        tuple(replace(table, rows=tuple(rows[id(row)] for row in table.rows)) for table in tables) for tables in (procedure.wheres, shared)
    )
    return replace(procedure, inputs=header, wheres=own, body=(*found, *procedure.body)), others


def _plain(row: ast.Declaration, inputs: Sequence[ast.Expression], ranged: Set[Name], found: list[ast.Assertion]) -> ast.Declaration:
    """The row with a real type; what it says of the values of inputs goes to the conditions found. Letters have ranges in other rows."""
    others = (plain for symbol in row.symbols if (plain := unaccent(symbol)) not in inputs)
    scripts = (plain.subscripts for plain in others if isinstance(plain, ast.Scripts))
    elements = {item for items in scripts for item in items if word_of(item) in ranged}
    interval = row.type if row.ranges or elements or isinstance(row.type, ast.SetDisplay) else None
    power: ast.Scripts | None = None
    match row.type:
        case ast.Scripts(superscript=ast.Node()) as power:
            interval = replace(power, superscript=None) if power.subscripts else power.base
        case _:
            pass
    letters = {part for item in row.ranges for part in descendants(item) if isinstance(part, ast.Identifier)} | elements
    arrays = [whole_of(unaccent(symbol), letters) for symbol in row.symbols]
    wholes = [_all_elements(symbol, array, row.ranges) for symbol, array in zip(row.symbols, arrays, strict=True)]
    conditions = [] if interval is None or STATED in row.flags else [_condition(interval, whole) for whole in wholes]
    are_inputs = all(one in inputs or unaccent(symbol) in inputs for one, symbol in zip(arrays, row.symbols, strict=True))
    if not conditions or None in conditions or not are_inputs:
        return row
    found += (ast.Assertion(condition, span=condition.span) for condition in conditions if condition is not None)
    return replace(row, type=_REAL if power is None else replace(power, base=_REAL, subscripts=()))


def _all_elements(symbol: ast.Expression, array: ast.Expression, ranges: tuple[ast.Expression, ...]) -> ast.Expression:
    r"""The array, or its elements where the bare letter would be something else: `\{\pi_t ; t = 1, \dots, n\}` for `\pi`."""
    return ast.Comprehension(symbol, ranges, span=symbol.span) if ranges and word_of(array) in LETTERS else array


def _condition(interval: ast.Expression, array: ast.Expression) -> ast.Expression | None:
    r"""What `[0, 1]`, `(0, 1]`, `\mathbb{R}_{>0}`, `\mathbb{R}_+` says of an array; None for what is no interval of numbers."""
    match interval:
        case ast.SetDisplay(items=(_, _, *_) as items) if _are_signed(items):
            return ast.Logic("or", tuple(ast.Relation(("=",), (array, item), span=array.span) for item in items), span=array.span)
        case ast.ListDisplay(items=(low, high)):
            signs = (r"\leq", r"\leq")
        case ast.Group(items=(low, high)):
            signs = ("<", "<")
        case ast.Interval(has_lower=has_lower, has_upper=has_upper, lower=low, upper=high):
            signs = (r"\leq" if has_lower else "<", r"\leq" if has_upper else "<")
        case ast.Scripts(base=base, subscripts=(half,), superscript=None) if element_of_set(base) is Element.REAL:
            match half:
                case ast.Relation(operators=(("<" | ">" | r"\leq" | r"\geq") as sign,), operands=(_, end)) if not any(identifiers(end)):
                    return ast.Relation((sign,), (array, end), span=array.span)
                case ast.Identifier(text="+"):
                    return ast.Relation((r"\geq",), (array, ast.Number("0", span=array.span)), span=array.span)
                case _:
                    return None
        case _:
            return None
    if any(name != r"\infty" for end in (low, high) for name in identifiers(end)):
        return None
    ends = [(low, signs[0], True), (high, signs[1], False)]
    kept = [(end, sign, below) for end, sign, below in ends if not any(identifiers(end))]
    match kept:
        case [(one, beside, below)]:
            return ast.Relation((beside,), (one, array) if below else (array, one), span=array.span)
        case [_, _]:
            return ast.Relation(signs, (low, array, high), span=array.span)
        case _:
            return None


def _are_signed(items: Sequence[ast.Expression]) -> bool:
    r"""Whether these are numbers, one of them negative, so that they are no range of indices: `-1, 1`."""
    numbers = [item.operand if isinstance(item, ast.Negative) else item for item in items]
    return all(isinstance(item, ast.Number) for item in numbers) and any(isinstance(item, ast.Negative) for item in items)
