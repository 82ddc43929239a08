"""The order of axes: operands of some values may have their axes in any order, those of others stand where they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mathdsl.ir.nodes import Element
from mathdsl.tensors.traversal import with_values
from mathdsl.tensors.values import (
    Along,
    Constant,
    Expand,
    Form,
    Keep,
    Local,
    Map,
    Mask,
    Mix,
    Nonempty,
    Owned,
    Permute,
    Reduce,
    Value,
    Where,
    number,
)


def common_order(values: Sequence[Value], order: Sequence[str]) -> tuple[str, ...]:
    """The axes of an elementwise result: those of the largest operand, if it has all, else as they stand in `order`."""
    first = values[0].axes
    if all(value.axes == first for value in values):
        return first
    union = frozenset(axis for value in values for axis in value.axes)
    for value in values:
        if len(value.axes) == len(union) and not value.scalar:
            return value.axes
    return tuple(axis for axis in order if axis in union)


def elementwise(op: str, values: Sequence[Value], element: Element, order: Sequence[str]) -> Map:
    """An operation on tensors and numbers that takes both."""
    if all(value.scalar for value in values):
        return Map(number(element), op, tuple(values))
    return Map(Form(common_order(values, order), any(value.batch for value in values), element), op, tuple(values))


def permuted(value: Value, order: Sequence[str]) -> Value:
    """The same tensor with its axes in the order in which they stand in `order` (which may hold more)."""
    wanted = tuple(axis for axis in order if axis in value.axes)
    return value if wanted == value.axes else Permute(replace(value.form, axes=wanted), value)


def reordered(value: Value, change: Callable[[Value], Value]) -> Value:
    """The value with what is directly inside it changed, which may get another order of axes by it, and so may the value."""

    def in_place(inner: Value) -> Value:
        return permuted(change(inner), inner.axes)

    match value:
        case Local() | Owned() | Constant():  # made of nothing
            return value
        case Map() | Mix() | Where() | Mask() | Keep() | Reduce() | Along() | Nonempty() | Permute() | Expand():
            changed = with_values(value, change)
        case _:
            return with_values(value, in_place)
    match changed:
        case Map(operands=operands):
            return _with_axes(changed, common_order(operands, value.axes))
        case Mix(start=start, end=end, weight=weight):
            return _with_axes(changed, common_order((start, end, weight), value.axes))
        case Where(condition=condition, then=then, otherwise=otherwise):
            return _with_axes(changed, common_order((condition, then, otherwise), value.axes))
        case Mask(value=inner) | Keep(value=inner) | Along(value=inner) | Nonempty(value=inner):
            return _with_axes(changed, inner.axes)
        case Reduce(value=inner, axis=axis):
            return _with_axes(changed, tuple(a for a in inner.axes if a != axis))
        case Permute(value=inner):
            return permuted(inner, changed.axes)
        case _:
            return changed


def _with_axes(value: Value, axes: tuple[str, ...]) -> Value:
    return value if axes == value.axes else replace(value, form=replace(value.form, axes=axes))
