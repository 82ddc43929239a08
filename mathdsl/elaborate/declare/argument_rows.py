r"""Rows of tables that declare arguments of functions: `u \in \mathbb{R}^{p}` beside `f(u) \gets \sum_{j=1}^{p} u_j`.

A name that is only an argument of functions is none of the program's: the header does not give it, nor does the program own it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.usage import Usage, declared_name, names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, statements_in


def split_rows(
    procedure: ast.Procedure, shared: tuple[ast.Where, ...], others: Iterable[Name]
) -> tuple[ast.Procedure, tuple[ast.Where, ...], tuple[ast.Declaration, ...]]:
    """A procedure and the tables without the rows of what is only an argument of its functions, or of `others`; and these rows."""
    own = (node for node in statements_in(procedure.body) if isinstance(node, ast.Definition))
    arguments = {*others, *(name for node in own for name in parameters_of(node))}
    if not arguments:
        return procedure, shared, ()
    families = Families.of(procedure)
    rows = [row for where in (*procedure.wheres, *shared) for row in where.rows]
    only = ({name for row in rows for name in _names(families, row)} & arguments) - used_names(procedure)
    if not only:
        return procedure, shared, ()
    found = tuple(part for row in rows if (part := _part(families, row, only, True)) is not None)
    wheres, tables = (
        tuple(replace(w, rows=tuple(part for row in w.rows if (part := _part(families, row, only, False)) is not None)) for w in tables)
        for tables in (procedure.wheres, shared)
    )
    return replace(procedure, wheres=wheres), tables, found


def rows_for(parameters: Iterable[Name], rows: Iterable[ast.Declaration]) -> tuple[ast.Declaration, ...]:
    """The rows that declare some of a function's arguments."""
    families, wanted = Families(), set(parameters)
    return tuple(part for row in rows if (part := _part(families, row, wanted, True)) is not None)


def declared_arguments(rows: Iterable[ast.Declaration]) -> set[Name]:
    """The arguments that some rows declare."""
    return {name for row in rows for name in _names(Families(), row)}


def used_names(procedure: ast.Procedure) -> set[Name]:
    """The names that a procedure has in its header, and those that it writes other than as the arguments of its functions."""
    found = set(Usage.inputs_of(procedure))
    for row in procedure.owned or ():
        found |= {name for symbol in row.symbols for name in names_below(symbol)}
    for statement in procedure.body:
        found |= _used(statement)
    return found


def parameters_of(function: ast.Definition) -> tuple[Name, ...]:
    """The arguments of a function by their names."""
    _, parameters = function.function or (None, ())
    return tuple(name for parameter in parameters if (name := spelling_of(parameter)) is not None)


def _used(statement: ast.Node) -> set[Name]:
    match statement:
        case ast.Definition(function=(_, _), value=value):
            return names_below(value) - set(parameters_of(statement))
        case ast.For() | ast.If() | ast.Branch() | ast.While() | ast.EquationGroup():
            return {name for child in children(statement) for name in _used(child)}
        case _:
            return names_below(statement)


def _names(families: Families, row: ast.Declaration) -> Iterator[Name]:
    scope = {name for item in row.ranges for name in bound_names(item)}
    for symbol in row.symbols:
        yield declared_name(families, symbol, scope) or NO_NAME


def _part(families: Families, row: ast.Declaration, names: set[Name], inside: bool) -> ast.Declaration | None:
    """What a row says of these names, or of all others; None where that is nothing."""
    if not row.symbols:
        return None if inside else row
    own = tuple(zip(row.symbols, _names(families, row), strict=True))
    symbols = tuple(symbol for symbol, name in own if (name in names) == inside)
    return replace(row, symbols=symbols) if symbols else None
