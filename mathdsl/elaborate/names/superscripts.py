r"""Superscripts of names, told apart before anything else is read: a label is a part of its name, and an index stands without parentheses.

`W^{(q)}`, which a header, a row or a left side spells, is a name; so is `m^{+}`. `H^{(l)}`, which one of them spells where `l` is an index
variable, is an element, and `W^{Q,h}` an element of `W^{Q}`. What none of them spells is left: a power, or an error.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Literal, TypeVar, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.classify import Families, is_transpose
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, word_of
from mathdsl.elaborate.names.occurrences import Kinds, Occurrence, header_rows, in_headers, occurrences, spelled_by
from mathdsl.elaborate.names.side_by_side import Place, place_of
from mathdsl.elaborate.names.spelling import identifiers, items_above, names_bound_in, unaccent
from mathdsl.elaborate.names.usage import measured_names
from mathdsl.elaborate.report import unsupported
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.build_names import is_sign
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def have_labels(kinds: Kinds) -> bool:
    """Whether a superscript may be one that nothing else reads, `W^{(q)}`, `m^{+}`; or one is spelled that is no index variable."""
    if any(map(_is_marked, kinds[ast.Scripts])) or any(map(items_above, map(unaccent, in_headers(kinds)))):
        return True
    above = [plain for symbol in spelled_by(kinds) if isinstance(plain := unaccent(symbol), ast.Scripts) and plain.superscript is not None]
    bound = {name for nodes in kinds.values() for node in nodes for name in names_bound_in(node)} if above else set()
    runs = {word_of(one.base) for one in above if bound & {name for item in items_above(one) for name in identifiers(item)}}
    return any(word_of(one.base) not in runs for one in above)


def _is_marked(node: ast.Scripts) -> bool:
    above = node.superscript
    return isinstance(above, ast.Group) and word_of(node.base) is not None or above is not None and is_sign(above)


def with_labels(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, with labels in names and indices without parentheses."""
    tables = tuple(one for one in others if isinstance(one, ast.Where))
    for reading in (_Labels, _Indices):
        place, told = place_of(item, [node for top in (item, *tables) for node in (top, *descendants(top))]), reading()
        told.read([found for top in (item, *tables) for found in occurrences(top, place)], (item, *tables))
        item, tables = told.changed(item, place), tuple(told.changed(table, place) for table in tables)
    return item


