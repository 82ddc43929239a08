r"""Sums and products with an ellipsis as reductions: `x_1 + x_2 + \dots + x_n` is a sum over an index, `x_1 x_2 \cdots x_n` the product.

Every term that is written has to be one step upwards, with powers and factors of 1 left out: `a_0 + a_1 x + a_2 x^2 + \dots + a_n x^n`.
Where none fits, or two do, the ellipsis stays, and is refused where values are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial, reduce
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import spelling_of, word_of
from mathdsl.elaborate.names.usage import names_below
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)
_LETTERS = ("k", "j", "i", "m", "l", "r", "s", "p", "q", r"\kappa", r"\iota", r"\nu")
_PRODUCTS = frozenset({r"\cdot", "@", r"\times", r"\odot", "*"})


def expand_ellipses(document: ast.Document) -> ast.Document:
    """The document with a reduction for each ellipsis between terms or factors."""
    return replace(document, items=tuple(_expanded_item(item) for item in document.items))


def _expanded_item(item: ast.Item) -> ast.Item:
    if not any(map(_has_dots, descendants(item))):
        return item
    taken = {str(name) for node in (item, *descendants(item)) for name in names_below(node)}
    free = [letter for letter in _LETTERS if letter not in taken]
    return _expanded(item, free[0]) if free else item


def _has_dots(node: ast.Node) -> bool:
    match node:
        case ast.Binary(right=ast.Dots()):
            return True
        case ast.Juxtaposition(factors=factors):
            return any(isinstance(factor, ast.Dots) for factor in factors)
        case ast.Group(items=items):
            return len(items) > 2 and isinstance(items[-2], ast.Dots)
        case _:
            return False


def _expanded(node: _N, letter: str) -> _N:
    """The node with reductions over `letter`."""
    if isinstance(node, ast.Binary | ast.Juxtaposition):
        operator, terms = _terms(node)
        if any(isinstance(term, ast.Dots) for term in terms):
            found = (_summed if operator == "sum" else partial(_reduction, "prod"))(terms, letter, node.span)
            return cast(_N, found) if found is not None else node
    match node:
        case ast.Group(items=items) if _has_dots(node):
            inside = tuple(_expanded(item, letter) for item in items)
            return cast(_N, ast.Command("cat", (inside,), span=node.span))
        case ast.Juxtaposition(factors=(first, *rest)):
            kept = [_expanded(first, letter)]
            for before, one in zip((first, *rest), rest, strict=False):
                kept.append(_inside(one, letter) if _may_apply(before) else _expanded(one, letter))
            return cast(_N, replace(node, factors=tuple(kept)))
        case ast.Definition(target=target):
            return cast(_N, transform(node, lambda below: below if below is target else _expanded(below, letter)))
        case _:
            return cast(_N, transform(node, lambda below: _expanded(below, letter)))


def _may_apply(node: ast.Expression) -> bool:
    r"""Whether a parenthesis behind a factor may hold arguments: behind a name, but not behind `2` and `(x_1, \dots, x_n)^\top`."""
    match node:
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return _may_apply(base)
        case ast.Number() | ast.Group() | ast.Bars() | ast.Root() | ast.Matrix():
            return False
        case _:
            return True


def _inside(node: ast.Expression, letter: str) -> ast.Expression:
    """A factor behind others: of what may be a list of arguments, what stands in it."""
    if not isinstance(node, ast.Group):
        return _expanded(node, letter)
    return cast(ast.Expression, transform(node, lambda below: _expanded(below, letter)))


def _terms(node: ast.Expression) -> tuple[str, list[ast.Expression]]:
    """What a chain of one operator joins, and what it comes to: `sum` or `prod`."""
    match node:
        case ast.Juxtaposition(factors=factors):
            return "prod", list(factors)
        case ast.Binary(operator="+"):
            return "sum", list(_chain(node, frozenset({"+"})))
        case ast.Binary(operator=operator) if operator in _PRODUCTS:
            return "prod", [part for term in _chain(node, frozenset({operator})) for part in _factors(term)]
        case _:
            return "", []


def _chain(node: ast.Expression, operators: frozenset[str]) -> Iterator[ast.Expression]:
    joined: list[ast.Expression] = []
    while isinstance(node, ast.Binary) and node.operator in operators:
        joined.append(node.right)
        node = node.left
    yield from (node, *reversed(joined))


def _factors(term: ast.Expression) -> tuple[ast.Expression, ...]:
    return term.factors if isinstance(term, ast.Juxtaposition) and _has_dots(term) else (term,)


def _summed(terms: list[ast.Expression], letter: str, span: Span) -> ast.Expression | None:
    r"""The sum, beside terms of another shape that stand before its first or after its last one: `w_1 x_1 + \dots + w_d x_d + b`."""
    at = next(place for place, term in enumerate(terms) if isinstance(term, ast.Dots))
    for last in range(len(terms) - 1, at, -1):
        for first in range(at):
            found = _reduction("sum", terms[first : last + 1], letter, span)
            beside = (*terms[:first], *terms[last + 1 :])
            if found is not None and all(_differences(term, terms[last], inside=False) is None for term in beside):
                parts = (*terms[:first], found, *terms[last + 1 :])
                return reduce(lambda left, right: ast.Binary("+", left, right, span=span), parts)
    return None


def _reduction(operator: str, terms: list[ast.Expression], letter: str, span: Span) -> ast.Expression | None:
    """The only reduction whose terms are those that are written."""
    at = next(place for place, term in enumerate(terms) if isinstance(term, ast.Dots))
    before, after = terms[:at], terms[at + 1 :]
    is_range = operator == "prod" and len(before) == 1 and isinstance(before[0], ast.Number)  # `1 \cdots n`
    if any(isinstance(term, ast.Dots) for term in after) or not before or not after or is_range:
        return None
    found: list[_Series] = []
    for count in (1,) if operator == "sum" else range(1, len(after) + 1):
        if len(before) % count == len(after) % count == 0:
            first, last = _grouped(before, count), _grouped(after, count)
            found += [series for series in _candidates(first, last) if series.has(first, last) and series not in found]
    return found[0].reduction(operator, letter, span) if len(found) == 1 else None


def _grouped(factors: Sequence[ast.Expression], count: int) -> list[ast.Expression]:
    r"""`f_1 (x) f_2 (x)` by twos: what is applied stands beside what it is applied to."""
    if count == 1:
        return list(factors)
    return [ast.Juxtaposition(tuple(factors[at : at + count]), span=factors[at].span) for at in range(0, len(factors), count)]


@dataclass(frozen=True)
class _Series:
    """Terms from `lower` to `upper`: `last` is the one at `upper`, in which what stands at `places` counts."""

    last: ast.Expression
    places: tuple[ast.Expression, ...]  # parts of `last`, each `upper` and a number
    lower: Poly
    upper: Poly
    ends: tuple[ast.Expression, ast.Expression]

    def has(self, first: Sequence[ast.Expression], last: Sequence[ast.Expression]) -> bool:
        """Whether what is written at both ends are its terms, one step after the other."""
        difference = self.upper - self.lower
        falls = not difference.names and any(coefficient < 0 for _, coefficient in difference.terms)
        if falls or self.lower.names and not self.upper.names:
            return False
        steps = [*((self.lower + step, term) for step, term in enumerate(first))]
        steps += ((self.upper - step, term) for step, term in enumerate(reversed(last)))
        return all(self.normal(self.last, at=place) == self.normal(term) for place, term in steps)

    def normal(self, node: object, *, at: Poly | None = None, inside: bool = False) -> object:
        """A term to compare: indices as polynomials, powers and factors of 1 left out; `at`: with that for `upper` where it counts."""
        counts = at is not None and any(node is place for place in self.places)
        index = None if not isinstance(node, ast.Node) else _poly(node, inside=counts)
        if at is not None and counts and index is not None:
            return at + (index - self.upper)
        if index is not None:
            return index
        match node:
            case ast.Scripts(base=base, subscripts=below, superscript=above):
                power = None if above is None else self.normal(above, at=at, inside=True)
                if power == Poly.of(0) and not below:
                    return Poly.of(1)
                scripts = tuple(self.normal(item, at=at, inside=True) for item in below)
                power = None if power == Poly.of(1) else power
                plain = self.normal(base, at=at)
                return plain if not scripts and power is None else ("scripts", plain, scripts, power)
            case ast.Juxtaposition(factors=factors):
                return self._product(factors, at)
            case ast.Binary(operator=operator, left=left, right=right) if operator in _PRODUCTS:
                return self._product((left, right), at)
            case ast.Node():
                inside = inside or isinstance(node, ast.Indexing)
                parts = (self.normal(getattr(node, item.name), at=at, inside=inside) for item in fields(node) if item.compare)
                return (type(node).__name__, *parts)
            case tuple():
                return tuple(self.normal(item, at=at, inside=inside) for item in node)
            case _:
                return node

    def _product(self, factors: Sequence[ast.Expression], at: Poly | None) -> object:
        kept = [part for part in (self.normal(factor, at=at) for factor in factors) if part != Poly.of(1)]
        return kept[0] if len(kept) == 1 else ("product", *kept) if kept else Poly.of(1)

    def reduction(self, operator: str, letter: str, span: Span) -> ast.Reduction:
        """The sum or the product of its terms."""
        index = ast.Identifier(letter, span=span)
        binding = ast.Relation(("=",), (index, self.ends[0]), span=span)
        return ast.Reduction(operator, binding, self.ends[1], cast(ast.Expression, self._with(index, self.last)), span=span)

    def _with(self, index: ast.Identifier, node: ast.Node) -> ast.Node:
        if not any(node is place for place in self.places):
            return transform(node, lambda below: self._with(index, below))
        here = _poly(node, inside=True)
        away = 0 if here is None else sum(coefficient for _, coefficient in (here - self.upper).terms)
        shift = ast.Number(str(abs(away)), span=node.span)
        return ast.Binary("+" if away > 0 else "-", index, shift, span=node.span) if away else index


def _candidates(first: Sequence[ast.Expression], last: Sequence[ast.Expression]) -> Iterator[_Series]:
    """The series whose first and last terms may be those that are written."""
    pairs = _differences(first[0], last[-1], inside=False)
    if pairs:
        (lower, upper), *_ = pairs
        ends = _poly(lower, inside=True), _poly(upper, inside=True)
        if ends[0] is not None and ends[1] is not None:
            yield _Series(last[-1], tuple(end for _, end in pairs), ends[0], ends[1], (lower, upper))
        return
    scripts = [part for part in _scripts(last[-1]) if (index := _poly(part, inside=True)) is not None and index.names]
    for end in dict.fromkeys(_poly(part, inside=True) for part in scripts):
        alike = tuple(part for part in scripts if _poly(part, inside=True) == end)
        factors = tuple(part for part in descendants(last[-1]) if isinstance(part, ast.Identifier) and _poly(part, inside=True) == end)
        for places in (alike, *((factors,) if len(factors) > len(alike) else ())):  # `x_1 + 2 x_2 + \dots + n x_n`
            for number in "012" if end is not None else "":
                lower = ast.Number(number, span=first[0].span)
                yield _Series(last[-1], places, Poly.of(int(number)), end or Poly.of(0), (lower, alike[0]))


def _differences(one: object, other: object, *, inside: bool) -> list[tuple[ast.Expression, ast.Expression]] | None:
    """Where two terms of one shape have different indices, from left to right; nothing if their shapes differ."""
    match one, other:
        case _ if one == other:
            return []
        case ast.Node(), ast.Node():
            are_scripts = isinstance(one, ast.Scripts) and isinstance(other, ast.Scripts)
            indices = (None, None) if are_scripts else (_poly(one, inside=inside), _poly(other, inside=inside))
            if indices[0] is not None and indices[1] is not None and (inside or isinstance(one, ast.Number)):
                return [(cast(ast.Expression, one), cast(ast.Expression, other))]
            if type(one) is not type(other):
                return None
            found: list[tuple[ast.Expression, ast.Expression]] = []
            for item in fields(one):
                is_script = inside or isinstance(one, ast.Indexing) or isinstance(one, ast.Scripts) and item.name != "base"
                below = _differences(getattr(one, item.name), getattr(other, item.name), inside=is_script) if item.compare else []
                if below is None:
                    return None
                found += below
            return found
        case tuple(), tuple() if len(one) == len(other):
            parts = [_differences(left, right, inside=inside) for left, right in zip(one, other, strict=True)]
            return None if any(part is None for part in parts) else [pair for part in parts for pair in part or ()]
        case _:
            return None


def _scripts(term: ast.Expression) -> Iterator[ast.Expression]:
    """The subscripts, superscripts and indices in a term."""
    for node in (term, *descendants(term)):
        match node:
            case ast.Scripts(subscripts=below, superscript=above):
                yield from (*below, *((above,) if above is not None else ()))
            case ast.Indexing(items=indices):
                yield from indices
            case _:
                pass


def _poly(node: ast.Node, *, inside: bool) -> Poly | None:
    """A number, or a sum of names and numbers, as an index; only `inside` of a script a name with scripts is one."""
    match node:
        case ast.Number(text=text) if text.isdigit():
            return Poly.of(int(text))
        case ast.Identifier() | ast.Accent():
            word = word_of(node)
            return None if word is None else Poly.of(str(word))
        case ast.Scripts(superscript=None) if inside:
            return Poly.of(str(spelling_of(node)))
        case ast.Group(items=(inner,)):
            return _poly(inner, inside=inside)
        case ast.Binary(operator="+" | "-" as sign, left=left, right=right):
            one, other = _poly(left, inside=inside), _poly(right, inside=inside)
            return None if one is None or other is None else one + other if sign == "+" else one - other
        case ast.Juxtaposition(factors=(ast.Number() as number, factor)):
            one, other = _poly(number, inside=inside), _poly(factor, inside=inside)
            return None if one is None or other is None else one * other
        case _:
            return None
