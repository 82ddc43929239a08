r"""Indices side by side in one script, told apart before anything else is read: `A_{ij}` is `A_{i,j}`, and `W_{k\ell}` is `W_{k,\ell}`.

Several names in a row, primed, accented, in parentheses or not (`s_{i'j'}`, `s_{ij'}`, `A_{i(j)}`), are one index each where all of them
are index variables at that place: else they are a label (`W_{in}`), or a product (`x_{2k}`). What is declared, or defined where its letters
are no index variables, with such a subscript is always that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.names import DIGITS_OF_A_SUBSCRIPT, LETTERS_OF_A_SUBSCRIPT
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import chosen_index, items_above, named_index, names_bound_in, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import undecided
from mathdsl.ops import find_along
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def tell_indices_apart(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, with an index each where indices stand side by side."""
    tables = tuple(one for one in others if isinstance(one, ast.Where))
    if not any(map(stand_side_by_side, descendants(item))):
        return item
    place = place_of(item, [node for top in (item, *tables) for node in (top, *descendants(top))])
    names = frozenset(name for top in (item, *tables) for name in _whole_names(top, place))
    return replace(place, names=names).changed(item)


def stand_side_by_side(node: ast.Node) -> bool:
    """Whether several names, or a name and digits, stand in a row in a subscript or below a sum."""
    scripts: tuple[ast.Expression, ...]
    match node:
        case ast.Scripts(subscripts=scripts):
            pass
        case ast.Reduction(subscript=ast.Identifier() as below):
            scripts = (below,)
        case _:
            return False
    return any(len(tuple(_pieces(script))) > 1 or _ends_in_digits(script) for script in scripts)


def place_of(item: ast.Item, nodes: Sequence[ast.Node]) -> Place:
    """The place around a program, whose nodes and tables these are."""
    ranged: frozenset[Name] = frozenset()
    if isinstance(item, ast.Procedure) and item.notation == "module":
        ranged = frozenset(name for node in nodes if isinstance(node, ast.Declaration) for name in names_bound_in(node))
    declared = {name for node in nodes if isinstance(node, ast.Declaration) for name in names_below(node) - names_bound_in(node)}
    ends = {name for node in nodes for name in _ends(node)} - {name for node in nodes for name in names_bound_in(node)}
    rows = ((symbol, names_bound_in(node)) for node in nodes if isinstance(node, ast.Declaration) for symbol in node.symbols)
    chosen = frozenset(name for node in nodes if (name := chosen_index(node)) is not None)
    return Place(frozenset(), ranged, frozenset(declared | ends), chosen, rows={symbol: bound for symbol, bound in rows if bound})


def _ends(node: ast.Node) -> Set[Name]:
    """The names that a range ends with: no new indices, but sizes."""
    match node:
        case ast.Reduction(superscript=end) if end is not None:
            return names_below(end)
        case ast.ListDisplay(items=items) | ast.SetDisplay(items=items) if any(isinstance(item, ast.Dots) for item in items):
            return {name for item in items for name in names_below(item)}
        case _:
            return frozenset()


