"""Where a value stands: the axes that are tensor dimensions there; and how values with named axes are brought to one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Axis, Element, Expr
from mathdsl.tensors.orders import common_order, permuted
from mathdsl.tensors.values import Constant, Expand, Form, Value, number


@dataclass(frozen=True, slots=True)
class Scope:
    """The index axes that are tensor dimensions here, outermost first, and the branch that the value stands in."""

    axes: tuple[Axis, ...]
    guards: tuple[Value, ...] = ()  # boolean tensors: the value counts only where all hold
    conditions: tuple[Expr, ...] = ()  # what they were made of

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(axis.name for axis in self.axes)

    def order(self, names: frozenset[str]) -> tuple[str, ...]:
        """Those of the names in the order of the scope."""
        return tuple(axis.name for axis in self.axes if axis.name in names)

    def axis(self, name: str) -> Axis | None:
        """The axis of that name, if it is a tensor dimension."""
        return next((axis for axis in self.axes if axis.name == name), None)

    def inside(self, axis: Axis) -> Scope:
        """The scope of a reduction's body."""
        return replace(self, axes=(*self.axes, axis))

    def guarded(self, guard: Value, condition: Expr) -> Scope:
        """The scope of a branch; `condition` is what decides whether it is taken."""
        return replace(self, guards=(*self.guards, guard), conditions=(*self.conditions, condition))


def constant(value: float | int | bool) -> Constant:
    """A Python number."""
    element = Element.BOOLEAN if isinstance(value, bool) else Element.INTEGER if isinstance(value, int) else Element.REAL
    return Constant(number(element), value)


def elementwise_form(values: Sequence[Value], element: Element, scope: Scope) -> Form:
    """The form of an elementwise result."""
    return Form(common_order(values, scope.names), any(value.batch for value in values), element)


def expanded(value: Value, order: Sequence[str], extents: Sequence[Value], batched: bool) -> Value:
    """The tensor with every axis of `order` at its full extent, and with the batch axes where it is to be `batched`."""
    missing = [axis for axis in order if axis not in value.axes]
    if not missing and (value.batch or not batched):
        return permuted(value, order)
    sizes = tuple(extent if axis in missing else None for axis, extent in zip(order, extents, strict=True))
    return Expand(Form(tuple(order), batched or value.batch, value.element), value, sizes)
