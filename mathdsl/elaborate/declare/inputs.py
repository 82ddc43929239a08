"""The inputs of a header, in call order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.names import POWER_OR_NAME
from mathdsl.elaborate.declare.defaults import is_empty, read_default
from mathdsl.elaborate.declare.rows import apply_row, make_number
from mathdsl.elaborate.declare.tables import Row, Table
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.elaborate.terms.ellipsis import read_ellipsis
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.types.shapes import SCALAR
from mathdsl.ir.nodes import Element
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def declare_inputs(reader: Reader, declarations: Sequence[ast.Declaration], table: Table) -> None:
    """The inputs of a header, in call order."""
    families = {spelling for spelling, by_superscript in table.rows.keys() - reader.written.defined if by_superscript}
    table.families = frozenset(spelling for spelling in families if (spelling, False) not in table.rows)
    for declaration in declarations:
        for symbol in declaration.symbols:
            try:
                reader.entries.inputs.append(_input(reader, symbol, declaration, table))
            except MathdslError as error:
                reader.findings.report_of(spelling_of(unaccent(symbol)), error)


def _input(reader: Reader, node: ast.Expression, declaration: ast.Declaration, table: Table) -> Symbol | tuple[Symbol, ...]:
    match node:
        case ast.Group(items=items) if len(items) > 1:
            return tuple(_member(reader, item, declaration, table) for item in items)
        case ast.Group(items=(inner,)):
            return _input(reader, inner, declaration, table)
        case ast.ListDisplay(items=items):
            return _list_input(reader, node, items, table)
        case ast.Scripts(base=ast.SetDisplay(items=(inner,)), subscripts=(), superscript=length) if length is not None:
            made = _input(reader, inner, declaration, table)
            size = as_poly(reader, length, True)
            if size is None or isinstance(made, tuple):
                raise refuse("E0403", "the length of a sequence is a size", length.span)
            made.shape = reader.types.shapes.split(made.shape, 1)
            if not made.shape.prefix or not reader.types.solver.unify(made.shape.prefix[0], size):
                x, n = readable(made.spelling), render_expression(length)
                raise refuse(
                    "E0404",
                    f"`{x}` is declared with a type that is no sequence of `{n}` values",
                    node.span,
                    help=rf"declare all of them, `{x} \in \mathbb{{R}}^{{{n}}}`; where `{x}` is one value, write `{x}` here",
                )
            return made
        case _:
            return _plain_input(reader, node, declaration, table)


def _member(reader: Reader, node: ast.Expression, declaration: ast.Declaration, table: Table) -> Symbol:
    made = _input(reader, node, declaration, table)
    if isinstance(made, tuple):
        raise unsupported(
            "a tuple inside a tuple of inputs", node.span, help="write its members among the others, or the tuple beside them"
        )
    return made


def _plain_input(reader: Reader, node: ast.Expression, declaration: ast.Declaration, table: Table) -> Symbol:
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        raise not_a_name(node)
    is_family = declaration.type is declaration.default is None and spelling in table.families
    rows = table.rows.pop((spelling, is_family), [])
    if spelling in reader.written.size_inputs:
        return _size_input(reader, spelling, node, rows)
    symbol = _new_input(reader, spelling, is_family, node)
    is_typed = declaration.type is not None or declaration.initialiser is not None
    if is_typed or declaration.default is not None:
        rows = [Row((spelling, False), node, (), False, declaration), *rows] if is_typed or not rows else rows
        if declaration.default is not None:
            symbol.default, symbol.is_empty = read_default(reader, declaration.default), is_empty(declaration.default)
    for row in rows:
        apply_row(reader, symbol, row)
    make_number(reader, symbol)
    return symbol


def not_a_name(node: ast.Expression) -> MathdslError:
    r"""The mistake of a header's item that is no name: `\sigma^2` where `\sigma` stands alone, too, is a power for most readers."""
    plain = unaccent(node)
    if isinstance(plain, ast.Scripts) and plain.superscript is not None and word_of(plain.superscript) is not None:
        name = render_expression(replace(plain, superscript=None))
        return undecided(POWER_OR_NAME, node.span, written=render_expression(plain), name=name)
    return refuse(
        "E0302", "what a header lists is a name", node.span, help=r"an item is a name, a tuple of names or a list, `[h^1, \dots, h^n]`"
    )


def _size_input(reader: Reader, spelling: Name, node: ast.Expression, rows: Sequence[Row]) -> Symbol:
    """A size that is given as a number: the name stands for the size wherever it is written."""
    reader.entries.size(spelling, node.span)
    entry = reader.entries.sizes[spelling]
    entry.description = next((row.source.description for row in rows), "")
    return Symbol(spelling, Role.INPUT, SCALAR, Element.INTEGER, latex=readable(spelling), span=node.span, description=entry.description)


def _list_input(reader: Reader, node: ast.ListDisplay, items: tuple[ast.Expression, ...], table: Table) -> Symbol:
    family = read_ellipsis(reader, items)
    if family is None:
        raise unsupported("a list of single names as an input", node.span, help=r"write `[h^1, \dots, h^n]`")
    binder, pattern = family
    plain = unaccent(pattern)
    if not isinstance(plain, ast.Scripts):
        raise unsupported("this list as an input", node.span, help=r"write `[h^1, \dots, h^n]`")
    by_superscript = plain.superscript is not None and binder.spelling in (spelling_of(plain.superscript) or NO_NAME)
    head = (
        spelling_of(ast.Scripts(plain.base, plain.subscripts) if plain.subscripts else plain.base)
        if by_superscript
        else word_of(plain.base)
    )
    if head is None:
        raise unsupported("this list as an input", node.span, help=r"write `[h^1, \dots, h^n]`")
    symbol = _new_input(reader, head, by_superscript, node)
    symbol.listed, symbol.subscripts = True, 0 if by_superscript else 1
    symbol.latex = f"[{readable(head)}{'^' if by_superscript else '_'}{{\\cdot}}]"
    for row in table.rows.pop((head, by_superscript), []):
        apply_row(reader, symbol, row)
    symbol.shape = reader.types.shapes.split(symbol.shape, 1)
    if not reader.types.solver.unify(symbol.shape.prefix[0], binder.range.extent):
        raise refuse("E0401", f"`{readable(head)}` is declared over another range than the header's list", node.span)
    symbol.lowers = symbol.lowers or [binder.range.lower]
    return symbol


def _new_input(reader: Reader, spelling: Name, has_superscript: bool, node: ast.Expression) -> Symbol:
    if (spelling, has_superscript) in reader.entries.symbols:
        raise refuse("E0303", f"`{readable(spelling)}` stands in the header twice", node.span)
    symbol = Symbol(spelling, Role.INPUT, has_superscript=has_superscript, declared=True, span=node.span, source=Source.HEADER)
    return reader.entries.add_symbol(symbol)
