r"""Sums of products: contractions of as many factors as there are.

    sum(j: W[i, j] * x[t, j])          →   contract(j: W * x)
    sum(j: c * a[j] * b[j] / d[j])     →   contract(j: c * (a / d) * b)
    sum(j: a[j] * b[j] + e[j]) / s     →   (contract(j: a * b) + contract(j: e)) / s

How they are computed is decided later, by `plan_contractions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.ir import nodes as ir
from mathdsl.ir.nodes import Apply, Element, Expr
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.traversal import free_names
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.ranges import rectangular
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.values import Contract, Form, Value


@dataclass(frozen=True, slots=True)
class Product:
    """Factors above and below the line, and a sign."""

    above: tuple[Expr, ...]
    below: tuple[Expr, ...] = ()
    negative: bool = False


def factors(expr: Expr) -> Product:
    """The product as a flat list."""
    match expr:
        case Apply(op="mul", arguments=(left, right), element=Element.REAL):
            a, b = factors(left), factors(right)
            return Product((*a.above, *b.above), (*a.below, *b.below), a.negative != b.negative)
        case Apply(op="div", arguments=(left, right)):
            a = factors(left)
            return replace(a, below=(*a.below, right))
        case Apply(op="neg", arguments=(inner,), element=Element.REAL):
            a = factors(inner)
            return replace(a, negative=not a.negative)
        case ir.Select(then=inner, otherwise=ir.Literal(value=value)) if not value and (own := own_part(expr)) is not None:
            a = factors(inner)
            axes = own.index.names
            padded = tuple(replace(expr, then=f) if axes & set(free_names(f)) else f for f in a.above)
            return replace(a, above=padded) if len(a.above) > 1 and padded != a.above and not a.below else Product((expr,))
        case _:
            return Product((expr,))


def lower_sum(body: Body, expr: ir.Reduce, scope: Scope) -> Value:
    """A real sum over one axis."""
    expr = rectangular(expr, scope, body.module.ragged)
    split = _distributed(expr)
    if split is not None:
        return body.lower(split, scope)
    within = scope.inside(expr.axis)
    product = factors(expr.body)
    below_inside, below = _parted(product.below, expr.axis.name)
    above = [factor for factor in product.above if not (isinstance(factor, ir.Literal) and factor.value == 1)]
    values = [body.lower(factor, within) for factor in above]
    for factor in below_inside:
        _divide(body, values, body.lower(factor, within), within)
    if not any(expr.axis.name in value.axes for value in values):  # all terms are alike
        extent = body.extent(expr.axis.range)
        values.append(replace(extent, form=replace(extent.form, element=Element.REAL)))
    total = _total(body, values, within)
    for factor in below:
        total = operands.combine(body, ELEMENTWISE["div"], [total, body.lower(factor, within)], Element.REAL, within)
    return operands.combine(body, ELEMENTWISE["neg"], [total], Element.REAL, within) if product.negative else total


def _parted(exprs: Sequence[Expr], axis: str) -> tuple[list[Expr], list[Expr]]:
    """Those that depend on the axis, and the others."""
    inside = [axis in free_names(expr) for expr in exprs]
    return [e for e, is_in in zip(exprs, inside) if is_in], [e for e, is_in in zip(exprs, inside) if not is_in]


def _distributed(expr: ir.Reduce) -> Expr | None:
    """A sum of a sum or difference, one of whose parts is a product to contract, as the sum or difference of sums."""
    match expr.body:
        case Apply(op="add" | "sub" as op, arguments=(left, right)):
            joined = [sum(expr.axis.name in free_names(f) for f in factors(side).above) for side in (left, right)]
            if max(joined) > 1:
                return Apply(op, (replace(expr, body=left), replace(expr, body=right)), expr.element)
    return None


def _divide(body: Body, values: list[Value], divisor: Value, scope: Scope) -> None:
    """Divide that factor with the innermost axis by what stands under the line which gets fewest axes by it."""
    *_, summed = scope.axes
    bound = [place for place, value in enumerate(values) if summed.name in value.axes]
    if not bound:
        bound = [len(values)]
        values.append(constant(1.0))
    place = min(bound, key=lambda place: len({*values[place].axes, *divisor.axes}))
    values[place] = operands.combine(body, ELEMENTWISE["div"], [values[place], divisor], Element.REAL, scope)


def _total(body: Body, values: Sequence[Value], scope: Scope) -> Value:
    """The sum over the innermost axis of the product; the product alone where no factor has that axis."""
    *_, summed = scope.axes
    if any(summed.name in value.axes for value in values):
        over = tuple(axis for axis in scope.axes if any(axis.name in value.axes for value in values))
        kept = tuple(axis.name for axis in over if axis is not summed)
        return Contract(Form(kept, any(value.batch for value in values), Element.REAL), tuple(values), over)
    total = values[0]
    for value in values[1:]:
        total = operands.combine(body, ELEMENTWISE["mul"], [value, total], Element.REAL, scope)
    return total
