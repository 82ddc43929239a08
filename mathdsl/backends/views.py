"""Tensors some of whose dimensions still wait for an index, and what an index is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import const, method, name, subscript, unparse
from mathdsl.backends.terms import Scope, Term
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Array, Axis, Element, Index, Range
from mathdsl.ir.sizes import Poly

_NOTHING = Poly(())


@dataclass(frozen=True, slots=True)
class Open:
    """A dimension that still waits for its index."""

    index: Index
    range: Range


@dataclass(frozen=True, slots=True)
class View:
    """A tensor whose trailing dimensions are axes, or still open."""

    node: ast.expr
    dims: tuple[str | Open, ...]
    batch: bool
    element: Element
    source: str | None = None  # what the tensor is, where it may be taken apart once for several reads
    name: str = ""

    def term(self) -> Term:
        """The tensor, once nothing is open."""
        if any(isinstance(dim, Open) for dim in self.dims):
            raise InternalError("an index of a read was not lowered")
        return Term(self.node, tuple(dim for dim in self.dims if isinstance(dim, str)), self.batch, self.element)


def is_fixed(body: Body, index: Index, scope: Scope) -> bool:
    """A Python integer here: no tensor dimension, no example's own size, no data."""
    return isinstance(index, Poly) and not scope.order(index.names) and not body.ragged_in(index)


def shifted_axis(index: Index, scope: Scope) -> tuple[Axis, Poly] | None:
    """`axis + offset` for one tensor dimension."""
    if not isinstance(index, Poly):
        return None
    alone = None if index.variable is None else scope.axis(index.variable)
    if alone is not None:
        return alone, _NOTHING
    dims = scope.order(index.names)
    if len(dims) != 1 or index.coefficient(dims[0]) != Poly.of(1):
        return None
    axis = scope.axis(dims[0])
    assert axis is not None
    return axis, index - axis.name


def own_position(body: Body, index: Poly, scope: Scope) -> tuple[ast.expr, str, int] | None:
    """`S + c` for a ragged size: the padded index, the size, c."""
    ragged = body.ragged_in(index)
    if len(ragged) != 1 or scope.order(index.names):
        return None
    extra = (index - ragged[0]).constant
    return None if extra is None else (body.poly(index), ragged[0], extra)


def taken_apart(body: Body, array: Array, view: View, scope: Scope, depth: int) -> View:
    """Where a loop reads the tensor at its index: unbound once, before the loop, then indexed as a tuple.

    Other reads at a fixed index take from the same tuple: each selection of their own would make a gradient of full size.
    """
    is_whole = len(view.dims) == len(array.ranges)
    places = [
        i
        for i, dim in enumerate(view.dims)
        if isinstance(dim, Open) and isinstance(dim.index, Poly) and is_fixed(body, dim.index, scope)
        if body.depth(dim.index) > depth or (is_whole and (array.name, i) in body.apart)
    ]
    if not places:
        return view
    node, remaining = view.node, len(view.dims)
    made = _unbound(body, node, [i - remaining if view.batch else i for i in places])
    local = body.define_view(depth, f"parts {places} {view.source} {unparse(node)}", f"{array.python.replace('.', '_')}_at", made)
    node = name(local)
    for i in places:
        entry = view.dims[i]
        assert isinstance(entry, Open)
        assert isinstance(entry.index, Poly)
        node = subscript(node, body.poly(entry.index - entry.range.lower))
    return replace(view, node=node, dims=tuple(dim for i, dim in enumerate(view.dims) if i not in places))


def _unbound(body: Body, node: ast.expr, dims: Sequence[int]) -> ast.expr:
    """`node.unbind(d)`; for several dimensions, from the first inwards."""
    if len(dims) == 1:
        return method(node, "unbind", const(dims[0]))
    row = ast.Name(body.names.fresh("row"), ast.Load())
    inner = _unbound(body, row, [d if d < 0 else d - 1 for d in dims[1:]])
    generator = ast.comprehension(ast.Name(row.id, ast.Store()), method(node, "unbind", const(dims[0])), [], 0)
    return ast.ListComp(inner, [generator])
