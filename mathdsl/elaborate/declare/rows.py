"""What a row of a table makes of its symbol: a submodule, a setting, a size or an array."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.defaults import is_empty, read_default, read_initialiser
from mathdsl.elaborate.declare.submodules import declare_submodule, opaque_submodule
from mathdsl.elaborate.declare.tables import Row, Table, declared_differently
from mathdsl.elaborate.declare.written_types import ArrayType, ModuleType, OpaqueType, interval_of, is_natural, read_type
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.sets import SET
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.names.usage import NO_INDICES, Indices
from mathdsl.elaborate.report import refuse, unsupported, warn
from mathdsl.elaborate.terms.missing_ranges import own_end
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.types.shapes import SCALAR, Shape
from mathdsl.ir.nodes import Element, Interval, Literal, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_declaration, render_expression


def declare_rest(reader: Reader, table: Table) -> None:
    """The rows that no header names: sizes, values that the body defines, and (in the algorithm notations) parameters."""
    for key, rows in table.rows.items():
        for row in rows:
            try:
                _declare_remaining(reader, row, reader.written.is_value(key))
            except MathdslError as error:
                reader.findings.report_of(key[0], error)


def _declare_remaining(reader: Reader, row: Row, is_defined: bool) -> None:
    if is_defined:
        _declare_value(reader, row)
    elif row.key[0] in reader.written.ensured:
        _warn_of_ensured(reader, row)
    elif not row.source.parts and not row.axes or reader.written.is_replaced(row.key[0]):
        return
    elif row.key[0] in reader.entries.sizes and not row.axes:
        if not _counts(row):
            raise _no_size(row)
        _check_drawn(reader, row, "a size")
        _describe_size(reader, row)
    else:
        declare_row(reader, row, owned=reader.written.owns_rows)


def _warn_of_ensured(reader: Reader, row: Row) -> None:
    r"""A row of `\Ensure` about what nothing gives a value says nothing of the program: it is no parameter."""
    name = readable(row.key[0])
    if row.key[0] in reader.written.mentioned:
        return  # where it stands it is refused
    what, near = f"`{name}` stands in `\\Ensure` alone, and nothing gives it a value", f"assign it, `{name} \\gets …`, or take it out"
    warn(reader.findings.diagnostics, "W0301", what, row.symbol.span, near)


def _declare_value(reader: Reader, row: Row) -> None:
    given = row.source.initialiser or row.source.default
    if given is not None:
        what = f"`{render_expression(row.symbol)}` is defined by a statement, and its row gives it a value, too"
        help = "take the value out of one of them: rows give values to inputs and parameters"
        if row.source.type is None:
            help = rf"write the type behind another sign, as in `{render_expression(row.symbol)} \in …`"
        raise refuse("E0303", what, given.span, help=help)
    for name, indices in reader.written.versions.get(row.key, {row.key[0]: NO_INDICES}).items():
        key = name, row.has_superscript
        apply_row(reader, reader.entries.symbols.get(key) or _symbol(reader, row, Role.VALUE, name), row, indices)


def _symbol(reader: Reader, row: Row, role: Role, name: Name) -> Symbol:
    made = Symbol(name, role, has_superscript=row.key[1], declared=True, span=row.symbol.span, source=Source.TABLE)
    return reader.entries.add_symbol(made)


def _check_drawn(reader: Reader, row: Row, what: str) -> None:
    """Report an initialiser of what is no parameter."""
    if row.source.initialiser is not None:
        message, name = "only parameters have an initialiser", readable(row.key[0])
        help = rf"take it out; a type stands behind `\in`, as in `{name} \in …`"
        reader.findings.report(refuse("E0407", f"`{name}` is {what}, and {message}", row.source.initialiser.span, help=help))


def _describe_size(reader: Reader, row: Row) -> None:
    entry = reader.entries.sizes[row.key[0]]
    entry.description = entry.description or row.source.description


def declare_row(reader: Reader, row: Row, owned: bool) -> None:
    """Enter what a row declares that is neither an input nor defined by the body."""
    assert row.source.parts or row.axes
    written = Interval() if gives_value(row) else read_type(reader, row.source.type) if row.source.type is not None else None
    match written:
        case ModuleType():
            _check_drawn(reader, row, "a module")
            if row.source.default is not None:
                what = f"`{readable(row.key[0])}` is a module, and has no value"
                raise refuse("E0406", what, row.source.default.span, help="take it out")
            declare_submodule(reader, row.key[0], row.axes, written, row.source, row.symbol.span)
        case OpaqueType() if not owned or row.axes or row.source.default is not None:
            what = f"`{readable(row.key[0])}` cannot be a module here"
            raise refuse("E0406", what, row.symbol.span, help="one module that the constructor takes stands right of `;`, without a value")
        case OpaqueType():
            _check_drawn(reader, row, "a module")
            opaque_submodule(reader, row.key[0], row.symbol.span, row.source.description)
        case Interval() if row.axes:
            raise _one_of_several(row)
        case Interval() as interval:
            _setting(reader, row, Element.REAL, interval)
        case ArrayType(axes=(), element=Element.INTEGER, is_natural=True) if row.source.default is None and not row.axes:
            _check_drawn(reader, row, "a size")
            reader.entries.size(row.key[0], row.symbol.span)
            _describe_size(reader, row)
        case ArrayType(axes=(), element=Element.INTEGER, is_natural=True) if row.key[0] in reader.written.measured and not row.axes:
            _size_with_default(reader, row)
        case ArrayType(axes=(), element=(Element.INTEGER | Element.BOOLEAN) as element, is_natural=is_natural) if not row.axes:
            if not is_natural and row.key[0] in {*reader.entries.sizes, *reader.written.measured}:
                raise _no_size(row)
            assert isinstance(written, ArrayType)
            _setting(reader, row, element, interval_of(written)).value_range = written.values
        case _ if (
            not owned
            and row.key[0].word in reader.written.header_names
            and (letter := next((one for one in row.key[0].labels if len(one) == 1 and one.isalpha()), None))
        ):
            reader.findings.faulty_names.add(row.key[0].word)
            range_ = rf"{readable(letter)} = 1, \dots, {own_end(reader, letter, ())}"
            what = f"`{readable(row.key[0])}` is declared, and nothing gives `{readable(letter)}` a range"
            raise refuse("E0505", what, row.symbol.span, help=f"add it to the row, `{render_declaration(row.source)}, {range_}`")
        case _ if not owned or SET in row.source.flags:
            raise refuse(
                "E0301",
                f"`{readable(row.key[0])}` is declared, but the header does not name it, nor does the body define it",
                row.symbol.span,
                help="name it in the header, right of `;` if the module owns it, or take the row out",
            )
        case _:
            role = Role.BUFFER if row.source.default is not None and "trainable" not in row.source.flags else Role.PARAMETER
            if role is Role.PARAMETER and isinstance(written, ArrayType) and written.element is not Element.REAL:
                what = f"`{readable(row.key[0])}` would be a parameter, which is learned, but its elements are not real"
                raise refuse("E0406", what, row.symbol.span, help=r"make it an input, give it a value, or declare it in `\mathbb{R}`")
            apply_row(reader, _symbol(reader, row, role, row.key[0]), row)


def gives_value(row: Row) -> bool:
    r"""Whether a row gives a number and nothing else, `\epsilon = 10^{-5}`."""
    return row.source.type is row.source.initialiser is None and row.source.default is not None and not row.axes


def _counts(row: Row) -> bool:
    r"""Whether a size may have a type: `\mathbb{N}`, `\mathbb{N}_{>0}`, `\{1, \dots, n\}`, but no `\mathbb{R}` and no unknown name."""
    written = row.source.type.base if isinstance(row.source.type, ast.Scripts) else row.source.type
    return written is None or is_natural(written) or not isinstance(written, ast.Identifier)


def _one_of_several(row: Row) -> MathdslError:
    real = replace(row.source, symbols=(row.symbol,), type=ast.Identifier("R", font="mathbb"), default=None, initialiser=None, flags=())
    what = f"`{render_expression(row.symbol)}` is one of several, and an interval is the type of a single number"
    return refuse("E0406", what, row.symbol.span, help=f"declare `{render_declaration(real)}` for elements that may be any number")


def _no_size(row: Row) -> MathdslError:
    assert row.source.type is not None
    name = readable(row.key[0])
    message = f"`{name}` is a size, and this is not the type of one"
    return refuse("E0406", message, row.source.type.span, help=rf"declare it `{name} \in \mathbb{{N}}`")


def _size_with_default(reader: Reader, row: Row) -> None:
    assert row.source.default is not None
    value = read_default(reader, row.source.default).value
    if isinstance(value, float) or value < 0:
        raise refuse("E0403", f"`{readable(row.key[0])}` is a size, its default is not", row.source.default.span)
    reader.entries.size(row.key[0], row.symbol.span)
    reader.entries.sizes[row.key[0]].default = int(value)
    _describe_size(reader, row)


def _setting(reader: Reader, row: Row, element: Element, interval: Interval) -> Symbol:
    symbol = Symbol(row.key[0], Role.SETTING, SCALAR, element, declared=True, span=row.symbol.span, source=Source.TABLE)
    symbol.description, symbol.interval = row.source.description, interval
    _check_drawn(reader, row, "a setting")
    if row.source.default is not None:
        default = read_default(reader, row.source.default)
        value = default.value
        if element is Element.REAL:
            value = float(value)
        elif element is Element.INTEGER and isinstance(value, float):
            raise refuse("E0406", f"`{readable(row.key[0])}` is an integer, its default is not", row.source.default.span)
        symbol.default = Literal(value)
        _check_default(reader, symbol, row.source.default.span)
    return reader.entries.add_symbol(symbol)


def _check_default(reader: Reader, symbol: Symbol, span: Span) -> None:
    """Report a default that lies outside of what the symbol's type says."""
    if symbol.default is not None and not symbol.is_empty and symbol.default.value not in symbol.interval:
        what = f"`{readable(symbol.spelling)}` lies in {symbol.interval}, and its default is {symbol.default.value:g}"
        reader.findings.report(refuse("E0406", what, span, help="give it a default that its type has, or another type"))


