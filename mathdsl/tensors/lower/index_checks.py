"""Checks of integer inputs that index arrays: a token outside its table is named, not wrapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.ir.nodes import Along, Apply, Equation, Expr, Index, Input, Kind, Literal, Range, Read, Select, Structure
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, flat_results, step_expressions, step_targets, walk
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.terms import constant
from mathdsl.tensors.statements import CheckOwnRange, CheckRange
from mathdsl.tensors.values import Constant, Integer, Local, Mask, Value


def write_index_checks(body: Body) -> None:
    """One check for each integer input and range that it indexes, itself or as it was copied, in every case.

    An input of which parts index arrays of other ranges, the users and the items of pairs, is checked part by part, where they are read.
    So is one that these checks do not tell all of (`_is_told`).
    """
    sources = _sources(body)
    found: dict[tuple[str, Range], None] = {}
    indexing = [(array, bounds, is_part, axes) for expr, axes in _roots(body) for array, bounds, is_part in _indexing(expr, body)]
    ranges: dict[str, set[Range]] = {}
    for array, bounds, _, _ in indexing:
        ranges.setdefault(array, set()).add(bounds)
    parted = {array for array in ranges if len(ranges[array]) > 1} - {array for array, _, is_part, _ in indexing if not is_part}
    for array, bounds, _, axes in indexing:
        is_whole = array in sources and array not in parted and not (bounds.lower.names | bounds.upper.names) & axes
        if is_whole and all(_is_told(body, source, bounds) for source in sources[array]):
            body.checked.add((array, bounds))
            found.update(((source, bounds), None) for source in sources[array] if isinstance(source, str))
    for array, bounds in found:
        _write(body, array, bounds)


def _roots(body: Body) -> Iterator[tuple[Expr, frozenset[str]]]:
    """The expressions in which data indexes an array, with the axes around them."""
    roots = [(expr, step.axes) for step in body.module.steps for expr in step_expressions(step)]
    roots += [(result.value.value, result.value.axes) for result in flat_results(body.module.results)]
    return ((expr, frozenset(axis.name for axis in axes)) for expr, axes in roots if any(map(_is_lookup, walk(expr))))


def _is_lookup(expr: Expr) -> bool:
    return not all(isinstance(index, Poly) for index in _indices(expr))


def _indices(expr: Expr) -> tuple[Index, ...]:
    match expr:
        case Read(index=index):
            return index
        case Along(at=at):
            return (at,)
        case _:
            return ()


def _sources(body: Body) -> dict[str, tuple[str | int, ...]]:
    """The integer inputs and numbers whose elements an array holds, for inputs and for arrays that only copy (or pad) them."""
    found: dict[str, tuple[str | int, ...]] = {array.name: (array.name,) for array in body.arrays.values() if array.kind is Kind.INPUT}
    numbers: dict[str, list[int]] = {}
    copies: dict[str, list[str]] = {}
    other: set[str] = set()
    for step in body.module.steps:
        for target in step_targets(step):
            source = _copied(step.value) if isinstance(step, Equation) else None
            if source is not None:
                copies.setdefault(target, []).append(source)
            elif isinstance(step, Equation) and isinstance(step.value, Literal) and isinstance(step.value.value, int):
                numbers.setdefault(target, []).append(step.value.value)
            else:
                other.add(target)
    waiting = [target for target in copies if target not in other]
    for _ in range(len(waiting)):
        ready = [target for target in waiting if all(source in found for source in copies[target])]
        if not ready:
            break
        for target in ready:
            held = [name for source in copies[target] for name in found[source]]
            found[target] = tuple(dict.fromkeys((*held, *numbers.get(target, ()))))
        waiting = [target for target in waiting if target not in found]
    return found


def _copied(expr: Expr) -> str | None:
    inner = _inside(expr)
    return inner.array if isinstance(inner, Read) else None


def _inside(expr: Expr) -> Expr:
    return expr.then if isinstance(expr, Select) and own_part(expr) else expr


def _is_told(body: Body, held: str | int, bounds: Range) -> bool:
    """Whether checks of an input say of each example's own part of it, and of nothing else, that it lies in each example's own range.

    They say nothing of lists, of an input that is common to examples whose ranges differ, and of `2S` elements. A number lies in the
    range of all examples, or is for those who look at each index.
    """
    ragged = frozenset(body.module.ragged)
    is_ragged = not ragged.isdisjoint(bounds.upper.names)
    if isinstance(held, int):
        return not is_ragged and all(map(body.facts.proves_nonnegative, (Poly.of(held) - bounds.lower, bounds.upper - held)))
    source = body.arrays[held]
    ends = [*(axis.extent for axis in source.ranges), *([bounds.upper] if is_ragged else [])]
    is_plain = all(ragged.isdisjoint(end.names) or any((end - size).constant is not None for size in ragged) for end in ends)
    return is_plain and not _is_listed(body, source.name) and (source.batch or not is_ragged)


def _is_part(expr: Expr) -> bool:
    """Whether an element at a fixed place of an axis is read, `E[1, k]`."""
    inner = _inside(expr)
    return isinstance(inner, Read) and any(isinstance(index, Poly) and index.constant is not None for index in inner.index)


def _indexing(expr: Expr, body: Body) -> Iterator[tuple[str, Range, bool]]:
    """Arrays whose elements, or a part of them, stand as an index of another array; of a selection, what both branches look up."""
    if isinstance(expr, Apply) and expr.op in ("and", "or"):
        yield from _indexing(expr.arguments[0], body)
        return
    if isinstance(expr, Select) and own_part(expr) is None:
        yield from _indexing(expr.condition, body)
        otherwise = {(array, bounds) for array, bounds, _ in _indexing(expr.otherwise, body)}
        yield from (found for found in _indexing(expr.then, body) if found[:2] in otherwise)
        return
    pairs: list[tuple[Index, Range]] = []
    if isinstance(expr, Read):
        pairs = list(zip(expr.index, body.arrays[expr.array].ranges, strict=True))
    if isinstance(expr, Along):
        pairs = [(expr.at, expr.axis.range)]
    for index, bounds in pairs:
        source = None if isinstance(index, Poly) else _copied(index)
        if source is not None and not isinstance(index, Poly):
            yield source, bounds, _is_part(index)
    for child in children(expr):
        yield from _indexing(child, body)


def _write(body: Body, array_name: str, bounds: Range) -> None:
    """The check of one input: only each example's own part counts."""
    label, lower = body.locals[array_name], body.poly(bounds.lower)
    value, is_padded = _filled(body, array_name, lower)
    body.write(CheckRange(label, value, lower, body.poly(bounds.upper)))
    for size in body.module.ragged:
        beyond = (bounds.upper - size).constant
        if beyond is not None:
            body.own_size(size)
            axes = body.arrays[array_name].ranges
            if is_padded and not any(body.proves_nonnegative(bounds.extent - axis.extent) for axis in axes if size in axis.upper.names):
                lower = body.poly(bounds.lower - 1)  # an example without the first element may have an index
                value, _ = _filled(body, array_name, lower)
            body.write(CheckOwnRange(label, value, size, lower, beyond))


