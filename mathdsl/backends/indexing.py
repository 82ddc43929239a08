"""The indices that remain: slices and selections in one subscript, equal parts, lookups of tensors of indices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.merged_axes import merged
from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, call, const, fmt, method, name, slice_of, subscript, unparse
from mathdsl.backends.terms import Scope, Term, aligned, expanded
from mathdsl.backends.views import Open, View, is_fixed, own_position, shifted_axis
from mathdsl.ir.nodes import Axis, Element, Range
from mathdsl.ir.sizes import Poly


def indexed(body: Body, view: View, scope: Scope) -> Term:
    view = _chunked(body, merged(view, scope), scope)
    view = _sliced(body, view, scope)
    while any(isinstance(dim, Open) for dim in view.dims):
        place = next(i for i, dim in enumerate(view.dims) if isinstance(dim, Open))
        view = _gathered(body, view, place, scope)
    return view.term()


def _chunked(body: Body, view: View, scope: Scope) -> View:
    """One of several equal parts of a dimension: the tensor is split once, so that its gradient is put together once."""
    if view.source is None:
        return view
    for place, dim in enumerate(view.dims):
        shifted = shifted_axis(dim.index, scope) if isinstance(dim, Open) else None
        if shifted is None or not isinstance(dim, Open) or shifted[0].name in view.dims:
            continue
        axis, offset = shifted
        if axis.range == dim.range:
            continue
        extent = axis.range.extent
        count, number = _times(dim.range.extent, extent), _times(axis.range.lower + offset - dim.range.lower, extent)
        if count is None or number is None or count < 2:
            continue
        at = place - len(view.dims) if view.batch else place
        parts = method(view.node, "chunk", const(count), const(at))
        local = body.define_view(len(body.loops), f"chunks {at} {count} {view.source} {unparse(view.node)}", f"{view.name}_parts", parts)
        dims = (*view.dims[:place], axis.name, *view.dims[place + 1 :])
        return replace(view, node=subscript(name(local), const(number)), dims=dims, source=None)
    return view


def _times(value: Poly, unit: Poly) -> int | None:
    """How often the unit fits: an integer without names."""
    quotient = value.divided_by(unit) if unit.names else None
    return None if quotient is None else quotient.constant


def _sliced(body: Body, view: View, scope: Scope) -> View:
    """Fixed indices select, shifted axes slice: one subscript for all of them."""
    entries: list[ast.expr] = []
    dims: list[str | Open] = []
    seen = {dim for dim in view.dims if isinstance(dim, str)}
    for dim in view.dims:
        entry: ast.expr = EVERYTHING
        kept: str | Open | None = dim
        if isinstance(dim, Open):
            shifted = shifted_axis(dim.index, scope)
            if is_fixed(body, dim.index, scope):
                assert isinstance(dim.index, Poly)
                entry, kept = _position(body, dim.index, dim.range), None
            elif shifted is not None and shifted[0].name not in seen and not body.ragged_in(shifted[1]):
                axis, offset = shifted
                entry, kept = _slice(body, axis, offset, dim.range), axis.name
                seen.add(axis.name)
        entries.append(entry)
        if kept is not None:
            dims.append(kept)
    return replace(view, node=_subscripted(view.node, entries, view.batch), dims=tuple(dims))


def _subscripted(node: ast.expr, entries: list[ast.expr], batch: bool) -> ast.expr:
    """`node[..., entries]` without what says nothing."""
    if all(entry is EVERYTHING for entry in entries):
        return node
    if batch:
        while entries and entries[0] is EVERYTHING:
            entries = entries[1:]
        return subscript(node, ELLIPSIS, *entries)
    while entries and entries[-1] is EVERYTHING:
        entries = entries[:-1]
    return subscript(node, *entries)


def _position(body: Body, index: Poly, bounds: Range) -> ast.expr:
    """The storage index of a fixed element; the last one is -1, so that nothing wraps."""
    offset = index - bounds.lower
    if not body.known_nonnegative(offset) and index == bounds.upper:
        return const(-1)
    return body.poly(offset)


def _slice(body: Body, axis: Axis, offset: Poly, bounds: Range) -> ast.expr:
    """The storage positions of `axis + offset`."""
    if not offset.terms and axis.range == bounds:
        return EVERYTHING
    start = axis.range.lower + offset - bounds.lower
    short = bounds.upper - axis.range.upper - offset
    if not start.terms and not short.terms:
        return EVERYTHING
    first = None if not start.terms else body.poly(start)
    if not short.terms:
        return slice_of(first, None)
    cut = short.constant
    if cut is not None and cut > 0 and body.known_nonnegative(start):
        return slice_of(first, const(-cut))
    stop = axis.range.upper + offset - bounds.lower + 1
    last = body.poly(stop)
    return slice_of(first, last if body.known_nonnegative(stop) else call("max", const(0), last))


def _gathered(body: Body, view: View, place: int, scope: Scope) -> View:
    """One open dimension read at an index that is a tensor."""
    dim = view.dims[place]
    assert isinstance(dim, Open)
    if isinstance(dim.index, Poly):
        reverse = _reversed(body, view, place, scope)
        if reverse is not None:
            return reverse
        own = own_position(body, dim.index, scope)
        if own is not None:
            return _own_selected(body, view, place, dim, own)
        where = expressions.lower_index(body, dim.index, scope)
        where = replace(where, node=call("torch.clamp", where.node, body.poly(dim.range.lower), body.poly(dim.range.upper)))
    else:
        where = expressions.tensor(body, expressions.lower(body, dim.index, scope))
        if not body.is_checked(dim.index, dim.range):
            where = _checked(body, view, dim, where, scope)
    if dim.range.lower.terms:
        where = replace(where, node=fmt("{0} - {1}", where.node, body.poly(dim.range.lower)))
    others = tuple(d for i, d in enumerate(view.dims) if i != place)
    free = not set(where.axes) & {d for d in others if isinstance(d, str)} and not _shares_open(others, where, scope)
    if free and not view.batch and place == 0:
        return _lookup(body, view, where, others)
    if free and not where.batch:
        entries = [EVERYTHING] * len(view.dims)
        entries[place] = where.node
        dims = (*view.dims[:place], *where.axes, *view.dims[place + 1 :])
        return replace(view, node=_subscripted(view.node, entries, view.batch), dims=dims)
    return _along_dim(body, view, place, where, scope)


def _checked(body: Body, view: View, dim: Open, where: Term, scope: Scope) -> Term:
    """A computed index, checked where its value is wanted, and kept inside its range elsewhere.

    In padding anything may stand: with lengths, the axes of examples of different lengths are only kept inside.
    """
    lower, upper = body.poly(dim.range.lower), body.poly(dim.range.upper)
    held = [guard for guard in scope.guards if not set(guard.axes) <= set(where.axes) or guard.batch and not where.batch]
    axes = [axis for axis in (scope.axis(name) for name in where.axes) if axis is not None]
    padded = dict.fromkeys(size for axis in axes for size in body.ragged_in(axis.range.upper))
    if held or where.scalar:
        return replace(where, node=call("torch.clamp", where.node, lower, upper))
    wanted = [aligned(guard, where.axes) for guard in scope.guards] + [fmt("{0} is None", body.own(size)) for size in padded]
    arguments = [const(view.name), where.node, lower, upper]
    if wanted:
        arguments.append(reduce(lambda a, b: fmt("{0} & {1}", a, b), wanted))
    return replace(where, node=call(body.helper("_index"), *arguments))


def _shares_open(others: Sequence[str | Open], where: Term, scope: Scope) -> bool:
    """Whether an open dimension will still bring in one of the axes of the index."""
    return any(isinstance(d, Open) and isinstance(d.index, Poly) and set(scope.order(d.index.names)) & set(where.axes) for d in others)


def _lookup(body: Body, view: View, where: Term, others: tuple[str | Open, ...]) -> View:
    """Rows of an unbatched table."""
    if len(view.dims) == 2 and view.element is Element.REAL:
        node = call("torch.nn.functional.embedding", where.node, view.node)
    else:
        node = subscript(view.node, where.node)
    return replace(view, node=node, dims=(*where.axes, *others), batch=where.batch)


def _reversed(body: Body, view: View, place: int, scope: Scope) -> View | None:
    """`c - axis` over a whole range: a flip, where no example has a size of its own in it."""
    dim = view.dims[place]
    assert isinstance(dim, Open)
    assert isinstance(dim.index, Poly)
    dims = scope.order(dim.index.names)
    if len(dims) != 1 or dim.index.coefficient(dims[0]) != Poly.of(-1) or body.ragged_in(dim.index) or dims[0] in view.dims:
        return None
    axis = scope.axis(dims[0])
    assert axis is not None
    least = dim.index.substitute({axis.name: axis.range.upper})
    greatest = dim.index.substitute({axis.name: axis.range.lower})
    entries = [EVERYTHING] * len(view.dims)
    entries[place] = _slice(body, Axis(axis.name, Range(least, greatest)), Poly(()), dim.range)
    node = method(_subscripted(view.node, entries, view.batch), "flip", const(place - len(view.dims)))
    return replace(view, node=node, dims=(*view.dims[:place], axis.name, *view.dims[place + 1 :]))


def _own_selected(body: Body, view: View, place: int, dim: Open, own: tuple[ast.expr, str, int]) -> View:
    """`h[S]`: one element, each example's own where lengths are given."""
    _, size, extra = own
    assert isinstance(dim.index, Poly)
    position = _position(body, dim.index, dim.range)
    offset = Poly.of(extra) - dim.range.lower
    arguments = [view.node, const(place - len(view.dims)), position, body.own(size)]
    if offset.terms:
        arguments.append(body.poly(offset))
    node = call(body.helper("_own_select"), *arguments)
    return replace(view, node=node, dims=(*view.dims[:place], *view.dims[place + 1 :]), batch=True)


