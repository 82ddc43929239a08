r"""Domains that a table gives: `s_{i,j} \gets x_i x_j \quad (j = 1, \dots, S)`, where the row of `s_{i,j}` says what `i` runs over.

An index on the left side that nothing binds runs over its range in the declaration of the family, where the element is written as it is
declared. In the algorithm notations loops say where a statement stands, and nothing is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from mathdsl.elaborate.spelling import bound_names, identifiers, unaccent
from mathdsl.syntax import nodes as ast


def complete_domains(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> ast.Procedure:
    """The procedure with the domains of its definitions complete; its own tables go before the document's."""
    if procedure.notation != "module":
        return procedure
    rows: dict[ast.Expression, ast.Declaration] = {}
    for where in (*procedure.wheres, *wheres):
        for row in where.rows:
            for symbol in row.symbols:
                rows.setdefault(unaccent(symbol), row)
    body = tuple(_complete(statement, rows, frozenset()) for statement in procedure.body)
    return procedure if body == procedure.body else replace(procedure, body=body)


def _complete(statement: ast.Statement, rows: Mapping[ast.Expression, ast.Declaration], bound: Set[str]) -> ast.Statement:
    match statement:
        case ast.Definition(target=target, domains=domains):
            missing = tuple(_missing(target, rows, bound | {name for domain in domains for name in bound_names(domain)}))
            return replace(statement, domains=(*missing, *domains)) if missing else statement
        case ast.EquationGroup(body=body):
            return replace(statement, body=tuple(_complete(inner, rows, bound) for inner in body))
        case ast.For(binding=binding, body=body):
            inside = bound | set(bound_names(binding))
            return replace(statement, body=tuple(_complete(inner, rows, inside) for inner in body))
        case _:
            return statement


def _missing(target: ast.Expression, rows: Mapping[ast.Expression, ast.Declaration], bound: Set[str]) -> Iterator[ast.Expression]:
    """The ranges, in the target's declaration, of those of its indices that are not bound."""
    plain = unaccent(target)
    row = rows.get(plain) if isinstance(plain, ast.Scripts) else None
    if not isinstance(plain, ast.Scripts) or row is None:
        return
    scripts = (*plain.subscripts, *((plain.superscript,) if plain.superscript is not None else ()))
    written = {name for script in scripts for name in identifiers(script)}
    for item in row.ranges:
        if written & set(bound_names(item)) - bound:
            yield item
