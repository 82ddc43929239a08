r"""Indices that have a label, `i_1` and `N_i` of `\sum_{i_1=1}^{n} x_{i_1}` and `\quad (N_i = 0, \dots, N-1)`, as letters of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.spelling import names_bound_in, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def counts_labelled(node: ast.Node) -> bool:
    """Whether an equation may be the range of such an index."""
    return isinstance(node, ast.Relation) and isinstance(node.operands[0], ast.Scripts) and node.operators[0] == "="


def with_letters_for_indices(item: ast.Item, _: tuple[ast.Item, ...]) -> ast.Item:
    """A program in which an index that has a label is one letter."""
    nodes = list(descendants(item))
    bound = {name for node in nodes if not isinstance(node, ast.Declaration) for name in names_bound_in(node)}
    letters: dict[ast.Expression, ast.Identifier] = {}
    for index in (index for node in nodes for index in _labelled(node)):
        if not any(word_of(label) in bound for label in index.subscripts):
            letters[index] = ast.Identifier(render_expression(index))
    return _changed(item, letters) if letters else item


def _labelled(node: ast.Node) -> Iterator[ast.Scripts]:
    """The indices with labels that a node binds."""
    match node:
        case ast.Reduction(subscript=ast.Relation(operators=("=",), operands=(index, _)), superscript=upper) if upper is not None:
            ranges: tuple[ast.Expression, ...] = (index,)
        case ast.For(binding=binding) | ast.Reduction(subscript=ast.Relation() as binding):
            ranges = tuple(_counted(binding))
        case ast.Definition() | ast.Comprehension() | ast.Declaration():
            own = node.conditions if isinstance(node, ast.Comprehension) else node.ranges
            ranges = tuple(index for item in own for index in _counted(item))
        case _:
            ranges = ()
    for index in ranges:
        match index:
            case ast.Scripts(base=ast.Identifier(font="", primes=0), subscripts=(ast.Identifier() | ast.Number(),), superscript=None):
                yield index
            case _:
                pass


def _counted(item: ast.Expression) -> Iterator[ast.Expression]:
    r"""The index of a range, `i` of `i = 1, \dots, n`."""
    match item:
        case ast.Relation(operators=("=",), operands=(index, ast.ListDisplay(items=items))) if any(
            isinstance(one, ast.Dots) for one in items
        ):
            yield index
        case ast.Relation(operators=(r"\in",), operands=(index, ast.SetDisplay())):
            yield index
        case _:
            pass


def _changed(node: _N, letters: Mapping[ast.Expression, ast.Identifier]) -> _N:
    plain = unaccent(node) if isinstance(node, ast.Accent) else node
    if isinstance(plain, ast.Scripts) and (letter := letters.get(replace(plain, superscript=None))) is not None:
        named: ast.Expression = replace(letter, span=plain.span)
        if plain.superscript is not None:
            named = ast.Scripts(named, (), _changed(plain.superscript, letters), span=plain.span)
        return cast(_N, named)
    return cast(_N, transform(node, lambda below: _changed(below, letters)))
