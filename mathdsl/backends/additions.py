r"""Additions: products take up what is added to them, and mixtures become one operation.

Before → after::

    sum(j: W[i, j] * x[j]) + b[i]              →   torch.nn.functional.linear(x, W, b)
    a[t, i] + sum(j: U[i, j] * h[t-1, j])      →   _linear(h_at[t - 1], U, a_at[t - 1])      in a loop
    g[i] * h[i] + (1 - g[i]) * u[i]            →   _lerp(u, h, g)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.contractions import LINEAR
from mathdsl.backends.python_ast import call, const, method, tuple_of
from mathdsl.backends.terms import Scope, Term, aligned, common_order
from mathdsl.ir.nodes import Apply, Element, Expr, Literal
from mathdsl.ir.traversal import walk
from mathdsl.ops import ELEMENTWISE


def lower_addition(body: Body, expr: Apply, scope: Scope) -> Term:
    """A chain of additions."""
    addends = _with_addend(body, _with_bias(_lowered(body, _addends(expr, expr.element), scope)))
    total = addends[0]
    for addend in addends[1:]:
        total = expressions.combine(body, ELEMENTWISE["add"], [total, addend], expr.element, scope)
    return total


def _addends(expr: Expr, element: Element) -> list[Expr]:
    match expr:
        case Apply(op="add", arguments=(left, right)) if expr.element is element:
            return [*_addends(left, element), *_addends(right, element)]
        case _:
            return [expr]


def _lowered(body: Body, exprs: Sequence[Expr], scope: Scope) -> list[Term]:
    """The addends; two that mix two tensors by a weight are one."""
    for i, first in enumerate(exprs):
        for j in range(i + 1, len(exprs)):
            mixed = _mixture(body, first, exprs[j], scope)
            if mixed is not None:
                rest = _lowered(body, [*exprs[i + 1 : j], *exprs[j + 1 :]], scope)
                return [*(expressions.lower(body, expr, scope) for expr in exprs[:i]), mixed, *rest]
    return [expressions.lower(body, expr, scope) for expr in exprs]


# ---- mixtures ------------------------------------------------------------------------------------


def _mixture(body: Body, left: Expr, right: Expr, scope: Scope) -> Term | None:
    """`g * end + (1 - g) * start`, factors and addends in any order."""
    for first, second in ((left, right), (right, left)):
        for weight, end in _pairs(first):
            for opposite, start in _pairs(second):
                if _complement(opposite) == weight and not _is_random(weight):
                    terms = [expressions.lower(body, part, scope) for part in (start, end, weight)]
                    if any(term.scalar for term in terms):
                        return None
                    order = common_order(terms, scope)
                    node = call(body.helper("_lerp"), *(aligned(term, order) for term in terms))
                    return Term(node, order, any(term.batch for term in terms), Element.REAL)
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
        case Apply(op="sub", arguments=(Literal(value=1.0), weight), element=Element.REAL):
            return weight
        case _:
            return None


def _is_random(expr: Expr) -> bool:
    return any(isinstance(node, Apply) and ELEMENTWISE[node.op].random for node in walk(expr))


# ---- products ------------------------------------------------------------------------------------


def _with_bias(addends: list[Term]) -> list[Term]:
    """An unbatched vector among the addends becomes the bias of a product; so does a family of vectors, of a flat product."""
    for i, product in enumerate(addends):
        flat = _flat_product(product)
        own = product.axes[-1:] if flat is None else product.axes[-len(flat.sizes) :]
        if flat is not None or _is_product(product):
            for j, bias in enumerate(addends):
                if j == i or bias.batch or bias.scalar or bias.axes != own or bias.element is not Element.REAL:
                    continue
                if flat is None:
                    return _taken(addends, i, j, LINEAR)
                node = method(bias.node, "flatten")
                joined = replace(product, node=flat.unflattened(call(LINEAR, *flat.product.args, node)))
                return [joined if k == i else addend for k, addend in enumerate(addends) if k != j]
    return addends


def _with_addend(body: Body, addends: list[Term]) -> list[Term]:
    """In a loop, where each operation counts, a value that is there already is added by the product itself."""
    if not body.loops:
        return addends
    for i, product in enumerate(addends):
        if _is_product(product):
            for j, addend in enumerate(addends):
                is_there = isinstance(addend.node, ast.Name | ast.Subscript | ast.Attribute) and not addend.scalar
                if is_there and (addend.axes, addend.batch, addend.element) == (product.axes, product.batch, Element.REAL):
                    return _taken(addends, i, j, body.helper("_linear"))
    return addends


@dataclass(frozen=True, slots=True)
class _Flat:
    """`torch.unflatten(product, -1, sizes)` of a `linear` without a bias."""

    product: ast.Call
    sizes: tuple[ast.expr, ...]

    def unflattened(self, product: ast.expr) -> ast.expr:
        """Another product with its indices apart again."""
        return call("torch.unflatten", product, const(-1), tuple_of(self.sizes))


def _flat_product(term: Term) -> _Flat | None:
    match term.node:
        case ast.Call(func=ast.Attribute(attr="unflatten"), args=[ast.Call() as product, _, ast.Tuple(elts=sizes)]):
            return _Flat(product, tuple(sizes)) if _is_product(replace(term, node=product)) else None
        case _:
            return None


def _is_product(term: Term) -> bool:
    """Whether it is a `linear` without a bias."""
    return isinstance(term.node, ast.Call) and len(term.node.args) == 2 and ast.unparse(term.node.func) == LINEAR


def _taken(addends: list[Term], i: int, j: int, function: str) -> list[Term]:
    """Product `i` made by `function`, which takes addend `j` along."""
    product = addends[i]
    assert isinstance(product.node, ast.Call)
    joined = replace(product, node=call(function, *product.node.args, addends[j].node))
    return [joined if k == i else addend for k, addend in enumerate(addends) if k != j]
