r"""Sums and products without an index below whose index every reader sees: `\sum (x_i - m)(y_i - n)` is `\sum_i (x_i - m)(y_i - n)`, and
`\sum_1^n x_i`, of which only the ends are written, is `\sum_{i=1}^n x_i`.

The body has one letter as a whole subscript that has no value there, and no name of the program is spelled with it: where `W_i` stands
elsewhere without a value of `i`, the letter is a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import Name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import names_bound_in, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def is_bare(node: ast.Node) -> bool:
    r"""Whether a node is a sum or a product with nothing below it, or with ends that name no index, `\sum_1^n` and `\sum^n`."""
    if not isinstance(node, ast.Reduction) or node.operator not in ("sum", "prod"):
        return False
    lower, upper = node.subscript, node.superscript
    return lower is None or upper is not None and isinstance(lower, ast.Number | ast.Negative | ast.Binary)


def with_indices(item: _N) -> _N:
    """A program with the index below each sum where it is clear."""
    labels = (name for name, _ in _free(item, frozenset(), in_sums=False))
    return _read(item, frozenset((*_named(item), *labels)))


def _named(item: ast.Node) -> Iterator[Name]:
    """What the program declares and defines: symbols without a range, sizes, names on left sides; not the letters that index there."""
    for node in (item, *descendants(item)):
        match node:
            case ast.Declaration(symbols=symbols, type=type_, relation=relation):
                yield from (name for symbol in symbols if (name := spelling_of(unaccent(symbol))) is not None and not node.ranges)
                for part in (type_, relation):
                    yield from () if part is None else names_below(part)
            case ast.Definition(target=target) if not node.ranges and node.function is None:
                name = spelling_of(unaccent(target))
                yield from () if name is None else (name,)
            case ast.Definition(function=(_, parameters)):
                yield from (name for one in parameters if (name := spelling_of(one)) is not None)
            case _:
                pass


def _read(node: _N, known: Set[Name]) -> _N:
    inner = known | names_bound_in(node)
    found = cast(_N, transform(node, lambda below: _read(below, inner)))
    if isinstance(found, ast.Reduction) and is_bare(found):
        body, last = _parted(found.body) if found.operator == "sum" else (found.body, None)
        if last is not None and dict(_free(last, inner)):
            body, last = found.body, None
        letters = dict(_free(body, inner))
        if len(letters) == 1:
            letter = next(iter(letters.values()))
            index = letter if found.subscript is None else ast.Relation(("=",), (letter, found.subscript), span=found.subscript.span)
            one = replace(found, subscript=index, body=body)
            whole = one if last is None else ast.Juxtaposition((ast.Group((one,), span=body.span), last), span=found.span)
            return cast(_N, whole)
    return found


def _parted(body: ast.Expression) -> tuple[ast.Expression, ast.Expression | None]:
    r"""The factors of a body, and a further sum behind them: `\sum a_i \sum b_i` is the product of both, each with an index of its own."""
    match body:
        case ast.Juxtaposition((*factors, ast.Reduction(operator="sum") as last)) if factors:
            return factors[0] if len(factors) == 1 else replace(body, factors=tuple(factors)), last
        case ast.Binary(r"\cdot" | "*", left, ast.Reduction(operator="sum") as last):
            return left, last
        case _:
            return body, None


def _free(node: ast.Node, known: Set[Name], *, in_sums: bool = True) -> Iterator[tuple[Name, ast.Identifier]]:
    """The letters that are whole subscripts in a body and have no value there, perhaps those in bare sums, too."""
    if not in_sums and is_bare(node):
        return
    known = known | names_bound_in(node)
    if isinstance(node, ast.Scripts) and spelling_of(node) not in known:
        for script in node.subscripts:
            name = word_of(script)
            if isinstance(script, ast.Identifier) and name is not None and len(script.word) == 1 and not script.font and name not in known:
                yield name, script
    for below in children(node):
        yield from _free(below, known, in_sums=in_sums)
