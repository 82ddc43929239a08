r"""Numbers that a document gives names, `\tau = 0.9`, where programs compute with them.

A line of its own is read as a first line of each program that writes the name and has none of its own:
    \tau = 0.9                              ->  \Module{M}{x ; } \tau \gets 0.9 \\ …
In functions outside of all programs a name stands for its number, that of a line or that of a row in a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.declare.argument_rows import parameters_of, used_names
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, RESERVED_SYMBOLS, Name, readable, spelling_of
from mathdsl.elaborate.names.usage import defined_names, names_below, own_names
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast

_KNOWN = frozenset({Name("e"), Name(r"\pi")})


def is_number(node: ast.Definition, known: Set[Name]) -> bool:
    r"""Whether a line outside of every program gives a name to a number: `\tau = 0.9`, `c = \sqrt{2 \pi}`; `b = 1 - \tau` after these."""
    name = spelling_of(node.target)
    is_plain = name is not None and name not in RESERVED_SYMBOLS and not (node.ranges or node.domains)
    return is_plain and _is_computed(node.value, known | _KNOWN)


def with_first_lines(procedure: ast.Procedure, lines: Sequence[ast.Definition]) -> ast.Procedure:
    """A program that begins with the numbers that it reads, and with those that these are computed from."""
    written, families = names_below(procedure), Families.of(procedure)
    taken = own_names(families, procedure)
    if procedure.notation == "module":  # where nothing is assigned again
        taken |= {name for name, _ in defined_names(families, procedure.body)}
    found: list[ast.Definition] = []
    for line in reversed(lines):
        if (name := spelling_of(line.target)) in written and name not in taken:
            found.insert(0, line)
            written |= names_below(line.value)
    return replace(procedure, body=(*found, *procedure.body)) if found else procedure


def numbers_in(wheres: Iterable[ast.Where]) -> dict[Name, ast.Expression]:
    r"""What tables give a number: `\tau = 0.9`, `\tau \in (0, 1) = 0.9`."""
    return {name: value for where in wheres for row in where.rows for name, value in _numbers_of(row)}


def numbers_for(
    function: ast.Definition, lines: Sequence[ast.Definition], rows: Mapping[Name, ast.Expression]
) -> dict[Name, ast.Expression]:
    """The numbers that a function reads, in the order in which they are computed."""
    wanted = names_below(function.value) - set(parameters_of(function))
    found: dict[Name, ast.Expression] = {name: value for name, value in rows.items() if name in wanted}
    for line in reversed(lines):
        if (name := spelling_of(line.target)) is not None and name in wanted - rows.keys():
            found[name] = line.value
            wanted |= names_below(line.value)
    return dict(reversed(found.items()))


def without_rows(procedure: ast.Procedure, names: Set[Name]) -> ast.Procedure:
    """A program without the rows that give numbers to these names, which functions read and the program does not."""
    others = names - used_names(procedure)
    if not others:
        return procedure
    tables = (
        replace(where, rows=tuple(row for row in where.rows if not any(name in others for name, _ in _numbers_of(row))))
        for where in procedure.wheres
    )
    return replace(procedure, wheres=tuple(tables))


def check_settings(function: ast.Definition, names: Set[Name], procedures: Iterable[ast.Procedure]) -> None:
    """Refuse a number of a table in a function, where a module that computes with it takes another from its caller."""
    for procedure in procedures:
        for name in sorted(names & used_names(procedure)):
            shown, module = readable(name), procedure.name
            raise refuse(
                "E0301",
                f"`{shown}` is a setting of `{module}`, and this function stands outside of it",
                function.span,
                labels=(Label(procedure.name_span, f"its constructor takes another `{shown}`"),),
                help=f"give the function an argument for `{shown}`, or define it in the module",
            )


def _numbers_of(row: ast.Declaration) -> Iterator[tuple[Name, ast.Expression]]:
    is_array = isinstance(row.type, ast.Scripts) and row.type.superscript is not None
    if row.default is None or is_array or row.ranges or row.initialiser is not None or not _is_computed(row.default, _KNOWN):
        return
    for symbol in row.symbols:
        if (name := spelling_of(symbol)) is not None and name not in RESERVED_SYMBOLS:
            yield name, row.default


def _is_computed(node: ast.Expression, known: Set[Name]) -> bool:
    match node:
        case ast.Number():
            return True
        case ast.Identifier() | ast.Accent() | ast.Scripts(superscript=None):
            return (spelling_of(node) or NO_NAME) in known
        case ast.Scripts(base=left, subscripts=(), superscript=ast.Node() as right):
            parts: tuple[ast.Expression, ...] = (left, right)
        case ast.Binary(left=left, right=right) | ast.Fraction(numerator=left, denominator=right):
            parts = (left, right)
        case ast.Group(items=(inner,)) | ast.Negative(operand=inner) | ast.Root(degree=None, radicand=inner):
            parts = (inner,)
        case ast.Juxtaposition(factors=factors):
            parts = factors
        case _:
            return False
    return all(_is_computed(part, known) for part in parts)
