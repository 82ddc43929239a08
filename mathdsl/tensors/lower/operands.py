"""Values as operands: numbers as tensors, indices, elementwise operations, axes at their full extents."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Element, Expr
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.ops import Elementwise
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.terms import Scope, constant, elementwise_form, expanded
from mathdsl.tensors.orders import common_order
from mathdsl.tensors.values import Form, Integer, Map, OwnValues, Value, Where, number


def tensor(body: Body, value: Value) -> Value:
    """The value as a tensor: a number becomes one without axes."""
    return body.full(value, value.element, (), (), batched=False) if value.scalar else value


def lower_index(body: Body, value: Poly, scope: Scope) -> Value:
    """An index expression as an integer: a number where only sizes and loops occur, else a tensor."""
    dims = scope.order(value.names)
    ragged = body.ragged_in(value)
    if not dims and not ragged:
        return body.poly(value)
    parts: dict[str, Value] = {axis.name: body.arange(axis) for axis in scope.axes if axis.name in dims}
    for size in ragged:
        body.own_size(size)
        parts[OwnSize(size)] = OwnValues(Form((), True, Element.INTEGER), size)
    for name in value.ordered_names:
        if name not in parts:
            body.poly(Poly.of(name))
    order = common_order(list(parts.values()), scope.names)
    return Integer(Form(order, bool(ragged), Element.INTEGER), value, tuple(parts.items()))


def opposite(condition: Value) -> Value:
    """Where a condition does not hold."""
    return Map(condition.form, "not", (condition,))


def combine(body: Body, row: Elementwise, values: Sequence[Value], element: Element, scope: Scope) -> Value:
    """An elementwise operation on lowered operands."""
    if all(value.scalar for value in values) and row.scalar:
        return Map(number(element), row.name, tuple(values))
    if row.name == "to_real" and not values[0].scalar and values[0].element is Element.REAL:
        return values[0]
    operands = _guarded(row, _mixed(body, row, list(values)), scope)
    if row.random:
        operands[0] = _per_example(body, operands[0], scope)
    return Map(elementwise_form(operands, element, scope), row.name, tuple(operands))


def _mixed(body: Body, row: Elementwise, operands: list[Value]) -> list[Value]:
    """Numbers among the operands of a function of tensors become tensors, where it takes none."""
    is_mixed = not all(operand.scalar for operand in operands)
    if is_mixed and (row.is_operator or not operands[0].scalar and all(operand.scalar for operand in operands[1:])):
        return operands
    if is_mixed and row.name in ("maximum", "minimum"):
        return operands
    return [tensor(body, operand) for operand in operands]


def _guarded(row: Elementwise, operands: list[Value], scope: Scope) -> list[Value]:
    """Put a harmless value where the result of a partial operation is not wanted, so that no NaN gradient leaks."""
    if row.safe is None or operands[row.safe.operand].scalar:
        return operands
    operand = operands[row.safe.operand]
    harmless = constant(row.safe.value if operand.element is Element.REAL else int(row.safe.value))
    for guard in scope.guards:
        form = elementwise_form([operand, guard], operand.element, scope)
        operand = Where(form, guard, operand, harmless)
    return [operand if i == row.safe.operand else other for i, other in enumerate(operands)]


def _per_example(body: Body, value: Value, scope: Scope) -> Value:
    """The operand of a random operation, with the batch axes, so that each example draws for itself."""
    if value.batch or not body.module.batched:
        return value
    return full_value(body, value, value.axes, extents_of(body, value.axes, scope), batched=True)


def extents_of(body: Body, order: Sequence[str], scope: Scope) -> list[Value]:
    """The extents of axes of the scope."""
    found = {axis.name: axis.range for axis in scope.axes}
    return [body.count(found[name]) for name in order]


def full_value(body: Body, value: Value, order: tuple[str, ...], extents: list[Value], batched: bool) -> Value:
    """The value with every axis of `order` at full extent, and the batch axes where it is to be `batched`."""
    if value.scalar:
        return body.full(value, value.element, order, extents, batched)
    return expanded(value, order, extents, batched)


def with_axis(body: Body, value: Value, axis: str, scope: Scope) -> Value:
    """The value with that axis as a real dimension, last where it had none."""
    if axis in value.axes and not value.scalar:
        return value
    found = scope.axis(axis)
    if found is None:
        raise InternalError(f"{axis} is no axis of its own reduction")
    extent = body.count(found.range)
    if value.scalar:
        return body.full(value, value.element, (axis,), (extent,), batched=False)
    return expanded(value, (*value.axes, axis), [*[extent] * len(value.axes), extent], value.batch)


def lower_whole(body: Body, expr: Expr, order: Sequence[str], scope: Scope, batched: bool) -> Value:
    """The expression as a tensor with exactly these axes at full extent, and with the batch axes where it is to be `batched`."""
    return full_value(body, body.lower(expr, scope), tuple(order), extents_of(body, order, scope), batched)
