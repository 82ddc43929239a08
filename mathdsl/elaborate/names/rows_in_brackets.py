r"""Elements of rows that statements assign, `r_t[i] \gets e`, `x^{(k)}[i] \gets e`, in one script: `r_{t,i}`, `x_i^{(k)}`."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.occurrences import Kinds, spelled_by
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def has_rows_in_brackets(kinds: Kinds) -> bool:
    """Whether a left side is an element of a row."""
    return any(_of_row(symbol) is not None for symbol in spelled_by(kinds))


def with_elements_of_rows(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program in which such arrays have their indices in one script; what has blocks, `h_{t,k}`, may have other elements, `h_t[j]`."""
    nodes = (item, *descendants(item))
    assigned = [unaccent(target) for node in nodes if isinstance(node, ast.Definition) for target in node.targets]
    targets = [target for target in assigned if _of_row(target) is not None]
    letters = {name for node in nodes for name in names_bound_in(node)} if targets else set()
    heads = {_of_row(target) for target in targets if isinstance(target, ast.Indexing) and not letters.isdisjoint(identifiers(target.base))}
    heads -= {word_of(target.base) for target in assigned if isinstance(target, ast.Scripts) and len(target.subscripts) > 1}

    def change(node: _N) -> _N:
        below = transform(node, change)
        if not isinstance(below, ast.Indexing) or _of_row(below) not in heads:
            return cast(_N, below)
        row = unaccent(below.base)
        assert isinstance(row, ast.Scripts)
        return cast(_N, replace(row, subscripts=(*row.subscripts, *below.items), span=below.span))

    return change(item) if heads else item


def _of_row(node: ast.Expression) -> Name | None:
    """The array of an element of a row, `r` of `r_t[i]`; None for anything else."""
    row = unaccent(node.base) if isinstance(node, ast.Indexing) else None
    return word_of(row.base) if isinstance(row, ast.Scripts) else None
