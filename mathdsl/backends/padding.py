"""`Padded` values: the body inside each example's own part of an axis, the fill outside; nothing without lengths."""

from __future__ import annotations

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, const, fmt
from mathdsl.backends.terms import Scope, Term, aligned, common_order, expanded
from mathdsl.ir.nodes import Axis, Padded
from mathdsl.ir.sizes import Poly


def lower_padded(body: Body, expr: Padded, scope: Scope) -> Term:
    """The value with `fill` where `index > bound`."""
    if not body.is_ragged(expr.size):
        return expressions.lower(body, expr.body, scope)
    axis, extra = valid_part(body, expr, scope)
    value = expressions.tensor(body, expressions.lower(body, expr.body, scope))
    fill = expressions.lower(body, expr.fill, scope)
    if axis is None:
        return _compared(body, expr, value, fill, scope)
    value = expressions.with_axis(body, value, axis.name, scope)
    order = common_order([value, fill], scope)
    node = expanded(body, value, order, expressions.extents_of(body, order, scope), batched=True)
    dim = order.index(axis.name) - len(order)
    arguments = [node, body.own(expr.size), const(dim), aligned(fill, order)]
    if extra.terms:
        arguments.append(body.poly(extra))
    return Term(call(body.helper("_fill"), *arguments), order, True, expr.element)


def valid_part(body: Body, expr: Padded, scope: Scope) -> tuple[Axis | None, Poly]:
    """The axis whose first `own size + extra` points are inside, where it is that simple."""
    rest = expr.bound - expr.index - Poly.of(expr.size)
    for axis in scope.axes:
        if rest.coefficient(axis.name) == Poly.of(-1):
            extra = rest + axis.name - axis.range.lower + 1
            if not scope.order(extra.names) and not body.ragged_in(extra):
                return axis, extra
    return None, Poly(())


def _compared(body: Body, expr: Padded, value: Term, fill: Term, scope: Scope) -> Term:
    """Any other condition: in a loop, the loop's index with each example's own size; else point by point."""
    rest = expr.bound - expr.index
    if rest.coefficient(expr.size) == Poly.of(1) and not scope.order(rest.names):
        least = body.poly(Poly.of(expr.size) - rest)
        order = common_order([value, fill], scope)
        node = expanded(body, value, order, expressions.extents_of(body, order, scope), batched=True)
        if expr.index.names <= body.sizes.keys():  # a first point, as of a range that has none in some examples
            arguments = [node, body.own(expr.size), body.size(expr.size), least, aligned(fill, order)]
            return Term(call(body.helper("_where_any"), *arguments), order, True, expr.element)
        return Term(call(body.helper("_keep"), node, body.own(expr.size), least, aligned(fill, order)), order, True, expr.element)
    room = expressions.lower_index(body, rest, scope)
    order = common_order([value, room, fill], scope)
    mask = fmt("{0} >= 0", aligned(room, order))
    return Term(call("torch.where", mask, aligned(value, order), aligned(fill, order)), order, True, expr.element)