@dataclass(frozen=True)
class Place:
    """A place of a program, and what the names in scripts are there."""

    names: frozenset[Name]  # with subscripts of several letters
    ranged: frozenset[Name]  # letters to which tables give ranges
    values: frozenset[Name]  # sizes and what is declared
    scope: frozenset[Name] = frozenset()  # index variables
    rows: Mapping[ast.Expression, Set[Name]] = field(default_factory=dict)  # the indices of what rows spell

    def inside(self, node: ast.Node) -> Place:
        """The place below a node."""
        bound = names_bound_in(node)
        match node:
            case ast.Reduction(subscript=subscript) if subscript is not None:
                relations = (one for one in (subscript, *descendants(subscript)) if isinstance(one, ast.Relation))
                compared = (word_of(name) for one in relations for name in one.operands if not isinstance(name, ast.Number))
                bound |= {name for name in compared if name and name not in self.values}  # `\sum_{i < j}`
            case ast.Juxtaposition(factors=factors):
                along = (one for one in factors if isinstance(one, ast.Scripts) and find_along((word_of(one.base) or NO_NAME).bare))
                bound |= {name for one in along for item in one.subscripts if (name := word_of(item))}  # `\softmax_j(z_{ij})`
            case ast.For(body=body):
                named = ((named_index(one), names_below(one.value)) for one in body if isinstance(one, ast.Definition))
                bound |= {name for name, read in named if name is not None and not read.isdisjoint(self.scope | bound)}  # `j \gets i + 1`
            case ast.Declaration(symbols=symbols):
                bound = bound.union(*(self.rows.get(symbol, ()) for symbol in symbols))  # in the header
            case ast.Definition(function=(_, parameters)):
                bound |= {name for item in parameters if (name := word_of(item))}
            case ast.Definition(targets=targets):
                scripts = (unaccent(target) for target in targets)
                items = (
                    item for target in scripts if isinstance(target, ast.Scripts) for item in (*target.subscripts, *items_above(target))
                )
                indices = (item.operands[0] if isinstance(item, ast.Relation) else item for item in items)  # `m_{t|t-1}` is one at `t`
                bound |= {name for item in indices for piece in _pieces(item) if (name := word_of(piece)) in self.ranged and name}
            case _:
                pass
        return self if bound <= self.scope else replace(self, scope=self.scope | bound)

    def changed(self, node: _N) -> _N:
        """The node with indices told apart."""
        if isinstance(node, ast.Reduction):
            node = cast(_N, self._over_each(node))
        inside = self.inside(node)
        below = transform(node, inside.changed)
        return cast(_N, inside._apart(below) if isinstance(below, ast.Scripts) else below)

    def _over_each(self, node: ast.Reduction) -> ast.Reduction:
        r"""`\sum_{ij} A_{ij}` as `\sum_{i,j} A_{ij}`: what stands below it stands as a script in it, or each of its letters does."""
        over = node.subscript
        pieces = () if over is None else tuple(_pieces(over))
        if len(pieces) < 2:
            return node
        letters = {word_of(piece) for piece in pieces}
        items = [item for below in (node.body, *descendants(node.body)) for item in _indices(below)]
        alone = {word_of(item) for item in items} if letters.isdisjoint(self.values) else set()
        alone |= {word for item in items if letters >= (own := {word_of(piece) for piece in _pieces(item)}) for word in own}
        return replace(node, subscript=ast.Group(pieces, span=node.span)) if over in items or letters <= alone else node

    def _apart(self, node: ast.Scripts) -> ast.Scripts:
        items = tuple(one for item in node.subscripts for one in indices_in(item, self.scope) or (_with_digits(item, self.scope),))
        if spelling_of(replace(node, superscript=None)) in self.names:
            return node
        for item in items:
            match item:
                case ast.Juxtaposition() if not self.scope.isdisjoint(names_below(item)):
                    name, places = render_expression(node.base), factors_of(item)
                    if places[0] in NO_FACTORS:
                        raise element_or_row(name, places, items, node.span)
                    if any(isinstance(place, ast.Number) for place in places[1:]):
                        raise element_or_name(name, places, items, node.span)
                case _:
                    pass
        if items == node.subscripts:
            return node
        if len(items) == len(node.subscripts):
            return replace(node, subscripts=items)
        return replace(node, subscripts=items, side_by_side=len(node.subscripts) == 1)


NO_FACTORS = (ast.Number("0"), ast.Number("1"))  # a product with one of them would be written without it


def factors_of(item: ast.Expression) -> tuple[ast.Expression, ...]:
    """What stands side by side in an index, without parentheses; `i`, `i + 1` of `i i + 1`."""
    match item:
        case ast.Juxtaposition(factors=factors):
            return tuple(one.items[0] if isinstance(one, ast.Group) and len(one.items) == 1 else one for one in factors)
        case ast.Binary(operator="+" | "-", left=left):
            *first, last = factors_of(left)
            return (*first, replace(item, left=last))
        case _:
            return (item,)


