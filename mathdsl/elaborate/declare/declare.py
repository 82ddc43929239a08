"""The stage of declarations: what headers and tables enter under the names of a program, before its statements are read."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.control.standing import integer_names
from mathdsl.elaborate.declare.defaults import read_default
from mathdsl.elaborate.declare.inputs import declare_inputs, not_a_name
from mathdsl.elaborate.declare.rows import declare_rest, declare_row, gives_value, make_number
from mathdsl.elaborate.declare.stated import NOTHING_STATED, Stated, read_stated
from mathdsl.elaborate.declare.submodules import opaque_submodule
from mathdsl.elaborate.declare.tables import Row, Table, declared_differently, described, read_row, read_table
from mathdsl.elaborate.declare.written import Written
from mathdsl.elaborate.declare.written_types import is_setting_type
from mathdsl.elaborate.findings import Findings
from mathdsl.elaborate.names.entries import Entries
from mathdsl.elaborate.names.names import Name, readable, spelling_of
from mathdsl.elaborate.names.python_names import PythonNames, plain_stems
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Terms
from mathdsl.elaborate.terms.indices import name_of, read_ascending
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.resolve import resolve_expression
from mathdsl.elaborate.terms.statements import read_functions
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Element, Range
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in


@dataclass(frozen=True, eq=False)
class Declared:
    """A program whose declarations are entered: who reads its expressions, and what prose states of its shapes."""

    reader: Reader
    stated: Stated = NOTHING_STATED


def declare(written: Written, procedure: ast.Procedure, source: ast.Procedure, argument_rows: tuple[ast.Declaration, ...]) -> Declared:
    """The declarations of a procedure and its own functions; `source` is the procedure before its names have one value each."""
    reader = _reader(written, written.own | {head for head, _ in written.defined})
    stated = read_stated(reader, procedure.wheres, written.around.wheres)
    table = read_table(reader, procedure.wheres, written.around.wheres, written.named)
    declare_inputs(reader, procedure.inputs, table)
    _declare_settings(reader, table)
    _declare_owned(reader, procedure.owned or (), table)
    _check_order(reader)
    reader.entries.integers.update(_integers(reader, procedure, source))
    read_functions(reader, procedure.body, argument_rows)
    declare_rest(reader, table)
    return Declared(reader, stated)


def declare_function(written: Written, parameters: tuple[ast.Expression, ...], wanted: Set[Name]) -> Declared:
    """The arguments of a top-level function."""
    reader = _reader(written, wanted)
    table = read_table(reader, written.around.wheres, ())
    table.rows = {key: rows for key, rows in table.rows.items() if key[0] in wanted or key[0] in reader.entries.sizes}
    reader.entries.names.taken.add(written.name)
    declare_inputs(reader, [ast.Declaration((p,), span=p.span) for p in parameters], table)
    declare_rest(reader, table)
    return Declared(reader)


def _reader(written: Written, named: Set[Name]) -> Reader:
    """The reader of a program, in whose tables `named` have the Python names of their own letters."""
    functions = {name: function for name, function in written.around.functions.items() if name not in written.own}
    entries = Entries(PythonNames(plain=plain_stems(named)), written.size_inputs, functions, dict(written.around.aliases))
    findings, terms = Findings(), Terms()
    types = Types(written, entries, findings, terms)
    return Reader(written, entries, findings, terms, types, resolve_expression, written.families)


def _integers(reader: Reader, procedure: ast.Procedure, source: ast.Procedure) -> frozenset[Name]:
    """The names of integers that no statement moves: declared ones, and in module notation those whose every value is one."""
    declared = {s.spelling for s in reader.entries.symbols.values() if s.declared and s.element is Element.INTEGER}
    targets = (node.target for node in statements_in(source.body) if declared and isinstance(node, ast.Definition))
    fixed = declared.difference(*map(names_below, targets))
    if procedure.notation != "module":
        return frozenset(fixed)
    rows = (*(procedure.owned or ()), *(row for where in (*procedure.wheres, *reader.written.around.wheres) for row in where.rows))
    return integer_names(procedure, rows, reader.written.ranged).counters | fixed


def _check_order(reader: Reader) -> None:
    """Optional inputs come last."""
    optional: Symbol | None = None
    for symbol in reader.entries.flat_inputs:
        if symbol.default is not None:
            optional = optional or symbol
        elif optional is not None:
            what = f"`{symbol.latex}` has no default and stands after `{optional.latex}`, which has one"
            labels, help = (Label(optional.span, "this one may be left out"),), "put the optional inputs last"
            reader.findings.report(refuse("E0607", what, symbol.span, labels=labels, help=help))
            return


def _declare_settings(reader: Reader, table: Table) -> None:
    """The rows of settings, wherever they stand: types of submodules and initialisers may mention them."""
    for key, rows in list(table.rows.items()):
        row = rows[0]
        is_setting = row.source.type is not None and is_setting_type(row.source.type, row.source.default is not None)
        is_assigned = reader.written.is_value(key) or reader.written.is_replaced(key[0])
        if row.axes or is_assigned or not (is_setting or gives_value(row)):
            continue
        if key[0] not in reader.written.header_names:
            del table.rows[key]
            try:
                declare_row(reader, row, owned=True)
            except MathdslError as error:
                reader.findings.report_of(key[0], error)


def _declare_owned(reader: Reader, declarations: Sequence[ast.Declaration], table: Table) -> None:
    """What stands right of the `;`."""
    for declaration in declarations:
        for node in declaration.symbols:
            try:
                _owned(reader, node, declaration, table)
            except MathdslError as error:
                reader.findings.report_of(spelling_of(unaccent(node)), error)


def _owned(reader: Reader, node: ast.Expression, declaration: ast.Declaration, table: Table) -> None:
    usage = reader.written.usage
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        raise not_a_name(node)
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
            make_number(reader, symbol)


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