@dataclass
class _Labels:
    """The labels that a program spells, by the names that have them."""

    labels: set[tuple[Name, ast.Label]] = field(default_factory=set)
    sizes: Set[Name] = frozenset()
    values: Set[Name] = frozenset()
    moved: Set[tuple[Name, Name]] = frozenset()  # names, and what the program assigns that moves above them: `k` of `x^{(k+1)}`

    def read(self, occurrences: list[Occurrence], tops: tuple[ast.Node, ...]) -> None:
        """Find the labels."""
        spelled = [one for one in occurrences if one.role]
        self.sizes = measured_names(tops)
        definitions = [node for top in tops for node in descendants(top) if isinstance(node, ast.Definition)]
        assigned = {word_of(target) for node in definitions for target in node.targets}
        terms = ((one.base, item) for one in occurrences for item in items_above(one.node) if isinstance(item, ast.Binary))
        self.moved = {(base, name) for base, item in terms for name in identifiers(item) if name in assigned}
        self.values = self.sizes | {one.base for one in spelled if not isinstance(one.node, ast.Scripts)}
        indexed = {head.word for head in Families.of(*tops).superscripts} | {one.base for one in occurrences if _runs(one)}
        found: set[tuple[Name, ast.Label]] = set()
        for one in occurrences:
            label = self.label_of(one.node, one.scope)
            if label is not None and (one.role or label.bracket or all(map(is_sign, label.items))):
                is_mixed = isinstance(one.node, ast.Scripts) and len(label.items) < len(items_above(one.node))
                letters = [word_of(item) or NO_NAME for item in label.items if not is_sign(item)]
                is_word = self.is_new_word(label) and all(len(word) > 1 for word in letters)  # a letter would be an index
                if is_mixed or one.base not in indexed or is_word:
                    found.add((one.base, label))
        alone = {one.base for one in occurrences if (one.base, self.label_of(one.node, one.scope)) not in found}
        told = {(one.base, self.label_of(one.node, one.scope)) for one in spelled}
        sure = {(base, label) for base, label in told if label is not None and (label.bracket or self.is_new_word(label))}
        self.labels = {(base, label) for base, label in found if base not in alone or (base, label) in sure}

    def is_new_word(self, label: ast.Label) -> bool:
        """Whether a label can be neither an index nor a power: it is a sign, or a word that nothing else is called."""
        words = [word_of(item) or NO_NAME for item in label.items]
        return all(is_sign(item) or not word.is_number and word not in self.values for item, word in zip(label.items, words, strict=True))

    def label_of(self, node: ast.Expression, scope: Set[Name]) -> ast.Label | None:
        """What stands above and could be a label: words without index variables; where others are indices, no numbers and no sizes."""
        items = items_above(node)
        words = [word_of(item) for item in items]
        runs = [bool(set(identifiers(item)) & scope) for item in items]
        base = word_of(node.base) if isinstance(node, ast.Scripts) else None
        if base is not None and any((base, name) in self.moved for item in items for name in identifiers(item)):
            return None
        if any(runs):
            of = zip(items, runs, words, strict=True)
            labels = tuple(i for i, runs_here, word in of if not runs_here and word and not word.is_number and word not in self.sizes)
            return ast.Label(labels) if labels else None
        if not items or any(word is None or word == r"\prime" for word in words) or any(map(is_transpose, items)):
            return None
        if isinstance(node, ast.Scripts) and (isinstance(node.base, ast.Number) or word_of(node.base) == "e"):
            return None
        return ast.Label(items, _bracket(node))

    def changed(self, node: _N, place: Place) -> _N:
        """The node with labels in names."""
        inside = place.inside(node)
        plain = unaccent(node) if isinstance(node, (ast.Accent, ast.Scripts)) else node
        if isinstance(plain, ast.Scripts):
            label = self.label_of(plain, inside.scope)
            word = word_of(plain.base) or NO_NAME
            end = Name(word[-1:]) if word.isalpha() and word not in self.values else word  # `QW_i^Q` ends with `W_i^Q`
            if label is not None and not {(word, label), (end, label)}.isdisjoint(self.labels):
                rest = tuple(item for item in items_above(plain) if item not in label.items)
                named = ast.Accent("", plain.base, label=label, span=plain.base.span)
                above = None if not rest else rest[0] if len(rest) == 1 else ast.Group(rest, span=plain.span)
                plain = replace(plain, base=named, superscript=above) if plain.subscripts or rest else replace(named, span=plain.span)
                return cast(_N, transform(plain, lambda below: below if below is named else self.changed(below, inside)))
        return cast(_N, transform(node, lambda below: self.changed(below, inside)))