def element_or_row(name: str, places: Sequence[ast.Expression], items: Sequence[ast.Expression], span: Span) -> MathdslError:
    """The mistake of `A_{12}` and `A_{1j}`: elements for most readers, which no comma says."""
    number, element = _written(items), f"{name}_{{{','.join(map(render_expression, places))}}}"
    return undecided(DIGITS_OF_A_SUBSCRIPT, span, written=f"{name}_{{{number}}}", name=name, element=element, number=number)


def element_or_name(name: str, places: Sequence[ast.Expression], items: Sequence[ast.Expression], span: Span) -> MathdslError:
    """The mistake of `A_{i1}`: an element, or a name."""
    element = f"{name}_{{{','.join(map(render_expression, places))}}}"
    return undecided(LETTERS_OF_A_SUBSCRIPT, span, written=f"{name}_{{{_written(items)}}}", element=element)


def _written(items: Sequence[ast.Expression]) -> str:
    """Subscripts as they stand: `1j`, `i1`."""
    return ",".join("".join(map(render_expression, item.factors if isinstance(item, ast.Juxtaposition) else (item,))) for item in items)


def _indices(node: ast.Node) -> tuple[ast.Expression, ...]:
    match node:
        case ast.Scripts(subscripts=items) | ast.Indexing(items=items):
            return items
        case _:
            return ()


def _whole_names(node: ast.Node, place: Place) -> Iterator[Name]:
    """What is declared or defined with a subscript of several letters that are no index variables there: `W_{in}`."""
    inside = place.inside(node)
    written: tuple[ast.Expression, ...] = ()
    match node:
        case ast.Declaration(symbols=symbols):
            written = symbols
        case ast.Definition(targets=targets):
            written = targets
        case _:
            pass
    for symbol in (below for top in written for below in (top, *descendants(top)) if isinstance(below, (ast.Scripts, ast.Accent))):
        plain = unaccent(symbol)
        name = spelling_of(replace(plain, superscript=None)) if isinstance(plain, ast.Scripts) else None
        if name is not None and isinstance(plain, ast.Scripts) and not any(_are_indices(item, inside.scope) for item in plain.subscripts):
            yield name
    for child in children(node):
        yield from _whole_names(child, inside)


def indices_in(item: ast.Expression, scope: Set[Name]) -> tuple[ast.Expression, ...]:
    """The indices that stand side by side in a script: `i`, `j` of `ij`; none where not all are index variables, or there is only one."""
    if word_of(item) in scope:
        return ()
    found = tuple(_pieces(item))
    return found if len(found) > 1 and all(word_of(piece) in scope for piece in found) else ()


def _are_indices(item: ast.Expression, scope: Set[Name]) -> bool:
    """Whether a script holds several indices, or one and a number beside it that is no factor."""
    is_behind = isinstance(item, ast.Juxtaposition) and item.factors[0] in NO_FACTORS and not scope.isdisjoint(names_below(item))
    return is_behind or bool(indices_in(item, scope)) or _with_digits(item, scope) is not item


def _ends_in_digits(item: ast.Expression) -> bool:
    return isinstance(item, ast.Identifier) and not item.font and item.text[-1:].isdigit()


def _with_digits(item: ast.Expression, scope: Set[Name]) -> ast.Expression:
    """`i1` behind an index `i` as both side by side, which is asked about; else the item."""
    if not isinstance(item, ast.Identifier) or not _ends_in_digits(item):
        return item
    letters = item.text.rstrip("0123456789")
    if Name(letters) not in scope:
        return item
    number = ast.Number(item.text[len(letters) :], span=item.span)
    return ast.Juxtaposition((ast.Identifier(letters, span=item.span), number), span=item.span)


def _pieces(item: ast.Expression) -> Iterator[ast.Expression]:
    """The parts of a script that can be an index each: letters of a word, of which the last one has its primes, and factors."""
    match item:
        case ast.Juxtaposition(factors=factors):
            for factor in factors:
                yield from _pieces(factor)
        case ast.Group(items=(inner,)):
            yield inner
        case ast.Identifier(text=text, font="", primes=primes, span=span) if len(text) > 1 and text.isalpha():
            last = len(text) - 1
            yield from (ast.Identifier(letter, primes=primes if k == last else 0, span=span) for k, letter in enumerate(text))
        case _:
            yield item
