r"""Elements of bold vectors in plain letters: `y_j` of `\mathbf{y}`, `x_i` of `\vec{x}`, one array where only one of the two is declared.

\mathbf{y} \in \mathbb{R}^n:                    \sum_j y_j      ->      \sum_j \mathbf{y}_j
y_j \in \mathbb{R}, j = 1, \dots, n:   \mathbf{y}^\top A         ->      y^\top A

Left alone is what is declared in both ways, what stands plain without an index, and an index more or less than the bold letter has.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import NO_NAME, Name, is_capital, spelling_of, word_of
from mathdsl.elaborate.names.occurrences import Occurrence, occurrences
from mathdsl.elaborate.names.side_by_side import indices_in, place_of
from mathdsl.elaborate.names.spelling import identifiers, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)
_BOLD = frozenset({"mathbf", "boldsymbol", "bm"})
_ARROWS = frozenset({"vec", "overrightarrow"})


def is_emphasised(node: ast.Node) -> bool:
    r"""Whether a letter is bold, or under an arrow: `\mathbf{x}`, `\vec{x}`."""
    if isinstance(node, ast.Identifier):
        return node.font in _BOLD and not node.text.isdigit()
    return isinstance(node, ast.Accent) and node.accent in _ARROWS


def with_one_letter(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, in which an array has one letter."""
    if isinstance(item, ast.Where):
        return item
    tops = (item, *others)
    nodes = [node for top in tops for node in (top, *descendants(top))]
    place = place_of(item, nodes)
    letters: dict[Name, _Letter] = {}
    for found in (one for top in tops for one in occurrences(top, place)):
        letters.setdefault(found.base, _Letter(place.values)).add(found)
    parameters = {one for node in nodes if isinstance(node, ast.Definition) and node.function is not None for one in node.function[1]}
    arguments = {word_of(unaccent(one)) for one in parameters}
    may_assign = isinstance(item, ast.Procedure) and item.notation != "module"
    merged: dict[Name, ast.Expression] = {}
    for name, bold in letters.items():
        plain = letters.get(_plain(name))
        if _plain(name) != name and plain is not None and _plain(name) not in arguments:
            if (bold.declares or name in arguments) and plain.are_elements(bold.most, may_assign):
                merged[_plain(name)] = bold.base
            elif name not in arguments and (bold.is_whole_of(plain) or bold.is_argument(parameters)):
                merged[name] = plain.base
                bold.labelled.clear()
    if not merged:
        return item
    own = {spelling for letter in letters.values() for spelling in letter.labelled}
    return _changed(item, merged, own)


@dataclass
class _Letter:
    """How a program writes a letter: `labelled` are the names that a subscript makes of it, `x_{in}`; `values` can index."""

    values: Set[Name]
    every: list[Occurrence] = field(default_factory=list)
    found: list[Occurrence] = field(default_factory=list)
    labelled: set[Name] = field(default_factory=set)

    def add(self, one: Occurrence) -> None:
        """Record a place."""
        self.every.append(one)
        spelling = spelling_of(one.node) if _subscripts(one) and not _runs(one) else None
        if spelling is not None and (one.role or any(label.text.isalpha() and label not in self.values for label in spelling.labels)):
            self.labelled.add(spelling)
        else:
            self.found.append(one)

    @property
    def base(self) -> ast.Expression:
        """The letter as it stands first."""
        node = self.every[0].node
        return node.base if isinstance(node, ast.Scripts) else node

    @property
    def declares(self) -> bool:
        """Whether a header, a row or a left side spells it."""
        return any(one.role for one in self.found)

    @property
    def most(self) -> int:
        """The most indices that it has."""
        return max((len(_subscripts(one)) for one in self.found), default=0)

    def are_elements(self, least: int, may_assign: bool) -> bool:
        """Whether nothing declares it, and it always has more indices than so many; `may_assign`: an assigned element declares nothing."""
        elements = [one for one in self.found if spelling_of(one.node) not in self.labelled]
        are_indexed = all(len(_subscripts(one)) > least for one in elements)
        are_several = any(map(_runs, elements)) or bool(elements) and not is_capital(elements[0].base)  # `W_1` is no element of a matrix
        is_declared = any(one.role and not (may_assign and one.role == "target") for one in self.found)
        return are_several and not is_declared and are_indexed

    def is_whole_of(self, plain: _Letter) -> bool:
        """Whether it stands for the array of which only elements are declared, in a header or not."""
        spelled = {one.role for one in self.found} - {""}
        elements = [one for one in plain.found if one.role in ("row", "target")]
        stands_bare = any(not _subscripts(one) for one in plain.found if one.role != "header")
        is_input = any(one.role in ("header", "target") for one in plain.found)
        if not self.found or not elements or stands_bare or not all(map(_runs, elements)) or self.most:
            return False
        return not spelled or spelled == {"header"} and not is_input

    def is_argument(self, parameters: Set[ast.Expression]) -> bool:
        r"""Whether it stands for an element that is an argument, `\mathbf{x}_i` for `x_i` of `d(x_i, y_i)`."""
        name = _plain(word_of(self.base) or NO_NAME)
        scripts = {one.subscripts for one in parameters if isinstance(one, ast.Scripts) and word_of(one.base) == name}
        own = {one.node.subscripts if isinstance(one.node, ast.Scripts) else () for one in self.every}
        return not any(one.role for one in self.every) and own == scripts != set()


def _plain(name: Name) -> Name:
    accents = tuple(accent for accent in name.accents if accent not in _ARROWS)
    return Name(name.text, "" if name.font == "mathbf" else name.font, name.primes, accents, above=name.above, given=name.given)


def _subscripts(one: Occurrence) -> tuple[ast.Expression, ...]:
    """The subscripts of a name, each of the indices of `y_{ij}` by itself."""
    written = one.node.subscripts if isinstance(one.node, ast.Scripts) else ()
    return tuple(index for item in written for index in indices_in(item, one.scope) or (item,))


def _runs(one: Occurrence) -> bool:
    return any(set(identifiers(item)) & one.scope for item in _subscripts(one))


def _changed(node: _N, merged: Mapping[Name, ast.Expression], own: Set[Name]) -> _N:
    """The node with one letter for each array."""
    plain = unaccent(node) if isinstance(node, (ast.Accent, ast.Scripts)) else node
    if isinstance(plain, (ast.Accent, ast.Identifier)) and (base := merged.get(word_of(plain) or NO_NAME)) is not None:
        return cast(_N, replace(base, span=plain.span))
    if isinstance(plain, ast.Accent) and word_of(plain) is not None:
        return node
    if isinstance(plain, ast.Scripts) and spelling_of(replace(plain, superscript=None)) in own:
        return node
    return cast(_N, transform(plain, lambda below: _changed(below, merged, own)))
