r"""Give what several equations define, or what reads its own past, the conditions under which it is read.

Before -> after, where nothing else reads `s`::

    s[t] = s[t-1] + log(x[t])                          s[t] = s[t-1] + log(x[t]) if c > 0 else 0
    y = s[S] if c > 0 else 0                    ->     y = s[S] if c > 0 else 0

    u[1] = log(x[1])                                   u[1] = log(x[1]) if x[1] > 0 else 0
    u[t] = log(x[t]) + 1                        ->     u[t] = log(x[t]) + 1 if x[t] > 0 else 0
    y[t] = u[t] if x[t] > 0 else 0                     y[t] = u[t] if x[t] > 0 else 0

An element that no branch takes has a harmless value then, and its operations a derivative: that of `log` at 0 times no gradient would
be no number. Preconditions: every read is in a branch, at the index of the element (what reads its own past is wanted where a
later element is), and no condition depends on the value.

Declines: values that cannot fail, that a call defines, random ones, and conditions that reduce what changes with an index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import Place, module_values, placed
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Apply, Array, Axis, Element, Equation, Expr, IndexValue, Module, Read, Reduce, Select
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import (
    element_of,
    free_names,
    reads,
    step_expressions,
    step_targets,
    substitute_axes,
    zero_of,
)
from mathdsl.passes.extraction import has_contraction, is_random

_MOST_ROUNDS = 4  # a guarded value may guard what it reads


@dataclass(frozen=True)
class _Reading:
    """A read and where it stands."""

    read: Read
    place: Place


def with_guarded_definitions(module: Module, may_fail: Callable[[Expr], bool]) -> Module:
    """The module with guarded equations; `may_fail` says which values are worth it."""
    for _ in range(_MOST_ROUNDS):
        before, module = module, _round(module, may_fail)
        if module is before:
            break
    return module


def _round(module: Module, may_fail: Callable[[Expr], bool]) -> Module:
    candidates, failing = _candidates(module, may_fail)
    if not candidates:
        return module
    arrays = {array.name: array for array in module.arrays}
    sizes = {size.name for size in module.sizes}
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for step in module.steps:
        for target in step_targets(step):
            needs[target] |= {read.array for expr in step_expressions(step) for read in reads(expr)}
    steps = list(module.steps)
    for name, readings in _readings(module, candidates).items():
        carries = [own for k in candidates[name] if isinstance(own := module.steps[k], Equation) and _reads_itself(own)]
        way = _way(carries, arrays[name])
        if not readings or not all(_is_general(reading, arrays[name], way if carries else None, sizes) for reading in readings):
            continue
        if name in reached(needs, (r.array for reading in readings for g, _ in reading.place.guards for r in reads(g))):
            continue
        for number in candidates[name]:
            step = steps[number]
            if isinstance(step, Equation) and (may_fail(step.value) or any(r.array in failing - {name} for r in reads(step.value))):
                steps[number] = _guarded(step, readings, way)
    return module if all(new is old for new, old in zip(steps, module.steps, strict=True)) else replace(module, steps=tuple(steps))


def _candidates(module: Module, may_fail: Callable[[Expr], bool]) -> tuple[dict[str, list[int]], set[str]]:
    """By array, the numbers of its equations, where it may fail and several define it or it reads itself, or where it reads such a one.

    Then all arrays that may fail.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, step in enumerate(module.steps):
        for target in step_targets(step):
            numbers[target].append(number)
    equations = {name: [step for k in own if isinstance(step := module.steps[k], Equation)] for name, own in numbers.items()}
    several = {name for name, own in equations.items() if len(own) > 1 or own and _reads_itself(own[0])}
    if not several:
        return {}, set()
    sources = {name: {read.array for equation in own for read in reads(equation.value)} for name, own in equations.items()}
    failing = _with_readers({name for name, own in equations.items() if any(may_fail(equation.value) for equation in own)}, sources)
    found = _with_readers(several & failing, sources)
    is_plain = {n: len(own) == len(numbers[n]) and not any(is_random(e.value) for e in own) for n, own in equations.items() if n in found}
    return {name: numbers[name] for name in numbers if is_plain.get(name)}, failing


def _with_readers(names: set[str], sources: Mapping[str, set[str]]) -> set[str]:
    """The arrays with these names, and all that are computed from them."""
    found = set(names)
    while more := {name for name, read in sources.items() if name not in found and not read.isdisjoint(found)}:
        found |= more
    return found


