"""A procedure with assignments to one in which everything is defined once."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control.covers import Cover
from mathdsl.elaborate.control.elements import Element, Reader
from mathdsl.elaborate.control.first_values import Ends, Typed, begin, is_assigned_before_it_is_read, with_first_values
from mathdsl.elaborate.control.header_elements import with_own_elements
from mathdsl.elaborate.control.loops import ends_of, with_boxes
from mathdsl.elaborate.control.merging import contains_hole
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.control.standing import integer_names, standing_names, updated_parameters
from mathdsl.elaborate.control.state import State
from mathdsl.elaborate.control.targets import assigned_in
from mathdsl.elaborate.control.updates import WholeArrays, with_whole_arrays
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.control.walk import walk_block
from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.families_apart import ToldApart
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.reserved import LETTERS, own_letters, with_reserved_meanings
from mathdsl.elaborate.names.spelling import axes_of_type, base_of, bound_names, unaccent
from mathdsl.elaborate.names.usage import Usage, measured_names
from mathdsl.elaborate.report import HANDED_ON, refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import transform


@dataclass(frozen=True)
class SingleAssignment:
    """The procedure without branches and reassignments, what indexes in it, and the updates whose extent elaboration is to check."""

    procedure: ast.Procedure
    families: Families
    covers: tuple[Cover, ...] = ()
    carried: frozenset[Name] = frozenset()  # arrays that are parts of a whole somewhere
    letters: frozenset[Name] = frozenset()  # reserved letters that name arrays of which statements assign elements


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
    begun = with_first_values(procedure, reader, _required(tables))
    is_same = begun is named.procedure
    return InOrder(named if is_same else replace(named, procedure=begun, families=Families.of(begun, *wheres)), reader, letters)


def _required(tables: tuple[ast.Where, ...]) -> tuple[ast.Declaration, ...]:
    """The rows that declare what a procedure is given."""
    return tuple(row for t in tables if t.line is None or not t.line.holds_after for row in t.rows if STATED not in row.flags)


def _counting(procedure: ast.Procedure, tables: tuple[ast.Where, ...]) -> dict[Name, Ends]:
    r"""The ends of `p \in \{1, \dots, n\}^{n}`, between which its elements lie."""
    found: dict[Name, Ends] = {}
    for row in (*procedure.inputs, *(row for table in tables for row in table.rows)):
        kind = row.type.base if isinstance(row.type, ast.Scripts) else row.type
        lower, upper = (None, None) if kind is None else ends_of(kind)
        if lower is not None and upper is not None:
            found |= {name: (lower, upper) for symbol in row.symbols if (name := word_of(base_of(symbol))) is not None}
    return found


def arrays_of(source: InOrder) -> frozenset[Name]:
    """The arrays whose elements statements assign, and the names that nothing proves to have a value where they are read."""
    reader, procedure, body = source.reader, source.named.procedure, source.named.procedure.body
    given = {*Usage.inputs_of(procedure), *updated_parameters(procedure, reader, _required(source.tables))}
    found = dict[Name, bool]()
    for item in assigned_in(reader, body, frozenset()):
        found.setdefault(item.element.head, not item.element.is_whole)
        found[item.element.head] |= not item.element.is_whole
    return frozenset(
        h for h, by_element in found.items() if by_element or h not in given and not is_assigned_before_it_is_read(reader, h, body)
    )


def to_single_assignment(source: InOrder, carried: WholeArrays) -> SingleAssignment:
    """The procedure with every name defined once; raises a `MathdslError` at what it cannot tell apart."""
    named, tables, reader = source.named, source.tables, source.reader
    header = frozenset(Usage.inputs_of(named.procedure))
    given = header | updated_parameters(named.procedure, reader, _required(tables))
    sides = _declared_sides(named.procedure, reader, tables)
    typed = Typed(_counting(named.procedure, tables), _whole_boxes(sides)) if carried.everywhere else Typed()
    begun = begin(reader, named.procedure.body, carried, given, typed)
    whole = carried.everywhere | begun.flags
    parts = ((zeros, with_whole_arrays(reader, with_boxes(ones), whole)) for zeros, ones in begun.statements)
    procedure = replace(named.procedure, body=tuple(one for zeros, ones in parts for one in (*zeros, *ones)))
    targets = [item.element for item in assigned_in(reader, procedure.body, frozenset())]
    _check_keeps_nothing(targets, tables, header)
    constants = set(map(Name, LETTERS)) - {element.head for element in targets if not element.subscripts}
    assigned = frozenset(element.head for element in targets)
    progress = Progress(State(reader, given, procedure.body, sides, assigned=assigned, constants=frozenset(constants)))
    walk_block(progress, procedure.body)
    body = _without_unread_parts(reader, tuple(progress.out))
    if body == named.procedure.body:
        return SingleAssignment(named.procedure, named.families, tuple(progress.covers), carried.everywhere, source.letters)
    procedure = replace(procedure, body=body)
    families = Families.of(procedure, *named.wheres)
    lost = {head for head in assigned if reader.families.subscripts.get(head, 0) > families.subscripts.get(head, 0)}
    if lost:
        procedure = replace(procedure, body=tuple(cast(ast.Statement, _in_brackets(reader, lost, statement)) for statement in body))
        families = Families.of(procedure, *named.wheres)
    return SingleAssignment(procedure, families, tuple(progress.covers), carried.everywhere, source.letters)


def _in_brackets(reader: Reader, heads: Set[Name], node: ast.Node) -> ast.Node:
    """Elements of arrays whose first version no letter indexes any more: `w_1` is none of a name of its own."""
    node = transform(node, lambda child: _in_brackets(reader, heads, child))
    if isinstance(node, ast.Scripts) and node.superscript is None and word_of(node.base) in heads:
        found = reader.split(node, frozenset(reader.families.index_names))
        if found is not None and found[0].head in heads and found[0].subscripts:
            return ast.Indexing(node.base, node.subscripts, of_script=True, span=node.span)
    return node


def _check_keeps_nothing(targets: list[Element], tables: tuple[ast.Where, ...], header: frozenset[Name]) -> None:
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


def _declared_sides(procedure: ast.Procedure, reader: Reader, tables: tuple[ast.Where, ...]) -> dict[tuple[str, int], Side]:
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


def _whole_boxes(sides: Mapping[tuple[str, int], Side]) -> dict[str, tuple[Ends, ...]]:
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


def _without_unread_parts(reader: Reader, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
    """Without the names that have a value in some branches only and are read in those alone: their values stand there already."""
    read = {a.element.head for a in accesses(reader, statements, frozenset()) if a.use == "read"}

    def kept(block: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
        found: list[ast.Statement] = []
        for node in block:
            match node:
                case ast.For(body=body):
                    found.append(replace(node, body=kept(body)))
                case ast.Definition(target=target, value=value) if contains_hole(value):
                    split = reader.split(target, frozenset())
                    if split is None or split[0].head in read:
                        found.append(node)
                case _:
                    found.append(node)
        return tuple(found)

    return kept(statements)
