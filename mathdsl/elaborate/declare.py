"""Headers and `where` tables: from written declarations to symbols, sizes and submodules."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.defaults import is_empty, read_default, read_initialiser
from mathdsl.elaborate.ellipsis import read_ellipsis
from mathdsl.elaborate.indices import as_poly, name_of, read_binding
from mathdsl.elaborate.names import readable, spelling_of, word_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.shapes import SCALAR, Shape
from mathdsl.elaborate.spelling import identifiers, unaccent
from mathdsl.elaborate.stated import STATED
from mathdsl.elaborate.submodules import declare_submodule, opaque_submodule
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.types import ArrayType, IntervalType, ModuleType, is_natural, is_setting_type, read_type
from mathdsl.elaborate.unit import Unit
from mathdsl.elaborate.usage import concerning
from mathdsl.ir.nodes import Element, Literal, Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast

Key = tuple[str, bool]

_ROW = "this row of a table"
_ROW_HELP = r"a row is `symbol \in type & description`, or relates sizes, `d = n k`"


@dataclass(frozen=True, eq=False)
class Row:
    """A declaration of one symbol: its head, the ranges of its indices (None: a constant index), and the row it is from."""

    key: Key
    symbol: ast.Expression
    axes: tuple[Range | Poly, ...]
    has_superscript: bool
    source: ast.Declaration


@dataclass
class Table:
    """The rows that hold for one procedure, by symbol; a stack may have several."""

    rows: dict[Key, list[Row]] = field(default_factory=dict)

    def add(self, row: Row, shadowed: bool) -> None:
        """Enter a row; `shadowed`: it counts only where the symbol has none yet."""
        found = self.rows.setdefault(row.key, [])
        if shadowed and found:
            return
        known = next((other for other in found if other.axes == row.axes), None)
        if known is None:
            found.append(row)
        elif (known.source.type, known.source.default) != (row.source.type, row.source.default):
            raise refuse(
                "E0303",
                f"`{readable(row.key[0])}` is declared twice, differently",
                row.symbol.span,
                labels=(Label(known.symbol.span, "declared here first"),),
                help="keep one of the two declarations",
            )


def read_table(unit: Unit, own: Sequence[ast.Where], shared: Sequence[ast.Where], mentioned: Set[str] = frozenset()) -> Table:
    """The declarations for a procedure: its own tables, then the document's for names it mentions, where they are not shadowed."""
    table = Table()
    own_keys: set[Key] = set()
    for tables, shadowed in ((own, False), (shared, True)):
        for where in tables:
            for declaration in where.rows:
                if STATED in declaration.flags:
                    continue
                concerned = concerning(unit.families, declaration, mentioned) if shadowed else declaration
                for row in _rows(unit, concerned) if concerned is not None else []:
                    if not shadowed:
                        own_keys.add(row.key)
                    if not (shadowed and row.key in own_keys):
                        table.add(row, False)
    return table


def _rows(unit: Unit, declaration: ast.Declaration) -> list[Row]:
    if declaration.relation is not None:
        _relate(unit, declaration.relation)
        return []
    if declaration.type is declaration.default is declaration.initialiser is None:
        raise unsupported(_ROW, declaration.span, help=_ROW_HELP)
    ranges: dict[str, Range] = {}
    for item in declaration.ranges:
        found = read_binding(unit, item)
        if found is None:
            raise refuse("E0505", "this is no range of an index", item.span, help=r"write `t = 1, \dots, S`")
        name = name_of(found[0])
        if not any(_has_index(symbol, name) for symbol in declaration.symbols):
            raise refuse(
                "E0505",
                f"no symbol of this row has the index `{readable(name)}`",
                item.span,
                help="write the index at the symbol, as in `x_t`, or take its range out",
            )
        ranges[name] = found[1]
    if declaration.type is not None and is_natural(declaration.type) and declaration.default is None and not ranges:
        _enter_sizes(unit, declaration)
    return [_row(unit, symbol, ranges, declaration) for symbol in declaration.symbols]


