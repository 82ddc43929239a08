"""Checks of integer inputs that index arrays: a token outside its table is named, not wrapped."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, const, name, unparse
from mathdsl.ir.nodes import Along, Expr, Index, Input, Kind, Padded, Range, Read, Select
from mathdsl.ir.traversal import children, flat_results, step_expressions


def write_index_checks(body: Body) -> None:
    """One check for each integer input and range that it indexes unconditionally."""
    found: dict[tuple[str, Range], None] = {}
    for expr, axes in _roots(body):
        for read, bounds in _indexing(body, expr):
            if not (bounds.lower.names | bounds.upper.names) & axes:
                found[read.array, bounds] = None
    for array, bounds in found:
        _write(body, array, bounds)


def _roots(body: Body) -> Iterator[tuple[Expr, frozenset[str]]]:
    for step in body.module.steps:
        axes = frozenset(axis.name for axis in step.axes)
        for expr in step_expressions(step):
            yield expr, axes
    for result in flat_results(body.module.results):
        yield result.value.value, frozenset(axis.name for axis in result.value.axes)


def _indexing(body: Body, expr: Expr) -> Iterator[tuple[Read, Range]]:
    """Reads of integer inputs, plain or padded, that stand as the index of another array."""
    if isinstance(expr, Select):
        yield from _indexing(body, expr.condition)
        return
    pairs: list[tuple[Index, Range]] = []
    if isinstance(expr, Read):
        pairs = list(zip(expr.index, body.arrays[expr.array].ranges, strict=True))
    if isinstance(expr, Along):
        pairs = [(expr.at, expr.axis.range)]
    for index, bounds in pairs:
        inner = index.body if isinstance(index, Padded) else index
        if isinstance(inner, Read) and body.arrays[inner.array].kind is Kind.INPUT:
            yield inner, bounds
    for child in children(expr):
        yield from _indexing(body, child)


def _write(body: Body, array_name: str, bounds: Range) -> None:
    """The check of one input: only each example's own part counts."""
    array = body.arrays[array_name]
    if array.listed or _is_listed(body, array_name):
        return
    value = name(body.locals[array_name])
    lower, upper = body.poly(bounds.lower), body.poly(bounds.upper)
    for place, own_range in enumerate(array.ranges):
        for size in body.module.ragged if body.module.batched else ():
            extra = (own_range.extent - size).constant
            if extra is not None:
                arguments = [value, body.own(size), const(place - len(array.ranges)), lower]
                value = call(body.helper("_fill"), *arguments, *([const(extra)] if extra else []))
    body.write(unparse(call(body.helper("_check_range"), const(body.locals[array_name]), value, lower, upper)))


def _is_listed(body: Body, array: str) -> bool:
    members = [m for item in body.module.inputs for m in ((item,) if isinstance(item, Input) else item)]
    return any(m.array == array and m.structure.value == "list" for m in members)
