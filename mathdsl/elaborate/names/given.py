r"""Subscripts with a bar, told apart before anything else is read: `\hat{x}_{t|t-1}` and `\hat{x}_{t|t}` are two families over `t`.

An array is named by what stands behind the bar: the distance from the index, 1 and 0 here, or something fixed, `T` of `x_{t|T}`; where that
is another index, it is one, `p_{j|i}`. Of no index, `\Sigma_{a|b}` is a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.side_by_side import Place, place_of
from mathdsl.elaborate.names.spelling import identifiers, unaccent
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def has_bar(node: ast.Node) -> bool:
    """Whether a bar stands in a subscript of a node."""
    return isinstance(node, ast.Scripts) and any(map(_is_conditional, node.subscripts))


def tell_bars_apart(item: _N, others: tuple[ast.Item, ...]) -> _N:
    """A program or a table, beside others of its document, with names for what stands behind bars."""
    tops = (item, *others)
    place = place_of(cast(ast.Item, item), [node for top in tops for node in (top, *descendants(top))])
    return _Bars.of(tops, place).told_apart(item, place)


@dataclass(frozen=True)
class _Conditional:
    """A name with a bar below, and what the indices of its place are."""

    base: Name
    index: ast.Expression
    bound: ast.Expression
    scope: Set[Name]

    @property
    def letters(self) -> tuple[Set[Name], Set[Name]]:
        """The indices before and behind the bar."""
        return self.scope & set(identifiers(self.index)), self.scope & set(identifiers(self.bound))

    @property
    def given(self) -> ast.Given:
        """What stands behind the bar: a distance, where the index stands there too."""
        apart = distance(self.index, self.bound)
        return ast.Given(fixed=self.bound) if apart is None or self.letters[0] and not self.letters[1] else ast.Given(apart)


@dataclass(frozen=True)
class _Bars:
    """The arrays of a program that have a bar below: those of a pair of indices, and the others by what stands behind it."""

    pairs: Set[Name]
    families: Set[tuple[Name, ast.Given]]
    letters: Set[Name]  # their indices

    @staticmethod
    def of(tops: tuple[ast.Node, ...], place: Place) -> _Bars:
        """Those of a program and the tables beside it."""
        found = [one for top in tops for one in _conditionals(top, place)]
        pairs = {one.base for one in found if one.letters[1] and one.given.distance is None}
        families = {(one.base, one.given) for one in found if one.letters[0]}
        return _Bars(pairs, families, {name for one in found for names in one.letters for name in names})

    def told_apart(self, node: _N, place: Place) -> _N:
        """The node with names for what stands behind bars."""
        inside = place.inside(node)
        if isinstance(node, ast.Procedure):
            inputs, owned = (rows and tuple(self._with_arrays(row) for row in rows) for rows in (node.inputs, node.owned))
            node = cast(_N, replace(node, inputs=inputs or (), owned=owned))
            body = cast(ast.Procedure, transform(node, lambda below: self.told_apart(below, inside)))
            return cast(_N, self._with_ends(body))
        plain = unaccent(node) if isinstance(node, ast.Accent) else node
        if isinstance(plain, ast.Scripts) and has_bar(plain):
            return cast(_N, transform(self._named(plain, inside.scope), lambda below: self.told_apart(below, inside)))
        return cast(_N, transform(node, lambda below: self.told_apart(below, inside)))

    def _with_ends(self, procedure: ast.Procedure) -> ast.Procedure:
        r"""A smoother begins with what the filter ends with: `x_{T|T}` is the element of `x_{t|T}` as well as that of `x_{t|t}`."""
        body: list[ast.Statement] = []
        for statement in procedure.body:
            ends = [one for one in self._smoothed(statement) if not _runs_to(statement, one.subscripts[-1])]
            body += [ast.Definition(one, replace(one, base=_relabelled(one.base, ast.Given(0)))) for one in ends[:1]]
            body.append(statement)
        return procedure if len(body) == len(procedure.body) else replace(procedure, body=tuple(body))

    def _smoothed(self, statement: ast.Statement) -> Iterator[ast.Scripts]:
        r"""The last elements, `x_{T|T}`, of what a statement defines given what is fixed, `x_{t|T}`."""
        for node in (statement, *descendants(statement)):
            for target in node.targets if isinstance(node, ast.Definition) else ():
                match unaccent(target):
                    case ast.Scripts(base=ast.Accent(label=ast.Given(fixed=end) as given, body=body) as base) as plain if end is not None:
                        if {(word_of(body), given), (word_of(body), ast.Given(0))} <= self.families:
                            yield replace(plain, base=base, subscripts=(*plain.subscripts[:-1], end))
                    case _:
                        pass

    def _with_arrays(self, row: ast.Declaration) -> ast.Declaration:
        r"""An item of a header in which an array stands as its elements are written, `x_{t|t-1}`, with the array itself."""
        return row if row.ranges else replace(row, symbols=tuple(self._array(symbol) for symbol in row.symbols))

    def _array(self, symbol: ast.Expression) -> ast.Expression:
        plain = unaccent(symbol)
        if not isinstance(plain, ast.Scripts) or not has_bar(plain) or self.letters.isdisjoint(identifiers(plain.subscripts[-1])):
            return symbol
        return self._named(plain, self.letters).base

    def _named(self, node: ast.Scripts, scope: Set[Name]) -> ast.Scripts:
        one = _conditional(node, scope)
        if one is None:
            raise _bar_before_others(node)
        given, more = ast.Given(), [one.index, one.bound]
        if one.base not in self.pairs:
            readings = one.given, ast.Given(fixed=one.bound)
            found = next((reading for reading in readings if (one.base, reading) in self.families), None)
            if found is None and not set(identifiers(one.index)).isdisjoint(identifiers(one.bound)):
                raise _without_range(node, one)
            if found is None:
                return node
            given, more = found, [one.index]
        named = ast.Accent("", node.base, label=given, span=node.base.span)
        return replace(node, base=named, subscripts=(*node.subscripts[:-1], *more))


def _relabelled(base: ast.Expression, given: ast.Given) -> ast.Expression:
    return replace(base, label=given) if isinstance(base, ast.Accent) else base


def _runs_to(statement: ast.Statement, end: ast.Expression) -> bool:
    """Whether a range in a statement begins or ends there."""
    lists = (node for node in descendants(statement) if isinstance(node, (ast.ListDisplay, ast.SetDisplay)))
    return any(isinstance(item, ast.Dots) for one in lists if end in (one.items[:1] + one.items[-1:]) for item in one.items)


def _is_conditional(item: ast.Expression) -> bool:
    return isinstance(item, ast.Relation) and item.operators == (r"\mid",)


def _conditional(node: ast.Scripts, scope: Set[Name]) -> _Conditional | None:
    """The name with the bar in its last subscript."""
    match node.subscripts:
        case (*before, ast.Relation(operators=(r"\mid",), operands=(index, bound))) if not any(map(_is_conditional, before)):
            return _Conditional(word_of(node.base) or NO_NAME, index, bound, scope)
        case _:
            return None


def _conditionals(node: ast.Node, place: Place) -> Iterator[_Conditional]:
    inside = place.inside(node)
    plain = unaccent(node) if isinstance(node, ast.Accent) else node
    if isinstance(plain, ast.Scripts) and has_bar(plain) and (one := _conditional(plain, inside.scope)) is not None:
        yield one
    for below in children(plain):
        yield from _conditionals(below, inside)


def _without_range(node: ast.Scripts, one: _Conditional) -> Exception:
    letter = next(name for name in identifiers(one.index))
    return refuse(
        "E0505",
        f"nothing tells what `{letter}` runs over",
        node.span,
        label=f"an element at `{render_expression(one.index)}`, given what is known at `{render_expression(one.bound)}`",
        help=rf"write its range behind the definition, as in `\quad ({letter} = 1, \dots, T)`, or a loop over `{letter}` around it;"
        rf" a value that belongs to no index has a name without it: `{render_expression(node.base)}^{{-}}`",
    )


def _bar_before_others(node: ast.Scripts) -> Exception:
    return refuse("E0208", "a bar stands in the last subscript", node.span, help=r"write the other indices before it: `x_{i, t \mid t-1}`")
