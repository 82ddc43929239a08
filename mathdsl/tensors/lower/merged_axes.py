"""Two dimensions read at `p div d` and `p mod d`: one dimension, which is a view where they lie side by side."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Apply, Index, IndexValue
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.lower.views import Open, View, shifted_axis
from mathdsl.tensors.values import Merge, Permute

_NOTHING = Poly(())


@dataclass(frozen=True, slots=True)
class Quotient:
    """`value div divisor + offset`, or with `mod`."""

    op: str
    value: Poly
    divisor: Poly
    offset: Poly


def merged(view: View, scope: Scope) -> View:
    """The view with each pair of dimensions that one axis counts through, row by row, as that axis."""
    for outer, inner in permutations(range(len(view.dims)), 2):
        axis = _axis_through(view, outer, inner, scope)
        if axis is not None:
            return merged(_flattened(view, outer, inner, axis), scope)
    return view


def _axis_through(view: View, outer: int, inner: int, scope: Scope) -> str | None:
    """The axis that runs over all elements of the two dimensions, the outer one slowly; None where none does."""
    rows, columns = view.dims[outer], view.dims[inner]
    if not isinstance(rows, Open) or not isinstance(columns, Open):
        return None
    row, column = _quotient(rows.index), _quotient(columns.index)
    if row is None or column is None or (row.op, column.op) != ("floor_div", "mod") or row.value != column.value:
        return None
    found = shifted_axis(row.value, scope)
    if found is None or found[0].name in view.dims:
        return None
    axis, shift = found
    length = columns.range.extent
    is_whole = axis.range.lower + shift == _NOTHING and axis.range.extent == rows.range.extent * length
    starts = row.offset == rows.range.lower and column.offset == columns.range.lower
    return axis.name if is_whole and starts and row.divisor == column.divisor == length else None


def _quotient(index: Index) -> Quotient | None:
    match index:
        case Apply(op="add", arguments=(Apply() as inner, IndexValue(value=offset))):
            found = _quotient(inner)
            return None if found is None else replace(found, offset=found.offset + offset)
        case Apply(op="floor_div" | "mod" as op, arguments=(IndexValue(value=value), IndexValue(value=divisor))):
            return Quotient(op, value, divisor, _NOTHING)
        case _:
            return None


def _flattened(view: View, outer: int, inner: int, axis: str) -> View:
    """The outer dimension moved before the inner one, and the two as one."""
    place = inner - 1 if outer < inner else inner
    value = view.named()
    if outer != place:
        moved = list(view.axes)
        moved.insert(place, moved.pop(outer))
        value = Permute(replace(view.form, axes=tuple(moved)), value)
    dims = list(view.dims)
    dims[inner] = axis
    del dims[outer]
    merged_view = replace(view, dims=tuple(dims))
    return replace(merged_view, value=Merge(merged_view.form, value, place, place + 1))
