"""`where` tables as rows by symbol, and the sizes that their rows relate."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.declare.written import STATED
from mathdsl.elaborate.declare.written_types import is_natural
from mathdsl.elaborate.names.classify import Split
from mathdsl.elaborate.names.names import Name, readable, spelling_of
from mathdsl.elaborate.names.spelling import identifiers, unaccent
from mathdsl.elaborate.names.usage import concerning
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.indices import as_poly, computed_bound, name_of, read_ascending, read_size
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

Key: TypeAlias = tuple[Name, bool]  # a spelling without its indices, and whether one of them is a superscript

_ROW_HELP = r"a row is `symbol \in type & description`, or relates sizes, `d = n k`; a function has a definition, `f(x) \gets \tanh(x)`"


@dataclass(frozen=True, eq=False)
class Row:
    r"""A declaration of one symbol: its head, its indices, and the row it is from.

    An index is its range, a constant as it is, or None: `x_i \in \mathbb{R}^d` leaves open over what `i` runs.
    """

    key: Key
    symbol: ast.Expression
    axes: tuple[Range | Poly | None, ...]
    has_superscript: bool
    source: ast.Declaration


@dataclass
class Table:
    """The rows that hold for one procedure, by symbol; a stack may have several."""

    rows: dict[Key, list[Row]] = field(default_factory=dict)
    families: frozenset[Name] = frozenset()  # what rows declare with a superscript alone, `h_0^l`, and no statement defines

    def add(self, row: Row) -> None:
        """Enter a row; the same one twice is one, with the description that one of them has."""
        found = self.rows.setdefault(row.key, [])
        at = next((at for at, other in enumerate(found) if other.axes == row.axes), None)
        if at is None:
            found.append(row)
            found.sort(key=lambda row: row.source.type is None)
        elif not found[at].source.parts or not row.source.parts:
            one, other = (found[at], row) if found[at].source.parts else (row, found[at])
            found[at] = described(one, other.source)
        elif _says(found[at].source) != _says(row.source):
            raise declared_differently(row, found[at].symbol.span)
        else:
            found[at] = described(found[at], row.source)

    def describe(self, row: Row) -> None:
        """What a table of the document says in words of what the program's own tables declare."""
        self.rows[row.key] = [described(own, row.source) for own in self.rows[row.key]]


def _says(source: ast.Declaration) -> tuple[object, ...]:
    return source.type, source.default, source.initialiser, source.flags


def described(row: Row, other: ast.Declaration) -> Row:
    """A row, with the description of another declaration of its symbol where it has none."""
    return row if row.source.description else replace(row, source=replace(row.source, description=other.description))


def declared_differently(row: Row, first: Span) -> MathdslError:
    """The mistake of a second declaration that is not the first one again."""
    return refuse(
        "E0303",
        f"`{readable(row.key[0])}` is declared twice, differently",
        row.symbol.span,
        labels=(Label(first, "declared here first"),),
        help="keep one of the two declarations",
    )


def read_table(reader: Reader, own: Sequence[ast.Where], shared: Sequence[ast.Where], mentioned: Set[Name] = frozenset()) -> Table:
    """The declarations for a procedure: its own tables, then those of the document that it sees, for names it mentions."""
    table = Table()
    own_keys: set[Key] = set()
    for tables, shadowed in ((own, False), (shared, True)):
        for where in tables:
            for declaration in where.rows:
                if STATED in declaration.flags:
                    continue
                concerned = concerning(reader.families, declaration, mentioned) if shadowed else declaration
                for row in _rows(reader, concerned) if concerned is not None else []:
                    if shadowed and row.key in own_keys:
                        table.describe(row)
                        continue
                    if not shadowed:
                        own_keys.add(row.key)
                    table.add(row)
    return table


