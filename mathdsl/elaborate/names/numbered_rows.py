r"""Numbers in first subscripts, told apart: those of names, and those of the rows of an array that a table declares one by one.

a header or a row spells a_1, nothing else is called a:   a_{1,d}                            ->  the element d of a_1
a header spells a:                                        rows a_1, a_2 \in \mathbb{R}^D     ->  a_k \in \mathbb{R}^D, k = 1, \dots, 2
                                                          \mu_{1,d}, \mu_{2,d} \in \mathbb{R}  ->  \mu_{k,d} \in \mathbb{R}, k = 1, \dots, 2
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.occurrences import Kinds, header_rows, in_headers
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, unaccent
from mathdsl.elaborate.names.usage import free_letters
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def has_elements_of_numbered(kinds: Kinds) -> bool:
    """Whether a header or a row spells a name with a number, and such a number stands before an index."""
    if not any(len(node.subscripts) > 1 and isinstance(node.subscripts[0], ast.Number) for node in kinds[ast.Scripts]):
        return False
    return any(_number_of(symbol) is not None for row in kinds[ast.Declaration] for symbol in row.symbols)


def has_numbered_rows(kinds: Kinds) -> bool:
    """Whether a table declares rows of what a header spells."""
    bases = {_base_of(symbol) for row in kinds[ast.Declaration] for symbol in row.symbols} - {None}
    return bool(bases) and any(word_of(symbol) in bases for symbol in in_headers(kinds))


def with_elements_of_numbered(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, in which the number of such a name is a label."""
    nodes = [node for top in (item, *others) for node in (top, *descendants(top))]
    spelled = [unaccent(symbol) for node in nodes if isinstance(node, ast.Declaration) for symbol in node.symbols]
    numbered = {one for symbol in spelled if (one := _number_of(symbol)) is not None}
    defined = [target for node in nodes if isinstance(node, ast.Definition) for target in node.targets]
    others_of = {word_of(symbol) for symbol in (*spelled, *defined)}
    for node in nodes:
        if isinstance(node, ast.Scripts) and node.subscripts and (_first_of(node) not in numbered or node.superscript is not None):
            others_of.add(word_of(node.base))
    heads = {one for one in numbered if one[0] not in others_of}

    def change(node: _N) -> _N:
        below = transform(node, change)
        if not isinstance(below, ast.Scripts) or len(below.subscripts) < 2 or _first_of(below) not in heads:
            return cast(_N, below)
        number = cast(ast.Number, below.subscripts[0])
        return cast(_N, replace(below, subscripts=(ast.Identifier(number.text, span=number.span), *below.subscripts[1:])))

    return change(item) if heads else item


