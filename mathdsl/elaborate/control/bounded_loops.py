r"""Loops that end by a condition, as loops over their turns, of which those after the end do nothing.

    while c, at most N times: …     ->     for t = 1, …, N: if c: …

Where the condition does not hold, nothing changes any more that it reads: it does not hold in any later turn. The first turn of a loop
whose condition is asked behind it stands before the others:

    repeat … until c, at most N times     ->     …; while not c, at most N - 1 times: …
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.control.loops import binding_over
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.usage import free_letters, names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import shifted, statements_in


def with_bounded_loops(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure without `while`, but for loops that say of no number of turns how many there are at most."""
    if not any(isinstance(node, ast.While) and node.bound is not None for node in statements_in(procedure.body)):
        return procedure
    letters = free_letters(set(names_below(procedure)))
    body = _all_bounded(procedure.body, letters)
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _all_bounded(body: tuple[ast.Statement, ...], letters: list[Name]) -> tuple[ast.Statement, ...]:
    """The statements of a body."""
    found: list[ast.Statement] = []
    for node in body:
        if isinstance(node, ast.While) and node.until and node.bound is not None:
            found += _all_bounded(node.body, letters)
            goes_on = ast.Logic("not", (node.condition,), span=node.condition.span)
            node = replace(node, condition=goes_on, bound=shifted(node.bound, -1), until=False)
        found.append(_bounded(node, letters))
    return tuple(found)


def _bounded(node: ast.Statement, letters: list[Name]) -> ast.Statement:
    """A statement, where `letters` are free to count turns with."""
    match node:
        case ast.While(condition=condition, bound=bound, body=body) if bound is not None and letters:
            turn = ast.Identifier(letters[0], span=node.span)
            branch = ast.Branch(condition, _all_bounded(body, letters[1:]), span=node.span)
            turns = binding_over(turn, (ast.Number("1", span=bound.span),), bound, condition.span, None)
            return ast.For(turns, (ast.If((branch,), None, span=node.span),), span=node.span)
        case ast.For(body=body) | ast.EquationGroup(body=body):
            return replace(node, body=_all_bounded(body, letters))
        case ast.If(branches=branches, otherwise=otherwise):
            arms = tuple(replace(branch, body=_all_bounded(branch.body, letters)) for branch in branches)
            last = None if otherwise is None else _all_bounded(otherwise, letters)
            return replace(node, branches=arms, otherwise=last)
        case _:
            return node