def _filled(body: Body, array_name: str, fill: Value) -> tuple[Value, bool]:
    """An integer input with something else in its padding, and whether it has any."""
    array = body.arrays[array_name]
    whole: Value = body.local(array)
    value = whole
    for place, own_range in enumerate(array.ranges):
        for size in body.module.ragged:
            extra = (own_range.extent - size).constant
            if extra is not None:
                body.own_size(size)
                form = replace(value.form, batch=True)
                value = Mask(form, value, size, value.axes[place], fill, constant(extra) if extra else None)
    made = next((local for source, local in body.made.items() if _is_same(source, value)), None)
    return value if made is None else Local(value.form, made), value is not whole


def _is_same(source: Value, value: Value) -> bool:
    """Whether two masked inputs are the same, whatever their axes are called."""
    match source, value:
        case Mask(), Mask():
            same = source.size == value.size and source.axes.index(source.axis) == value.axes.index(value.axis)
            return (
                same
                and _number(source.fill) == _number(value.fill)
                and _number(source.extra) == _number(value.extra)
                and _is_same(source.value, value.value)
            )
        case Local(name=left), Local(name=right):
            return left == right
        case _:
            return False


def _number(value: Value | None) -> object:
    """A number, however it is given."""
    match value:
        case Constant(value=found):
            return Poly.of(int(found))
        case Integer(value=found):
            return found
        case _:
            return value


def _is_listed(body: Body, array: str) -> bool:
    members = [m for item in body.module.inputs for m in ((item,) if isinstance(item, Input) else item)]
    return body.arrays[array].listed or any(m.array == array and m.structure is Structure.LIST for m in members)
