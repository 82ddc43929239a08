r"""Let the equations of a recurrence run over one range: what some of them do more is done before or after the loop.

Before -> after (`h` and `u` need each other)::

    h[k] = tanh(u[k-1])        for k in 2..D             h[k] = tanh(u[k-1])        for k in 2..D
    u[k] = h[k] + u[k-1]       for k in 1..D      ->     u[1] = h[1] + u[0]
                                                         u[k] = h[k] + u[k-1]       for k in 2..D

so that a turn of the loop does the same each time. Where equations of one point stand among those of a range that needs them, and no
loop computes both, the range is cut at these points:

    b[i, 0] = a[i-1]            for i in 1..2            b[1, 0] = a[0]                     b[2, 0] = a[1]
    b[1, j] = b[1, j-1]                                  b[1, j] = b[1, j-1]                b[2, j] = b[2, j-1] + x[j]
    b[2, j] = b[2, j-1] + x[j]                    ->     a[1] = b[1, n]                     a[2] = b[2, n]
    a[i] = b[i, n]              for i in 1..2

Precondition: none; dependences say whether the parts are before or
after. Declines where the ranges do not differ by one or two points, where they might be empty, and for calls: the loop then
has guards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.analysis.recurrences import Recurrence, Unordered, analyse_recurrences, has_order
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Axis, Equation, Module, Program, Range, Step
from mathdsl.ir.sizes import Poly
from mathdsl.passes.domain_parts import at_point, on_range
from mathdsl.passes.renaming import module_names

_MOST_POINTS = 2
_MOST_DEPTH = 4


def peel_recurrences(program: Program) -> Program:
    """Peel in each of the document's modules."""
    return replace(program, modules=tuple(_peeled(_cut(module)) for module in program.modules))


def _cut(module: Module) -> Module:
    """The module with ranges cut at the points that have equations of their own, where that gives an order."""
    unordered = analyse_recurrences(module).unordered
    if not unordered:
        return module
    facts = facts_of_module(module)
    fresh = FreshNames(module_names(module))
    steps: list[tuple[Step, ...]] = [(step,) for step in module.steps]
    for component in unordered:
        for bounds, points in _own_points(module, component).items():
            for number in component.steps:
                steps[number] = tuple(part for step in steps[number] for part in _at_cuts(step, bounds, points, facts, fresh))
    found = replace(module, steps=tuple(part for parts in steps for part in parts))
    return found if len(found.steps) > len(module.steps) and has_order(found) else module


def _own_points(module: Module, component: Unordered) -> dict[Range, set[int]]:
    """By range of an index, the points at which other steps of the component define elements of the same array."""
    equations = [step for number in component.steps if isinstance(step := module.steps[number], Equation)]
    found: dict[Range, set[int]] = {}
    for step in equations:
        for place, entry in enumerate(step.index):
            axis = next((axis for axis in step.axes if axis.name == entry.variable), None)
            others = (other.index[place].constant for other in equations if other.target == step.target)
            points = {point for point in others if point is not None}
            if axis is not None and points:
                found.setdefault(axis.range, set()).update(points)
    return found


def _at_cuts(step: Step, bounds: Range, points: set[int], facts: Facts, fresh: FreshNames) -> Iterator[Step]:
    """The step at each of the points in its range, and on what lies before, between and after them."""
    axis = next((axis for axis in step.axes if axis.range == bounds), None)
    start = bounds.lower.constant
    inside = sorted(point for point in points if start is not None and point >= start and facts.proves_nonnegative(bounds.upper - point))
    if axis is None or start is None or not inside or not isinstance(step, Equation):
        yield step
        return
    for point in inside:
        if start < point:
            yield on_range(step, axis, Range(Poly.of(start), Poly.of(point - 1)), facts)
        yield at_point(step, axis, Poly.of(point), facts, fresh)
        start = point + 1
    if not facts.proves_nonnegative(Poly.of(start - 1) - bounds.upper):
        yield on_range(step, axis, Range(Poly.of(start), bounds.upper), facts)


def _peeled(module: Module) -> Module:
    """Outer loops first: what they peel changes the inner ones."""
    for depth in range(_MOST_DEPTH):
        level: Sequence[Recurrence] = analyse_recurrences(module).recurrences
        for _ in range(depth):
            level = [inner for recurrence in level for inner in recurrence.inner]
        if not level:
            return module
        module = _peel_level(module, level)
    return module


def _peel_level(module: Module, level: Sequence[Recurrence]) -> Module:
    facts = facts_of_module(module)
    fresh = FreshNames(module_names(module))
    parts: dict[int, list[Step]] = {}
    for recurrence in level:
        axes = [next(a for a in module.steps[n].axes if a.name == name) for n, name in zip(recurrence.steps, recurrence.axes, strict=True)]
        common = _common([axis.range for axis in axes], facts)
        if common is None:
            continue
        for number, axis in zip(recurrence.steps, axes, strict=True):
            step = module.steps[number]
            if axis.range != common and isinstance(step, Equation):
                parts[number] = list(_parts(step, axis, common, facts, fresh))
    if not parts:
        return module
    return replace(module, steps=tuple(part for n, step in enumerate(module.steps) for part in parts.get(n, [step])))


def _common(ranges: Sequence[Range], facts: Facts) -> Range | None:
    """The range that all have in common, if each has at most a few points more and all of those exist."""
    lower = _innermost([bounds.lower for bounds in ranges], facts, 1)
    upper = _innermost([bounds.upper for bounds in ranges], facts, -1)
    if lower is None or upper is None:
        return None
    for bounds in ranges:
        before, after = (lower - bounds.lower).constant, (bounds.upper - upper).constant
        if before is None or after is None or max(before, after) > _MOST_POINTS:
            return None
        if not facts.proves_nonnegative(bounds.extent - before - after):
            return None
    return Range(lower, upper)


def _innermost(bounds: Sequence[Poly], facts: Facts, sign: int) -> Poly | None:
    return next((b for b in bounds if all(facts.proves_nonnegative((b - other) * sign) for other in bounds)), None)


def _parts(step: Equation, axis: Axis, common: Range, facts: Facts, fresh: FreshNames) -> Iterator[Step]:
    """The points before, the common range, the points after."""
    before, after = (common.lower - axis.range.lower).constant or 0, (axis.range.upper - common.upper).constant or 0
    for k in range(before):
        yield at_point(step, axis, axis.range.lower + k, facts, fresh)
    yield on_range(step, axis, common, facts)
    for k in range(after):
        yield at_point(step, axis, common.upper + 1 + k, facts, fresh)
