"""Expressions of the IR to values over whole tensors."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from mathdsl.ir import nodes as ir
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import Element, Expr
from mathdsl.ir.own_parts import own_part
from mathdsl.ops import ELEMENTWISE, REDUCTIONS
from mathdsl.tensors.lower import contractions, reads
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.operands import combine, extents_of, full_value, lower_index, opposite, tensor, with_axis
from mathdsl.tensors.lower.padding import lower_padded
from mathdsl.tensors.lower.ranges import depends_on_dimensions, mean_as_sum, rectangular, rectangular_along
from mathdsl.tensors.lower.terms import Scope, elementwise_form
from mathdsl.tensors.values import Along, Choose, Constant, Form, Map, Nonempty, Reduce, Setting, Value, Where, number


def lower(body: Body, expr: Expr, scope: Scope) -> Value:
    """The expression with the axes of the scope as tensor dimensions, where it depends on them."""
    match expr:
        case ir.Literal(value=value):
            return Constant(number(expr.element), value)
        case ir.Setting(name=setting, element=element):
            return Setting(number(element), setting)
        case ir.IndexValue(value=value):
            return lower_index(body, value, scope)
        case ir.Read():
            return reads.lower_read(body, expr, scope)
        case ir.Apply():
            return _apply(body, expr, scope)
        case ir.Reduce(op="sum", element=Element.REAL):
            return contractions.lower_sum(body, expr, scope)
        case ir.Reduce():
            return _reduce(body, expr, scope)
        case ir.Along():
            return _along(body, expr, scope)
        case ir.Select():
            own = own_part(expr)
            return _select(body, expr, scope) if own is None else lower_padded(body, expr, own, scope)
        case _:
            assert_never(expr)


# ---- elementwise operations ----------------------------------------------------------------------


def _apply(body: Body, expr: ir.Apply, scope: Scope) -> Value:
    row = ELEMENTWISE[expr.op]
    if expr.op in ("and", "or"):
        left, right = expr.arguments
        values = [condition := lower(body, left, scope)]
        guard = condition if expr.op == "and" else opposite(condition)
        values.append(lower(body, right, scope if condition.scalar else scope.guarded(guard, left)))
    else:
        values = [lower(body, argument, scope) for argument in expr.arguments]
    return combine(body, row, values, expr.element, scope)


# ---- whole axes ----------------------------------------------------------------------------------


def _reduce(body: Body, expr: ir.Reduce, scope: Scope) -> Value:
    row = REDUCTIONS[expr.op]
    bounds = expr.axis.range
    if row.divides_by_extent and depends_on_dimensions(bounds, scope):
        return lower(body, mean_as_sum(expr, body.module.ragged), scope)
    expr = rectangular(expr, scope, body.module.ragged)
    axis = expr.axis.name
    inner = with_axis(body, lower(body, expr.body, scope.inside(expr.axis)), axis, scope.inside(expr.axis))
    if row.of_nothing is None and not body.known_positive(expr.axis.range.extent):
        is_unwanted = bool(scope.guards) or expr.axis.range != bounds or _is_wanted_of_some(body, expr, scope)
        inner = Nonempty(inner.form, inner, axis, None if is_unwanted else _range_text(expr))  # else a check has said so
    form = Form(tuple(a for a in inner.axes if a != axis), inner.batch, expr.element)
    value: Value = Reduce(form, expr.op, inner, axis)
    if row.is_position and expr.axis.range.lower.constant != 0:
        value = Map(form, "add", (value, body.poly(expr.axis.range.lower)))
    return value


def _is_wanted_of_some(body: Body, expr: ir.Reduce, scope: Scope) -> bool:
    """Whether there is something to reduce wherever there is a point around (`max(s in 1..S: …)` for `t` in `1..S`)."""
    return body.facts_of_any_size.inside(scope.axes).proves_nonnegative(expr.axis.range.extent - 1)


def _range_text(expr: ir.Reduce) -> str:
    return f"the {expr.op} over {index_letter(expr.axis.name)} = {expr.axis.range.lower}, ..., {expr.axis.range.upper} of nothing"


def _along(body: Body, expr: ir.Along, scope: Scope) -> Value:
    expr = rectangular_along(expr, scope, body.module.ragged)
    within = scope.inside(expr.axis)
    inner = with_axis(body, lower(body, expr.body, within), expr.axis.name, within)
    result = Along(replace(inner.form, element=expr.element), expr.op, inner, expr.axis.name)
    return reads.read_axis(body, result, expr.axis.range, expr.at, scope)


# ---- selection -----------------------------------------------------------------------------------


def _select(body: Body, expr: ir.Select, scope: Scope) -> Value:
    condition = lower(body, expr.condition, scope)
    if condition.scalar:
        return _conditional(body, expr, condition, scope)
    then = lower(body, expr.then, scope.guarded(condition, expr.condition))
    otherwise = lower(body, expr.otherwise, scope.guarded(opposite(condition), expr.condition))
    if then.scalar and otherwise.scalar:  # else a default real type would be taken
        then = tensor(body, then)
    return Where(elementwise_form([condition, then, otherwise], expr.element, scope), condition, then, otherwise)


def _conditional(body: Body, expr: ir.Select, condition: Value, scope: Scope) -> Value:
    """A condition on sizes, settings and loop indices alone is a branch; the other one is not evaluated."""
    then, otherwise = lower(body, expr.then, scope), lower(body, expr.otherwise, scope)
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    if then.scalar and otherwise.scalar:
        return Choose(number(expr.element), condition, then, otherwise)
    order = scope.order(frozenset((*then.axes, *otherwise.axes)))
    extents = extents_of(body, order, scope)
    batched = then.batch or otherwise.batch
    then, otherwise = (full_value(body, value, order, extents, batched) for value in (then, otherwise))
    return Choose(Form(order, batched, expr.element), condition, then, otherwise)
