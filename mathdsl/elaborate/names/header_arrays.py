r"""Arrays that headers spell by their elements: `\pi_k`, with a row `\pi_k \in \mathbb{R}, k = 1, \dots, K`, is the array `\pi`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mathdsl.elaborate.names.names import labelled_name, word_of
from mathdsl.elaborate.names.occurrences import Kinds, in_headers
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, unaccent
from mathdsl.syntax import nodes as ast


def spell_elements(kinds: Kinds) -> bool:
    """Whether a header spells something as a row with a range does."""
    items = [plain for symbol in in_headers(kinds) if isinstance(plain := unaccent(symbol), ast.Scripts) and plain.subscripts]
    return bool(items) and any(item == symbol for symbol, _ in _elements(kinds[ast.Declaration]) for item in items)


def with_arrays_in_headers(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, whose header has the names of these arrays."""
    if not isinstance(item, ast.Procedure):
        return item
    wheres = (*item.wheres, *(other for other in others if isinstance(other, ast.Where)))
    arrays = dict(_elements(row for where in wheres for row in where.rows))

    def named(row: ast.Declaration) -> ast.Declaration:
        symbols = tuple(arrays.get(unaccent(symbol), symbol) for symbol in row.symbols)
        return row if row.type is not None or symbols == row.symbols else replace(row, symbols=symbols)

    return replace(item, inputs=tuple(map(named, item.inputs)), owned=item.owned and tuple(map(named, item.owned)))


def _elements(rows: Iterable[ast.Declaration]) -> Iterator[tuple[ast.Expression, ast.Expression]]:
    """The elements that rows declare over ranges, with the arrays that they are of."""
    for row in rows:
        letters = names_bound_in(row)
        for symbol in row.symbols if letters else ():
            plain = unaccent(symbol)
            if isinstance(plain, ast.Scripts) and plain.superscript is None:
                labels = tuple(item for item in plain.subscripts if letters.isdisjoint(identifiers(item)))
                is_array = word_of(plain.base) is not None if not labels else labelled_name(plain.base, labels) is not None
                if len(labels) < len(plain.subscripts) and is_array:
                    yield plain, ast.Scripts(plain.base, labels, span=plain.span) if labels else plain.base