@dataclass
class _Indices:
    r"""The arrays that are indexed above where a program spells them; `raised`: those whose superscripts are read as subscripts.

    What the header gives of one that the program never reads whole is a name of its own, which it assigns first:

    F(x^{(0)}): x_i^{(k+1)} \gets …     ->     F(v): x^0 \gets v; x_i^{k+1} \gets …, where `v` is called `x^{(0)}`
    """

    spelled: set[Name] = field(default_factory=set)
    raised: set[Name] = field(default_factory=set)
    given: set[tuple[Name, ast.Expression]] = field(default_factory=set)  # rows of arrays that a header gives, by their superscripts
    families: dict[ast.Expression, ast.Expression] = field(default_factory=dict)  # spelled with indices in a row -> their array
    written: Families = field(default_factory=Families)

    def read(self, occurrences: list[Occurrence], tops: tuple[ast.Node, ...]) -> None:
        """Find the arrays."""
        self.written = families = Families.of(*tops)
        above = [one for one in occurrences if items_above(one.node) and one.base not in one.scope]
        self.spelled = {self.head(one.node, one.scope) for one in above if one.role and _runs(one)}
        self.check_brackets(above)
        for one in occurrences:
            if one.role == "row" and isinstance(one.node, ast.Scripts) and _runs(one):
                split = families.split(one.node, one.scope)
                self.families[one.node] = ast.Scripts(one.node.base, split.labels, span=one.node.span) if split.labels else one.node.base
        counts: dict[Name, set[tuple[int, int]]] = {}
        several: set[Name] = set()
        for one in above:
            assert isinstance(one.node, ast.Scripts)
            head, items = self.head(one.node, one.scope), items_above(one.node)
            if head in self.spelled:
                labels = len(families.split(one.node, one.scope).labels) if head != one.base else 0
                counts.setdefault(head, set()).add((len(one.node.subscripts) - labels, len(items)))
                if len(items) > 1 or one.role == "header" and one.node not in self.families:
                    several.add(head)
        self.raised = {head for head in several if len(counts[head]) == 1}
        alone = {one.base for one in occurrences if not isinstance(one.node, ast.Scripts) and one.base not in one.scope}
        rows = (one for one in above if one.role == "header" and len(items_above(one.node)) == 1 and not _runs(one))
        heads = ((self.head(one.node, one.scope), items_above(one.node)[0]) for one in rows)
        self.given = {(head, item) for head, item in heads if head in self.spelled - self.raised - alone}

    def check_brackets(self, above: list[Occurrence]) -> None:
        r"""Refuse `z^{[l]}` beside `z^{(i)}`: an array with two kinds of indices above it."""
        marks: dict[Name, bool] = {}
        for one in above:
            match one.node:
                case ast.Scripts(superscript=ast.Group(items=(_,), square=is_square)) if (
                    head := self.head(one.node, one.scope)
                ) in self.spelled:
                    if marks.setdefault(head, is_square) != is_square:
                        help_text = rf"write both indices in one script, `{readable(head)}^{{l,i}}`, or one kind of brackets"
                        raise unsupported(
                            f"an index of `{readable(head)}` in other brackets than the one before", one.node.span, help=help_text
                        )
                case _:
                    pass

    def head(self, node: ast.Expression, scope: Set[Name]) -> Name:
        """The array of which that is an element."""
        if not isinstance(node, ast.Scripts):
            return NO_NAME
        head, base = self.written.split(node, scope).head, word_of(node.base) or NO_NAME
        is_element = head not in self.spelled and base in self.spelled and self.written.subscripts.get(base, 0) == len(node.subscripts)
        return base if is_element or head is None else head

    def changed(self, node: _N, place: Place) -> _N:
        """The node with indices without parentheses."""
        if isinstance(node, ast.Procedure):
            header = (tuple(map(self.with_arrays, rows)) if rows is not None else None for rows in (node.inputs, node.owned))
            inputs, owned = header
            starts = tuple(start for row in header_rows(node) for symbol in row.symbols if (start := self.start(symbol)) is not None)
            shown = node.shown or (node.body if starts else ())
            node = cast(_N, replace(node, inputs=inputs or (), owned=owned, body=(*starts, *node.body), shown=shown))
        if isinstance(node, ast.Declaration):
            node = cast(_N, replace(node, symbols=tuple(self.as_given(symbol) or symbol for symbol in node.symbols)))
        inside = place.inside(node)
        below = cast(_N, transform(node, lambda below: self.changed(below, inside)))
        plain = unaccent(below) if isinstance(below, (ast.Accent, ast.Scripts)) else below
        if not isinstance(plain, ast.Scripts) or plain.superscript is None or word_of(plain.base) in inside.scope:
            return below
        head, items = self.head(plain, inside.scope), items_above(plain)
        if head in self.raised:
            return cast(_N, replace(plain, subscripts=(*plain.subscripts, *items), superscript=None, raised=len(items)))
        is_index = head in self.spelled and len(items) == 1 and isinstance(plain.superscript, ast.Group)
        return cast(_N, replace(plain, superscript=items[0])) if is_index else below

    def start(self, symbol: ast.Expression) -> ast.Statement | None:
        """What the header gives of an array, as a statement before all others."""
        name = self.as_given(symbol)
        return None if name is None else ast.Definition(symbol, name, span=symbol.span)

    def as_given(self, symbol: ast.Expression) -> ast.Expression | None:
        r"""A row of an array that a header gives, `x^{(0)}`, as a name of its own; None for anything else."""
        plain, above = unaccent(symbol), items_above(symbol)
        head = self.head(plain, frozenset()) if above else NO_NAME
        if not isinstance(plain, ast.Scripts) or (head, *above) not in self.given:
            return None
        named = ast.Accent("", plain.base, label=ast.Label(above, _bracket(plain)), span=plain.base.span)
        return replace(plain, base=named, superscript=None) if plain.subscripts else replace(named, span=plain.span)

    def with_arrays(self, row: ast.Declaration) -> ast.Declaration:
        """An item of a header that is spelled as a row spells it, `W^{(l)}`, is the array."""
        return replace(row, symbols=tuple(self.families.get(symbol, symbol) for symbol in row.symbols))


def _bracket(node: ast.Expression) -> Literal["", "(", "["]:
    """What opens around the one thing that stands above."""
    match node:
        case ast.Scripts(superscript=ast.Group(items=(_,), square=is_square)):
            return "[" if is_square else "("
        case _:
            return ""


def _runs(one: Occurrence) -> bool:
    return any(set(identifiers(item)) & one.scope for item in items_above(one.node))