def _has_index(symbol: ast.Expression, name: str) -> bool:
    """Whether a symbol of a row has the variable among its scripts, alone or as a letter of `s_{ij}`."""
    plain = unaccent(symbol)
    if not isinstance(plain, ast.Scripts):
        return not isinstance(plain, (ast.Identifier, ast.Accent))  # what else it is, is looked at later
    scripts = (*plain.subscripts, *((plain.superscript,) if plain.superscript is not None else ()))
    words = [word for script in scripts for word in identifiers(script)]
    return any(word == name or word.isalpha() and name in word for word in words)


def _enter_sizes(unit: Unit, declaration: ast.Declaration) -> None:
    """`n \\in \\mathbb{N}`: a size, at its place in the order of sizes."""
    for symbol in declaration.symbols:
        spelling = spelling_of(symbol)
        if spelling is not None and spelling not in unit.header_names:
            unit.size(spelling, symbol.span)


def _relate(unit: Unit, relation: ast.Expression) -> None:
    r"""`d = n k`."""
    match relation:
        case ast.Relation(operators=("=",), operands=(left, right)):
            a, b = as_poly(unit, left, True), as_poly(unit, right, True)
            if a is not None and b is not None:
                names = [n for n in sorted(a.names) if a == Poly.of(n)]
                if names and unit.sizes_solver.define(names[0], b) or unit.sizes_solver.unify(a, b):
                    return
                raise refuse(
                    "E0404",
                    "no sizes make this relation true",
                    relation.span,
                    help="a row relates one size to others, `d = n k`, and does not contradict another row",
                )
    raise unsupported(_ROW, relation.span, help=_ROW_HELP)


def _row(unit: Unit, symbol: ast.Expression, ranges: dict[str, Range], declaration: ast.Declaration) -> Row:
    plain = unaccent(symbol)
    if not isinstance(plain, ast.Scripts):
        spelling = spelling_of(plain)
        if spelling is None:
            raise unsupported("a declaration of this", symbol.span, help="declare names, one or several with commas between them")
        return Row((spelling, False), symbol, (), False, declaration)
    scope = set(ranges)
    axes: list[Range | Poly] = []
    index = unit.families.index_items(plain, scope)
    for item in index:
        axes.append(_axis(unit, item, ranges))
    head = (
        unit.families.head(plain, scope)
        if index
        else spelling_of(ast.Scripts(plain.base, plain.subscripts))
        if plain.subscripts
        else word_of(plain.base)
    )
    if head is None:
        raise unsupported("a declaration of this", symbol.span)
    has_superscript = plain.superscript is not None
    if plain.superscript is not None:
        axes.append(_axis(unit, plain.superscript, ranges))
    return Row((head, has_superscript), symbol, tuple(axes), has_superscript, declaration)


def _axis(unit: Unit, item: ast.Expression, ranges: dict[str, Range]) -> Range | Poly:
    name = spelling_of(item)
    if name is not None and name in ranges:
        return ranges[name]
    value = as_poly(unit, item, True)
    if value is None:
        raise refuse("E0505", "the range of this index is not given", item.span, help=r"add it to the row, as in `t = 1, \dots, S`")
    return value


# ---- headers ---------------------------------------------------------------------------------


def declare_inputs(unit: Unit, declarations: Sequence[ast.Declaration], table: Table) -> None:
    """The inputs of a header, in call order."""
    for declaration in declarations:
        for symbol in declaration.symbols:
            unit.inputs.append(_input(unit, symbol, declaration, table))