def _way(carries: Sequence[Equation], array: Array) -> int:
    """Whether an array of one axis is made of its elements before (1) or behind (-1); 0 where neither is known."""
    own = [(step, read) for step in carries for read in reads(step.value) if read.array == array.name]
    steps = {
        (step.index[0] - at).constant if isinstance(at := read.index[0], Poly) else None for step, read in own if len(array.ranges) == 1
    } or {None}
    known = [step for step in steps if step]
    return 0 if len(known) < len(steps) or min(known) < 0 < max(known) else 1 if known[0] > 0 else -1


def _reads_itself(equation: Equation) -> bool:
    return any(read.array == equation.target for read in reads(equation.value))


# ---- where they are read --------------------------------------------------------------------------


def _readings(module: Module, candidates: Mapping[str, Sequence[int]]) -> dict[str, list[_Reading]]:
    """The reads of each candidate outside of its own equations; none of those that are read where no condition stands above."""
    found: dict[str, list[_Reading]] = {name: [] for name in candidates}
    for reading, own in _all_reads(module):
        name = reading.read.array
        if name in found and name != own:
            if reading.place.guards:
                found[name].append(reading)
            else:
                del found[name]
    return found


def _all_reads(module: Module) -> Iterator[tuple[_Reading, str]]:
    """Every read, with the array that is defined there."""
    for owner, value in module_values(module):
        for node, place in placed(value.value, value.axes):
            if isinstance(node, Read):
                yield _Reading(node, place), owner.target if isinstance(owner, Equation) else ""


def _is_general(reading: _Reading, array: Array, way: int | None, sizes: set[str]) -> bool:
    """Whether the conditions say of each element whether it is read: they are of its index, or the same everywhere."""
    conditions = [condition for condition, _ in reading.place.guards]
    used = {name for condition in conditions for name in free_names(condition)} - sizes
    if any(is_random(condition) for condition in conditions):
        return False
    if not used:  # under axes that may have no point, an element that a condition reads need not be there
        return not reading.place.axes or not any(read.index for condition in conditions for read in reads(condition))
    if way == 0:
        return False
    ranges = {axis.name: axis.range for axis in reading.place.axes}
    variables = [entry.variable if isinstance(entry, Poly) else None for entry in reading.read.index]
    is_element = len(set(variables)) == len(variables) and all(
        variable in ranges and (way is not None or ranges[variable] == bounds)
        for variable, bounds in zip(variables, array.ranges, strict=True)
    )
    return is_element and used <= set(variables) and not any(has_contraction(condition) for condition in conditions)


def reached(needs: Mapping[str, set[str]], names: Iterator[str]) -> set[str]:
    """The arrays with these names, and all that they are computed from."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return found


# ---- the guarded equations ------------------------------------------------------------------------


def _guarded(step: Equation, readings: Sequence[_Reading], way: int) -> Equation:
    """The equation with its value where one of the readings wants it, or an element that is made of it."""
    wanted = list(dict.fromkeys(_wanted_later(reading, step.index, way) for reading in readings))
    condition = reduce(lambda left, right: Apply("or", (left, right), Element.BOOLEAN), wanted)
    if isinstance(step.value, Select) and step.value.condition == condition:
        return step
    return replace(step, value=Select(condition, step.value, zero_of(element_of(step.value)), element_of(step.value)))


def _wanted_later(reading: _Reading, index: Sequence[Poly], way: int) -> Expr:
    """Whether the conditions hold for the element, or for one that is made of it: for some `k` in `t .. S`."""
    axis = next((axis for axis in reading.place.axes if Poly.of(axis.name) in reading.read.index), None)
    if way == 0 or axis is None or not any(axis.name in free_names(condition) for condition, _ in reading.place.guards):
        return _wanted(reading, index)
    later = FreshNames([*(other.name for other in reading.place.axes), *(name for entry in index for name in entry.names)])("k")
    ends = (index[0], Poly.of(later)) if way > 0 else (Poly.of(later), index[0])
    is_later = Apply("less_equal", (IndexValue(ends[0]), IndexValue(ends[1])), Element.BOOLEAN)
    wanted = Apply("and", (is_later, _wanted(reading, (Poly.of(later),))), Element.BOOLEAN)
    return Reduce("any", Axis(later, axis.range), wanted, Element.BOOLEAN)


def _wanted(reading: _Reading, index: Sequence[Poly]) -> Expr:
    """Whether the conditions above a read hold for the element of that index."""
    places = {v: at for entry, at in zip(reading.read.index, index, strict=True) if isinstance(entry, Poly) and (v := entry.variable)}
    parts = [condition if holds else Apply("not", (condition,), Element.BOOLEAN) for condition, holds in reading.place.guards]
    parts = [substitute_axes(part, places, FreshNames()) for part in parts]
    return reduce(lambda left, right: Apply("and", (left, right), Element.BOOLEAN), parts)