def apply_row(reader: Reader, symbol: Symbol, row: Row, indices: Indices = NO_INDICES) -> None:
    r"""Give a symbol the shape, element type, default, initialiser and description of its row.

    A version of a name has the axes of its loops before those that are declared, `d_t` of `d \in \mathbb{R}`. Of the elements of a later
    version the row says what they are; which ones there are, their definitions say.
    """
    source, is_later = row.source, symbol.spelling != row.key[0]
    symbol.description = source.description or symbol.description
    symbol.declared = not is_later
    symbol.shared = symbol.shared or "shared" in source.flags
    symbol.is_set = symbol.is_set or SET in source.flags
    if source.default is not None:
        symbol.default, symbol.is_empty = read_default(reader, source.default), is_empty(source.default)
    if symbol.role is not Role.PARAMETER or source.default is not None:
        _check_drawn(reader, row, {Role.INPUT: "an input", Role.VALUE: "a value"}.get(symbol.role, "given a value"))
    elif source.initialiser is not None:
        symbol.initialiser = read_initialiser(reader, source.initialiser)
    if source.type is None:
        if not (is_later or indices.turns):
            _apply_ranges(reader, symbol, row)
        return
    written = read_type(reader, source.type)
    if isinstance(written, ModuleType | OpaqueType):
        raise refuse("E0406", f"`{symbol.latex}` cannot be a module here", source.type.span)
    if isinstance(written, Interval) and row.axes:
        raise _one_of_several(row)
    symbol.interval = written if isinstance(written, Interval) else interval_of(written)
    if source.default is not None:
        _check_default(reader, symbol, source.default.span)
    ranges = [axis for axis in row.axes if not isinstance(axis, Poly)]
    own = written.axes if isinstance(written, ArrayType) else ()
    if len(ranges) != len(row.axes):
        raise unsupported("a declaration of single elements", row.symbol.span, help="declare the family with its range")
    declared = (*(reader.types.solver.fresh() if axis is None else axis.extent for axis in ranges), *own)
    defined = indices.own if is_later else 0
    axes = (*(reader.types.solver.fresh() for _ in range(indices.turns + defined)), *declared[defined:])
    shape = Shape(axes)
    if not reader.types.shapes.unify(symbol.shape, shape):
        raise refuse("E0401", f"`{symbol.latex}` has another shape here than before", source.type.span)
    element = written.element if isinstance(written, ArrayType) else Element.REAL
    values = written.values if isinstance(written, ArrayType) else None
    if symbol.source == Source.DECLARATION and (symbol.element, symbol.value_range) != (element, values):
        raise declared_differently(row, symbol.span)
    symbol.element, symbol.value_range = element, values
    lowers = (*(None if axis is None else axis.lower for axis in ranges), *(None for _ in own))
    symbol.lowers = [*(None for _ in range(indices.turns + defined)), *lowers[defined:]]
    symbol.has_superscript = row.has_superscript
    symbol.subscripts = indices.turns + len(ranges) - row.has_superscript
    known = tuple(axis for axis in ranges if axis is not None)
    symbol.family_ranges = known if len(known) == len(ranges) and not (is_later or indices.turns) else None
    symbol.source = Source.DECLARATION


def make_number(reader: Reader, symbol: Symbol) -> None:
    r"""What has a value such as 0.9, and no type, is a number; `h_0 = 0` and `h_0 = \mathbf{0}` may be vectors."""
    if symbol.source is not Source.DECLARATION and symbol.default is not None and not float(symbol.default.value).is_integer():
        reader.types.shapes.unify(symbol.shape, SCALAR)


def _apply_ranges(reader: Reader, symbol: Symbol, row: Row) -> None:
    r"""Give a symbol the first axes that `x = (x_1, \dots, x_n)` says it has."""
    ranges = [axis for axis in row.axes if isinstance(axis, Range)]
    symbol.shape = reader.types.shapes.split(symbol.shape, len(ranges))
    fits = len(symbol.shape.prefix) >= len(ranges)
    if not fits or not all(reader.types.solver.unify(size, axis.extent) for size, axis in zip(symbol.shape.prefix, ranges, strict=False)):
        raise refuse("E0401", f"`{symbol.latex}` has another shape here than before", row.symbol.span)
    if not ranges:
        return
    symbol.lowers = [*(axis.lower for axis in ranges), *symbol.lowers[len(ranges) :]]
    symbol.subscripts = len(ranges)
    symbol.family_ranges = tuple(ranges)