def _input(unit: Unit, node: ast.Expression, declaration: ast.Declaration, table: Table) -> Symbol | tuple[Symbol, ...]:
    match node:
        case ast.Group(items=items) if len(items) > 1:
            parts = [_input(unit, item, declaration, table) for item in items]
            flat = [p for part in parts for p in (part if isinstance(part, tuple) else (part,))]
            return tuple(flat)
        case ast.Group(items=(inner,)):
            return _input(unit, inner, declaration, table)
        case ast.ListDisplay(items=items):
            return _list_input(unit, node, items, table)
        case ast.Scripts(base=ast.SetDisplay(items=(inner,)), subscripts=(), superscript=length) if length is not None:
            made = _input(unit, inner, declaration, table)
            size = as_poly(unit, length, True)
            if size is None or isinstance(made, tuple):
                raise refuse("E0403", "the length of a sequence is a size", length.span)
            made.shape = unit.shapes.split(made.shape, 1)
            unit.sizes_solver.unify(made.shape.prefix[0], size)
            return made
        case _:
            return _plain_input(unit, node, declaration, table)


def _plain_input(unit: Unit, node: ast.Expression, declaration: ast.Declaration, table: Table) -> Symbol:
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        raise refuse("E0302", "an input is a name", node.span)
    rows = table.rows.pop((spelling, False), [])
    if spelling in unit.size_inputs:
        return _size_input(unit, spelling, node, rows)
    symbol = _new_input(unit, spelling, False, node)
    if declaration.type is not None or declaration.default is not None:
        rows = [Row((spelling, False), node, (), False, declaration), *rows] if declaration.type is not None or not rows else rows
        if declaration.default is not None:
            symbol.default, symbol.is_empty = read_default(unit, declaration.default), is_empty(declaration.default)
    for row in rows:
        _apply_array_row(unit, symbol, row)
    return symbol


def _size_input(unit: Unit, spelling: str, node: ast.Expression, rows: Sequence[Row]) -> Symbol:
    """A size that is given as a number: the name stands for the size wherever it is written."""
    unit.size(spelling, node.span)
    entry = unit.sizes[spelling]
    entry.description = next((row.source.description for row in rows), "")
    return Symbol(spelling, Role.INPUT, SCALAR, Element.INTEGER, latex=readable(spelling), span=node.span, description=entry.description)


def _list_input(unit: Unit, node: ast.ListDisplay, items: tuple[ast.Expression, ...], table: Table) -> Symbol:
    family = read_ellipsis(unit, items)
    if family is None:
        raise unsupported("a list of single names as an input", node.span, help=r"write `[h^1, \dots, h^n]`")
    binder, pattern = family
    plain = unaccent(pattern)
    if not isinstance(plain, ast.Scripts):
        raise unsupported("this list as an input", node.span)
    by_superscript = plain.superscript is not None and binder.spelling in (spelling_of(plain.superscript) or "")
    head = (
        spelling_of(ast.Scripts(plain.base, plain.subscripts) if plain.subscripts else plain.base)
        if by_superscript
        else word_of(plain.base)
    )
    if head is None:
        raise unsupported("this list as an input", node.span)
    symbol = _new_input(unit, head, by_superscript, node)
    symbol.listed, symbol.subscripts = True, 0 if by_superscript else 1
    symbol.latex = f"[{readable(head)}{'^' if by_superscript else '_'}{{\\cdot}}]"
    for row in table.rows.pop((head, by_superscript), []):
        _apply_array_row(unit, symbol, row)
    symbol.shape = unit.shapes.split(symbol.shape, 1)
    if not unit.sizes_solver.unify(symbol.shape.prefix[0], binder.range.extent):
        raise refuse("E0401", f"`{readable(head)}` is declared over another range than the header's list", node.span)
    symbol.lowers = symbol.lowers or [binder.range.lower]
    return symbol


def _new_input(unit: Unit, spelling: str, has_superscript: bool, node: ast.Expression) -> Symbol:
    if (spelling, has_superscript) in unit.symbols:
        raise refuse("E0303", f"`{readable(spelling)}` stands in the header twice", node.span)
    symbol = Symbol(spelling, Role.INPUT, has_superscript=has_superscript, declared=True, span=node.span, origin="header")
    return unit.add_symbol(symbol)


