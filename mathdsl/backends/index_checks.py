"""Checks of integer inputs that index arrays: a token outside its table is named, not wrapped."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import call, const, name, unparse
from mathdsl.ir.nodes import Along, Apply, Equation, Expr, Index, IndexValue, Input, Kind, Literal, Padded, Range, Read, Select, Structure
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, flat_results, step_expressions, step_targets


def write_index_checks(body: Body) -> None:
    """One check for each integer input and range that it indexes, itself or as it was copied, in every case."""
    sources = _sources(body)
    found: dict[tuple[str, Range], None] = {}
    for expr, axes in _roots(body):
        for array, bounds in _indexing(expr, body):
            if not (bounds.lower.names | bounds.upper.names) & axes and array in sources:
                body.checked.add((array, bounds))
                found.update(((source, bounds), None) for source in sources[array])
    for array, bounds in found:
        _write(body, array, bounds)


def _roots(body: Body) -> Iterator[tuple[Expr, frozenset[str]]]:
    for step in body.module.steps:
        axes = frozenset(axis.name for axis in step.axes)
        for expr in step_expressions(step):
            yield expr, axes
    for result in flat_results(body.module.results):
        yield result.value.value, frozenset(axis.name for axis in result.value.axes)


def _sources(body: Body) -> dict[str, tuple[str, ...]]:
    """The integer inputs whose elements an array holds, for inputs and for arrays that only copy (or pad) them."""
    found: dict[str, tuple[str, ...]] = {array.name: (array.name,) for array in body.arrays.values() if array.kind is Kind.INPUT}
    copies: dict[str, list[str]] = {}
    other: set[str] = set()
    for step in body.module.steps:
        for target in step_targets(step):
            source = _copied(step.value) if isinstance(step, Equation) else None
            if source is not None:
                copies.setdefault(target, []).append(source)
            elif not isinstance(step, Equation) or not isinstance(step.value, Literal | IndexValue):
                other.add(target)
    waiting = [target for target in copies if target not in other]
    for _ in range(len(waiting)):
        ready = [target for target in waiting if all(source in found for source in copies[target])]
        if not ready:
            break
        for target in ready:
            found[target] = tuple(dict.fromkeys(name for source in copies[target] for name in found[source]))
        waiting = [target for target in waiting if target not in found]
    return found


def _copied(expr: Expr) -> str | None:
    inner = expr.body if isinstance(expr, Padded) else expr
    return inner.array if isinstance(inner, Read) else None


def _indexing(expr: Expr, body: Body) -> Iterator[tuple[str, Range]]:
    """Arrays whose elements stand as an index of another array; of a selection, what both branches look up."""
    if isinstance(expr, Apply) and expr.op in ("and", "or"):
        yield from _indexing(expr.arguments[0], body)
        return
    if isinstance(expr, Select):
        yield from _indexing(expr.condition, body)
        otherwise = set(_indexing(expr.otherwise, body))
        yield from (pair for pair in _indexing(expr.then, body) if pair in otherwise)
        return
    pairs: list[tuple[Index, Range]] = []
    if isinstance(expr, Read):
        pairs = list(zip(expr.index, body.arrays[expr.array].ranges, strict=True))
    if isinstance(expr, Along):
        pairs = [(expr.at, expr.axis.range)]
    for index, bounds in pairs:
        source = None if isinstance(index, Poly) else _copied(index)
        if source is not None:
            yield source, bounds
    for child in children(expr):
        yield from _indexing(child, body)


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
    made = body.made.get(unparse(value))
    value = value if made is None else name(made)
    body.write(unparse(call(body.helper("_check_range"), const(body.locals[array_name]), value, lower, upper)))
    for size in body.module.ragged if body.module.batched else ():
        beyond = (bounds.upper - size).constant
        if beyond is not None:
            arguments = [const(body.locals[array_name]), value, body.own(size), lower]
            body.write(unparse(call(body.helper("_check_own_range"), *arguments, *([const(beyond)] if beyond else []))))


def _is_listed(body: Body, array: str) -> bool:
    members = [m for item in body.module.inputs for m in ((item,) if isinstance(item, Input) else item)]
    return any(m.array == array and m.structure is Structure.LIST for m in members)
