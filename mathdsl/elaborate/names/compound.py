r"""Names of several words, told from products and calls by a left side, a header or a row that spells them.

\Delta x_t \gets e  and  2 \Delta x_t       ->      one name at t, where nothing else is called \Delta
\log p(x) \gets e   and  2 + \log p(x)      ->      one name, where nothing else is called p; so is p(y \mid x)
\mu_{W_{i,\cdot}} \gets e                    ->      \mu_{W,i}, a name at i, where nothing else is called \mu
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import DIFFERENCES, NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.occurrences import spelled_in
from mathdsl.elaborate.names.spelling import identifiers, is_whole_axis, names_bound_in, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import PREFIX_FUNCTIONS
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def is_compound(symbol: ast.Expression) -> bool:
    """Whether what a header, a row or a left side spells may be such a name."""
    return isinstance(symbol, ast.Juxtaposition) or _row_below(symbol) is not None


def with_compound_names(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, in which each such name is one."""
    nodes = [node for top in (item, *others) for node in (top, *descendants(top))]
    symbols = [symbol for node in nodes for symbol in spelled_in(node)]
    spelled = [symbol for symbol in symbols if isinstance(symbol, ast.Juxtaposition)]
    signs = {word_of(symbol.factors[0]) or NO_NAME for symbol in spelled if _difference(*symbol.factors)}
    alone = {name for node in nodes for name in _alone(node)}
    defined = [(node.function, node.value) for node in nodes if isinstance(node, ast.Definition) and node.function is not None]
    functions = [function[0] for function, _ in defined]
    bodies = [(set(map(spelling_of, function[1])), set(identifiers(value))) for function, value in defined]
    bound = {name for node in nodes for name in names_bound_in(node)}
    values = (
        symbol.factors
        for symbol in spelled
        if bound.isdisjoint(own := set(identifiers(symbol)))
        and _is_of_value(symbol, [*symbols, *functions])
        and not any(arguments & own and own <= mentioned for arguments, mentioned in bodies)
    )
    bare = {word_of(symbol) for symbol in symbols}
    rows = {found for symbol in symbols if (found := _row_below(symbol)) is not None and found[0] not in bare}
    names = _Compound(signs - alone, frozenset(values), rows)
    return names.changed(item) if names.signs or names.values or names.rows else item


def _row_below(symbol: ast.Expression) -> tuple[Name, Name] | None:
    r"""The names of what belongs to a row of an array, `\mu` and `W` of `\mu_{W_{i,\cdot}}`."""
    match unaccent(symbol):
        case ast.Scripts(base=base, subscripts=(ast.Scripts(base=of, subscripts=items, superscript=None),)) if any(
            map(is_whole_axis, items)
        ):
            first, second = word_of(base), word_of(of)
            return None if first is None or second is None else (first, second)
        case _:
            return None


def _difference(*factors: ast.Expression) -> bool:
    r"""Whether a sign of a difference stands before a name: `\Delta`, `x_t`."""
    match factors:
        case (ast.Identifier(text=text, font="", primes=0), second):
            return text in DIFFERENCES and _base(second) is not None
        case _:
            return False


def _base(node: ast.Expression) -> Name | None:
    plain = unaccent(node)
    return word_of(plain.base if isinstance(plain, ast.Scripts) else plain) if not isinstance(plain, ast.Number) else None


def _alone(node: ast.Node) -> Iterator[Name]:
    """The signs of differences below a node that stand before no name."""
    factors = node.factors if isinstance(node, ast.Juxtaposition) else ()
    pairs = [first for first, second in pairwise(factors) if _difference(first, second)]
    for below in children(node):
        if isinstance(below, ast.Identifier) and below.text in DIFFERENCES and not any(below is first for first in pairs):
            yield word_of(below) or NO_NAME


def _is_of_value(symbol: ast.Juxtaposition, symbols: list[ast.Expression]) -> bool:
    r"""Whether it is a function of what none of the symbols is, `\log p(x)`."""
    match symbol.factors:
        case (ast.Identifier(text=text), ast.Identifier() | ast.Accent() | ast.Scripts() as value, *_) if text in PREFIX_FUNCTIONS:
            pass
        case (ast.Identifier() | ast.Accent() | ast.Scripts() as value, ast.Group(is_conditional=True)):
            pass
        case _:
            return False
    return _base(value) not in {_base(other) for other in symbols if other is not symbol}


@dataclass(frozen=True)
class _Compound:
    """The signs of differences that begin names, the values of functions that are names, and what belongs to rows of arrays."""

    signs: Set[Name]
    values: Set[tuple[ast.Expression, ...]]
    rows: Set[tuple[Name, Name]]

    def changed(self, node: _N) -> _N:
        """The node with one name for each."""
        if isinstance(node, ast.Juxtaposition):
            factors = self._joined(node.factors)
            if len(factors) < len(node.factors):
                node = cast(_N, factors[0] if len(factors) == 1 else replace(node, factors=factors))
        plain = unaccent(node) if isinstance(node, (ast.Accent, ast.Scripts)) else node
        if isinstance(plain, ast.Scripts) and _row_below(plain) in self.rows and isinstance(row := plain.subscripts[0], ast.Scripts):
            items = (row.base, *(item for item in row.subscripts if not is_whole_axis(item)))
            node = cast(_N, replace(plain, subscripts=items))
        return cast(_N, transform(node, self.changed))

    def _joined(self, factors: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
        found: list[ast.Expression] = []
        rest = factors
        while rest:
            value = next((parts for parts in self.values if rest[: len(parts)] == parts), None)
            span = rest[0].span.to(rest[(len(value) if value else min(len(rest), 2)) - 1].span)
            if value is not None:
                whole = ast.Juxtaposition(rest[: len(value)], span=span)
                found.append(ast.Identifier(render_expression(whole), span=span))
                rest = rest[len(value) :]
            elif len(rest) > 1 and _difference(*rest[:2]) and word_of(rest[0]) in self.signs:
                found.append(unaccent(ast.Accent((word_of(rest[0]) or NO_NAME).bare, rest[1], span=span)))
                rest = rest[2:]
            else:
                found.append(rest[0])
                rest = rest[1:]
        return tuple(found)
