r"""Additions: products take up what is added to them, and mixtures become one operation.

Before → after::

    sum(j: W[i, j] * x[j]) + b[i]              →   contract(j: x * W, + b)
    a[t, i] + sum(j: U[i, j] * h[t-1, j])      →   contract(j: h_at[t - 1] * U, + a_at[t - 1])      in a loop
    g[i] * h[i] + (1 - g[i]) * u[i]            →   mix(u, h, g)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.ir import nodes as ir
from mathdsl.ir.nodes import Apply, Element, Expr
from mathdsl.ir.traversal import walk
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.terms import Scope, elementwise_form
from mathdsl.tensors.values import At, Contract, Form, Local, Merge, Mix, Owned, Permute, Slice, Split, Value, Way


def lower_addition(body: Body, expr: Apply, scope: Scope) -> Value:
    """A chain of additions."""
    addends = _with_addend(body, _with_bias(_lowered(body, _addends(expr, expr.element), scope)))
    total = addends[0]
    for addend in addends[1:]:
        total = operands.combine(body, ELEMENTWISE["add"], [total, addend], expr.element, scope)
    return total


def _addends(expr: Expr, element: Element) -> list[Expr]:
    match expr:
        case Apply(op="add", arguments=(left, right)) if expr.element is element:
            return [*_addends(left, element), *_addends(right, element)]
        case _:
            return [expr]


def _lowered(body: Body, exprs: Sequence[Expr], scope: Scope) -> list[Value]:
    """The addends; two that mix two tensors by a weight are one."""
    for i, first in enumerate(exprs):
        for j in range(i + 1, len(exprs)):
            mixed = _mixture(body, first, exprs[j], scope)
            if mixed is not None:
                rest = _lowered(body, [*exprs[i + 1 : j], *exprs[j + 1 :]], scope)
                return [*(body.lower(expr, scope) for expr in exprs[:i]), mixed, *rest]
    return [body.lower(expr, scope) for expr in exprs]


# ---- mixtures ------------------------------------------------------------------------------------


def _mixture(body: Body, left: Expr, right: Expr, scope: Scope) -> Value | None:
    """`g * end + (1 - g) * start`, factors and addends in any order."""
    for first, second in ((left, right), (right, left)):
        for weight, end in _pairs(first):
            for opposite, start in _pairs(second):
                if _complement(opposite) == weight and not _is_random(weight):
                    parts = [body.lower(part, scope) for part in (start, end, weight)]
                    if any(part.scalar for part in parts):
                        return None
                    return Mix(elementwise_form(parts, Element.REAL, scope), *parts)
    return None


def _pairs(expr: Expr) -> tuple[tuple[Expr, Expr], ...]:
    """A product's two factors, in both orders."""
    match expr:
        case Apply(op="mul", arguments=(left, right), element=Element.REAL):
            return (left, right), (right, left)
        case _:
            return ()


def _complement(expr: Expr) -> Expr | None:
    """The `g` of `1 - g`."""
    match expr:
        case Apply(op="sub", arguments=(ir.Literal(value=1.0), weight), element=Element.REAL):
            return weight
        case _:
            return None


def _is_random(expr: Expr) -> bool:
    return any(isinstance(node, Apply) and ELEMENTWISE[node.op].random for node in walk(expr))


# ---- products ------------------------------------------------------------------------------------


def _with_bias(addends: list[Value]) -> list[Value]:
    """An unbatched vector among the addends becomes the bias of a product; so does a family of vectors, of a split product."""
    for i, value in enumerate(addends):
        product = _product(value)
        if product is None:
            continue
        own = value.axes[len(product.axes) - 1 :]
        for j, bias in enumerate(addends):
            if j == i or bias.batch or bias.scalar or bias.axes != own or bias.element is not Element.REAL:
                continue
            if not isinstance(value, Split):
                return _taken(addends, i, j, replace(product, addend=bias))
            flat = Merge(Form(product.axes[-1:], False, Element.REAL), bias, 0, len(own) - 1)
            return _taken(addends, i, j, replace(value, value=replace(product, addend=flat)))
    return addends


def _with_addend(body: Body, addends: list[Value]) -> list[Value]:
    """In a loop, where each operation counts, a value that is there already is added by the product itself."""
    if not body.loops:
        return addends
    for i, value in enumerate(addends):
        product = None if isinstance(value, Split) else _product(value)
        if product is not None:
            for j, addend in enumerate(addends):
                is_there = isinstance(addend, Local | At | Slice | Owned | Permute) and not addend.scalar
                if is_there and addend.form == product.form:
                    return _taken(addends, i, j, replace(product, addend=addend))
    return addends


def _product(value: Value) -> Contract | None:
    """The linear map that an addend is, or is split from, if nothing is added to it yet."""
    inner = value.value if isinstance(value, Split) else value
    return inner if isinstance(inner, Contract) and inner.way is Way.LINEAR and inner.addend is None else None


def _taken(addends: list[Value], i: int, j: int, joined: Value) -> list[Value]:
    """The addends with `joined` for addend `i`, which takes addend `j` along."""
    return [joined if k == i else addend for k, addend in enumerate(addends) if k != j]
