r"""First layers in headers: `h^{(0)}`, whose row gives it by elements, is a value of its own with which the layers `h_i^{(l)}` begin.

F(h^{(0)}):  h_i^{(l+1)} \gets e     beside     h_i^{(0)} \in \mathbb{R}^d, i = 1, \dots, n
      ->     h_i^{(0)} \gets x_i \quad (i = 1, \dots, n),  where `x` is what the header calls `h^{(0)}`
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.occurrences import header_rows
from mathdsl.elaborate.names.spelling import bound_names, items_above, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def is_layer(symbol: ast.Expression) -> bool:
    """Whether an item of a header is written as a layer of an array is, `h^{(0)}`."""
    plain = unaccent(symbol)
    match items_above(plain):
        case (ast.Number(),):
            return isinstance(plain, ast.Scripts) and not plain.subscripts and word_of(plain.base) is not None
        case _:
            return False


def with_first_layers(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, or a table beside the programs of its document, in which each such value has a name of its own."""
    tops = (item, *others)
    rows = [node for top in tops for node in (top, *descendants(top)) if isinstance(node, ast.Declaration)]
    programs = [top for top in tops if isinstance(top, ast.Procedure)]
    layers = {unaccent(symbol) for one in programs for row in header_rows(one) for symbol in row.symbols if is_layer(symbol)}
    found = [(layer, row, symbol) for layer in layers for row in rows for symbol in row.symbols if _is_element(symbol, layer, row)]
    targets = [
        unaccent(target) for one in programs for node in descendants(one) if isinstance(node, ast.Definition) for target in node.targets
    ]
    found = [one for one in found if any(_alike(one[2], target) and target != unaccent(one[2]) for target in targets)]
    named = {layer: _named(layer) for layer, _, _ in found} | {unaccent(symbol): _named(symbol) for _, _, symbol in found}
    changed = _renamed(item, named)
    if not found or not isinstance(changed, ast.Procedure):
        return changed
    firsts = tuple(ast.Definition(symbol, named[unaccent(symbol)], row.ranges, span=symbol.span) for _, row, symbol in found)
    return replace(changed, body=(*firsts, *changed.body))


def _alike(symbol: ast.Expression, target: ast.Expression) -> bool:
    """Whether two elements are of one array."""
    plain = unaccent(symbol)
    if not isinstance(plain, ast.Scripts) or not isinstance(target, ast.Scripts):
        return False
    return plain.base == target.base and len(plain.subscripts) == len(target.subscripts) and target.superscript is not None


def _is_element(symbol: ast.Expression, layer: ast.Expression, row: ast.Declaration) -> bool:
    """Whether a row gives a layer by its elements, `h_i^{(0)}`."""
    plain, letters = unaccent(symbol), {name for one in row.ranges for name in bound_names(one)}
    if not isinstance(plain, ast.Scripts) or not plain.subscripts or replace(plain, subscripts=()) != layer:
        return False
    return all(word_of(item) in letters for item in plain.subscripts)


def _named(symbol: ast.Expression) -> ast.Expression:
    plain = unaccent(symbol)
    assert isinstance(plain, ast.Scripts)
    named = ast.Accent("", plain.base, label=ast.Label(items_above(plain), "("), span=plain.span)
    return replace(plain, base=named, superscript=None) if plain.subscripts else named


def _renamed(node: _N, named: dict[ast.Expression, ast.Expression]) -> _N:
    """The header and the tables of a program, with the names."""
    match node:
        case ast.Declaration(symbols=symbols):
            return cast(_N, replace(node, symbols=tuple(named.get(unaccent(symbol), symbol) for symbol in symbols)))
        case ast.Procedure(inputs=inputs, owned=owned, wheres=wheres):
            rows, own = tuple(_renamed(row, named) for row in inputs), owned and tuple(_renamed(row, named) for row in owned)
            return cast(_N, replace(node, inputs=rows, owned=own, wheres=tuple(_renamed(where, named) for where in wheres)))
        case ast.Where():
            return cast(_N, transform(node, lambda row: _renamed(row, named)))
        case _:
            return node
