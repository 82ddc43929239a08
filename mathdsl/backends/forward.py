"""The body of one `forward` or function."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.index_checks import write_index_checks
from mathdsl.backends.inputs import plan_arguments, signature, write_inputs
from mathdsl.backends.python_ast import call, const, unparse
from mathdsl.backends.results import result_node, result_type
from mathdsl.backends.steps import Steps
from mathdsl.backends.storage import plan_storage
from mathdsl.backends.terms import Scope
from mathdsl.backends.text import one_line
from mathdsl.ir.nodes import Kind, Module, Program


@dataclass(frozen=True, slots=True)
class Forward:
    """A signature and a body."""

    parameters: tuple[str, ...]
    returns: str
    lines: tuple[str, ...]
    equations: tuple[str, ...]


def generate_forward(program: Program, module: Module, taken: tuple[str, ...], helpers: dict[str, None]) -> Forward:
    """The text of one module's `forward`; the helpers that it calls are added to `helpers`."""
    arrays = {array.name: array for array in module.arrays}
    body = Body(program, module, arrays, plan_storage(module), helpers, taken)
    arguments = plan_arguments(body)
    for array in module.arrays:
        if array.kind is Kind.VALUE:
            body.locals[array.name] = body.names.fresh(array.python)
    parameters = signature(body, arguments)
    if module.is_function:
        for setting in module.settings:
            body.names.fresh(setting.name)
    write_inputs(body, arguments)
    write_index_checks(body)
    Steps.of(body).write()
    for check in module.checks:
        scope = Scope(check.axes)
        term = expressions.lower(body, check.condition, scope)
        body.write(unparse(call(body.helper("_assert"), term.node, const(one_line(check.origin.latex)))))
    returned = result_node(body, module.results)
    body.write(f"return {unparse(returned)}")
    casts = [f"{local} = {body.cast(path)}" for path, local in body.submodules.items()]
    return Forward(tuple(parameters), result_type(module.results), (*casts, *body.block.lines()), tuple(body.equations))
