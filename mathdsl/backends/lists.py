"""Python lists of tensors: one expression for each value of an axis."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, name, unparse
from mathdsl.backends.terms import Scope
from mathdsl.ir.nodes import Axis, Expr, Kind, Range, Read
from mathdsl.ir.sizes import Poly


def list_of(body: Body, axis: Axis, axes: Sequence[Axis], value: Expr, outside: Sequence[Axis] = ()) -> ast.expr:
    """`[value for axis in range(…)]`, each element a tensor over `outside` and `axes`."""
    same = same_list(body, axis, axes, value)
    if same is not None and not outside:
        return same
    scope = Scope((*outside, *axes))
    with body.loop(axis) as opened:
        term = expressions.lower_whole(body, value, [a.name for a in scope.axes], scope, body.module.batched)
        block = body.block
    for line in opened.before:
        body.write(line)
    lower = axis.range.lower
    start = [] if not lower.terms else [body.poly(lower)]
    steps = call("range", *start, body.poly(axis.range.upper + 1))
    if not block.items:
        generator = ast.comprehension(ast.Name(opened.variable, ast.Store()), steps, [], 0)
        return ast.ListComp(term.node, [generator])
    items = body.names.fresh("items")
    body.write(f"{items}: list[torch.Tensor] = []")
    block.items.append(f"{items}.append({unparse(term.node)})")
    body.block.items.append((f"for {opened.variable} in {unparse(steps)}:", block))
    return name(items)


def same_list(body: Body, axis: Axis, axes: Sequence[Axis], value: Expr) -> ast.expr | None:
    """The list that came in, or that a call gave, where it is passed on as it is."""
    if not isinstance(value, Read):
        return None
    array = body.arrays[value.array]
    is_list = array.kind is Kind.INPUT and array.listed or array.name in body.lists
    if not is_list or not isinstance(value.index[0], Poly):
        return None
    offset = value.index[0] - axis.name
    if Range(axis.range.lower + offset, axis.range.upper + offset) != array.ranges[0]:
        return None
    if value.index[1:] != tuple(Poly.of(a.name) for a in axes) or tuple(a.range for a in axes) != array.ranges[1:]:
        return None
    return name(body.locals[array.name])