def declare_settings(unit: Unit, table: Table, defined: set[Key]) -> None:
    """The rows of settings, wherever they stand: types of submodules and initialisers may mention them."""
    for key, rows in list(table.rows.items()):
        row = rows[0]
        if row.axes or key in defined or row.source.type is None or not is_setting_type(row.source.type, row.source.default is not None):
            continue
        if key[0] not in unit.header_names:
            declare_row(unit, row, owned=True)
            del table.rows[key]


def declare_owned(unit: Unit, declarations: Sequence[ast.Declaration], table: Table, called: set[str], used_plainly: set[str]) -> None:
    """What stands right of the `;`."""
    for declaration in declarations:
        for node in declaration.symbols:
            _owned(unit, node, declaration, table, called, used_plainly)


def _owned(unit: Unit, node: ast.Expression, declaration: ast.Declaration, table: Table, called: set[str], used_plainly: set[str]) -> None:
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        raise unsupported("this as something that a module owns", node.span)
    known = unit.symbols.get((spelling, False))
    if known is not None and known.role is Role.SETTING and known.origin == "where":
        return
    rows = [r for flag in (False, True) for r in table.rows.pop((spelling, flag), [])]
    if declaration.type is not None or declaration.initialiser is not None and not rows:
        rows = [_row(unit, node, _declared_ranges(unit, declaration), declaration)]
    else:
        rows = [_completed(row, declaration) for row in rows]
    if rows:
        for row in rows:
            declare_row(unit, row, owned=True)
    elif spelling in called and (spelling not in used_plainly or spelling in unit.unpacked):
        opaque_submodule(unit, spelling, node.span)
    elif (spelling, False) in unit.symbols:
        raise refuse("E0303", f"`{readable(spelling)}` stands in the header twice", node.span)
    else:
        symbol = unit.add_symbol(Symbol(spelling, Role.PARAMETER, declared=True, span=node.span, origin="header"))
        if declaration.default is not None:
            symbol.role, symbol.default = Role.BUFFER, read_default(unit, declaration.default)


def _completed(row: Row, header: ast.Declaration) -> Row:
    """A row of a table with the value and the initialiser that the header gives."""
    source = row.source
    merged = replace(source, default=source.default or header.default, initialiser=source.initialiser or header.initialiser)
    return replace(row, source=merged)


def _declared_ranges(unit: Unit, declaration: ast.Declaration) -> dict[str, Range]:
    found = [read_binding(unit, item) for item in declaration.ranges]
    return {name_of(f[0]): f[1] for f in found if f is not None}


# ---- rows ------------------------------------------------------------------------------------


def declare_rest(unit: Unit, table: Table, defined: set[Key]) -> None:
    """The rows that no header names: sizes, values that the body defines, and (in the algorithm notations) parameters."""
    for key, rows in table.rows.items():
        for row in rows:
            try:
                _declare_remaining(unit, row, key in defined or (key[0], not key[1]) in defined)
            except MathdslError as error:
                unit.report(error)
                unit.spoiled.add(key[0])


def _declare_remaining(unit: Unit, row: Row, is_defined: bool) -> None:
    if row.source.type is None:
        return
    if is_defined:
        _declare_value(unit, row)
    elif row.key[0] in unit.sizes and not row.axes:
        _describe_size(unit, row)
    else:
        declare_row(unit, row, owned=unit.owns_free_names)


def _declare_value(unit: Unit, row: Row) -> None:
    symbol = unit.symbols.get(row.key)
    if symbol is None:
        symbol = unit.add_symbol(
            Symbol(row.key[0], Role.VALUE, has_superscript=row.key[1], declared=True, span=row.symbol.span, origin="where")
        )
    _apply_array_row(unit, symbol, row)


