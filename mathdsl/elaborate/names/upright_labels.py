r"""Upright letters below a name, `\mathrm{k}` of `W_{\mathrm{k},k}`, `\text{i}` of `b_{\text{i}}`: labels where an index has that letter.

Left alone is what no index of the program is called, and a letter that a program writes upright elsewhere, as in `\sum_{\mathrm{k}=1}^{n}`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard, TypeVar, cast

from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.occurrences import Kinds
from mathdsl.elaborate.names.spelling import names_bound_in
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)
_UPRIGHT = frozenset({"mathrm", "text", "textrm"})


def has_upright_labels(kinds: Kinds) -> bool:
    """Whether an upright letter stands below a name."""
    return any(_is_upright(item) for node in kinds[ast.Scripts] for item in node.subscripts)


def with_upright_labels(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program in which such a letter is no index."""
    nodes = [node for top in (item, *others) for node in (top, *descendants(top))]
    below = {id(part) for node in nodes if isinstance(node, ast.Scripts) for part in node.subscripts}
    elsewhere = {word_of(node) for node in nodes if _is_upright(node) and id(node) not in below}
    letters = {name for node in nodes for name in names_bound_in(node)} - elsewhere
    return _changed(item, letters) if letters else item


def _is_upright(node: ast.Node) -> TypeGuard[ast.Identifier]:
    return isinstance(node, ast.Identifier) and node.font in _UPRIGHT and len(node.text) == 1


def _changed(node: _N, letters: set[Name]) -> _N:
    """The node in which upright letters below names are words of their own."""
    below = cast(_N, transform(node, lambda part: _changed(part, letters)))
    if not isinstance(below, ast.Scripts):
        return below
    items = (
        ast.Identifier(rf"\mathrm{{{item.text}}}", span=item.span) if _is_upright(item) and word_of(item) in letters else item
        for item in below.subscripts
    )
    return cast(_N, replace(below, subscripts=tuple(items)))
