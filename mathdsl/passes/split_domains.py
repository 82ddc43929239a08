r"""Split an equation where a condition on an index decides: conditions become domains.

Before -> after::

    h[k] = {sum(j: W[j] * x[j]) + u[k-1] if k = 1; u[k-1] otherwise}          for k in 1..D
      ->
    h[1] = sum(j: W[j] * x[j]) + u[0]
    h[k] = u[k-1]                                                              for k in 2..D

The condition must compare an axis of the equation with a polynomial that has no axes and that lies, provably, at an end of
the axis's range (`k = 1`, `k > 1`, `t = S`, `t < S`), so that one side is a single point. It may stand inside a larger formula: then both
equations get the formula. Everything else stays a selection; where it leaves one point of an axis, what is read of the program's own
values is read there, so that nothing seems to depend on the points before it:

    y[t] = y[t-1] if t = 1 else x[t]      ->      y[t] = y[0] if t = 1 else x[t]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.ir.evaluation import map_children_where
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Apply, Axis, Equation, Expr, Index, Module, Program, Range, Read, Select, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, map_step, walk
from mathdsl.passes.domain_parts import COMPARISONS, at_point, decided, on_range, simplified
from mathdsl.passes.renaming import module_names

Box = tuple[Poly | Range, ...]


def split_domains(program: Program) -> Program:
    """Split in each of the document's modules."""
    return replace(program, modules=tuple(_split_module(module) for module in program.modules))


def _split_module(module: Module) -> Module:
    facts = facts_of_module(module)
    fresh = FreshNames(module_names(module))
    parts = [part for step in module.steps for part in _split(step, facts, fresh)]
    boxes: dict[str, list[Box]] = {}
    for part in parts:
        if isinstance(part, Equation):
            boxes.setdefault(part.target, []).append(_box(part))
    arrays = {array.name: (array.ranges, boxes[array.name]) for array in module.arrays if array.name in boxes}
    steps = tuple(_at_their_points(part, arrays, facts) for part in parts)
    return module if steps == module.steps else replace(module, steps=steps)


def _split(step: Step, facts: Facts, fresh: FreshNames) -> Iterator[Step]:
    """The step, or the equations for its parts, lowest index first."""
    found = _end(step, facts) if isinstance(step, Equation) else None
    if found is None or not isinstance(step, Equation):
        yield map_step(step, lambda value: simplified(value, facts.inside(step.axes))) if isinstance(step, Equation) else step
        return
    axis, is_first = found
    if is_first:
        yield from _split(at_point(step, axis, axis.range.lower, facts, fresh), facts, fresh)
        yield from _split(on_range(step, axis, Range(axis.range.lower + 1, axis.range.upper), facts), facts, fresh)
    else:
        yield from _split(on_range(step, axis, Range(axis.range.lower, axis.range.upper - 1), facts), facts, fresh)
        yield from _split(at_point(step, axis, axis.range.upper, facts, fresh), facts, fresh)


def _end(step: Equation, facts: Facts) -> tuple[Axis, bool] | None:
    """The axis of which some condition separates an end, and whether that is its first point."""
    axes = {axis.name: axis for axis in step.axes}
    inner = {name for axis in step.axes for bound in (axis.range.lower, axis.range.upper) for name in bound.names}
    for node in walk(step.value):
        if not isinstance(node, Select):
            continue
        for condition in _comparisons(node.condition):
            names = [name for name in free_names(condition) if name in axes]
            if len(names) != 1 or names[0] in inner:
                continue
            axis = axes[names[0]]
            if axis.range.lower.names & axes.keys() or axis.range.upper.names & axes.keys():
                continue
            if not facts.proves_nonnegative(axis.range.upper - axis.range.lower):
                continue  # the point would be defined even where the range is empty
            for end, is_first in ((axis.range.lower, True), (axis.range.upper, False)):
                if _separates(condition, axis, end, is_first, facts):
                    return axis, is_first
    return None


def _comparisons(condition: Expr) -> Iterator[Expr]:
    """The comparisons that make up a condition."""
    match condition:
        case Apply(op="and" | "or" | "not", arguments=arguments):
            for argument in arguments:
                yield from _comparisons(argument)
        case Apply(op=op) if op in COMPARISONS:
            yield condition


def _separates(condition: Expr, axis: Axis, end: Poly, is_first: bool, facts: Facts) -> bool:
    """Whether the condition has one value at the end of the range and the other everywhere else."""
    rest = Range(end + 1, axis.range.upper) if is_first else Range(axis.range.lower, end - 1)
    at_end = facts.adding(Poly.of(axis.name) - end, end - Poly.of(axis.name))
    elsewhere = facts.inside((Axis(axis.name, rest),))
    there, others = decided(condition, at_end), decided(condition, elsewhere)
    return there is not None and others is not None and there != others


def _box(step: Equation) -> Box:
    """What a left side covers at each position."""
    ranges = {axis.name: axis.range for axis in step.axes}
    return tuple(ranges.get(entry.variable or "", entry) for entry in step.index)


def _at_their_points(step: Step, arrays: Mapping[str, tuple[tuple[Range, ...], list[Box]]], facts: Facts) -> Step:
    """The step, in whose branches what is read at one point of an axis alone names that point, if its array always has it.

    Of points that equations define as some of many, `b[k, j-1]`, the index says more: how far away they are.
    """
    if not isinstance(step, Equation) or not any(isinstance(node, Select) for node in walk(step.value)):
        return step
    around = facts.inside(step.axes)

    def index_at(entry: Index, bounds: Range, place: Facts) -> Index:
        if not isinstance(entry, Poly):
            return entry
        asked = {
            name for fact in place.known[len(around.known) :] for name in fact.names
        }  # of sizes alone, `n <= 1`, says nothing of a point
        for axis in step.axes:
            for end in (axis.range.lower, axis.range.upper) if axis.name in entry.names & asked else ():
                at = entry.substitute({axis.name: end})
                is_there = facts.proves_nonnegative(at - bounds.lower) and facts.proves_nonnegative(bounds.upper - at)
                name = Poly.of(axis.name)
                if at.constant is not None and is_there and place.proves_nonnegative(end - name) and place.proves_nonnegative(name - end):
                    return at
        return entry

    def is_apart(at: Index, defined: list[Poly | Range]) -> bool:
        ranges = [entry for entry in defined if isinstance(entry, Range)]
        return isinstance(at, Poly) and all(facts.exclude(at - bounds.lower, bounds.upper - at) for bounds in ranges)

    def changed(expr: Expr, place: Facts) -> Expr:
        match expr:
            case Read(array=name, index=index) if name in arrays and place is not around:
                ranges, boxes = arrays[name]
                found = tuple(index_at(entry, bounds, place) for entry, bounds in zip(index, ranges, strict=True))
                moved = [k for k, entry in enumerate(index) if entry != found[k]]
                expr = replace(expr, index=found) if any(is_apart(found[k], [box[k] for box in boxes]) for k in moved) else expr
            case _:
                pass
        return map_children_where(expr, place, changed)

    value = changed(step.value, around)
    return step if value is step.value else replace(step, value=value)
