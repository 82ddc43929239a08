r"""Two arrays of one letter, told apart by how many subscripts they have: `h_t \algoEq \fla{h_{t,1}, \dots, h_{t,n}}` beside `h_{t,k}`.

An array, its rows and its elements are one array. They are two where one of them is made of the other and not of itself: a row of
elements, as `h_t` above, or a family of rows, `q_{t,k} \algoEq W_k \cdot q_t`. The longer one then is another version of the name.
`c_t \algoEq \cat{c_{t,1}, \dots, c_{t,n}}` only names a row of `c_{t,k}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings.names import ELEMENT_OR_SYMBOL, ROW_OR_ARRAY
from mathdsl.elaborate.declare.written_types import is_setting_type
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.names.usage import Usage
from mathdsl.elaborate.names.versions import versioned
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.types.shapes import find_element, rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Element
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants, statements_in, transform

_N = TypeVar("_N", bound=ast.Node)
_LONGER = 2  # the version of the name that the longer array is


@dataclass(frozen=True)
class Place:
    """An element as it is written, without superscript: `h_{t,k}`."""

    node: ast.Expression
    head: Name
    items: tuple[ast.Expression, ...]


@dataclass(frozen=True)
class Defined:
    """A definition of an element, and the elements of that letter that its value reads."""

    target: Place
    value: ast.Expression
    reads: tuple[Place, ...]

    @property
    def reads_itself(self) -> bool:
        """Whether the value reads what is defined."""
        return any(read.items == self.target.items for read in self.reads)

    def reads_others(self, count: int) -> bool:
        """Whether the value reads elements of the letter that have so many subscripts."""
        return any(len(read.items) == count for read in self.reads)


@dataclass(frozen=True)
class Apart:
    """Two arrays of one letter; `is_either` where the longer would be elements of the shorter if their shapes allowed it."""

    shorter: Place
    longer: Place
    is_either: bool


@dataclass(frozen=True)
class ToldApart:
    """The procedure and the document's tables, and what indexes; the longer of two arrays of one letter is a version of its name."""

    procedure: ast.Procedure
    wheres: tuple[ast.Where, ...]
    families: Families
    arrays: tuple[Apart, ...] = ()


