"""`Padded` values: the body inside each example's own part of an axis, the fill outside; nothing without lengths."""

from __future__ import annotations

from mathdsl.ir.nodes import Axis, Element, Padded
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.terms import Scope, common_order, constant, elementwise_form, expanded
from mathdsl.tensors.values import Form, Keep, Map, Mask, Value, Where


def lower_padded(body: Body, expr: Padded, scope: Scope) -> Value:
    """The value with `fill` where `index > bound`."""
    if not body.is_ragged(expr.size):
        return body.lower(expr.body, scope)
    axis, extra = valid_part(body, expr, scope)
    value = operands.tensor(body, body.lower(expr.body, scope))
    fill = body.lower(expr.fill, scope)
    if axis is None:
        return _compared(body, expr, value, fill, scope)
    value = _whole(body, operands.with_axis(body, value, axis.name, scope), fill, scope)
    body.own_size(expr.size)
    form = Form(value.axes, True, expr.element)
    return Mask(form, value, expr.size, axis.name, fill, body.poly(extra) if extra.terms else None)


def valid_part(body: Body, expr: Padded, scope: Scope) -> tuple[Axis | None, Poly]:
    """The axis whose first `own size + extra` points are inside, where it is that simple."""
    rest = expr.bound - expr.index - Poly.of(expr.size)
    for axis in scope.axes:
        if rest.coefficient(axis.name) == Poly.of(-1):
            extra = rest + axis.name - axis.range.lower + 1
            if not scope.order(extra.names) and not body.ragged_in(extra):
                return axis, extra
    return None, Poly(())


def _whole(body: Body, value: Value, fill: Value, scope: Scope) -> Value:
    """The value with the batch axes, and with all axes that it or the fill has."""
    order = common_order([value, fill], scope)
    return expanded(value, order, operands.extents_of(body, order, scope), batched=True)


def _compared(body: Body, expr: Padded, value: Value, fill: Value, scope: Scope) -> Value:
    """Any other condition: in a loop, the loop's index with each example's own size; else point by point."""
    rest = expr.bound - expr.index
    if rest.coefficient(expr.size) == Poly.of(1) and not scope.order(rest.names):
        least = body.poly(Poly.of(expr.size) - rest)
        value = _whole(body, value, fill, scope)
        body.own_size(expr.size)
        is_first_point = expr.index.names <= body.sizes.keys()  # as of a range that has none in some examples
        any_size = body.poly(Poly.of(expr.size)) if is_first_point else None
        return Keep(Form(value.axes, True, expr.element), value, expr.size, least, fill, any_size)
    room = operands.lower_index(body, rest, scope)
    inside = Map(elementwise_form([room], Element.BOOLEAN, scope), "greater_equal", (room, constant(0)))
    return Where(elementwise_form([inside, value, fill], expr.element, scope), inside, value, fill)