def _rows(reader: Reader, declaration: ast.Declaration) -> list[Row]:
    declaration = _with_default(reader, declaration)
    if declaration.relation is not None:
        _relate(reader, declaration.relation)
        return []
    if declaration.type is declaration.default is declaration.initialiser is None and not declaration.ranges:
        raise _without_type(declaration)
    ranges: dict[Name, Range] = {}
    for item in declaration.ranges:
        found = read_ascending(reader, item)
        if found is None:
            _check_is_range(item)
            error = computed_bound(reader, item)
            raise error or refuse("E0505", "this is no range of an index", item.span, help=r"write `t = 1, \dots, S`")
        name = name_of(found[0])
        if not any(_has_index(symbol, name) for symbol in declaration.symbols):
            raise refuse(
                "E0505",
                f"no symbol of this row has the index `{readable(name)}`",
                item.span,
                help="write the index at the symbol, as in `x_t`, or take its range out",
            )
        ranges[name] = found[1]
    if declaration.type is not None and is_natural(declaration.type) and not ranges:
        _enter_sizes(reader, declaration)
    return [read_row(reader, symbol, ranges, declaration) for symbol in declaration.symbols]


def _check_is_range(item: ast.Expression) -> None:
    r"""Refuse the second type of `x \in \mathbb{R}^n, y \in \mathbb{R}^m`, which stands where the range of an index does."""
    match item:
        case ast.Relation(operators=(r"\in",), operands=(symbol, ast.Scripts() | ast.Identifier() as written)):
            what = f"a row has one type, and here that of `{render_expression(symbol)}` begins"
            row = rf"{render_expression(symbol)} \in {render_expression(written)}"
            raise refuse("E0227", what, item.span, help=rf"end the row before it with `\\`, and write a row of its own, `{row}`")


def _without_type(declaration: ast.Declaration) -> MathdslError:
    names = ", ".join(render_expression(symbol) for symbol in declaration.symbols)
    row = rf"{names} \in …" + (" & …" if declaration.description else "")
    help = f"write the type, `{row}`: where the symbol is declared already, the same type again"
    return unsupported(f"a row that gives `{names}` no type", declaration.span, help=help)


def _has_index(symbol: ast.Expression, name: str) -> bool:
    """Whether a symbol of a row has the variable among its scripts, alone or as a letter of `s_{ij}`."""
    plain = unaccent(symbol)
    if not isinstance(plain, ast.Scripts):
        return not isinstance(plain, (ast.Identifier, ast.Accent))  # what else it is, is looked at later
    scripts = (*plain.subscripts, *((plain.superscript,) if plain.superscript is not None else ()))
    words = [word for script in scripts for word in identifiers(script)]
    return any(word == name or word.isalpha() and name in word for word in words)


def _enter_sizes(reader: Reader, declaration: ast.Declaration) -> None:
    """`n \\in \\mathbb{N}`: a size, at its place in the order of sizes; with a default, if it stands in a range or a shape."""
    written = reader.written
    for symbol in declaration.symbols:
        spelling = spelling_of(symbol)
        is_size = declaration.default is None or spelling in written.measured
        if spelling is not None and spelling not in written.header_names and is_size and not _is_counter(reader, spelling):
            reader.entries.size(spelling, symbol.span)


def _with_default(reader: Reader, declaration: ast.Declaration) -> ast.Declaration:
    r"""`\gamma = 2` of a name of the header, what holds where a call says nothing: a setting `\gamma \in \mathbb{N} = 2`, or an input's."""
    match declaration.relation:
        case ast.Relation(("=",), (symbol, ast.Number() as value)) if spelling_of(symbol) in reader.written.owned_names:
            natural = ast.Identifier("N", font="mathbb", span=symbol.span)
            return replace(declaration, symbols=(symbol,), type=natural, default=value, relation=None)
        case ast.Relation(("=",), (symbol, ast.Number() as value)) if spelling_of(symbol) in reader.written.header_names:
            return replace(declaration, symbols=(symbol,), default=value, relation=None)
        case _:
            return declaration


