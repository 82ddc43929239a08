r"""Sums of products as contractions of two factors.

    sum(j: W[i, j] * x[t, j])          →   contract(j: x * W)
    sum(j: U[k, i, j] * x[t, j])       →   split(contract(j: x * merge(U)))
    sum(s: a[t, s] * v[s, i])          →   contract(s: a * v)
    sum(j: c * a[j] * b[j] * d[j])     →   c * contract(j: (a * b) * d)
    sum(j: U[i, j] * r[j] * h[j])      →   contract(j: (r * h) * U)

A product of two tensors that the summed axis joins is never formed; of more, those are multiplied first whose product is smallest.
Factors without that axis are pulled out of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from mathdsl.ir import nodes as ir
from mathdsl.ir.nodes import Apply, Element, Expr
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.traversal import free_names
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.ranges import rectangular
from mathdsl.tensors.lower.terms import Scope, common_order, constant
from mathdsl.tensors.values import Contract, Form, Merge, Owned, Reduce, Split, Value, Way


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
        case ir.Reduce(op="sum", axis=axis, body=inner, element=Element.REAL):
            a = factors(inner)
            joined, outside = _parted(a.above, axis.name)
            if not joined or not outside or any(axis.name in free_names(f) for f in a.below):
                return Product((expr,))
            rest: Expr = joined[0]
            for factor in joined[1:]:
                rest = Apply("mul", (rest, factor), Element.REAL)
            return replace(a, above=(*outside, replace(expr, body=rest)))
        case ir.Select(then=inner, otherwise=ir.Literal(value=value)) if not value and (own := own_part(expr)) is not None:
            a = factors(inner)
            axes = own.index.names
            padded = tuple(replace(expr, then=f) if axes & set(free_names(f)) else f for f in a.above)
            return replace(a, above=padded) if len(a.above) > 1 and padded != a.above and not a.below else Product((expr,))
        case _:
            return Product((expr,))


def lower_sum(body: Body, expr: ir.Reduce, scope: Scope) -> Value:
    """A real sum over one axis (and the sums directly inside it)."""
    expr = rectangular(expr, scope, body.module.ragged)
    split = _distributed(expr)
    if split is not None:
        return body.lower(split, scope)
    within = scope.inside(expr.axis)
    product = factors(expr.body)
    joined, outside = _parted(product.above, expr.axis.name)
    below_inside, below = _parted(product.below, expr.axis.name)
    values = [body.lower(factor, within) for factor in joined]
    if below_inside:
        values = _divided(body, values, below_inside, within)
    total = _contracted(body, values, expr.axis.name, within) if values else _repeated(body, expr)
    return _scaled(body, total, outside, below, product.negative, within)


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


def _repeated(body: Body, expr: ir.Reduce) -> Value:
    """A sum whose terms are all alike: their number."""
    extent = body.extent(expr.axis.range)
    return replace(extent, form=replace(extent.form, element=Element.REAL))


def _divided(body: Body, values: list[Value], below: Sequence[Expr], scope: Scope) -> list[Value]:
    """Divide the first factor by what stands under the line and depends on the summed axis."""
    numerator = values[0] if values else constant(1.0)
    for expr in below:
        divisor = body.lower(expr, scope)
        numerator = operands.combine(body, ELEMENTWISE["div"], [numerator, divisor], Element.REAL, scope)
    return [numerator, *values[1:]]


def _scaled(body: Body, total: Value, outside: Sequence[Expr], below: Sequence[Expr], negative: bool, scope: Scope) -> Value:
    """Multiply by the factors that the sum does not bind, and divide."""
    for factor in outside:
        if not (isinstance(factor, ir.Literal) and factor.value == 1):
            value = body.lower(factor, scope)
            total = operands.combine(body, ELEMENTWISE["mul"], [value, total], Element.REAL, scope)
    for factor in below:
        total = operands.combine(body, ELEMENTWISE["div"], [total, body.lower(factor, scope)], Element.REAL, scope)
    return operands.combine(body, ELEMENTWISE["neg"], [total], Element.REAL, scope) if negative else total


# ---- one contraction -----------------------------------------------------------------------------


def _contracted(body: Body, values: list[Value], axis: str, scope: Scope) -> Value:
    """The sum over `axis` of the product of tensors that have it (after numbers and tensors without it are set apart)."""
    loose = [value for value in values if value.scalar or axis not in value.axes]
    bound = [value for value in values if not value.scalar and axis in value.axes]
    if not bound:
        bound = [operands.with_axis(body, loose.pop() if loose else constant(1.0), axis, scope)]
    if len(bound) == 1:
        total: Value = Reduce(replace(bound[0].form, axes=_without(bound[0], axis)), "sum", bound[0], axis)
    else:
        a, b = _paired(body, bound, scope)
        linear = _linear(a, b, axis) or _linear(b, a, axis)
        flat = linear or _flat_linear(body, a, b, axis, scope) or _flat_linear(body, b, a, axis, scope)
        total = flat or _matmul(a, b, axis, scope) or _einsum(a, b, axis, scope)
    for value in loose:
        total = operands.combine(body, ELEMENTWISE["mul"], [value, total], Element.REAL, scope)
    return total


def _paired(body: Body, bound: Sequence[Value], scope: Scope) -> tuple[Value, Value]:
    """Two factors of the same product: as long as there are more, the two whose product is smallest are multiplied."""
    left = list(bound)
    while len(left) > 2:
        pairs = [(a, b) for a in range(len(left)) for b in range(a + 1, len(left))]
        first, second = min(pairs, key=lambda pair: _cost([left[place] for place in pair], scope))
        other = left.pop(second)
        left[first] = operands.combine(body, ELEMENTWISE["mul"], [left[first], other], Element.REAL, scope)
    return left[0], left[1]


def _cost(values: Sequence[Value], scope: Scope) -> tuple[int, int, int]:
    """How many elements the product has: its degree in all sizes (the batch is one), in its own axes, and the known factor."""
    extents = [axis.range.extent for axis in scope.axes if any(axis.name in value.axes for value in values)]
    degree = sum(extent.degree for extent in extents)
    return degree + any(value.batch for value in values), degree, prod(extent.constant or 1 for extent in extents)


def _without(value: Value, axis: str) -> tuple[str, ...]:
    return tuple(a for a in value.axes if a != axis)


def _linear(data: Value, weight: Value, axis: str) -> Contract | None:
    """`data` times an unbatched matrix or vector that shares no other axis with it."""
    if weight.batch or len(weight.axes) > 2 or set(weight.axes) & set(data.axes) != {axis}:
        return None
    if not data.batch and len(data.axes) == 1 and len(weight.axes) == 1:
        return Contract(Form((), False, Element.REAL), (weight, data), axis, Way.PRODUCT)
    form = Form((*_without(data, axis), *_without(weight, axis)), data.batch, Element.REAL)
    return Contract(form, (data, weight), axis, Way.LINEAR if len(weight.axes) == 2 and weight.axes[1] == axis else Way.PRODUCT)


def _flat_linear(body: Body, data: Value, weight: Value, axis: str, scope: Scope) -> Split | None:
    """`data` times an unbatched family of vectors (`U_{k, i}`): one matrix of them all, and their indices apart again."""
    if weight.batch or len(weight.axes) < 3 or weight.axes[-1] != axis or set(weight.axes) & set(data.axes) != {axis}:
        return None
    own, rest = weight.axes[:-1], _without(data, axis)
    merged = "*".join(own)
    matrix: Value = Merge(Form((merged, axis), False, Element.REAL), weight, 0, len(own) - 1)
    if body.loops and isinstance(weight, Owned):
        array = body.arrays[weight.array]
        wanted = f"{(array.name if '.' in array.name else array.python).replace('.', '_')}_flat"
        matrix = body.define_view(0, matrix, wanted, matrix)  # once, before the loops that use it
    product = Contract(Form((*rest, merged), data.batch, Element.REAL), (data, matrix), axis, Way.LINEAR)
    return Split(Form((*rest, *own), data.batch, Element.REAL), product, tuple(operands.extents_of(body, own, scope)))


def _matmul(left: Value, right: Value, axis: str, scope: Scope) -> Contract | None:
    """A (batched) matrix product: one axis of its own on each side, the others shared."""
    shared = scope.order(frozenset(left.axes) & frozenset(right.axes) - {axis})
    rows = [a for a in left.axes if a != axis and a not in shared]
    columns = [a for a in right.axes if a != axis and a not in shared]
    if len(rows) != 1 or len(columns) != 1:
        return None
    order = scope.order(frozenset((*rows, *columns)))
    if order.index(rows[0]) > order.index(columns[0]):
        return _matmul(right, left, axis, scope)
    form = Form((*shared, rows[0], columns[0]), left.batch or right.batch, Element.REAL)
    return Contract(form, (left, right), axis, Way.PRODUCT)


def _einsum(left: Value, right: Value, axis: str, scope: Scope) -> Contract:
    """Anything else."""
    axes = tuple(a for a in common_order((left, right), scope) if a != axis)
    return Contract(Form(axes, left.batch or right.batch, Element.REAL), (left, right), axis, Way.EINSUM)
