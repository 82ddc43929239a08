"""Verify that every operation of a program exists and fits what it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Along, Apply, Element, Expr, Module, Program, Reduce
from mathdsl.ir.traversal import element_of, module_expressions, walk
from mathdsl.ops.elementwise import ELEMENTWISE
from mathdsl.ops.model import AlongAxis, Elementwise, Reduction
from mathdsl.ops.whole_axes import ALONG, REDUCTIONS


def verify_operations(program: Program, after: str) -> None:
    """Raise an `InternalError` that names the pass `after` which an operation is unknown or does not fit its operands."""
    problems = [f"{module.name}: {problem}" for module in (*program.modules, *program.library) for problem in _module_problems(module)]
    if problems:
        raise InternalError(f"after {after}: {'; '.join(dict.fromkeys(problems))}")


def _module_problems(module: Module) -> Iterator[str]:
    for expr in module_expressions(module):
        for node in walk(expr):
            match node:
                case Apply(op=op, arguments=arguments, element=element):
                    yield from _problems(ELEMENTWISE, op, arguments, element)
                case Reduce(op=op, body=body, element=element):
                    yield from _problems(REDUCTIONS, op, (body,), element)
                case Along(op=op, body=body, element=element):
                    yield from _problems(ALONG, op, (body,), element)
                case _:
                    pass


def _problems(
    rows: Mapping[str, Elementwise] | Mapping[str, Reduction] | Mapping[str, AlongAxis],
    op: str,
    operands: tuple[Expr, ...],
    element: Element,
) -> Iterator[str]:
    row = rows.get(op)
    if row is None:
        yield f"{op} is no operation"
        return
    elements = [element_of(operand) for operand in operands]
    result = row.signature.result_of(elements)
    if result is not element:
        gives = "does not exist" if result is None else f"is {result.value}"
        yield f"{op} of ({', '.join(one.value for one in elements)}) {gives}, not {element.value}"
