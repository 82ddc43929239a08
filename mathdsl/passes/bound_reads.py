r"""Keep reads inside their arrays where a selection, and not the range of an axis, says that they are not wanted.

Before -> after, all `t` at once::

    y[t] = x[t] if t = 1 or t = S else x[t-1] + x[t+1]
      ->
    y[t] = x[t] if t = 1 or t = S else x[clip(t-1, 1, S)] + x[clip(t+1, 1, S)]

A branch that is not taken is never evaluated, says the language; computed for all points at once it is, and what it reads
there must exist, though it does not matter. In a loop the index is a number, and the branch can really be left out; so

    h[t] = h[t-1] if x[t] < 0 and t > 1 else 0      ->      h[t] = (h[t-1] if x[t] < 0 else 0) if t > 1 else 0
    h[t] = a if t > 1 and h[t-1] > 0 else b         ->      h[t] = (a if h[t-1] > 0 else b) if t > 1 else b

So is what a reduction reads over a range that ends at such an index, of which one range for all points is made::

    y = sum(i in 1..n: sum(j in 1..i-1: z[i] * x[j]))     (z over 2..n)      ->      … z[clip(i, 2, n)] * x[j] …

A read that lies outside at every point is in a branch that is never taken; a number stands in its place:

    d[0, j] = c if p[j] > 0 else d[-1, j]               ->      d[0, j] = c if p[j] > 0 else 1.0

Which axes are loops decides. Declines where the range of the axes alone keeps a read
inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from mathdsl.analysis.accesses import accesses
from mathdsl.analysis.domains import leaves
from mathdsl.analysis.facts import Facts, compare, facts_of_module
from mathdsl.analysis.least_sizes import least_value
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import map_children_where
from mathdsl.ir.nodes import (
    Abstraction,
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Literal,
    Loop,
    Range,
    Read,
    ScheduledModule,
    ScheduledProgram,
    Select,
    Stage,
    Step,
    Whole,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import bound_axes, free_names, map_results, map_step, walk

_HARMLESS = {Element.REAL: Literal(1.0), Element.INTEGER: Literal(1), Element.BOOLEAN: Literal(True)}


def bound_reads(program: ScheduledProgram) -> ScheduledProgram:
    """Bound the reads in each of the document's modules."""
    return replace(program, modules=tuple(_bounded(module) for module in program.modules))


def _bounded(module: ScheduledModule) -> ScheduledModule:
    arrays = {array.name: array for array in module.arrays}
    facts = facts_of_module(module)
    changed: dict[int, Step] = {}
    at_once = _Rewriter(frozenset(), arrays)
    schedule = tuple(_stage(stage, at_once, facts, changed) for stage in module.schedule)

    def result(value: Abstraction) -> Abstraction:
        return replace(value, value=at_once.abstraction(value, facts))

    results = map_results(module.results, result)
    checks = tuple(replace(c, condition=at_once.abstraction(Abstraction(c.axes, c.condition), facts)) for c in module.checks)
    if not changed and (results, checks) == (module.results, module.checks):
        return module
    steps = tuple(changed.get(id(step), step) for step in module.steps)
    return replace(module, schedule=schedule, steps=steps, results=results, checks=checks)


def _stage(stage: Stage, rewriter: _Rewriter, facts: Facts, changed: dict[int, Step]) -> Stage:
    if isinstance(stage, Loop):
        inner = replace(rewriter, loops=rewriter.loops | {stage.axis.name})
        body = tuple(_stage(part, inner, facts, changed) for part in stage.body)
        return stage if body == stage.body else replace(stage, body=body)
    step = _step(stage.step, rewriter, facts)
    if step == stage.step:
        return stage
    changed[id(stage.step)] = step
    return Whole(step)


def _step(step: Step, rewriter: _Rewriter, facts: Facts) -> Step:
    if isinstance(step, Equation):
        return map_step(step, lambda value: rewriter.abstraction(Abstraction(step.axes, value), facts))
    around = ((argument.value, replace(argument.value, axes=(*step.axes, *argument.value.axes))) for argument in step.arguments)
    values = (replace(value, value=rewriter.abstraction(whole, facts)) for value, whole in around)
    return replace(step, arguments=tuple(replace(a, value=value) for a, value in zip(step.arguments, values, strict=True)))


