r"""Definitions that are written as functions and are arrays: their parentheses hold indices.

    \alpha_t(j) \gets e \quad (t = 2, \dots, T, j = 1, \dots, n)      ->      \alpha_{t,j} \gets e

An array is what every definition of the name writes so, each index of which has a range there, or what a row declares with an axis for
each, `Q(s_t, a_t) \gets e`, or a statement assigns as a whole, `Q \gets \mathbf{0}_{n,m}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.spelling import axes_of_type, names_bound_in, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, descendants, transform

_N = TypeVar("_N", bound=ast.Node)


def arrays_written_as_functions(procedure: ast.Item, _: tuple[ast.Item, ...]) -> ast.Item:
    """The program in which elements stand for what such definitions and their uses write."""
    definitions = (node for node in descendants(procedure) if isinstance(node, ast.Definition))
    if not isinstance(procedure, ast.Procedure) or not any(isinstance(node.target, ast.Juxtaposition) for node in definitions):
        return procedure
    rows = [row for where in procedure.wheres for row in where.rows]
    lettered = {name for row in rows for name in names_bound_in(row)} if procedure.notation == "module" else set()
    targets = {word_of(part) for node in descendants(procedure) if isinstance(node, ast.Definition) for part in node.targets}
    typed = () if procedure.notation == "module" else (*procedure.inputs, *rows)
    declared, indices = dict(_axes_of(typed)), {_base(symbol) for row in typed if _counts(row.type) for symbol in row.symbols}
    found = [one for statement in procedure.body for one in _definitions(statement, lettered)]
    wholes = {one.name: one.axes for one in found if one.name in targets} if procedure.notation != "module" else {}
    found = [one.of(wholes | declared) if one.indexes(indices) else one for one in found]
    families = {one.name for one in found if one.kind}
    uses = [use for statement in procedure.body for use in _uses(statement, frozenset(), families)]
    arrays = {
        name
        for name in {one.name for one in found}
        if _is_array([one for one in found if one.name == name], [use for use in uses if use.name == name])
    }
    return _changed(procedure, arrays) if arrays else procedure


@dataclass(frozen=True)
class _Written:
    """A name before a parenthesis; `kind` says what a definition of it makes of that."""

    name: Name
    count: int
    arguments: tuple[ast.Expression, ...] | None
    kind: str = ""
    hidden: Set[Name] = frozenset()  # what is bound there

    @property
    def axes(self) -> int:
        """How many axes an array of these indices has."""
        return self.count + len(self.arguments or ())

    def of(self, declared: Mapping[Name, int]) -> _Written:
        """The definition of an element, of a declared array or of one that has others over ranges."""
        return replace(self, kind="declared" if declared.get(self.name) == self.axes else self.kind or "element")

    def indexes(self, indices: Set[Name]) -> bool:
        """Whether the parenthesis holds indices: variables of ranges, or numbers and what is declared to count."""
        return self.kind == "array" or all(isinstance(item, ast.Number) or _base(item) in indices for item in self.arguments or ())


def _counts(type_: ast.Expression | None) -> bool:
    r"""Whether what has a type counts: `\{1, \dots, n\}`, `[n]`, `\mathbb{N}`."""
    match type_.base if isinstance(type_, ast.Scripts) else type_:
        case ast.SetDisplay() | ast.ListDisplay(items=(_,)):
            return True
        case ast.Identifier(text="Z" | "N", font="mathbb"):
            return True
        case _:
            return False


def _axes_of(rows: Sequence[ast.Declaration]) -> Iterator[tuple[Name, int]]:
    """The arrays that rows declare, with how many axes."""
    for row in rows:
        axes = axes_of_type(row.type) if row.type is not None and not row.ranges else ()
        yield from ((name, len(axes)) for symbol in row.symbols if axes and (name := word_of(symbol)) is not None)


def _definitions(node: ast.Node, scope: Set[Name]) -> Iterator[_Written]:
    """The definitions that are written as functions."""
    inner = scope | names_bound_in(node)
    match node:
        case ast.Definition(function=(name, parameters)):
            kind = "array" if all(word_of(item) in inner for item in parameters) else ""
            yield _Written(_base(name), len(_subscripts(name)), parameters, kind)
        case ast.For() | ast.EquationGroup() | ast.If() | ast.Branch() | ast.While():
            for below in children(node):
                yield from _definitions(below, inner)
        case _:
            pass


def _uses(node: ast.Node, hidden: Set[Name], families: Set[Name]) -> Iterator[_Written]:
    """The names with what stands in the parenthesis behind them; an argument of a function hides what the program calls so."""
    hidden = hidden | names_bound_in(node)
    match node:
        case ast.Definition(function=(name, parameters)) if _base(name) not in families:
            hidden = hidden | {word for item in parameters if (word := word_of(item))}
        case ast.Juxtaposition(factors=factors):
            for factor, behind in zip(factors, (*factors[1:], None), strict=True):
                yield _Written(_base(factor), len(_subscripts(factor)), _parenthesis(behind), hidden=hidden)
        case _:
            pass
    for below in children(node):
        yield from _uses(below, hidden, families)


def _is_array(definitions: list[_Written], uses: list[_Written]) -> bool:
    """Whether all definitions of a name make it an array, and its uses fit."""
    kinds = {one.kind for one in definitions}
    counts = {(one.count, len(one.arguments or ())) for one in definitions}
    called = [use for use in uses if use.arguments is not None]
    if any(use.name in use.hidden for use in uses):
        return False
    is_index = any(one.count for one in definitions) or all(_is_index(item) for use in called for item in use.arguments or ())
    fits = kinds == {"array"} and is_index or kinds in ({"declared"}, {"array", "element"})
    return fits and len(counts) == 1 and {(use.count, len(use.arguments or ())) for use in called} == counts


def _is_index(node: ast.Expression) -> bool:
    """Whether an argument is written as an index is, `t - 1`; an element, `x_t`, is an argument of a function that has no index."""
    match node:
        case ast.Identifier() | ast.Number() | ast.Accent():
            return True
        case ast.Binary(operator="+" | "-", left=left, right=right):
            return _is_index(left) and _is_index(right)
        case ast.Group(items=(inner,)):
            return _is_index(inner)
        case ast.Juxtaposition(factors=factors):
            return all(isinstance(factor, ast.Identifier | ast.Number) for factor in factors)
        case _:
            return False


def _base(node: ast.Expression) -> Name:
    plain = unaccent(node)
    return word_of(plain.base if isinstance(plain, ast.Scripts) else plain) or NO_NAME


def _subscripts(node: ast.Expression) -> tuple[ast.Expression, ...]:
    plain = unaccent(node)
    return plain.subscripts if isinstance(plain, ast.Scripts) else ()


def _parenthesis(node: ast.Expression | None) -> tuple[ast.Expression, ...] | None:
    match node:
        case ast.Group(items=items, square=False) | ast.Scripts(base=ast.Group(items=items, square=False)):
            return items
        case _:
            return None


def _changed(node: _N, arrays: Set[Name]) -> _N:
    """The node with elements."""
    if isinstance(node, ast.Juxtaposition) and any(_base(factor) in arrays for factor in node.factors):
        factors: list[ast.Expression] = []
        for factor in node.factors:
            items = _parenthesis(factor)
            if not factors or items is None or _base(factors[-1]) not in arrays:
                factors.append(factor)
            else:
                factors[-1] = _element(factors[-1], items, factor)
        changed = factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))
        return cast(_N, transform(changed, lambda below: _changed(below, arrays)))
    return cast(_N, transform(node, lambda below: _changed(below, arrays)))


def _element(name: ast.Expression, items: tuple[ast.Expression, ...], group: ast.Expression) -> ast.Expression:
    """The element that a name and its parenthesis are, with what stands on that."""
    plain, span = unaccent(name), name.span.to(group.span)
    base = plain.base if isinstance(plain, ast.Scripts) else plain
    above = plain.superscript if isinstance(plain, ast.Scripts) else None
    behind = group if isinstance(group, ast.Scripts) else ast.Scripts(group)
    subscripts = (*_subscripts(plain), *items, *behind.subscripts)
    if above is not None and behind.superscript is not None:
        return ast.Scripts(ast.Group((ast.Scripts(base, subscripts, above, span=span),), span=span), (), behind.superscript, span=span)
    return ast.Scripts(base, subscripts, above or behind.superscript, span=span)
