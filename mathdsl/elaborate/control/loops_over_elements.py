r"""Loops over the elements of an array, as loops over their indices.

for v \in x: s \gets s + v                 ->     for i = 1, …, n: s \gets s + x_i               where x is a vector of n elements
for (u, v) \in E: d_v \gets d_u + 1        ->     for i = 1, …, m: d_{E_{i,2}} \gets d_{E_{i,1}} + 1
for v \in x: v \gets v / 2; …              ->     for i = 1, …, n: v \gets x_i; v \gets v / 2; …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control.loops import binding_over, binds, ends_of
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.names import Name, readable, word_of
from mathdsl.elaborate.names.spelling import axes_of_type, bound_names, unaccent
from mathdsl.elaborate.names.usage import free_letters, names_below
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, declared_rows, statements_in, transform, with_bodies

_Axis: TypeAlias = tuple[tuple[ast.Expression, ...], ast.Expression]  # the first number of an index, or two, and the last


def with_loops_over_indices(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure whose loops go through the indices of what is declared, or assigned, as an array."""
    if not any(isinstance(node, ast.For) and _gone_through(node.binding) is not None for node in statements_in(procedure.body)):
        return procedure
    rows = declared_rows(procedure, shared)
    axes = {array: found for row in rows for array, found in _axes_of(row)}
    letters = free_letters(names_below(procedure) | {name for row in rows for name in names_below(row)})
    body = _Elements(axes, procedure).block(procedure.body, letters)
    return procedure if body == procedure.body else replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _gone_through(binding: ast.Expression) -> tuple[ast.Expression, ast.Expression, tuple[ast.Expression, ...]] | None:
    r"""The variable, the array and its own indices of `v \in x`, `v \in X_i`; None for every other binding."""
    match binding:
        case ast.Relation(operators=(r"\in",), operands=(variable, values)):
            match plain := unaccent(values):
                case ast.Identifier() | ast.Accent():
                    return variable, plain, ()
                case ast.Scripts(base=base, subscripts=items, superscript=None) | ast.Indexing(base=base, items=items):
                    return variable, base, items
                case _:
                    return None
        case _:
            return None


def _axes_of(row: ast.Declaration) -> Iterator[tuple[ast.Expression, tuple[_Axis, ...]]]:
    r"""The arrays of a row, with what their indices run over: `x \in \mathbb{R}^{n \times d}`, `x_t \in \mathbb{R}^d, t = 1, \dots, n`."""
    ranges = {name: axis for item in row.ranges if (axis := _axis(item)) is not None for name in bound_names(item)}
    own = tuple(((ast.Number("1", span=size.span),), size) for size in axes_of_type(row.type))
    for symbol in row.symbols:
        match plain := unaccent(symbol):
            case _ if not row.ranges:
                yield plain, own
            case ast.Scripts(base=base, subscripts=items, superscript=None) if all(word_of(item) in ranges for item in items):
                yield base, (*(ranges[word_of(item) or Name("")] for item in items), *own)
            case _:
                pass


def _axis(binding: ast.Expression) -> _Axis | None:
    match binding:
        case ast.Relation(operands=(_, values)):
            first, last = ends_of(values)
            return None if first is None or last is None else ((first,), last)
        case _:
            return None


