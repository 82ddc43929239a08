"""What a module owns: right of the `;`, and the settings of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.elaborate.declare.defaults import read_default
from mathdsl.elaborate.declare.rows import declare_row
from mathdsl.elaborate.declare.submodules import opaque_submodule
from mathdsl.elaborate.declare.tables import Row, Table, declared_differently, described, read_row
from mathdsl.elaborate.declare.written_types import is_setting_type
from mathdsl.elaborate.names.names import Name, readable, spelling_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.indices import name_of, read_ascending
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.ir.nodes import Range
from mathdsl.syntax import nodes as ast


def declare_settings(reader: Reader, table: Table) -> None:
    """The rows of settings, wherever they stand: types of submodules and initialisers may mention them."""
    for key, rows in list(table.rows.items()):
        row = rows[0]
        if (
            row.axes
            or key in reader.written.defined
            or row.source.type is None
            or not is_setting_type(row.source.type, row.source.default is not None)
        ):
            continue
        if key[0] not in reader.written.header_names:
            declare_row(reader, row, owned=True)
            del table.rows[key]


def declare_owned(reader: Reader, declarations: Sequence[ast.Declaration], table: Table) -> None:
    """What stands right of the `;`."""
    for declaration in declarations:
        for node in declaration.symbols:
            _owned(reader, node, declaration, table)


def _owned(reader: Reader, node: ast.Expression, declaration: ast.Declaration, table: Table) -> None:
    usage = reader.written.usage
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        raise unsupported("this as something that a module owns", node.span)
    known = reader.entries.symbols.get((spelling, False))
    if known is not None and known.role is Role.SETTING and known.source == Source.TABLE:
        return
    if spelling in reader.entries.sizes and reader.entries.sizes[spelling].default is not None:
        return
    rows = [r for flag in (False, True) for r in table.rows.pop((spelling, flag), [])]
    if declaration.type is not None or declaration.initialiser is not None and not rows:
        header = read_row(reader, node, _declared_ranges(reader, declaration), declaration)
        for row in rows:
            if _contradict(row.source, declaration):
                raise declared_differently(row, node.span)
            header = _completed(described(header, row.source), row.source)
        rows = [header]
    else:
        rows = [_completed(row, declaration) for row in rows]
    if rows:
        for row in rows:
            declare_row(reader, row, owned=True)
    elif spelling in usage.called and (spelling not in usage.plain or spelling in usage.unpacked):
        opaque_submodule(reader, spelling, node.span)
    elif (spelling, False) in reader.entries.symbols:
        raise refuse("E0303", f"`{readable(spelling)}` stands in the header twice", node.span)
    else:
        symbol = reader.entries.add_symbol(Symbol(spelling, Role.PARAMETER, declared=True, span=node.span, source=Source.HEADER))
        if declaration.default is not None:
            symbol.role, symbol.default = Role.BUFFER, read_default(reader, declaration.default)


def _contradict(one: ast.Declaration, other: ast.Declaration) -> bool:
    """Whether two declarations both give a type, a value or an initialiser, and not the same."""
    pairs = ((one.type, other.type), (one.default, other.default), (one.initialiser, other.initialiser))
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _completed(row: Row, other: ast.Declaration) -> Row:
    """A declaration with the value and the initialiser that another one of its symbol gives."""
    source = row.source
    merged = replace(source, default=source.default or other.default, initialiser=source.initialiser or other.initialiser)
    return replace(row, source=merged)


def _declared_ranges(reader: Reader, declaration: ast.Declaration) -> dict[Name, Range]:
    found = [read_ascending(reader, item) for item in declaration.ranges]
    return {name_of(f[0]): f[1] for f in found if f is not None}
