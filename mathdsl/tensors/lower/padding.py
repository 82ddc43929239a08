"""Selections that fill padding: the value inside each example's own part of an axis, the fill outside; nothing without lengths."""

from __future__ import annotations

from mathdsl.ir.nodes import Axis, Element, Select
from mathdsl.ir.own_parts import OwnPart
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.terms import Scope, constant, elementwise_form, expanded
from mathdsl.tensors.orders import common_order
from mathdsl.tensors.values import Form, Keep, Map, Mask, Value, Where


def lower_padded(body: Body, expr: Select, own: OwnPart, scope: Scope) -> Value:
    """The value with the other one where `index > bound`."""
    value = operands.tensor(body, body.lower(expr.then, scope))
    return in_own_part(body, own, value, body.lower(expr.otherwise, scope), scope)


def in_own_part(body: Body, own: OwnPart, value: Value, fill: Value, scope: Scope) -> Value:
    """A tensor where an index lies in each example's own part, `fill` beyond it."""
    axis, extra = valid_part(body, own, scope)
    if axis is None:
        return _compared(body, own, value, fill, scope)
    value = _whole(body, operands.with_axis(body, value, axis.name, scope), fill, scope)
    body.own_size(own.size)
    form = Form(value.axes, True, value.element)
    return Mask(form, value, own.size, axis.name, fill, body.poly(extra) if extra.terms else None)


def valid_part(body: Body, own: OwnPart, scope: Scope) -> tuple[Axis | None, Poly]:
    """The axis whose first `own size + extra` points are inside, where it is that simple."""
    rest = own.bound - own.index - OwnSize(own.size)
    for axis in scope.axes:
        if rest.coefficient(axis.name) == Poly.of(-1):
            extra = rest + axis.name - axis.range.lower + 1
            if not scope.order(extra.names) and not body.ragged_in(extra):
                return axis, extra
    return None, Poly(())


def _whole(body: Body, value: Value, fill: Value, scope: Scope) -> Value:
    """The value with the batch axes, and with all axes that it or the fill has."""
    order = common_order([value, fill], scope.names)
    return expanded(value, order, operands.extents_of(body, order, scope), batched=True)


def _compared(body: Body, own: OwnPart, value: Value, fill: Value, scope: Scope) -> Value:
    """Any other condition: in a loop, the loop's index with each example's own size; else point by point."""
    rest = own.bound - own.index
    size = Poly.of(OwnSize(own.size))
    if rest.coefficient(OwnSize(own.size)) == Poly.of(1) and not scope.order(rest.names):
        least = body.poly(size - rest)
        value = _whole(body, value, fill, scope)
        body.own_size(own.size)
        is_first_point = own.index.names <= body.sizes.keys()  # as of a range that has none in some examples
        any_size = body.poly(size) if is_first_point else None
        return Keep(Form(value.axes, True, value.element), value, own.size, least, fill, any_size)
    room = operands.lower_index(body, rest, scope)
    inside = Map(elementwise_form([room], Element.BOOLEAN, scope), "greater_equal", (room, constant(0)))
    return Where(elementwise_form([inside, value, fill], value.element, scope), inside, value, fill)
