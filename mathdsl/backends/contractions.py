r"""Sums of products as contractions: `linear`, `@`, `einsum`.

    sum(j: W[i, j] * x[t, j])          →   torch.nn.functional.linear(x, W)
    sum(j: U[k, i, j] * x[t, j])       →   torch.unflatten(torch.nn.functional.linear(x, U.flatten(0, -2)), -1, (n, d))
    sum(s: a[t, s] * v[s, i])          →   a @ v
    sum(j: c * a[j] * b[j] * d[j])     →   c * (a * b @ d)
    sum(j: U[i, j] * r[j] * h[j])      →   torch.nn.functional.linear(r * h, U)

A product of two tensors that the summed axis joins is never formed; of more, those are multiplied first whose product is smallest.
Factors without that axis are pulled out of the sum.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, const, fmt, method, name, tuple_of
from mathdsl.backends.ranges import rectangular
from mathdsl.backends.terms import Scope, Term, common_order, permuted
from mathdsl.ir.nodes import Apply, Element, Expr, Literal, Padded, Reduce
from mathdsl.ir.traversal import free_names
from mathdsl.ops import ELEMENTWISE

LINEAR = "torch.nn.functional.linear"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
        case Reduce(op="sum", axis=axis, body=inner, element=Element.REAL):
            a = factors(inner)
            joined, outside = _parted(a.above, axis.name)
            if not joined or not outside or any(axis.name in free_names(f) for f in a.below):
                return Product((expr,))
            rest: Expr = joined[0]
            for factor in joined[1:]:
                rest = Apply("mul", (rest, factor), Element.REAL)
            return replace(a, above=(*outside, replace(expr, body=rest)))
        case Padded(body=inner, fill=Literal(value=value)) if not value:
            a = factors(inner)
            axes = expr.index.names
            padded = tuple(replace(expr, body=f) if axes & set(free_names(f)) else f for f in a.above)
            return replace(a, above=padded) if len(a.above) > 1 and padded != a.above and not a.below else Product((expr,))
        case _:
            return Product((expr,))


def lower_sum(body: Body, expr: Reduce, scope: Scope) -> Term:
    """A real sum over one axis (and the sums directly inside it)."""
    expr = rectangular(expr, scope)
    split = _distributed(expr)
    if split is not None:
        return expressions.lower(body, split, scope)
    within = scope.inside(expr.axis)
    product = factors(expr.body)
    joined, outside = _parted(product.above, expr.axis.name)
    below_inside, below = _parted(product.below, expr.axis.name)
    terms = [expressions.lower(body, factor, within) for factor in joined]
    if below_inside:
        terms = _divided(body, terms, below_inside, within)
    total = _contracted(body, terms, expr.axis.name, within) if terms else _repeated(body, expr)
    return _scaled(body, total, outside, below, product.negative, within)


def _parted(exprs: Sequence[Expr], axis: str) -> tuple[list[Expr], list[Expr]]:
    """Those that depend on the axis, and the others."""
    inside = [axis in free_names(expr) for expr in exprs]
    return [e for e, is_in in zip(exprs, inside) if is_in], [e for e, is_in in zip(exprs, inside) if not is_in]


def _distributed(expr: Reduce) -> Expr | None:
    """A sum of a sum or difference, one of whose parts is a product to contract, as the sum or difference of sums."""
    match expr.body:
        case Apply(op="add" | "sub" as op, arguments=(left, right)):
            joined = [sum(expr.axis.name in free_names(f) for f in factors(side).above) for side in (left, right)]
            if max(joined) > 1:
                return Apply(op, (replace(expr, body=left), replace(expr, body=right)), expr.element)
    return None


def _repeated(body: Body, expr: Reduce) -> Term:
    """A sum whose terms are all alike: their number."""
    return Term(body.extent(expr.axis.range), (), False, Element.REAL, scalar=True)


def _divided(body: Body, terms: list[Term], below: Sequence[Expr], scope: Scope) -> list[Term]:
    """Divide the first factor by what stands under the line and depends on the summed axis."""
    numerator = terms[0] if terms else Term(const(1.0), (), False, Element.REAL, scalar=True)
    for expr in below:
        divisor = expressions.lower(body, expr, scope)
        numerator = expressions.combine(body, ELEMENTWISE["div"], [numerator, divisor], Element.REAL, scope)
    return [numerator, *terms[1:]]


def _scaled(body: Body, total: Term, outside: Sequence[Expr], below: Sequence[Expr], negative: bool, scope: Scope) -> Term:
    """Multiply by the factors that the sum does not bind, and divide."""
    for factor in outside:
        if not (isinstance(factor, Literal) and factor.value == 1):
            term = expressions.lower(body, factor, scope)
            total = expressions.combine(body, ELEMENTWISE["mul"], [term, total], Element.REAL, scope)
    for factor in below:
        total = expressions.combine(body, ELEMENTWISE["div"], [total, expressions.lower(body, factor, scope)], Element.REAL, scope)
    return expressions.combine(body, ELEMENTWISE["neg"], [total], Element.REAL, scope) if negative else total


# ---- one contraction -----------------------------------------------------------------------------


def _contracted(body: Body, terms: list[Term], axis: str, scope: Scope) -> Term:
    """The sum over `axis` of the product of tensors that have it (after numbers and tensors without it are set apart)."""
    loose = [term for term in terms if term.scalar or axis not in term.axes]
    bound = [term for term in terms if not term.scalar and axis in term.axes]
    if not bound:
        extended = expressions.with_axis(body, loose.pop() if loose else _one(), axis, scope)
        bound = [extended]
    if len(bound) == 1:
        total = _summed(bound[0], axis)
    else:
        a, b = _paired(body, bound, scope)
        product = _linear(a, b, axis) or _linear(b, a, axis)
        product = product or _flat_linear(body, a, b, axis, scope) or _flat_linear(body, b, a, axis, scope)
        total = product or _matmul(a, b, axis, scope) or _einsum((a, b), axis, scope)
    for term in loose:
        total = expressions.combine(body, ELEMENTWISE["mul"], [term, total], Element.REAL, scope)
    return total


def _paired(body: Body, factors: Sequence[Term], scope: Scope) -> tuple[Term, Term]:
    """Two factors of the same product: as long as there are more, the two whose product is smallest are multiplied."""
    waiting = list(factors)
    while len(waiting) > 2:
        pairs = [(a, b) for a in range(len(waiting)) for b in range(a + 1, len(waiting))]
        first, second = min(pairs, key=lambda pair: _cost([waiting[place] for place in pair], scope))
        other = waiting.pop(second)
        waiting[first] = expressions.combine(body, ELEMENTWISE["mul"], [waiting[first], other], Element.REAL, scope)
    return waiting[0], waiting[1]


def _cost(terms: Sequence[Term], scope: Scope) -> tuple[int, int, int]:
    """How many elements the product has: its degree in all sizes (the batch is one), in its own axes, and the known factor."""
    extents = [axis.range.extent for axis in scope.axes if any(axis.name in term.axes for term in terms)]
    degree = sum(extent.degree for extent in extents)
    return degree + any(term.batch for term in terms), degree, prod(extent.constant or 1 for extent in extents)


def _one() -> Term:
    return Term(const(1.0), (), False, Element.REAL, scalar=True)


def _summed(term: Term, axis: str) -> Term:
    dim = term.axes.index(axis) - len(term.axes)
    return replace(term, node=fmt("{0}.sum({1})", term.node, const(dim)), axes=tuple(a for a in term.axes if a != axis))


def _linear(data: Term, weight: Term, axis: str) -> Term | None:
    """`data` times an unbatched matrix or vector that shares no other axis with it."""
    if weight.batch or len(weight.axes) > 2 or set(weight.axes) & set(data.axes) != {axis}:
        return None
    if not data.batch and len(data.axes) == 1 and len(weight.axes) == 1:
        return Term(fmt("{0} @ {1}", weight.node, data.node), (), False, Element.REAL)
    rest = tuple(a for a in data.axes if a != axis)
    moved = permuted(data, (*rest, axis))
    if len(weight.axes) == 1:
        return Term(fmt("{0} @ {1}", moved.node, weight.node), rest, data.batch, Element.REAL)
    (out,) = (a for a in weight.axes if a != axis)
    if weight.axes[0] == axis:
        return Term(fmt("{0} @ {1}", moved.node, weight.node), (*rest, out), data.batch, Element.REAL)
    return Term(call(LINEAR, moved.node, weight.node), (*rest, out), data.batch, Element.REAL)


def _flat_linear(body: Body, data: Term, weight: Term, axis: str, scope: Scope) -> Term | None:
    """`data` times an unbatched family of vectors (`U_{k, i}`): one matrix of them all, and their indices apart again."""
    if weight.batch or len(weight.axes) < 3 or weight.axes[-1] != axis or set(weight.axes) & set(data.axes) != {axis}:
        return None
    own = weight.axes[:-1]
    rest = tuple(a for a in data.axes if a != axis)
    product = call(LINEAR, permuted(data, (*rest, axis)).node, _flat(body, weight.node))
    extents = tuple_of(expressions.extents_of(body, own, scope))
    return Term(call("torch.unflatten", product, const(-1), extents), (*rest, *own), data.batch, Element.REAL)


def _flat(body: Body, weight: ast.expr) -> ast.expr:
    """The vectors of a family as the rows of one matrix; of a parameter, before the loops that use it."""
    node = method(weight, "flatten", const(0), const(-2))
    path = ast.unparse(weight)
    if not body.loops or not isinstance(weight, ast.Attribute) or not path.startswith("self."):
        return node
    return name(body.define_view(0, f"flat {path}", f"{path.removeprefix('self.').replace('.', '_')}_flat", node))


def _matmul(left: Term, right: Term, axis: str, scope: Scope) -> Term | None:
    """A (batched) matrix product: one axis of its own on each side, the others shared."""
    shared = scope.order(frozenset(left.axes) & frozenset(right.axes) - {axis})
    rows = [a for a in left.axes if a != axis and a not in shared]
    columns = [a for a in right.axes if a != axis and a not in shared]
    if len(rows) != 1 or len(columns) != 1:
        return None
    order = scope.order(frozenset((*rows, *columns)))
    if order.index(rows[0]) > order.index(columns[0]):
        return _matmul(right, left, axis, scope)
    a = permuted(left, (*shared, rows[0], axis))
    b = permuted(right, (*shared, axis, columns[0]))
    return Term(fmt("{0} @ {1}", a.node, b.node), (*shared, rows[0], columns[0]), left.batch or right.batch, Element.REAL)


def _einsum(terms: Sequence[Term], axis: str, scope: Scope) -> Term:
    """Anything else."""
    union = frozenset(a for term in terms for a in term.axes)
    letters: dict[str, str] = {}
    for axis_name in scope.order(union):
        wanted = [c for c in axis_name if c in _LETTERS] + list(_LETTERS)
        letters[axis_name] = next(c for c in wanted if c not in letters.values())
    result = tuple(a for a in common_order(terms, scope) if a != axis)
    sides = [("..." if t.batch else "") + "".join(letters[a] for a in t.axes) for t in terms]
    batch = any(t.batch for t in terms)
    equation = ",".join(sides) + "->" + ("..." if batch else "") + "".join(letters[a] for a in result)
    return Term(call("torch.einsum", const(equation), *(t.node for t in terms)), result, batch, Element.REAL)
