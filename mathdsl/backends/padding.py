"""`Padded` values: the body inside each example's own part of an axis, the fill outside; nothing without lengths."""

from __future__ import annotations

import ast
from dataclasses import replace

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, const, fmt
from mathdsl.backends.terms import Inside, Scope, Term, aligned, common_order, expanded
from mathdsl.ir.nodes import Axis, Padded
from mathdsl.ir.sizes import Poly


def lower_padded(body: Body, expr: Padded, scope: Scope) -> Term:
    """The value with `fill` where `index > bound`."""
    if not body.is_ragged(expr.size):
        return expressions.lower(body, expr.body, scope)
    axis, extra = valid_part(expr, scope)
    if axis is not None:
        inner_scope = scope.guarded(Inside(axis.name, body.own(expr.size), extra))
        value = expressions.tensor(body, expressions.lower(body, expr.body, inner_scope))
        value = expressions.with_axis(body, value, axis.name, scope)
        fill = expressions.lower(body, expr.fill, scope)
        return inside(body, value, axis.name, body.own(expr.size), extra, fill, scope)
    return _general(body, expr, scope)


def valid_part(expr: Padded, scope: Scope) -> tuple[Axis | None, int]:
    """The axis whose first `own size + extra` points are inside, where it is that simple."""
    rest = expr.bound - expr.index - Poly.of(expr.size)
    for axis in scope.axes:
        if rest.coefficient(axis.name) == Poly.of(-1):
            extra = (rest + axis.name - axis.range.lower + 1).constant
            if extra is not None:
                return axis, extra
    return None, 0


def inside(body: Body, term: Term, axis: str, own: ast.expr, extra: int, fill: Term | ast.expr, scope: Scope) -> Term:
    """The tensor with `fill` from each example's own end on along the axis."""
    if isinstance(fill, Term):
        order = common_order([term, fill], scope)
        value = aligned(fill, order)
    else:
        order, value = term.axes, fill
    extents = expressions.extents_of(body, order, scope)
    node = expanded(body, term, order, extents, batched=True)
    dim = order.index(axis) - len(order)
    arguments = [node, own, const(dim), value]
    if extra:
        arguments.append(const(extra))
    return replace(term, node=call(body.helper("_fill"), *arguments), axes=order, batch=True)


def _general(body: Body, expr: Padded, scope: Scope) -> Term:
    """Any other condition is compared point by point (in a loop: the loop's index with each example's own size)."""
    value = expressions.tensor(body, expressions.lower(body, expr.body, scope))
    fill = expressions.lower(body, expr.fill, scope)
    own = body.own(expr.size)
    rest = expr.bound - expr.index
    factor = rest.coefficient(expr.size)
    if factor == Poly.of(1) and not scope.order(rest.names):
        # one comparison for the whole step of a loop: own >= threshold
        threshold = body.poly(Poly.of(expr.size) - rest)
        order = common_order([value, fill], scope)
        node = expanded(body, value, order, expressions.extents_of(body, order, scope), batched=True)
        node = call(body.helper("_keep"), node, own, threshold, aligned(fill, order))
        return Term(node, order, True, expr.element)
    room = expressions.lower_index(body, rest, scope)
    order = common_order([value, room, fill], scope)
    mask = fmt("{0} >= 0", aligned(room, order))
    node = call("torch.where", mask, aligned(value, order), aligned(fill, order))
    return Term(node, order, True, expr.element)
