"""A procedure with assignments to one in which everything is defined once."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.control.elements import Element, Reader
from mathdsl.elaborate.control.header_elements import with_own_elements
from mathdsl.elaborate.control.loops import ends_of
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.control.standing import integer_names, standing_names
from mathdsl.elaborate.control.targets import assigned_in
from mathdsl.elaborate.core.extents import Ends
from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.families_apart import ToldApart
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.reserved import LETTERS, own_letters, with_reserved_meanings
from mathdsl.elaborate.names.spelling import axes_of_type, base_of, bound_names, unaccent
from mathdsl.elaborate.names.usage import Usage, measured_names
from mathdsl.elaborate.report import HANDED_ON, refuse
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class SingleAssignment:
    """The procedure without branches and reassignments, and what indexes in it."""

    procedure: ast.Procedure
    families: Families
    letters: frozenset[Name] = frozenset()  # reserved letters that name arrays of which statements assign elements
    disorder: MathdslError | None = None  # why its statements cannot be executed, though equations may say what is wrong with them


@dataclass(frozen=True)
class InOrder:
    """A procedure whose statements are executed in order, and what tells its indices from its names."""

    named: ToldApart
    reader: Reader
    letters: frozenset[Name] = frozenset()  # reserved letters that name arrays of which statements assign elements

    @property
    def tables(self) -> tuple[ast.Where, ...]:
        """All tables that the procedure sees."""
        return (*self.named.procedure.wheres, *self.named.wheres)


def in_order(named: ToldApart, carried: Set[Name] = frozenset()) -> InOrder:
    """The procedure as its statements are executed, where elements of the header and first values are those of arrays from the start.

    `carried` are arrays that are handed on whole.
    """
    procedure, wheres, families = named.procedure, named.wheres, named.families
    header = frozenset(Usage.inputs_of(procedure))
    tables = (*procedure.wheres, *wheres)
    declared = frozenset(
        name for t in tables for row in t.rows for symbol in row.symbols if (name := _name_of(families, symbol, row)) is not None
    )
    reader = _without_powers(_reader(procedure, families, header, declared, tables), procedure, tables)
    heads = {item.element.head for item in assigned_in(reader, procedure.body, frozenset())} & LETTERS.keys()
    letters = frozenset(heads - own_letters(procedure, wheres)) if heads else frozenset[Name]()
    if letters:
        shown, body = procedure.shown or procedure.body, (with_reserved_meanings(node, letters, reader.families) for node in procedure.body)
        procedure = replace(procedure, body=tuple(body), shown=shown)
    own = with_own_elements(procedure, reader, carried)
    if own is not procedure:
        return in_order(replace(named, procedure=own, families=Families.of(own, *wheres)), carried)
    is_same = procedure is named.procedure
    return InOrder(named if is_same else replace(named, procedure=procedure, families=Families.of(procedure, *wheres)), reader, letters)


def required(tables: tuple[ast.Where, ...]) -> tuple[ast.Declaration, ...]:
    """The rows that declare what a procedure is given."""
    return tuple(row for t in tables if t.line is None or not t.line.holds_after for row in t.rows if STATED not in row.flags)


def counting_of(procedure: ast.Procedure, tables: tuple[ast.Where, ...]) -> dict[Name, Ends]:
    r"""The ends of `p \in \{1, \dots, n\}^{n}`, between which its elements lie."""
    found: dict[Name, Ends] = {}
    for row in (*procedure.inputs, *(row for table in tables for row in table.rows)):
        kind = row.type.base if isinstance(row.type, ast.Scripts) else row.type
        lower, upper = (None, None) if kind is None else ends_of(kind)
        if lower is not None and upper is not None:
            found |= {name: (lower, upper) for symbol in row.symbols if (name := word_of(base_of(symbol))) is not None}
    return found


def check_keeps_nothing(targets: list[Element], tables: tuple[ast.Where, ...], header: frozenset[Name]) -> None:
    r"""Refuse `r_i \gets r_i + x_i` of a buffer `r \in \mathbb{R}^d = \mathbf{0}`, which would keep its new value after the call."""
    rows = [row for table in tables for row in table.rows if row.default is not None and row.type is not None and not row.ranges]
    buffers = {name: row for row in rows for s in row.symbols if (name := spelling_of(unaccent(s))) is not None and name not in header}
    for target in targets:
        row = buffers.get(target.head)
        if row is not None and row.default is not None:
            written = readable(target.head)
            raise refuse(
                "E0701",
                f"`{written}` is declared with a value and assigned: keeping the new value after the call is not supported yet",
                target.span,
                labels=(Label(row.span, "its value at the first call"),),
                help=HANDED_ON.format(written),
            )


def _reader(
    procedure: ast.Procedure, families: Families, header: frozenset[Name], declared: frozenset[Name], tables: tuple[ast.Where, ...]
) -> Reader:
    rows = tuple(row for table in tables for row in table.rows)
    integers = integer_names(procedure, rows, measured_names((procedure,)))
    sizes, counters = integers.sizes, integers.counters
    families_declared = {head for row in rows for symbol in row.symbols if (head := _family_of(families, symbol, row)) is not None}
    indices = families.index_names | sizes | counters
    standing = standing_names(procedure.body, header | declared | families_declared, indices) - sizes - counters
    return Reader(families, header | declared, standing, sizes, counters, integers.arrays)


def _without_powers(reader: Reader, procedure: ast.Procedure, tables: tuple[ast.Where, ...]) -> Reader:
    r"""The reader to which superscripts of what is assigned without any are powers: `e^{x_k}` beside `e_k \gets …`, `x_1^k`."""
    targets = [item.element for item in assigned_in(reader, procedure.body, frozenset())]
    rows = (*procedure.inputs, *(row for table in tables for row in table.rows))
    given = (split[0] for row in rows for symbol in row.symbols if (split := reader.split(symbol, frozenset(reader.families.index_names))))
    families = {element.head for element in (*targets, *given) if element.superscript is not None}
    powers = {element.head for element in targets} - families
    return replace(reader, families=replace(reader.families, superscripts=reader.families.superscripts - powers))


def _name_of(families: Families, symbol: ast.Expression, row: ast.Declaration) -> Name | None:
    r"""What a row declares without indices: `b_k` of `b_k \in \mathbb{R}^d`, and nothing where `k` has a range there."""
    return None if _family_of(families, symbol, row) is not None else spelling_of(unaccent(symbol))


def _family_of(families: Families, symbol: ast.Expression, row: ast.Declaration) -> Name | None:
    r"""The `b` of `b_k \in \mathbb{R}^d, k = 1, \dots, K`."""
    plain = unaccent(symbol)
    scope = {name for item in row.ranges for name in bound_names(item)}
    split = families.split(plain, scope) if isinstance(plain, ast.Scripts) else None
    return split.head if split is not None and split.items else None


def declared_sides(procedure: ast.Procedure, reader: Reader, tables: tuple[ast.Where, ...]) -> dict[tuple[str, int], Side]:
    r"""What the axes of declared arrays run over: `x_t \in \mathbb{R}^{d}, t = 1, \dots, S` says it of both axes of `x`.

    Where a type alone gives the size, `x \in \mathbb{R}^{S \times d}`, an axis counts from 1.
    """
    found: dict[tuple[str, int], Side] = {}
    for row in (*procedure.inputs, *(row for table in tables for row in table.rows)):
        ranges = {name: side for item in row.ranges if (side := _side(item)) is not None for name in bound_names(item)}
        for symbol in row.symbols:
            split = reader.split(symbol, frozenset(ranges))
            if split is None or split[1] is not None or split[0].superscript is not None or row.type is None:
                continue
            items = split[0].subscripts if row.ranges else ()
            sides = [ranges.get(spelling_of(item) or NO_NAME) for item in items] + [
                Side(ast.Number("1", span=size.span), size) for size in axes_of_type(row.type)
            ]
            for axis, side in enumerate(sides, 1):
                if side is not None:
                    found.setdefault((split[0].head, axis), side)
    return found


def whole_boxes(sides: Mapping[tuple[str, int], Side]) -> dict[str, tuple[Ends, ...]]:
    """The ends of all axes of the arrays whose first axes are declared."""
    found: dict[str, tuple[Ends, ...]] = {}
    for (head, axis), side in sorted(sides.items(), key=lambda item: item[0][1]):
        if len(known := found.get(head, ())) == axis - 1:
            found[head] = (*known, (side.lower, side.upper))
    return found


def _side(binding: ast.Expression) -> Side | None:
    match binding:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(_, values)):
            lower, upper = ends_of(values)
            return None if lower is None or upper is None else Side(lower, upper)
        case _:
            return None
