"""The indices that remain: slices and selections at once, equal parts, lookups of tensors of indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.ir.nodes import Axis, Element, Expr, Range
from mathdsl.ir.own_parts import OwnPart
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body, is_kept_inside, listed
from mathdsl.tensors.lower.merged_axes import merged
from mathdsl.tensors.lower.padding import in_own_part
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.lower.views import Open, View, is_fixed, own_position, shifted_axis
from mathdsl.tensors.orders import elementwise
from mathdsl.tensors.values import (
    INTEGER,
    At,
    CheckedIndex,
    Chunk,
    Cut,
    Entry,
    Expand,
    Flip,
    Gather,
    Lookup,
    Map,
    OwnSelect,
    Pick,
    Reduce,
    Slice,
    Take,
    Value,
)


def indexed(body: Body, view: View, scope: Scope) -> Value:
    """The tensor of a view, read at all indices that its dimensions wait for."""
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
        is_rounded = extent.quotient is not None and not extent.names.isdisjoint(body.module.ragged)
        if count is None or number is None or count < 2 or is_rounded:  # 7 columns, of which examples have 4 or 6, have no halves
            continue
        value = view.named()
        key = ("chunks", place, count, view.source, view.value)
        local = body.define_view(len(body.loops), key, f"{view.name}_parts", Chunk(listed(value.form), value, count, place))
        parted = replace(view, dims=(*view.dims[:place], axis.name, *view.dims[place + 1 :]), source=None)
        return replace(parted, value=At(parted.form, local, (constant(number),)))
    return view


def _times(value: Poly, unit: Poly) -> int | None:
    """How often the unit fits: an integer without names."""
    quotient = value.divided_by(unit) if unit.names else None
    return None if quotient is None else quotient.constant


def _sliced(body: Body, view: View, scope: Scope) -> View:
    """Fixed indices select, shifted axes slice: all of them at once."""
    entries: list[Entry] = []
    dims: list[str | Open] = []
    seen = {dim for dim in view.dims if isinstance(dim, str)}
    for dim in view.dims:
        entry: Entry = None
        kept: str | Open | None = dim
        if isinstance(dim, Open):
            shifted = shifted_axis(dim.index, scope)
            if is_fixed(body, dim.index, scope):
                assert isinstance(dim.index, Poly)
                entry, kept = Pick(_position(body, dim.index, dim.range)), None
            elif shifted is not None and shifted[0].name not in seen and not body.ragged_in(shifted[1]):
                axis, offset = shifted
                entry, kept = _slice(body, axis, offset, dim.range), axis.name
                seen.add(axis.name)
        entries.append(entry)
        if kept is not None:
            dims.append(kept)
    return _read(view, entries, dims)


def _read(view: View, entries: Sequence[Entry], dims: Sequence[str | Open]) -> View:
    """The view read at an entry for each of its dimensions."""
    done = replace(view, dims=tuple(dims))
    if all(entry is None for entry in entries):
        return done
    return replace(done, value=Slice(done.form, view.named(), tuple(entries)))


def _position(body: Body, index: Poly, bounds: Range) -> Value:
    """The position of a fixed element; the last one is -1, so that nothing wraps."""
    offset = index.padded - bounds.lower
    if not body.known_nonnegative(offset) and index.padded == bounds.upper:
        return constant(-1)
    return body.poly(offset)


def _slice(body: Body, axis: Axis, offset: Poly, bounds: Range) -> Cut | None:
    """The positions of `axis + offset`."""
    if not offset.terms and axis.range == bounds:
        return None
    start = axis.range.lower + offset - bounds.lower
    short = bounds.upper - axis.range.upper - offset
    if not start.terms and not short.terms:
        return None
    first = None if not start.terms else body.poly(start)
    if not short.terms:
        return Cut(first, None)
    cut = short.constant
    if cut is not None and cut > 0 and body.known_nonnegative(start):
        return Cut(first, constant(-cut))
    stop = axis.range.upper + offset - bounds.lower + 1
    last = body.poly(stop)
    return Cut(first, last if body.known_nonnegative(stop) else Map(INTEGER, "maximum", (constant(0), last)))


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
        where = _kept_inside(body, operands.lower_index(body, dim.index, scope), dim.range)
    else:
        where = operands.tensor(body, body.lower(dim.index, scope))
        if not body.is_checked(dim.index, dim.range):
            where = _checked(body, view, dim, dim.index, where, scope)
    if dim.range.lower.terms:
        where = Map(where.form, "sub", (where, body.poly(dim.range.lower)))
    others = tuple(d for i, d in enumerate(view.dims) if i != place)
    free = not set(where.axes) & {d for d in others if isinstance(d, str)} and not _shares_open(others, where, scope)
    if isinstance(dim.index, Poly) or is_kept_inside(dim.index, dim.range):
        free = free and not _may_be_empty(body, dim, where, scope)
    if free and not view.batch and place == 0:
        found = replace(view, dims=(*where.axes, *others), batch=where.batch)
        return replace(found, value=Lookup(found.form, view.named(), where))
    if free and not where.batch:
        dims = (*view.dims[:place], *where.axes, *view.dims[place + 1 :])
        return _read(view, [Gather(where) if i == place else None for i in range(len(view.dims))], dims)
    return _along_dim(body, view, place, where, scope)


def _may_be_empty(body: Body, dim: Open, where: Value, scope: Scope) -> bool:
    """Whether the axis may have no element where the index has points, which do not want one then."""
    axes = [axis for axis in (*(loop.axis for loop in body.loops), *scope.axes) if axis.name in where.axes or body.is_loop(axis.name)]
    return bool(scope.guards) and not body.facts_of_any_size.inside(axes).proves_nonnegative(dim.range.extent - 1)


def _kept_inside(body: Body, index: Value, bounds: Range) -> Value:
    return Map(index.form, "clip", (index, body.poly(bounds.lower), body.poly(bounds.upper)))


def _checked(body: Body, view: View, dim: Open, index: Expr, where: Value, scope: Scope) -> Value:
    """A computed index, checked where its value is wanted, and kept inside its range elsewhere.

    It is wanted where all guards hold, at some point of the axes that it has not: `x_{p_i}` where `a_{ij} > 0` for some `j`. In its own
    padding it is the first one (`PaddedExpressions`), which is there unless the example's own range is empty.
    """
    ragged, used = frozenset(body.module.ragged), free_names(index)
    ends = [axis for axis in (*(loop.axis for loop in body.loops), *scope.axes) if not ragged.isdisjoint(axis.range.upper.names)]
    wanted: Value | None = None
    for guard in scope.guards:
        wanted = guard if wanted is None else elementwise("and", (wanted, guard), Element.BOOLEAN, scope.names)
    if wanted is not None:
        others = {name for condition in scope.conditions for name in free_names(condition)}.difference(used)
        wanted = _in_own_parts(body, wanted, [axis for axis in ends if axis.name in others], scope)
        for name in wanted.axes:
            if name not in where.axes:
                form = replace(wanted.form, axes=tuple(axis for axis in wanted.axes if axis != name))
                wanted = Reduce(form, "any", wanted, name)
    lower, upper = body.poly(dim.range.lower), body.poly(dim.range.upper)
    last: Value | None = None
    if not ragged.isdisjoint(dim.range.upper.names):
        last = operands.lower_index(body, dim.range.upper.owned(ragged), scope)
        own = [axis for axis in ends if axis.name in used]
        if any(body.proves_nonnegative(dim.range.extent - axis.range.extent) for axis in own):
            last = elementwise("maximum", (lower, last), Element.INTEGER, ())  # where there is none, there is no point that reads it
        elif own:
            wanted = _in_own_parts(body, operands.tensor(body, wanted or constant(True)), own, scope)
        last = body.define_view(0, ("last", last), f"{view.name}_last", last)
    return CheckedIndex(where.form, view.shown, where, lower, upper, wanted, last)


def _in_own_parts(body: Body, wanted: Value, axes: Sequence[Axis], scope: Scope) -> Value:
    """A condition that does not hold in the padding of these axes."""
    for axis in axes:
        own = OwnPart(Poly.of(axis.name), axis.range.upper.owned(body.module.ragged))
        wanted = in_own_part(body, own, wanted, constant(False), scope)
    return wanted


def _shares_open(others: Sequence[str | Open], where: Value, scope: Scope) -> bool:
    """Whether an open dimension will still bring in one of the axes of the index."""
    return any(isinstance(d, Open) and isinstance(d.index, Poly) and set(scope.order(d.index.names)) & set(where.axes) for d in others)


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
    entry = _slice(body, Axis(axis.name, Range(least, greatest)), Poly(()), dim.range)
    entries = [entry if i == place else None for i in range(len(view.dims))]
    cut = _read(view, entries, (*view.dims[:place], axis.name, *view.dims[place + 1 :]))
    return replace(cut, value=Flip(cut.form, cut.value, place))


def _own_selected(body: Body, view: View, place: int, dim: Open, own: tuple[str, int]) -> View:
    """`h[S]`: one element, each example's own where lengths are given."""
    size, extra = own
    assert isinstance(dim.index, Poly)
    body.own_size(size)
    offset = Poly.of(extra) - dim.range.lower
    found = replace(view, dims=(*view.dims[:place], *view.dims[place + 1 :]), batch=True)
    position = _position(body, dim.index, dim.range)
    whole = view.named()
    each = whole if whole.batch or not body.module.batched else Expand(replace(whole.form, batch=True), whole, (None,) * len(whole.axes))
    selected = OwnSelect(found.form, each, place, position, size, body.poly(offset) if offset.terms else None)
    return replace(found, value=selected)


def _along_dim(body: Body, view: View, place: int, where: Value, scope: Scope) -> View:
    """A batched table read at a batched index, or an index that shares axes with the table."""
    named = [d for i, d in enumerate(view.dims) if i != place and isinstance(d, str)]
    fresh = [axis for axis in where.axes if axis not in named]
    hole = fresh[0] if len(fresh) == 1 else "?"
    labels = tuple(hole if i == place else d if isinstance(d, str) else f"?{i}" for i, d in enumerate(view.dims))
    lead = tuple(fresh) if len(fresh) > 1 else ()
    open_dim = view.dims[place]
    may_be_empty = isinstance(open_dim, Open) and _may_be_empty(body, open_dim, where, scope)
    kept: list[str | Open] = [hole if i == place else d for i, d in enumerate(view.dims) if i != place or len(fresh) == 1]
    found = View(view.value, (*lead, *kept), view.batch or where.batch, view.element)
    return replace(found, value=Take(found.form, view.named(), where, labels, hole, lead, may_be_empty))
