"""Whole numbers that do not fit: what torch holds has 64 bits, and a real number has an end too."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mathdsl.analysis.abstract import interpret, nothing
from mathdsl.diagnostics.build import error
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.ir.nodes import Apply, Element, Expr, Input, Module
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, element_of, flat_results, polys, step_expressions, walk
from mathdsl.ops.abstract import Number
from mathdsl.spans import Span

_INTEGER = 2**63
_REAL = 2**1024


def large_numbers(module: Module) -> Iterator[Diagnostic]:
    """What is said about each place of the module where a number is too large."""
    for array in module.arrays:
        if any(_is_large(bound) for bounds in array.ranges for bound in (bounds.lower, bounds.upper)):
            yield _too_large("this size", array.span if array.span.file else module.span)
    for step in module.steps:
        bounds = (bound for axis in step.axes for bound in (axis.range.lower, axis.range.upper))
        if any(map(_is_large, bounds)) or any(map(_has_large, step_expressions(step))):
            yield _too_large("a number here", step.origin.span)
    for check in module.checks:
        if _has_large(check.condition):
            yield _too_large("a number here", check.origin.span)
    for result in flat_results(module.results):
        if _has_large(result.value.value):
            yield _too_large("a number in the result", module.span)
    inputs = [one for entry in module.inputs for one in ((entry,) if isinstance(entry, Input) else entry)]
    values = [value for parameter in module.parameters for value in parameter.initialiser.arguments]
    values += [one.default for one in inputs if one.default is not None]
    if any(map(_has_large, values)) or any(_exceeds(setting.default, _INTEGER) for setting in module.settings):
        yield _too_large("a default or initial value", module.span)


def _too_large(what: str, span: Span) -> Diagnostic:
    message = f"{what} does not fit into the 64 bits of a whole number"
    return error("E0411", message, span, help="write a smaller number, or a real one, as in `1e20`")


def _is_large(value: Poly) -> bool:
    return any(not -_INTEGER < coefficient < _INTEGER for _, coefficient in value.terms)


def _exceeds(value: Number | None, bound: int) -> bool:
    return isinstance(value, int) and abs(value) >= bound


def _has_large(expr: Expr, bound: int = _INTEGER) -> bool:
    """Whether a constant in the expression is too large: `bound` is that of what the whole expression becomes."""
    nodes = walk(expr)
    if any(_is_large(value) for node in nodes for value in polys(node)):
        return True
    return any(element_of(node) is Element.INTEGER for node in nodes) and _becomes_large(expr, bound)


def _becomes_large(expr: Expr, bound: int = _INTEGER) -> bool:
    match expr:
        case Apply(op="to_real", arguments=(inner,)):
            return _becomes_large(inner, _REAL)
        case _ if element_of(expr) is Element.INTEGER:
            value = interpret(expr, nothing).point
            return value == math.inf or _exceeds(value, bound) or any(_becomes_large(child, bound) for child in children(expr))
        case _:
            return any(map(_becomes_large, children(expr)))