def _along_dim(body: Body, view: View, place: int, where: Term, scope: Scope) -> View:
    """A batched table read at a batched index, or an index that shares axes with the table: `take_along_dim`."""
    others = [d for i, d in enumerate(view.dims) if i != place]
    named = [d for d in others if isinstance(d, str)]
    fresh = [axis for axis in where.axes if axis not in named]
    hole = fresh[0] if len(fresh) == 1 else "?"
    labels: list[str] = []
    for i, d in enumerate(view.dims):
        labels.append(hole if i == place else d if isinstance(d, str) else f"?{i}")
    lead = fresh if len(fresh) > 1 else []
    order = (*lead, *labels)
    batch = view.batch or where.batch
    table = Term(view.node, tuple(labels), view.batch, view.element)
    index = Term(where.node, where.axes, where.batch, where.element)
    extents: list[ast.expr] = [const(1)] * len(order)
    left = _full_rank(body, table, order, extents, batch)
    right = _full_rank(body, index, order, extents, batch)
    dim = labels.index(hole) - len(labels)
    open_dim = view.dims[place]
    may_be_empty = bool(scope.guards) and isinstance(open_dim, Open) and not body.known_positive(open_dim.range.extent)
    node = call(body.helper("_take") if may_be_empty else "torch.take_along_dim", left, right, const(dim))
    if len(fresh) != 1:
        node = method(node, "squeeze", const(dim))
    dims: list[str | Open] = list(lead)
    for i, d in enumerate(view.dims):
        if i != place:
            dims.append(d)
        elif len(fresh) == 1:
            dims.append(hole)
    return View(node, tuple(dims), batch, view.element)


def _full_rank(body: Body, term: Term, order: tuple[str, ...], extents: list[ast.expr], batch: bool) -> ast.expr:
    """The tensor with a dimension for each axis of `order` (of extent 1 where it has none), and the batch axes."""
    viewed = Term(aligned(term, order, full=True), order, term.batch, term.element)
    return expanded(body, viewed, order, extents, batch)
