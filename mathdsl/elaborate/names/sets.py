r"""Sets of indices: what rows of tables declare, and of what is made of these, the range of the elements and when something is one.

A set of neighbours is a boolean array with one more axis. `\mathcal{N}(i)` is `\mathcal{N}_i`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

_N = TypeVar("_N", bound=ast.Node)
_LETTERS = "kjlpqrstuvw"
_BOOLEAN = ast.Identifier("B", "mathbb")
SET = "set"  # marks the row of an array that gives a set: all its axes may be of other sizes in other examples


@dataclass(frozen=True)
class NamedRange:
    r"""`\mathcal{V} = \{1, \dots, n\}`."""

    elements: ast.SetDisplay


@dataclass(frozen=True)
class Part:
    r"""`\mathcal{N}_i \subseteq \mathcal{V}, i \in \mathcal{V}`: its scripts, the labels among them, and what all elements are of."""

    name: ast.Expression
    items: tuple[ast.Expression | None, ...]  # the labels, and None for an index
    elements: ast.SetDisplay


Named: TypeAlias = NamedRange | Part
Sets: TypeAlias = Mapping[Name, Named]


# ---- what tables say ------------------------------------------------------------------------------


def is_of_set(row: ast.Declaration) -> bool:
    return isinstance(row.type, ast.Relation) or named_range(row) is not None


def named_range(row: ast.Declaration) -> tuple[Name, ast.SetDisplay] | None:
    r"""`\mathcal{V} = \{1, \dots, n\}`, `\mathcal{V} = [n]`, `\lvert \mathcal{V} \rvert = n`."""
    match row.relation:
        case ast.Relation(operators=("=",), operands=(name, (ast.SetDisplay(items=(_, *_, ast.Dots(), _))) as elements)):
            pass
        case ast.Relation(
            operators=("=",), operands=(name, ast.ListDisplay(items=(size,)) | ast.Group(items=(size,), square=True) as whole)
        ):
            elements = _from_one(size, whole.span)
        case ast.Relation(operators=("=",), operands=(ast.Bars(kind="|", items=(name,)), size)):
            elements = _from_one(size, size.span)
        case _:
            return None
    word = spelling_of(name)
    return None if word is None else (word, elements)


def _from_one(size: ast.Expression, span: Span) -> ast.SetDisplay:
    return ast.SetDisplay((ast.Number("1", span=span), ast.Dots(span=span), size), span=span)


@dataclass(frozen=True)
class Place:
    """A place of a program: the sets and the letters that are taken there, and the index variables with what they run over.

    `indices`: all index variables of the program; `given`: what tables say of letters, which holds for the left sides that have them.
    """

    sets: Sets
    letters: frozenset[Name]
    indices: frozenset[Name] = frozenset()
    scope: Mapping[Name, ast.Expression | None] = field(default_factory=dict)
    given: Mapping[Name, ast.Expression | None] = field(default_factory=dict)

    def fresh(self) -> ast.Identifier:
        """A letter that the document does not write, and no index around has."""
        taken = self.letters | self.scope.keys()
        letters = (Name(letter, primes=primes) for primes in range(9) for letter in _LETTERS)
        name = next(letter for letter in letters if letter not in taken)
        return ast.Identifier(name.text, primes=name.primes)

    def inside(self, bound: Mapping[Name, ast.Expression | None]) -> Place:
        """The place below a node that binds index variables."""
        return replace(self, scope={**self.scope, **bound}) if bound else self

    def below(self, bindings: Iterable[ast.Expression]) -> Place:
        """The place below these bindings."""
        return self.inside({name: self.range_of(item) for item in bindings for name in bound_names(item)})

    # ---- declarations ------------------------------------------------------------------------------

    def declared(self, symbol: ast.Expression, row: ast.Declaration) -> tuple[Name, Part]:
        """The set that a row declares, and its name."""
        assert isinstance(row.type, ast.Relation)
        whole = row.type.operands[1]
        base, items = _flat(symbol)
        ranged = {name for item in row.ranges for name in bound_names(item)}
        words = [word_of(item) or NO_NAME for item in items]
        labels = tuple(item for item, word in zip(items, words, strict=True) if word not in ranged)
        name = ast.Scripts(base, labels, span=base.span) if labels else base
        spelling = spelling_of(name)
        if spelling is None:
            raise unsupported(
                "a declaration of this", symbol.span, help=r"declare a set by its name, `\mathcal{N}_i \subseteq \mathcal{V}`"
            )
        given = symbol.factors[-1].items if isinstance(symbol, ast.Juxtaposition) and isinstance(symbol.factors[-1], ast.Group) else ()
        open_ = next((item for item in labels if item in given or word_of(item) in self.indices), None)
        if open_ is not None:
            range_ = rf"`{render_expression(symbol)} \subseteq {render_expression(whole)}, {render_expression(open_)} = 1, \dots, n`"
            raise refuse("E0505", "the range of this index is not given", open_.span, help=f"add it to the row, as in {range_}")
        elements = self.elements(whole)
        if elements is None:
            row_ = r"`\mathcal{V} = \{1, \dots, n\}`"
            shown = render_expression(whole)
            raise refuse("E0505", f"nothing tells what `{shown}` holds", whole.span, help=f"declare it in a row of its own, {row_}")
        pattern = tuple(None if word in ranged else item for item, word in zip(items, words, strict=True))
        return spelling, Part(name, pattern, elements)

    def _row(self, row: ast.Declaration) -> ast.Declaration:
        """A row of a set as that of the array which gives it: `\\mathcal{N}_{i,k} \\in \\mathbb{B}`."""
        assert isinstance(row.type, ast.Relation)
        symbols: list[ast.Expression] = []
        ranges = tuple(self.bounds(item) for item in row.ranges)
        letter = self.fresh()
        for symbol in row.symbols:
            base, items = _flat(symbol)
            found = self._find(base, items) or self.sets.get(spelling_of(symbol) or NO_NAME)
            if isinstance(found, tuple):
                symbols.append(ast.Scripts(base, (*items, letter), span=symbol.span))
                last = ast.Relation((r"\in",), (letter, found[0].elements), span=symbol.span)
        type_ = replace(_BOOLEAN, span=row.type.span)
        return replace(row, symbols=tuple(symbols), type=type_, ranges=(*ranges, last), flags=(*row.flags, SET))

    def rows(self, where: ast.Where) -> ast.Where:
        """A table without the rows that name ranges."""
        rows: list[ast.Declaration] = []
        for row in where.rows:
            named = named_range(row)
            if named is not None:
                continue
            rows.append(self._row(row) if isinstance(row.type, ast.Relation) else self._typed(row))
        return replace(where, rows=tuple(rows))

    def _typed(self, row: ast.Declaration) -> ast.Declaration:
        r"""A row whose type or ranges are named: `x \in \mathcal{V}^{S}`."""
        type_ = row.type
        match type_:
            case ast.Scripts(base=base, subscripts=()) if (elements := self.named(base)) is not None:
                type_ = replace(type_, base=elements)
            case _ if type_ is not None and (elements := self.named(type_)) is not None:
                type_ = elements
            case _:
                pass
        return replace(row, type=type_, ranges=tuple(self.bounds(item) for item in row.ranges))

    # ---- sets --------------------------------------------------------------------------------------

    def named(self, node: ast.Expression) -> ast.SetDisplay | None:
        found = self.sets.get(spelling_of(node) or NO_NAME)
        return replace(found.elements, span=node.span) if isinstance(found, NamedRange) else None

    def _find(self, base: ast.Expression, items: tuple[ast.Expression, ...]) -> tuple[Part, tuple[ast.Expression, ...]] | None:
        """The set of neighbours with these scripts, and the indices among them."""
        for found in self.sets.values():
            if isinstance(found, Part) and _flat(found.name)[0] == base and len(found.items) == len(items):
                if all(label is None or label == item for label, item in zip(found.items, items, strict=True)):
                    return found, tuple(item for label, item in zip(found.items, items, strict=True) if label is None)
        return None

    def part(self, node: ast.Expression) -> tuple[Part, tuple[ast.Expression, ...]] | None:
        r"""The set of neighbours that an expression names, `\mathcal{N}(i)`, and its indices."""
        return self._find(*_flat(node))

    def elements(self, node: ast.Expression) -> ast.SetDisplay | None:
        """The range in which all elements of a set lie; None for what is no set of indices."""
        match node:
            case ast.Group(items=(inner,)):
                return self.elements(inner)
            case ast.SetDisplay(items=(_, *_, ast.Dots(), _)):
                return node
            case ast.ListDisplay(items=(size,)) | ast.Group(items=(size,), square=True):
                return _from_one(size, node.span)
            case _:
                part = self.part(node)
                return self.named(node) if part is None else part[0].elements

    def is_set(self, node: ast.Expression) -> bool:
        """Whether an expression names a set of a table."""
        match node:
            case ast.Group(items=(inner,)):
                return self.is_set(inner)
            case _:
                return spelling_of(node) in self.sets or self.part(node) is not None

    def holds(self, element: ast.Expression, node: ast.Expression, elements: ast.SetDisplay | None = None) -> ast.Expression | None:
        """The condition that an element is in a set; None where it is one of all `elements`."""
        span = element.span.to(node.span)
        if isinstance(node, ast.Group) and len(node.items) == 1:
            return self.holds(element, node.items[0], elements)
        found = self.part(node)
        if found is not None:
            part, indices = found
            return ast.Indexing(replace(part.name, span=node.span), (*indices, element), of_script=True, of_set=node, span=span)
        whole = self.elements(node)
        if whole is None:
            raise refuse(
                "E0505",
                f"nothing tells what `{render_expression(node)}` holds",
                node.span,
                help=r"declare it in a row of its own, as in `\mathcal{N}_i \subseteq \{1, \dots, n\}, i = 1, \dots, n`",
            )
        if whole == elements:
            return None
        return ast.Relation((r"\leq", r"\leq"), (whole.items[0], element, whole.items[-1]), span=span)

    def count(self, node: ast.Expression, span: Span) -> ast.Expression | None:
        r"""`\lvert \mathcal{N}_i \rvert`; None for bars around anything else."""
        elements = self.elements(node)
        if elements is None or not self.is_set(node):
            return None
        letter = self.fresh()
        condition = self.holds(replace(letter, span=node.span), node, elements)
        if condition is not None:
            one = ast.Indexing(ast.Identifier("1", "mathbb", span=span), (condition,), span=span)
            range_ = ast.Relation((r"\in",), (letter, elements), span=span)
            return ast.Group((ast.Reduction("sum", range_, None, one, span=span),), span=span)
        first, last = elements.items[0], elements.items[-1]
        if first == ast.Number("1"):
            return ast.Group((last,), span=span)
        less = ast.Binary("-", ast.Group((last,), span=span), ast.Group((first,), span=span), span=span)
        return ast.Group((ast.Binary("+", less, ast.Number("1", span=span), span=span),), span=span)

    # ---- ranges ------------------------------------------------------------------------------------

    def range_of(self, binding: ast.Expression) -> ast.Expression | None:
        """What an index variable runs over, `\\{1, \\dots, n\\}`, where its binding says so."""
        match binding:
            case ast.Relation(operators=(r"\in",), operands=(_, whole)):
                return self.elements(whole)
            case ast.Relation(operators=("=",), operands=(_, ast.ListDisplay(items=(first, ast.Dots(), last), span=span))):
                return ast.SetDisplay((first, ast.Dots(), last), span=span)
            case _:
                return None

    def bounds(self, binding: ast.Expression) -> ast.Expression:
        r"""`i \in \mathcal{V}` as `i \in \{1, \dots, n\}`; what holds for some values alone is no range of an array."""
        match binding:
            case ast.Relation(operators=(r"\in",), operands=(name, whole)) if self.is_set(whole):
                elements = self.named(whole)
                if elements is not None:
                    return replace(binding, operands=(name, elements))
                shown, index = render_expression(whole), render_expression(name)
                rows = rf"`\begin{{cases}} \dots & {index} \in {shown} \\ 0 & otherwise \end{{cases}}`"
                raise unsupported(
                    f"an array over `{shown}`, which holds other indices in each example,",
                    binding.span,
                    help=rf"let `{index}` run over all indices, and write {rows}, or write the set below a sum",
                )
            case _:
                return binding


def _flat(node: ast.Expression) -> tuple[ast.Expression, tuple[ast.Expression, ...]]:
    r"""The base of a set's name and its scripts, above and in a parenthesis too: `\mathcal{N}`, `r` and `i` of `\mathcal{N}_r(i)`."""
    match node:
        case ast.Juxtaposition(factors=(name, ast.Group(items=items))):
            base, before = _flat(name)
            return base, (*before, *items)
        case ast.Scripts(base=base, subscripts=subscripts, superscript=superscript):
            above = superscript.items if isinstance(superscript, ast.Group) else () if superscript is None else (superscript,)
            return base, (*subscripts, *above)
        case _:
            return node, ()
