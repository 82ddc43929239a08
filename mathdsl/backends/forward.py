"""The body of one `forward` or function."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.index_checks import write_index_checks
from mathdsl.backends.inputs import plan_arguments, signature, write_inputs
from mathdsl.backends.line_map import Comment
from mathdsl.backends.python_ast import call, const, unparse, unparse_tuple
from mathdsl.backends.results import result_node, result_type
from mathdsl.backends.shared_parts import name_shared
from mathdsl.backends.steps import Steps
from mathdsl.backends.storage import plan_storage
from mathdsl.backends.terms import Scope
from mathdsl.backends.text import one_line
from mathdsl.ir.nodes import Check, Kind, Module, Program
from mathdsl.ir.traversal import reads


@dataclass(frozen=True, slots=True)
class Forward:
    """A signature and a body."""

    parameters: tuple[str, ...]
    returns: str
    lines: tuple[str, ...]
    equations: tuple[Comment, ...]


def generate_forward(
    program: Program, module: Module, references: Mapping[str, str], taken: tuple[str, ...], helpers: dict[str, None]
) -> Forward:
    """The text of one module's `forward`; the helpers that it calls are added to `helpers`."""
    body = Body(program, module, plan_storage(module), helpers, references, taken)
    _name_arrays(body)
    arguments = plan_arguments(body)
    parameters = signature(body, arguments)
    if module.is_function:
        for setting in module.settings:
            body.names.fresh(setting.name)
    write_inputs(body, arguments)
    body.reserve_variables(module.schedule)
    steps = Steps.of(body)
    steps.write_paddings()
    write_index_checks(body)
    early = [check for check in module.checks if not _reads_values(body, check)]
    late = [check for check in module.checks if _reads_values(body, check)]
    for check in early:
        _write_check(body, check)
    if body.block.items:
        body.write("")
    steps.write()
    for check in late:
        _write_check(body, check)
    returned = name_shared(body, result_node(body, module.results))
    body.place = module.returned.span if module.returned.span.file else module.span
    if not _is_named(returned):
        steps.comment([module.returned])
    body.write(f"return {unparse_tuple(returned)}")
    casts = [f"{local} = {body.cast(path)}" for path, local in body.submodules.items()]
    return Forward(tuple(parameters), result_type(module.results), (*casts, *body.block.lines()), tuple(body.equations))


def _name_arrays(body: Body) -> None:
    """Inputs and values have the names of the mathematics; what else needs a name comes later."""
    given = [member.array for item in body.module.inputs for member in (item if isinstance(item, tuple) else (item,))]
    values = [array.name for array in body.module.arrays if array.kind is Kind.VALUE]
    for name in (*given, *values):
        body.locals[name] = body.names.fresh(body.arrays[name].python)


def _is_named(node: ast.expr) -> bool:
    """Whether an expression computes nothing: names, and tuples and lists of them."""
    return isinstance(node, ast.Name) or isinstance(node, ast.Tuple | ast.List) and all(map(_is_named, node.elts))


def _reads_values(body: Body, check: Check) -> bool:
    return any(body.arrays[read.array].kind is Kind.VALUE for read in reads(check.condition))


def _write_check(body: Body, check: Check) -> None:
    """A condition that is looked at where no compiler traces."""
    term = expressions.lower(body, check.condition, Scope(check.axes))
    body.write(unparse(call(body.helper("_assert"), term.node, const(one_line(check.origin.latex)))))
