"""What a body returns, and the types of it."""

from __future__ import annotations

import ast

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.lists import list_of
from mathdsl.backends.python_ast import tuple_of
from mathdsl.backends.terms import Scope
from mathdsl.ir.nodes import Result, ResultTuple, Structure


def result_node(body: Body, results: Result | ResultTuple) -> ast.expr:
    """The returned expression."""
    match results:
        case ResultTuple(items=items):
            return tuple_of(result_node(body, item) for item in items)
        case Result(value=value, structure=Structure.LIST):
            return list_of(body, value.axes[0], value.axes[1:], value.value)
        case Result(value=value):
            order = [axis.name for axis in value.axes]
            return expressions.lower_whole(body, value.value, order, Scope(value.axes), body.module.batched).node


def result_type(results: Result | ResultTuple) -> str:
    """Its type."""
    match results:
        case ResultTuple(items=items):
            return f"tuple[{', '.join(result_type(item) for item in items)}]"
        case Result(structure=Structure.LIST):
            return "list[torch.Tensor]"
        case Result():
            return "torch.Tensor"
