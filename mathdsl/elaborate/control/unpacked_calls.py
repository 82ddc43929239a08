r"""What unpacks one value in a branch or a loop, or into elements of one array, as an assignment of each of its parts.

if c: (x_j, x_{j+1}) \gets f(x_j, x_{j+1})     ->     if c: (x_j, x_{j+1}) \gets (f(x_j, x_{j+1})_1, f(x_j, x_{j+1})_2)

The parts are of one call.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in, with_bodies


def with_unpacked_calls(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure with a value for each target in branches and loops, and of elements."""
    if not any(isinstance(node, ast.Definition) and _unpacks(node) for node in statements_in(procedure.body)):
        return procedure
    body = _block(procedure.body, is_inside=False)
    return procedure if body == procedure.body else replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _unpacks(node: ast.Definition) -> bool:
    return node.function is None and len(node.targets) > 1 and len(node.values) == 1 and not node.ranges


def _block(statements: tuple[ast.Statement, ...], is_inside: bool) -> tuple[ast.Statement, ...]:
    return tuple(_statement(node, is_inside) for node in statements)


def _statement(node: ast.Statement, is_inside: bool) -> ast.Statement:
    match node:
        case ast.Definition(targets=targets, value=value) if _unpacks(node):
            heads = [head_of(target) for target in targets]
            if not is_inside and len(set(heads)) == len(heads):
                return node
            span, count = value.span, ast.Number(str(len(targets)), span=node.target.span)
            numbers = (ast.Number(str(k), span=span) for k in range(1, len(targets) + 1))
            parts = tuple(ast.Command("result", ((value,), (number, count)), span=span) for number in numbers)
            return replace(node, value=ast.Group(parts, span=span))
        case _:
            return with_bodies(node, lambda body: _block(body, is_inside or isinstance(node, ast.If | ast.For | ast.While)))
