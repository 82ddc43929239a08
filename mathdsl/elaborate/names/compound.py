r"""Names of several words, told from products and calls by a left side, a header or a row that spells them.

\Delta x_t \gets e  and  2 \Delta x_t       ->      one name at t, where nothing else is called \Delta
\log p(x) \gets e   and  2 + \log p(x)      ->      one name, where nothing else is called p
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import DIFFERENCES, NO_NAME, Name, word_of
from mathdsl.elaborate.names.occurrences import spelled_in
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import PREFIX_FUNCTIONS
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def with_compound_names(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, in which each such name is one."""
    nodes = [node for top in (item, *others) for node in (top, *descendants(top))]
    spelled = [symbol for node in nodes for symbol in spelled_in(node) if isinstance(symbol, ast.Juxtaposition)]
    signs = {word_of(symbol.factors[0]) or NO_NAME for symbol in spelled if _difference(*symbol.factors)}
    alone = {name for node in nodes for name in _alone(node)}
    found = _Compound(signs - alone, frozenset(symbol.factors for symbol in spelled if _is_of_value(symbol, nodes)))
    return found.changed(item) if found.signs or found.values else item


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


def _is_of_value(symbol: ast.Juxtaposition, nodes: list[ast.Node]) -> bool:
    r"""Whether it is a function of what is no value of its own, `\log p(x)`, and holds no index."""
    match symbol.factors:
        case (ast.Identifier(text=text), ast.Identifier() | ast.Accent() | ast.Scripts() as value, *_) if text in PREFIX_FUNCTIONS:
            name = _base(value)
            bound = {name for node in nodes for name in names_bound_in(node)}
            others = (one for node in nodes for one in _named_in(node) if one is not symbol)
            return bound.isdisjoint(identifiers(symbol)) and all(_base(other) != name for other in others)
        case _:
            return False


def _named_in(node: ast.Node) -> Iterator[ast.Expression]:
    yield from spelled_in(node)
    if isinstance(node, ast.Definition) and node.function is not None:
        yield node.function[0]


@dataclass(frozen=True)
class _Compound:
    """The signs of differences that begin names, and the values of functions that are names."""

    signs: Set[Name]
    values: Set[tuple[ast.Expression, ...]]

    def changed(self, node: _N) -> _N:
        """The node with one name for each."""
        if isinstance(node, ast.Juxtaposition):
            factors = self._joined(node.factors)
            if len(factors) < len(node.factors):
                node = cast(_N, factors[0] if len(factors) == 1 else replace(node, factors=factors))
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