def _describe_size(unit: Unit, row: Row) -> None:
    entry = unit.sizes[row.key[0]]
    entry.description = entry.description or row.source.description


def declare_row(unit: Unit, row: Row, owned: bool) -> None:
    """Enter what a row declares that is neither an input nor defined by the body."""
    assert row.source.type is not None or row.source.initialiser is not None
    written = read_type(unit, row.source.type) if row.source.type is not None else None
    match written:
        case ModuleType():
            declare_submodule(unit, row.key[0], row.axes, written, row.source, row.symbol.span)
        case IntervalType(lower=lower, upper=upper):
            symbol = _setting(unit, row, Element.REAL)
            symbol.bounds = (lower, upper)
        case ArrayType(axes=(), element=Element.INTEGER, is_natural=True) if row.source.default is None and not row.axes:
            unit.size(row.key[0], row.symbol.span)
            _describe_size(unit, row)
        case ArrayType(axes=(), element=(Element.INTEGER | Element.BOOLEAN) as element) if not row.axes:
            _setting(unit, row, element)
        case _ if not owned:
            raise refuse(
                "E0301",
                f"`{readable(row.key[0])}` is declared, but neither the header nor the body has it",
                row.symbol.span,
                help="name it in the header, or take the row out",
            )
        case _:
            role = Role.BUFFER if row.source.default is not None and "trainable" not in row.source.flags else Role.PARAMETER
            symbol = unit.add_symbol(
                Symbol(row.key[0], role, has_superscript=row.key[1], declared=True, span=row.symbol.span, origin="where")
            )
            _apply_array_row(unit, symbol, row)


def _setting(unit: Unit, row: Row, element: Element) -> Symbol:
    symbol = Symbol(row.key[0], Role.SETTING, SCALAR, element, declared=True, span=row.symbol.span, origin="where")
    symbol.description = row.source.description
    if row.source.default is not None:
        default = read_default(unit, row.source.default)
        value = default.value
        if element is Element.REAL:
            value = float(value)
        elif element is Element.INTEGER and isinstance(value, float):
            raise refuse("E0406", f"`{readable(row.key[0])}` is an integer, its default is not", row.source.default.span)
        symbol.default = Literal(value)
    return unit.add_symbol(symbol)


def _apply_array_row(unit: Unit, symbol: Symbol, row: Row) -> None:
    """Give a symbol the shape, element type, default, initialiser and description of its row."""
    source = row.source
    symbol.description = source.description or symbol.description
    symbol.declared = True
    symbol.shared = symbol.shared or "shared" in source.flags
    if source.default is not None:
        symbol.default, symbol.is_empty = read_default(unit, source.default), is_empty(source.default)
    if source.initialiser is not None:
        symbol.initialiser = read_initialiser(unit, source.initialiser)
    if source.type is None:
        return
    written = read_type(unit, source.type)
    if isinstance(written, ModuleType):
        raise refuse("E0406", f"`{symbol.latex}` cannot be a module here", source.type.span)
    ranges = [axis for axis in row.axes if isinstance(axis, Range)]
    own = written.axes if isinstance(written, ArrayType) else ()
    if len(ranges) != len(row.axes):
        raise unsupported("a declaration of single elements", row.symbol.span, help="declare the family with its range")
    shape = Shape((*(r.extent for r in ranges), *own))
    if not unit.shapes.unify(symbol.shape, shape):
        raise refuse("E0401", f"`{symbol.latex}` has another shape here than before", source.type.span)
    symbol.element = written.element if isinstance(written, ArrayType) else Element.REAL
    symbol.value_range = written.values if isinstance(written, ArrayType) else None
    symbol.lowers = [r.lower for r in ranges] + [None] * len(own)
    symbol.has_superscript = row.has_superscript
    symbol.subscripts = len(ranges) - row.has_superscript
    symbol.family_ranges = tuple(ranges)
    symbol.origin = "declared"