def _is_counter(reader: Reader, spelling: Name) -> bool:
    """Whether a name is assigned more than once, as no size is: `k \\gets 0`, then `k \\gets k + 1`."""
    versions = reader.written.versions.get((spelling, False), {})
    return len(versions) > 1 or any(indices.turns for indices in versions.values())


def _relate(reader: Reader, relation: ast.Expression) -> None:
    r"""`d = n k`."""
    match relation:
        case ast.Relation(operators=("=",), operands=(left, right)):
            a, b = read_size(reader, left), read_size(reader, right)
            if a is not None and b is not None:
                names = [n for n in sorted(a.names) if a == Poly.of(n)]
                if names and reader.types.solver.define(names[0], b) or reader.types.solver.unify(a, b):
                    return
                raise refuse(
                    "E0404",
                    "no sizes make this relation true",
                    relation.span,
                    help="a row relates one size to others, `d = n k`, and does not contradict another row",
                )
    raise unsupported("this row of a table", relation.span, help=_ROW_HELP)


def read_row(reader: Reader, symbol: ast.Expression, ranges: dict[Name, Range], declaration: ast.Declaration) -> Row:
    """A declaration of one symbol, whose indices run over these ranges."""
    plain = unaccent(symbol)
    if not isinstance(plain, ast.Scripts):
        spelling = spelling_of(plain)
        if isinstance(symbol, ast.Group):
            raise unsupported("a declaration of a tuple", symbol.span, help="declare its members, each in a row of its own")
        if spelling is None:
            what = f"a row declares names, and `{render_expression(symbol)}` is none"
            raise refuse("E0302", what, symbol.span, help=r"part names by commas; indices of an array stand below, as in `b_{i,k}`")
        return Row((spelling, False), symbol, (), False, declaration)
    split = reader.families.split(plain, set(ranges))
    if not split.items and not ranges and plain.superscript is None:
        split = _of_elements(reader, plain) or split
    head, axes = split.head, [_axis(reader, item, ranges) for item in split.items]
    if head is None:
        raise unsupported(
            "a declaration of this",
            symbol.span,
            help=r"declare a name, or a family with its range, as in `x_t \in \mathbb{R}, t = 1, \dots, S`",
        )
    has_superscript = plain.superscript is not None
    if plain.superscript is not None:
        axes.append(_axis(reader, plain.superscript, ranges))
    return Row((head, has_superscript), symbol, tuple(axes), has_superscript, declaration)


def _of_elements(reader: Reader, plain: ast.Scripts) -> Split | None:
    r"""`x_i` of a row without a range for `i`, where the program reads elements of `x`: the row declares these."""
    split, written = reader.families.split(plain, reader.families.index_names), reader.written
    if split.head is None or not split.items or reader.families.subscripts.get(split.head, 0) != len(split.items):
        return None
    if spelling_of(plain) in written.header_names | written.owned_names:
        return None
    if split.head in written.header_names | written.owned_names or (split.head, False) in written.defined:
        return split
    if not written.owns_rows or split.labels:
        return None
    symbol, index = render_expression(plain), render_expression(split.items[0])
    raise refuse(
        "E0505",
        f"`{symbol}` is read where `{index}` runs, and this row gives `{index}` no range",
        plain.span,
        help=rf"write `{symbol} \in …, {index} = 1, \dots, n` for an array, and another letter than `{index}` for a name",
    )


def _axis(reader: Reader, item: ast.Expression, ranges: dict[Name, Range]) -> Range | Poly | None:
    name = spelling_of(item)
    if name is not None and name in ranges:
        return ranges[name]
    if not ranges and name in reader.families.index_names:
        return None
    mixed = next((word for word in identifiers(item) if word in ranges), None)
    if mixed is not None:
        raise refuse(
            "E0505",
            f"`{readable(mixed)}` has a range in this row, and is not alone in its place",
            item.span,
            help="write the index itself, and its range for it",
        )
    value = as_poly(reader, item, True)
    if value is None:
        raise refuse("E0505", "the range of this index is not given", item.span, help=r"add it to the row, as in `t = 1, \dots, S`")
    return value