@dataclass(frozen=True)
class _Elements:
    """The axes of what is declared, and the program."""

    axes: dict[ast.Expression, tuple[_Axis, ...]]
    procedure: ast.Procedure

    def block(self, statements: tuple[ast.Statement, ...], letters: list[Name]) -> tuple[ast.Statement, ...]:
        """Statements, where `letters` are free to count turns with."""
        return tuple(self._statement(node, letters) for node in statements)

    def _statement(self, node: ast.Statement, letters: list[Name]) -> ast.Statement:
        found = _gone_through(node.binding) if isinstance(node, ast.For) and letters else None
        if not isinstance(node, ast.For) or found is None:
            return with_bodies(node, lambda body: self.block(body, letters))
        gone_through = self._by_index(node, *found, ast.Identifier(letters[0], span=found[0].span))
        return replace(gone_through, body=self.block(gone_through.body, letters[1:]))

    def _by_index(
        self, node: ast.For, variable: ast.Expression, array: ast.Expression, items: tuple[ast.Expression, ...], index: ast.Identifier
    ) -> ast.For:
        """The loop over an index; itself where what it goes through is no array, or where its variable stands for something else in it."""
        axes = self._axes(array, len(items))
        if not axes:
            return node
        self._check_stays(node, array)
        names: tuple[tuple[ast.Expression, tuple[ast.Number, ...]], ...] = ((variable, ()),)
        match variable:
            case ast.Scripts(base=base, subscripts=(*before, own), superscript=None) if base == array and tuple(before) == items:
                return replace(node, binding=binding_over(own, *axes[0], node.binding.span, 0))
            case ast.Group(items=parts) if axes[1:2] == (((ast.Number("1"),), ast.Number(str(len(parts)))),):
                names = tuple((part, (ast.Number(str(k), span=part.span),)) for k, part in enumerate(parts, 1))
            case _:
                pass
        if any(word_of(name) is None or binds(node.body, name) for name, _ in names):
            return node
        body = node.body
        for name, column in names:
            element = ast.Indexing(array, (*items, index, *column), of_script=True, span=name.span)
            if not self._is_own(node, name):
                body = (ast.Definition(name, element, span=node.binding.span), *body)
            else:
                body = tuple(cast(ast.Statement, _with(one, name, element)) for one in body)
        return replace(node, binding=binding_over(index, *axes[0], node.binding.span, None), body=body)

    def _axes(self, array: ast.Expression, before: int) -> tuple[_Axis, ...]:
        """The axes of an array, or of what the program assigns, from one on; none where that is not known."""
        if array in self.axes:
            return self.axes[array][before:]
        if (head := head_of(array)) is not None and any(head_of(target) == head for target in _targets(self.procedure.body)):
            size = ast.Attribute(array, "sz", (ast.Number(str(before + 1), span=array.span),), span=array.span)
            return (((ast.Number("1", span=array.span),), size),)
        return ()

    def _check_stays(self, node: ast.For, array: ast.Expression) -> None:
        """Refuse a loop that assigns what it goes through: are its elements those from before the loop, or those of the turn?"""
        assigned = next((target for target in _targets(node.body) if head_of(target) == head_of(array)), None)
        if assigned is not None:
            what, index = readable(head_of(array) or Name("")), render_expression(array)
            raise refuse(
                "E0701",
                f"a loop over the elements of `{what}`, which it assigns, is not supported yet",
                node.binding.span,
                labels=(Label(assigned.span, "assigned here"),),
                help=rf"write a loop over an index, as in `i \in \set{{1, \dots, n}}`, and `{index}_i`; or assign another name",
            )

    def _is_own(self, loop: ast.For, name: ast.Expression) -> bool:
        """Whether a variable is what the loop gives it in each turn, and nothing behind the loop."""
        if any(head_of(target) == word_of(name) for target in _targets(loop.body)):
            return False
        return _written(self.procedure.body, name) == 0


def _targets(body: tuple[ast.Statement, ...]) -> Iterator[ast.Expression]:
    for node in statements_in(body):
        match node:
            case ast.Definition(targets=targets):
                yield from targets
            case ast.Sampling(target=target):
                yield target
            case _:
                pass


def _written(body: Sequence[ast.Node], name: ast.Expression) -> int:
    """How often a name is written where no loop over it stands around."""
    found = list(body)
    count = 0
    while found:
        node = found.pop()
        match node:
            case ast.For(binding=binding) if word_of(name) in bound_names(binding):
                continue
            case ast.Identifier() | ast.Accent() if node == name:
                count += 1
            case _:
                found += children(node)
    return count


def _with(node: ast.Node, name: ast.Expression, element: ast.Indexing) -> ast.Node:
    """A node with an element for a name, and an element of it for what has indices: `v_j` is `X_{i,j}`."""
    match node:
        case ast.Scripts(base=base, subscripts=(_, *_) as items, superscript=above) if base == name:
            own = replace(element, items=(*element.items, *(cast(ast.Expression, _with(item, name, element)) for item in items)))
            return own if above is None else ast.Scripts(own, (), cast(ast.Expression, _with(above, name, element)), span=node.span)
        case ast.Indexing(base=base, items=items) if base == name:
            return replace(element, items=(*element.items, *(cast(ast.Expression, _with(item, name, element)) for item in items)))
        case _ if node == name:
            return replace(element, span=node.span)
        case _:
            return transform(node, lambda below: _with(below, name, element))
