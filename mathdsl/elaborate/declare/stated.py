r"""What prose states of a program (rows flagged `stated`): shapes of inputs and parameters, ranges, sizes, descriptions.

Such rows declare nothing: a row about a symbol that the program does not have, or that it defines itself, only describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import identifiers, unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.names.usage import NO_INDICES, concerning
from mathdsl.elaborate.report import refuse, warn
from mathdsl.elaborate.terms.indices import as_poly, read_range
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Ref, walk
from mathdsl.elaborate.types.shapes import Shape, expand
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


@dataclass(frozen=True, eq=False)
class Statement:
    """A row about one symbol: its head, how many indices it is written with, and the row it is from."""

    symbol: ast.Expression
    head: Name
    indices: int
    row: ast.Declaration
    by_superscript: bool = False


@dataclass(frozen=True, eq=False)
class Stated:
    """The statements about one program, and the names that it defines: sizes of these names are its own."""

    statements: Sequence[Statement]
    defined: Set[Name]


NOTHING_STATED = Stated((), frozenset())


def read_stated(reader: Reader, own: Sequence[ast.Where], shared: Sequence[ast.Where]) -> Stated:
    """The statements for a procedure; the sizes they name are entered, in their order, and related as they say."""
    written = reader.written
    rows = [row for where in own for row in where.rows if STATED in row.flags]
    concerned = (concerning(reader.families, row, written.mentioned) for where in shared for row in where.rows if STATED in row.flags)
    rows += [row for row in concerned if row is not None]
    heads = {head for head, _ in written.defined}
    stated = Stated(tuple(s for row in rows for s in _statements(reader, row)), heads)
    counted = {name for s in stated.statements if _shapes(s, reader, written.mentioned - heads) for name in _size_names(s.row.type)}
    for row in rows:
        names = [row.relation.operands[0]] if isinstance(row.relation, ast.Relation) else list(row.symbols)
        spelling = spelling_of(names[0]) if names else None
        if spelling is not None and spelling in counted | written.mentioned:
            _relate(reader, row, spelling)
        for name in (spelling, *_size_names(row.type)):
            if name is not None and name in counted and name not in heads | written.header_names:
                reader.entries.size(name, row.span)
    return stated


def apply_stated(reader: Reader, stated: Stated) -> None:
    """Give the symbols of a program, now that it is read, what is stated of them."""
    for statement in stated.statements:
        try:
            _apply(reader, stated, statement)
        except MathdslError as error:
            reader.findings.report(error)


def _statements(reader: Reader, row: ast.Declaration) -> Iterator[Statement]:
    for symbol in row.symbols:
        plain = unaccent(symbol)
        scope = reader.families.index_names
        if not isinstance(plain, ast.Scripts):
            head = spelling_of(plain)
            if head is not None:
                yield Statement(symbol, head, 0, row)
            continue
        split = reader.families.split(plain, scope)
        above = plain.superscript is not None and bool(set(identifiers(plain.superscript)) & scope)
        if split.head is not None and (above or plain.superscript is None):
            yield Statement(symbol, split.head, len(split.items) + above, row, above)


def _shapes(statement: Statement, reader: Reader, free: Set[Name]) -> bool:
    """Whether a statement gives the shape of an input or of something that the program mentions and does not define."""
    is_shape = isinstance(statement.row.type, ast.Group)
    return is_shape and (statement.head in free or statement.head in reader.written.header_names and not statement.indices)


def _size_names(shape: ast.Expression | None) -> Iterator[Name]:
    """The names in a shape, in order."""
    stack = list(reversed(shape.items)) if isinstance(shape, ast.Group) else []
    while stack:
        match stack.pop():
            case ast.Binary(left=left, right=right):
                stack += [right, left]
            case ast.Group(items=items) | ast.Juxtaposition(factors=items):
                stack += reversed(items)
            case ast.Identifier() | ast.Accent() | ast.Scripts() as name:
                spelling = spelling_of(name)
                if spelling is not None:
                    yield spelling
            case _:
                pass


def _relate(reader: Reader, row: ast.Declaration, spelling: Name) -> None:
    r"""`d = n \times k` as it was said, where both sides are sizes."""
    match row.relation:
        case ast.Relation(operators=("=",), operands=(_, value)) if spelling not in reader.written.header_names:
            size = as_poly(reader, value, True)
            if size is not None:
                reader.types.solver.define(reader.entries.size(spelling, row.span).variable or "", size)


def _apply(reader: Reader, stated: Stated, statement: Statement) -> None:
    row, head = statement.row, statement.head
    symbol = reader.entries.symbols.get((head, statement.by_superscript))
    if symbol is None or statement.indices == 0 and row.type is None:
        _describe(reader, symbol, statement)
    if symbol is None:
        return
    match row.type:
        case ast.Group(items=sizes) if symbol.role in (Role.INPUT, Role.PARAMETER) and statement.by_superscript == symbol.has_superscript:
            own = tuple(_size(reader, size, stated) for size in sizes)
            _shape(reader, symbol, statement, own)
            if not statement.indices:
                _describe(reader, symbol, statement)
        case ast.SetDisplay() if symbol.role is Role.INPUT and symbol.value_range is None:
            symbol.value_range = read_range(reader, row.type)
            symbol.element = Element.INTEGER
            _shape(reader, symbol, statement, ())
        case _:
            pass


def _shape(reader: Reader, symbol: Symbol, statement: Statement, own: tuple[Poly, ...]) -> None:
    before = reader.types.shapes.split(symbol.shape, statement.indices)
    stated = Shape((*before.prefix[: statement.indices], *own))
    written = show_shape(reader.types, before)
    if not reader.types.shapes.unify(before, stated):
        used = next(
            (read.span for a in reader.terms.assignments for read in walk(a.value) if isinstance(read, Ref) and read.symbol is symbol), None
        )
        raise refuse(
            "E0401",
            f"`{symbol.latex}` has the shape {written}, and is said to have the shape {show_shape(reader.types, stated)}",
            statement.row.span,
            labels=() if used is None else (Label(used, "used here"),),
            help="the prose and the program contradict each other: change one of them",
        )
    symbol.source = Source.DECLARATION


def warn_of_stated(reader: Reader, stated: Stated) -> None:
    """Warn of what is stated of a value and is not so, now that its shape is known."""
    for statement in stated.statements:
        symbol = reader.entries.symbols.get((statement.head, statement.by_superscript))
        if symbol is None or symbol.role is not Role.VALUE or not isinstance(statement.row.type, ast.Group):
            continue
        own = tuple(_size(reader, size, stated) for size in statement.row.type.items)
        indices = reader.written.defined.get((statement.head, statement.by_superscript), NO_INDICES)
        found, families = _element(symbol, statement, indices.turns)
        if not _fits(reader, found, families, own):
            written = render_expression(statement.symbol)
            said = f"has the shape {show_shape(reader.types, found)}, and is said to have the shape {show_shape(reader.types, Shape(own))}"
            advice = "the prose and the program contradict each other: change one of them"
            warn(reader.findings.diagnostics, "W0303", f"`{written}` {said}", statement.row.span, advice)


def _element(symbol: Symbol, statement: Statement, turns: int) -> tuple[Shape, int]:
    """The shape of what a row is about, and how many of its first axes are indices of the family: of `h` beside `h_t` one.

    The first `turns` axes count the turns of loops, of which no row tells.
    """
    shape = expand(symbol.shape)
    below = turns + statement.indices - statement.by_superscript
    indexed = {*range(below), *([symbol.subscripts] if statement.by_superscript else [])}
    kept = tuple(size for place, size in enumerate(shape.prefix) if place not in indexed)
    return Shape(kept, shape.rest), max(0, symbol.subscripts - below)


def _fits(reader: Reader, found: Shape, families: int, own: tuple[Poly, ...]) -> bool:
    """Whether sizes that are known on both sides are the same; a row about a family may describe the range of it that is returned."""
    if len(found.prefix) != len(own) or found.rest is not None:
        return found.rest is not None and len(found.prefix) <= len(own)
    for place, (one, other) in enumerate(zip(found.prefix, own, strict=True)):
        difference = reader.types.solver.value(one) - reader.types.solver.value(other)
        if difference.terms and not any(map(is_unknown, difference.names)) and (place >= families or difference.constant is None):
            return False
    return True


def _size(reader: Reader, size: ast.Expression, stated: Stated) -> Poly:
    """A stated size; unknown where it mentions a name that the program gives a meaning of its own."""
    own = not stated.defined.isdisjoint(_size_names(ast.Group((size,))))
    value = None if own else as_poly(reader, size, True)
    return reader.types.solver.fresh() if value is None else value


def _describe(reader: Reader, symbol: Symbol | None, statement: Statement) -> None:
    said = statement.row.description
    if symbol is not None:
        symbol.description = symbol.description or said
    elif statement.head in reader.entries.sizes:
        entry = reader.entries.sizes[statement.head]
        entry.description = entry.description or said
