r"""A softmax between two masks of one part is a softmax of that part.

Before → after::

    mask(softmax(j: mask(s, S, j, -inf)), S, j, 0.0)      →      softmax(j: s, own(S))

The masks are those that padding puts around the operation, by its row: the value before it changes nothing, the value behind it stands
in padding. A softmax declines whose masks are of other sizes, axes, parts or values.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.ops import ALONG
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import TensorProgram
from mathdsl.tensors.traversal import mapped
from mathdsl.tensors.values import Along, Constant, Mask, Slice, Value

_MASKED = frozenset({"softmax", "log_softmax"})


def mask_softmaxes(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with one operation for each masked softmax."""
    return replace(program, statements=tuple(mapped(statement, _masked) for statement in program.statements))


def _masked(value: Value) -> Value:
    if not isinstance(value, Mask):
        return value
    inner = value.value
    if isinstance(inner, Slice) and all(entry is None for entry in inner.entries):
        inner = inner.value  # other names for its axes
    match inner:
        case Along(op=op, value=Mask() as before, axis=axis) if op in _MASKED and inner.own is None:
            row = ALONG[op]
            same_part = (before.size, before.extra, before.axis) == (value.size, value.extra, axis)
            same_axis = before.axes.index(axis) == value.axes.index(value.axis) and len(before.axes) == len(value.axes)
            if same_part and same_axis and _is(before.fill, row.fill_before) and _is(value.fill, row.fill_after):
                own = replace(inner, form=before.form, value=before.value, own=before.size, extra=before.extra)
                return Slice(value.form, own, (None,) * len(value.axes))
    return value


def _is(fill: Value, number: float) -> bool:
    return isinstance(fill, Constant) and fill.value == number
