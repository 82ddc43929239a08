"""The two tables of a program's symbols: what its constructor takes and makes, what its call reads and computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import assert_never

from mathdsl.diagnostics import MathdslError
from mathdsl.elaborate.names.given import has_bar, tell_bars_apart
from mathdsl.elaborate.names.names import readable, spelling_of
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.elaborate.types.written_shapes import SCALAR
from mathdsl.render.document.inlines import tidy
from mathdsl.render.document.model import Formula, Inline, Inlines, Math, SymbolTable, TableRow, Text
from mathdsl.syntax.inline import parse_formula
from mathdsl.syntax.nodes import (
    Accent,
    Assertion,
    Declaration,
    Definition,
    EquationGroup,
    Expression,
    For,
    Identifier,
    If,
    Leave,
    Procedure,
    Relation,
    Remark,
    Return,
    Sampling,
    Scripts,
    Statement,
    Where,
    While,
)
from mathdsl.syntax.traversal import descendants, header_rows

_SUBMODULES = frozenset({"submodule", "stack of submodules"})
_CONSTRUCTED = frozenset({"hyperparameter", "setting", "parameter", "buffer"}) | _SUBMODULES
"""The kinds of symbols that a constructor takes or makes; the others belong to a call."""

_LIST = re.compile(r"\[(.+)[_^]\{\\cdot\}\]")
r"""The symbol of an input that the header lists, `[h_0^{\cdot}]`; its declaration says what an element is, `h_0^{\ell}`."""

Names = Mapping[str, tuple[Expression, Declaration | None]]
"""By the readable name of a symbol: an element of it as the author writes it, and its declaration."""

_BEFORE_VALUES: Mapping[str, str] = MappingProxyType(
    {"setting": "default", "input": "default", "buffer": "value", "parameter": "initially"}
)
_BEFORE_DRAWS: Mapping[str, str] = MappingProxyType({"buffer": "drawn from", "parameter": "initially drawn from"})
"""What is said before a value and before a distribution, by the kind of the symbol."""
_BY_NAME = "initialised by"  # Xavier

Start = tuple[str, Expression]
"""Words, and the value or the distribution."""


def make_tables(rows: Sequence[SymbolRow], names: Names, read: Callable[[str], Inlines]) -> tuple[SymbolTable, ...]:
    """`Parameters` and `Values`; a table without rows is left out."""
    constructed = tuple(_row(row, names, read) for row in rows if row.kind in _CONSTRUCTED)
    others = tuple(_row(row, names, read) for row in rows if row.kind not in _CONSTRUCTED)
    tables = SymbolTable("Parameters", constructed), SymbolTable("Values", others)
    return tuple(table for table in tables if table.rows)


def _row(row: SymbolRow, names: Names, read: Callable[[str], Inlines]) -> TableRow:
    listed = _LIST.fullmatch(row.symbol)
    written, declaration = names.get(listed[1] if listed else row.symbol, (None, None))
    symbol = _undeclared(row) if written is None else Formula(written)
    return TableRow(row, symbol, _shape(row), read(row.description), declaration)


def _undeclared(row: SymbolRow) -> Formula:
    """A submodule that is called by the name of its type, `LayerNorm_2`, is a word with its number, as in its program."""
    word, below, number = row.symbol.partition("_")
    is_word = row.kind in _SUBMODULES and word.isalnum() and len(word) > 1
    symbol = _formula(rf"\mathrm{{{word}}}{below}{number}" if is_word else row.symbol)
    return symbol if isinstance(symbol, Formula) else Formula(Identifier(row.symbol, "mathrm"))


def _formula(latex: str) -> Inline:
    """What stands in a row of the table of symbols, as the expression that it was; where it has an unknown size, `?`, as written."""
    match parse_formula(latex):
        case (expression,):
            return Formula(expression)
        case _:
            return Math(latex)


def _shape(row: SymbolRow) -> Inlines:
    """The axes of an array; of what has none, what it is."""
    if row.shape and row.shape != SCALAR:
        return (_formula(row.shape),)
    return _built(row) if row.kind in _SUBMODULES else (Text(row.type),)


def _built(row: SymbolRow) -> Inlines:
    """`LayerNorm(d_{model}, n)`: the name of a type is a word, its arguments are formulas, between which a line may end."""
    if not row.callee:
        return (Text(row.type),)
    between = (inline for argument in row.arguments for inline in (Text(", "), _formula(argument)))
    return tidy((Text(f"{row.callee}("), *list(between)[1:], Text(")")))


def name_elements(procedure: Procedure, shared: Sequence[Declaration] = ()) -> Names:
    r"""How the author writes an element of each symbol: `h_t^{\ell}` of `h`; declarations come before definitions.

    `shared`: what is declared for the whole document, where the program does not declare it itself.
    """
    found: dict[str, tuple[Expression, Declaration | None]] = {}
    if any(map(has_bar, descendants(procedure))):
        procedure, shared = _with_names_for_bars(procedure, shared)
    declarations = [row for where in procedure.wheres for row in where.rows]
    declarations += [*(item for item in header_rows(procedure) if item.type is not None), *shared, *header_rows(procedure)]
    for declaration in declarations:
        bound = _letters(declaration.ranges)
        for symbol in declaration.symbols:
            _add(found, symbol, bound, declaration)
    for target, bound in _targets(procedure.body, frozenset()):
        _add(found, target, bound, None)
    return found


def _with_names_for_bars(procedure: Procedure, shared: Sequence[Declaration]) -> tuple[Procedure, Sequence[Declaration]]:
    """The program and the rows beside it as the compiler reads them."""
    table = Where(tuple(shared))
    try:
        return tell_bars_apart(procedure, (table,)), tell_bars_apart(table, (procedure,)).rows
    except MathdslError:
        return procedure, shared


def _add(
    found: dict[str, tuple[Expression, Declaration | None]], symbol: Expression, bound: frozenset[str], row: Declaration | None
) -> None:
    spelling = spelling_of(_without_indices(symbol, bound))
    if spelling is not None:
        found.setdefault(readable(spelling), (symbol, row))


def _without_indices(symbol: Expression, bound: frozenset[str]) -> Expression:
    """`W_{Q,h}` over `h` is an element of `W_Q`."""
    match symbol:
        case Scripts(base, subscripts, superscript):
            kept = tuple(item for item in subscripts if _letter(item) not in bound)
            above = None if superscript is not None and _letter(superscript) in bound else superscript
            return Scripts(base, kept, above) if kept or above is not None else base
        case Accent(accent, body):
            return Accent(accent, _without_indices(body, bound))
        case _:
            return symbol


def _letter(node: Expression) -> str:
    return node.text if isinstance(node, Identifier) else ""


def _letters(ranges: Iterable[Expression]) -> frozenset[str]:
    """The index letters that ranges bind: `t` of `t = 1, …, S`, of `t ∈ {1, …, S}` and of `∀ t`."""
    firsts = [item.operands[0] if isinstance(item, Relation) else item for item in ranges]
    return frozenset(_letter(item) for item in firsts) - {""}


def _targets(body: Sequence[Statement], bound: frozenset[str]) -> Iterator[tuple[Expression, frozenset[str]]]:
    """What statements define, with the index letters in scope."""
    for statement in body:
        match statement:
            case Definition(target, _, domains):
                yield target, bound | _letters(domains)
            case For(binding, inner):
                yield from _targets(inner, bound | _letters((binding,)))
            case If(branches, otherwise):
                for branch in branches:
                    yield from _targets(branch.body, bound)
                yield from _targets(otherwise or (), bound)
            case While(_, _, inner) | EquationGroup(inner):
                yield from _targets(inner, bound)
            case Sampling(target):
                yield target, bound
            case Return() | Leave() | Assertion() | Remark():
                pass
            case _:
                assert_never(statement)


def find_start(row: TableRow) -> Start | None:
    """Of a row of a table; None where its declaration says nothing of it."""
    if row.declaration is None:
        return None
    draws, value = row.declaration.initialiser, row.declaration.default
    words, start = (_BEFORE_VALUES.get(row.row.kind), value) if draws is None else (_BEFORE_DRAWS.get(row.row.kind), draws)
    if words is None or start is None:
        return None
    return _BY_NAME if isinstance(draws, Identifier) else words, start
