"""Tensors some of whose dimensions still wait for an index, and what an index is."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Array, Axis, Element, Index, Range
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.tensors.lower.body import Body, listed, waiting
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.values import At, Form, Local, Owned, Slice, Unbind, Value

_NOTHING = Poly(())


@dataclass(frozen=True, slots=True)
class Open:
    """A dimension that still waits for its index."""

    index: Index
    range: Range


@dataclass(frozen=True, slots=True)
class View:
    """A tensor whose trailing dimensions are axes, or still open."""

    value: Value
    dims: tuple[str | Open, ...]
    batch: bool
    element: Element
    source: object = None  # what the tensor is, where it may be taken apart once for several reads
    name: str = ""
    shown: str = ""  # what messages call it

    @property
    def form(self) -> Form:
        """The form of the tensor, with the axes that still wait."""
        return Form(self.axes, self.batch, self.element)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, with a name by their position for those that still wait."""
        return tuple(dim if isinstance(dim, str) else f"?{place}" for place, dim in enumerate(self.dims))

    def term(self) -> Value:
        """The tensor, once nothing is open."""
        if any(isinstance(dim, Open) for dim in self.dims):
            raise InternalError("an index of a read was not lowered")
        return self.named()

    def named(self) -> Value:
        """The tensor, with its axes named as the view names them."""
        form = self.form
        if self.value.form == form:
            return self.value
        if isinstance(self.value, (Local, Owned, At)):
            return replace(self.value, form=form)
        return Slice(form, self.value, (None,) * len(self.dims))


def is_fixed(body: Body, index: Index, scope: Scope) -> bool:
    """A number here: no tensor dimension, no example's own size, no data."""
    return isinstance(index, Poly) and not scope.order(index.names) and not body.ragged_in(index)


def depth_of(body: Body, entries: list[Open]) -> int:
    """The loops around a read: those that move its indices, or all, where some turn may have no such element."""
    at = [(entry.index, entry.range) for entry in entries if isinstance(entry.index, Poly)]
    is_there = all(map(body.proves_nonnegative, (end for index, own in at for end in (index - own.lower, own.upper - index))))
    return max((body.depth(index) for index, _ in at), default=0) if is_there else len(body.loops)


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


def own_position(body: Body, index: Poly, scope: Scope) -> tuple[str, int] | None:
    """The size and the `c` of an index `S′ + c`."""
    ragged = body.ragged_in(index)
    if len(ragged) != 1 or scope.order(index.names):
        return None
    extra = (index - OwnSize(ragged[0])).constant
    return None if extra is None else (ragged[0], extra)


def taken_apart(body: Body, array: Array, view: View, scope: Scope, depth: int) -> View:
    """Where a loop reads the tensor at its index: unbound once, before the loop, then indexed as a list.

    Other reads at a fixed index take from the same list: each selection of their own would make a gradient of full size.
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
    value = view.value
    dims = tuple(dim for i, dim in enumerate(view.dims) if i not in places)
    form = Form(waiting(len(dims)), view.batch, view.element)
    rows = tuple(body.names.fresh("row") for _ in places[1:]) if body.view(key := ("parts", *places, view.source, value)) is None else ()
    made = Unbind(listed(form), value, tuple(places), rows)
    value = body.define_view(depth, key, f"{array.python.replace('.', '_')}_at", made)
    for i in places:
        entry = view.dims[i]
        assert isinstance(entry, Open)
        assert isinstance(entry.index, Poly)
        value = At(form, value, (body.poly(entry.index - entry.range.lower),))
    return replace(view, value=value, dims=dims)