def tell_families_apart(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> ToldApart:
    """The procedure and the document's tables in which each array has a name of its own."""
    families = Families.of(procedure, *wheres)
    rows = (row for where in (*procedure.wheres, *wheres) for row in where.rows if row.type is not None)
    numbers = {word_of(symbol): symbol for row in rows if is_setting_type(row.type, False) for symbol in row.symbols}  # type: ignore[arg-type]
    found = tuple(_arrays_apart(procedure, families, numbers))
    if not found:
        return ToldApart(procedure, wheres, families)
    longer = {pair.longer.head: len(pair.longer.items) for pair in found}
    renamed, tables = _renamed(procedure, longer), tuple(_renamed(where, longer) for where in wheres)
    return ToldApart(renamed, tables, Families.of(renamed, *tables), found)


def _arrays_apart(procedure: ast.Procedure, families: Families, numbers: Mapping[Name | None, ast.Expression]) -> Iterator[Apart]:
    """The letters that stand for two arrays."""
    by_head: dict[Name, list[Defined]] = {}
    for node in statements_in(procedure.body):
        if isinstance(node, ast.Definition) and (target := _place(families, node.target)) is not None:
            reads = tuple(place for place in _places(families, node.value) if place.head == target.head)
            by_head.setdefault(target.head, []).append(Defined(target, node.value, reads))
    inputs = set(Usage.inputs_of(procedure))
    whole = inputs | _begun_whole(procedure)
    for head, defined in by_head.items():
        count = max(len(one.target.items) for one in defined)
        longer = [one for one in defined if len(one.target.items) == count]
        shorter = [one for one in defined if len(one.target.items) < count]
        if any(isinstance(one.value, ast.Command) and one.value.name == "cat" and _lists_elements(one.value, head) for one in defined):
            continue
        if head in numbers:  # `\alpha_t` beside a setting `\alpha`
            yield Apart(Place(numbers[head], head, ()), longer[0].target, False)
        elif head not in whole and any(one.reads_others(count) for one in shorter) and not any(one.reads_itself for one in shorter):
            again = procedure.notation != "module" and not all(_lists_elements(one.value, head) for one in shorter)
            places = (place for statement in procedure.body for place in _places(families, statement) if place.head == head)
            made_of = sum(len(read.items) == count for one in shorter for read in one.reads)
            elsewhere = sum(len(place.items) == count for place in places) - len(longer) - made_of
            yield Apart(shorter[0].target, longer[0].target, again and elsewhere > 0)
        elif (shorter or head in inputs) and (row := _made_of_rows(longer, count)) is not None and not _is_read_whole(procedure, head):
            yield Apart(row, longer[0].target, True)


def _begun_whole(procedure: ast.Procedure) -> set[Name]:
    """The names that an algorithm assigns whole before it assigns elements of theirs, which then are those of one array."""
    found: dict[Name, bool] = {}
    for node in statements_in(procedure.body) if procedure.notation != "module" else ():
        for target in node.targets if isinstance(node, ast.Definition) else ():
            plain = unaccent(target)
            found.setdefault(
                word_of(plain.base if isinstance(plain, ast.Scripts) else plain) or NO_NAME, not isinstance(plain, ast.Scripts)
            )
    return {name for name, is_whole in found.items() if is_whole}


def _made_of_rows(longer: list[Defined], count: int) -> Place | None:
    r"""The row that a longer array, all over its indices, is made of, `q_t` of `q_{t,k} \gets W_k q_t`."""
    rows = [read for one in longer for read in one.reads if len(read.items) < count]
    whole = all(isinstance(item, (ast.Identifier, ast.Accent)) for one in longer for item in one.target.items)
    return rows[0] if rows and whole and not any(one.reads_itself for one in longer) else None


def _is_read_whole(procedure: ast.Procedure, head: Name) -> bool:
    """Whether the letter is read without indices: which of two arrays it were would stay open."""
    scripted = {id(node.base) for node in descendants(procedure) if isinstance(node, (ast.Scripts, ast.Attribute))}
    bodies = (node for statement in procedure.body for node in descendants(statement))
    return any(isinstance(node, (ast.Identifier, ast.Accent)) and word_of(node) == head and id(node) not in scripted for node in bodies)


def _places(families: Families, node: ast.Node) -> Iterator[Place]:
    return (
        place for below in (node, *descendants(node)) if isinstance(below, ast.Scripts) and (place := _place(families, below)) is not None
    )


def _place(families: Families, node: ast.Expression) -> Place | None:
    plain = unaccent(node)
    if not isinstance(plain, ast.Scripts) or plain.superscript is not None:
        return None
    split = families.split(plain, families.index_names)
    return Place(node, split.head, split.items) if split.head is not None and split.items and not split.labels else None


def _lists_elements(value: ast.Expression, head: Name) -> bool:
    r"""`\fla{h_{t,1}, \dots, h_{t,n}}`: what is written after it of an element is that of the row, too, where elements are numbers."""
    match value:
        case ast.Command(name="cat" | "fla", arguments=((first, ast.Dots(), *_),)):
            plain = unaccent(first)
            return isinstance(plain, ast.Scripts) and word_of(plain.base) == head
        case _:
            return False


def _renamed(node: _N, longer: dict[Name, int]) -> _N:
    def change(below: ast.Node) -> ast.Node:
        match below:
            case ast.Scripts(base=base, subscripts=subscripts) if longer.get(word_of(base) or NO_NAME) == len(subscripts):
                return replace(cast(ast.Scripts, transform(below, change)), base=versioned(base, _LONGER))
            case _:
                return transform(below, change)

    return cast(_N, change(node))


def check_told_apart(types: Types, arrays: tuple[Apart, ...]) -> None:
    """Report what may be the elements of an array as well as an array of its own: their shapes do not tell them apart."""
    for pair in (one for one in arrays if one.is_either):
        ranks = [_rank(types, base) for base in (_base(pair.shorter), versioned(_base(pair.longer), _LONGER))]
        if ranks[0] is not None and ranks[0] == ranks[1]:
            shorter, longer = render_expression(pair.shorter.node), render_expression(pair.longer.node)
            labels, letter = (Label(pair.shorter.node.span, "the other"),), readable(pair.longer.head)
            place = pair.longer.node.span
            types.findings.report(undecided(ROW_OR_ARRAY, place, labels=labels, longer=longer, shorter=shorter, letter=letter))


def check_no_element_is_a_name(types: Types) -> None:
    r"""Report a symbol that nothing declares and that may be an element: `h_{1,1}` or, of an integer `y`, `h_y` beside an array `h`."""
    for symbol in [*types.entries.symbols.values()]:
        indices, array = _indices(types, symbol), types.entries.symbols.get((symbol.spelling.word, False))
        if symbol.declared or symbol.has_superscript or array is None or array is symbol or not _may_index(types, symbol, indices):
            continue
        if (rank_of(array.shape) or 0) >= len(indices):
            labels, items_of = (Label(array.span, "the array"),), ", ".join(indices)
            found = undecided(ELEMENT_OR_SYMBOL, symbol.span, labels=labels, symbol=symbol.latex, array=array.latex, indices=items_of)
            types.findings.report(found)


def _indices(types: Types, symbol: Symbol) -> tuple[Name, ...]:
    """The scripts of a name, or the letters of the one it has where each is a size or an integer: `n`, `n` of `A_{nn}`.

    In what is assigned they may count, and be numbers: `p`, `j` of `A_{pj}` in a loop over `j`.
    """
    match symbol.spelling.labels:
        case (word,) as labels if word not in types.entries.sizes:
            letters = word.letters
            values = {*types.entries.sizes, *types.entries.integers, *types.written.assigned_whole}
            if symbol.role is Role.VALUE:
                values |= {*types.written.families.index_names, *(letter for letter in letters if letter.is_number)}
            return letters if len(letters) > 1 and values.issuperset(letters) else labels
        case labels:
            return labels


def _may_index(types: Types, symbol: Symbol, items: tuple[Name, ...]) -> bool:
    """Whether the scripts of a name are numbers, sizes and integers; one number alone names, `h_1`, unless nothing reads that."""
    if len(items) == 1:
        is_unread_number = items[0].is_number and symbol.role is Role.VALUE and not symbol.used
        return items[0] in types.entries.integers or _is_computed(types, symbol, items[0]) or is_unread_number
    if items != symbol.spelling.labels:
        return True
    known = [item.is_number or item in types.entries.integers or _is_computed(types, symbol, item) for item in items]
    return any(known) and all(one or item in types.entries.sizes for one, item in zip(known, items, strict=True))


def _is_computed(types: Types, symbol: Symbol, item: Name) -> bool:
    r"""Whether a script is declared an integer, or a name that statements give such, `c \gets p \cdot p`; of a left side, any number."""
    value = types.entries.symbols.get((item, False))
    if value is None or not (value.declared or item in types.written.assigned_whole):
        return False
    is_number = rank_of(value.shape) == value.subscripts
    if find_element(value.element) is Element.INTEGER:
        return is_number or not value.declared
    return is_number and symbol.role is Role.VALUE and item in types.written.assigned_whole


def _base(place: Place) -> ast.Expression:
    plain = unaccent(place.node)
    assert isinstance(plain, ast.Scripts)
    return plain.base


def _rank(types: Types, name: ast.Expression) -> int | None:
    symbol = types.entries.symbols.get((spelling_of(name) or NO_NAME, False))
    return None if symbol is None else rank_of(symbol.shape)
