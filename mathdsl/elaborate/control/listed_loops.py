r"""Loops over numbers that are listed with one step, as their turns one after the other, and loops by steps, as loops by one.

for t in {1, 3}: y_t \gets e_t           ->     y_1 \gets e_1; y_3 \gets e_3
for t = 2, 4, …, n: y_t \gets e_t        ->     for t = 1, …, n / 2: y_{2 t} \gets e_{2 t}
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import cast

from mathdsl.elaborate.control.loops import binding_over, binds, counted, stride, with_value
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in, with_bodies


def with_listed_loops(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure without loops over listed numbers and by steps."""
    loops = (node for node in statements_in(procedure.body) if isinstance(node, ast.For))
    if not any(_listed(node.binding) or stride(node.binding) for node in loops):
        return procedure
    return replace(procedure, body=_read(procedure.body), shown=procedure.shown or procedure.body)


def _listed(binding: ast.Expression) -> tuple[ast.Expression, tuple[ast.Number, ...]] | None:
    r"""The variable and the numbers of `t \in \{1, 3, 5\}`, which have one step; None for every other binding."""
    match binding:
        case ast.Relation(operators=("=" | r"\in",), operands=(variable, ast.SetDisplay(items=(_, _, *_) as items))):
            numbers = tuple(item for item in items if isinstance(item, ast.Number) and item.text.isdigit())
            steps = {int(after.text) - int(before.text) for before, after in pairwise(numbers)}
            return (variable, numbers) if len(numbers) == len(items) and len(steps) == 1 and 0 not in steps else None
        case _:
            return None


def _read(body: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
    found: list[ast.Statement] = []
    for node in body:
        if isinstance(node, ast.For):
            found += _turns(replace(node, body=_read(node.body)))
        else:
            found.append(with_bodies(node, _read))
    return tuple(found)


def _turns(node: ast.For) -> tuple[ast.Statement, ...]:
    """The loop itself where it is over a range, or where its variable stands for something else in it."""
    if (listed := _listed(node.binding)) is not None and not binds(node.body, listed[0]):
        variable, numbers = listed
        if int(numbers[1].text) == int(numbers[0].text) + 1:
            return (replace(node, binding=binding_over(variable, numbers[:1], numbers[-1], node.binding.span, 0)),)
        return tuple(cast(ast.Statement, with_value(part, variable, number)) for number in numbers for part in node.body)
    if (by_steps := stride(node.binding)) is not None and not binds(node.body, by_steps[0]):
        variable = by_steps[0]
        value, domain = counted(node.binding.span, *by_steps)
        return (replace(node, binding=domain, body=tuple(cast(ast.Statement, with_value(part, variable, value)) for part in node.body)),)
    return (node,)