def _is_never_inside(entry: Index, bounds: Range, facts: Facts) -> bool:
    return isinstance(entry, Poly) and "never" in (compare(bounds.lower, entry.padded, facts), compare(entry.padded, bounds.upper, facts))


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known at a place: nothing of the conditions above it, which guard it; all points are computed.

    So is a range that ends at an index around, `1..i-1`, for the whole of what it runs over at any `i`; `loops` are numbers.
    """

    facts: Facts
    loops: frozenset[str]
    axes: tuple[Axis, ...] = ()
    is_guarded: bool = False

    def inside(self, axes: Iterable[Axis]) -> _Place:
        found = self
        for axis in axes:
            around = [other for other in found.axes if other.name not in self.loops]
            if not {other.name for other in around}.isdisjoint(axis.range.lower.names | axis.range.upper.names):
                lower, below = least_value(axis.range.lower, around), least_value(-axis.range.upper, around)
                axis = Axis(axis.name, Range(axis.range.lower if lower is None else lower, axis.range.upper if below is None else -below))
                found = replace(found, is_guarded=True)
            found = replace(found, axes=(*found.axes, axis), facts=found.facts.inside((axis,)))
        return found

    def assuming(self, condition: Expr, holds: bool) -> _Place:
        return replace(self, is_guarded=True)


@dataclass(frozen=True)
class _Rewriter:
    """Rewrites one step; `loops` are the axes that are loops around it."""

    loops: frozenset[str]
    arrays: dict[str, Array]

    def abstraction(self, value: Abstraction, facts: Facts) -> Expr:
        """A value at all points of its axes; `facts` hold in the module."""
        if not _may_guard(value):
            return value.value
        return self.expression(value.value, _Place(facts.inside(value.axes), self.loops, value.axes))

    def expression(self, value: Expr, place: _Place) -> Expr:
        """The expression at a place."""
        match value:
            case Select():
                return map_children_where(self._index_first(value), place, self.expression)
            case Apply(op="and" | "or" as op, arguments=(left, right)) if self._may_leave(right, place.facts):
                yes, no = Literal(True), Literal(False)  # in a loop the right side can really be left out
                lazy = Select(left, right, no, Element.BOOLEAN) if op == "and" else Select(left, yes, right, Element.BOOLEAN)
                return self.expression(lazy, place)
            case Read(array=name, index=index) if place.is_guarded:
                ranges = self.arrays[name].ranges
                if any(_is_never_inside(entry, bounds, place.facts) for entry, bounds in zip(index, ranges, strict=True)):
                    return _HARMLESS[value.element]
                entries = tuple(self._entry(entry, bounds, place) for entry, bounds in zip(index, ranges, strict=True))
                return replace(value, index=entries)
            case _:
                return map_children_where(value, place, self.expression)

    def _entry(self, entry: Index, bounds: Range, place: _Place) -> Index:
        facts = place.facts
        if not isinstance(entry, Poly):
            return self.expression(entry, place)
        names = entry.names - self.loops
        if not names or compare(bounds.lower, entry.padded, facts) == compare(entry.padded, bounds.upper, facts) == "always":
            return entry
        if not any(name in names for name in self._axes(facts)):
            return entry
        return Apply("clip", (IndexValue(entry), IndexValue(bounds.lower), IndexValue(bounds.upper)), Element.INTEGER)

    @staticmethod
    def _axes(facts: Facts) -> frozenset[str]:
        sizes = {name for name, _ in facts.least}
        return frozenset(name for fact in facts.known for name in fact.names if name not in sizes)

    def _may_leave(self, value: Expr, facts: Facts) -> bool:
        """Whether something is read at an index that only the loops around decide, perhaps outside of its array."""
        for access in accesses(value, facts):
            for entry, bounds in zip(access.read.index, self.arrays[access.read.array].ranges, strict=True):
                if isinstance(entry, Poly) and entry.names & self.loops and leaves(entry.padded, bounds, access.facts):
                    return True
        return False

    def _index_first(self, value: Select) -> Select:
        """Conditions on the loops around, which are numbers, before conditions on data."""
        match value.condition:
            case Apply(op="and" | "or" as op):
                parts = _parts(value.condition, op)
                numbers = [part for part in parts if self._is_number(part)]
                others = [part for part in parts if not self._is_number(part)]
                if not numbers or not others:
                    return value
                outer, inner = _joined(op, numbers), replace(value, condition=_joined(op, others))
                return replace(value, condition=outer, then=inner) if op == "and" else replace(value, condition=outer, otherwise=inner)
            case _:
                return value

    def _is_number(self, condition: Expr) -> bool:
        """Whether a condition speaks of the loops around and of nothing that is a tensor."""
        match condition:
            case Apply(op="less" | "less_equal" | "greater" | "greater_equal" | "equal" | "not_equal", arguments=arguments):
                return all(isinstance(a, IndexValue | Literal) for a in arguments) and bool(set(free_names(condition)) & self.loops)
            case Apply(op="and" | "or" | "not", arguments=arguments):
                return all(self._is_number(a) for a in arguments)
            case _:
                return False


def _may_guard(value: Abstraction) -> bool:
    """Whether something may keep a part of a value from being evaluated: a condition, or a range that ends at an index."""
    bound = bound_axes(value.value)
    indices = {axis.name for axis in (*value.axes, *bound)}
    ends = {name for axis in bound for end in (axis.range.lower, axis.range.upper) for name in end.names}
    conditions = (isinstance(node, Select) or isinstance(node, Apply) and node.op in ("and", "or") for node in walk(value.value))
    return not ends.isdisjoint(indices) or any(conditions)


def _parts(condition: Expr, op: str) -> list[Expr]:
    """The conditions that `op` joins, in their order."""
    match condition:
        case Apply(op=found, arguments=(left, right)) if found == op:
            return [*_parts(left, op), *_parts(right, op)]
        case _:
            return [condition]


def _joined(op: str, conditions: list[Expr]) -> Expr:
    return reduce(lambda left, right: Apply(op, (left, right), Element.BOOLEAN), conditions)