def with_joined_rows(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, or a table of its document, whose tables declare arrays for their rows."""
    tops = (item, *others)
    headers = {word_of(symbol) for top in tops if isinstance(top, ast.Procedure) for row in header_rows(top) for symbol in row.symbols}
    tables = (*(item.wheres if isinstance(item, ast.Procedure) else ()), *(top for top in tops if isinstance(top, ast.Where)))
    rows = [row for table in tables for row in table.rows]
    ranges = {name: found for row in rows for found in row.ranges for name in names_bound_in(ast.Declaration((), ranges=(found,)))}
    letter = next(iter(free_letters({name for top in tops for node in descendants(top) for name in identifiers(node)})), None)
    joined = _Joined(headers - {None}, ranges, letter)
    if isinstance(item, ast.Where):
        return joined.changed((item,))[0]
    return replace(item, wheres=joined.changed(item.wheres)) if isinstance(item, ast.Procedure) and item.wheres else item


@dataclass(frozen=True)
class _Joined:
    """What rows are of: the arrays of headers; `ranges` of letters in other rows; a letter for an index of our own."""

    arrays: Set[Name | None]
    ranges: dict[Name, ast.Expression]
    letter: Name | None

    def changed(self, tables: tuple[ast.Where, ...]) -> tuple[ast.Where, ...]:
        """Tables that belong together, with the arrays in the places of their first rows."""
        rows = [row for table in tables for row in table.rows]
        for base in dict.fromkeys(_base_of(symbol) for row in rows for symbol in row.symbols):
            own = [row for row in rows if any(_base_of(symbol) == base for symbol in row.symbols)]
            if base is not None and base in self.arrays and (array := self._array(base, rows)) is not None:
                parts = {id(row): (*([array] if row is own[0] else []), *_without(row, base)) for row in own}
                tables = tuple(
                    replace(table, rows=tuple(part for row in table.rows for part in parts.get(id(row), (row,)))) for table in tables
                )
                rows = [row for table in tables for row in table.rows]
        return tables

    def _array(self, base: Name, rows: Sequence[ast.Declaration]) -> ast.Declaration | None:
        """The declaration of all rows of an array together; None where they do not follow each other, or are of several types."""
        own = [(row, unaccent(symbol)) for row in rows for symbol in row.symbols if word_of(_base(symbol)) == base]
        kinds = {(row.type, row.default, row.initialiser, row.ranges, row.flags) for row, _ in own}
        symbols = [symbol for _, symbol in own if isinstance(symbol, ast.Scripts) and _base_of(symbol) == base]
        numbers = [int(cast(ast.Number, symbol.subscripts[0]).text) for symbol in symbols]
        follows = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        behind = {symbol.subscripts[1:] for symbol in symbols}
        row = own[0][0]
        if (
            self.letter is None
            or len(symbols) < max(2, len(own))
            or not follows
            or len(kinds) > 1
            or len(behind) > 1
            or row.default is not None
        ):
            return None
        index = ast.Identifier(str(self.letter), span=symbols[0].subscripts[0].span)
        ends = ast.ListDisplay((symbols[0].subscripts[0], ast.Dots(span=index.span), symbols[-1].subscripts[0]), span=index.span)
        letters = {name for item in symbols[0].subscripts[1:] for name in identifiers(item)} - names_bound_in(row)
        ranges = tuple(self.ranges[name] for name in sorted(letters & self.ranges.keys()))
        descriptions = dict.fromkeys(row.description for row, _ in own if row.description)
        return replace(
            row,
            symbols=(replace(symbols[0], subscripts=(index, *symbols[0].subscripts[1:])),),
            ranges=(ast.Relation(("=",), (index, ends), span=index.span), *row.ranges, *ranges),
            description="; ".join(descriptions),
        )


def _without(row: ast.Declaration, base: Name) -> tuple[ast.Declaration, ...]:
    symbols = tuple(symbol for symbol in row.symbols if _base_of(symbol) != base)
    return (replace(row, symbols=symbols),) if symbols else ()


def _base(symbol: ast.Expression) -> ast.Expression:
    plain = unaccent(symbol)
    return plain.base if isinstance(plain, ast.Scripts) else plain


def _first_of(node: ast.Scripts) -> tuple[Name, str] | None:
    base, first = word_of(node.base), node.subscripts[0]
    return (base, first.text) if base is not None and isinstance(first, ast.Number) and first.text.isdigit() else None


def _number_of(symbol: ast.Expression) -> tuple[Name, str] | None:
    """A name with nothing but a number below, `a_1`: its letter and the number."""
    plain = unaccent(symbol)
    is_one = isinstance(plain, ast.Scripts) and len(plain.subscripts) == 1 and plain.superscript is None
    return _first_of(plain) if is_one and isinstance(plain, ast.Scripts) else None


def _base_of(symbol: ast.Expression) -> Name | None:
    """The array that a row with a number in its first subscript is of."""
    plain = unaccent(symbol)
    is_row = isinstance(plain, ast.Scripts) and bool(plain.subscripts) and plain.superscript is None
    return word_of(plain.base) if is_row and isinstance(plain, ast.Scripts) and _first_of(plain) is not None else None
