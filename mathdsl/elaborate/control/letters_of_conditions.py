r"""Letters of sums in a condition that loops under it run over, too, as letters of their own: statements in a branch are read with its
condition beside them.

    while \sum_i w_i > 1: for i = 1, …, n: …     ->     while \sum_j w_j > 1: for i = 1, …, n: …

Left alone is a letter that has a value around the condition: the sum cannot run over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import names_bound_in
from mathdsl.elaborate.names.usage import free_letters, names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, statements_in, transform, with_bodies

_N = TypeVar("_N", bound=ast.Node)


def with_letters_of_conditions(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure in which no condition sums over a letter that something under it runs over."""
    if not any(_shared(node, frozenset()) for node in statements_in(procedure.body)):
        return procedure
    letters = free_letters(names_below(procedure))
    body = tuple(_apart(node, frozenset(), letters) for node in procedure.body)
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _apart(node: ast.Statement, outer: Set[Name], letters: list[Name]) -> ast.Statement:
    new = {old: letters.pop(0) for old in sorted(_shared(node, outer)) if letters}
    match node:
        case ast.If(branches=branches):
            node = replace(node, branches=tuple(replace(one, condition=_renamed(one.condition, new)) for one in branches))
        case ast.While(condition=condition):
            node = replace(node, condition=_renamed(condition, new))
        case _:
            pass
    inner = outer | names_bound_in(node)
    return with_bodies(node, lambda body: tuple(_apart(one, inner, letters) for one in body))


def _shared(node: ast.Statement, outer: Set[Name]) -> set[Name]:
    """The letters that stand alone below a sum in a condition of a branch or a loop, and that run under it."""
    match node:
        case ast.If(branches=branches):
            conditions: Iterable[ast.Expression] = (one.condition for one in branches)
        case ast.While(condition=condition):
            conditions = (condition,)
        case _:
            return set()
    summed = {name for one in conditions for below in (one, *descendants(one)) if _is_bare(below) for name in names_bound_in(below)}
    return (summed - outer).intersection(name for below in statements_in((node,)) for name in names_bound_in(below)) if summed else set()


def _is_bare(node: ast.Node) -> bool:
    return isinstance(node, ast.Reduction) and isinstance(node.subscript, ast.Identifier)


def _renamed(node: _N, new: dict[Name, Name]) -> _N:
    """A condition with other letters in its sums."""
    own = {old: new[old] for old in names_bound_in(node) if old in new} if _is_bare(node) else {}

    def change(below: ast.Node) -> ast.Node:
        if isinstance(below, ast.Identifier) and not below.font and not below.primes and Name(below.text) in own:
            return replace(below, text=own[Name(below.text)].text)
        return transform(below, change)

    return cast(_N, transform(node if not own else change(node), lambda below: _renamed(below, new)))
