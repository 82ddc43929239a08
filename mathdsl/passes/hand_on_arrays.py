r"""Let a loop hand on what it has made of an array so far, where a turn reads any of the elements before it.

Before -> after, for `i = 1, \dots, n`::

    x[i] = b[i] - sum(j in 1..i-1: U[i, j] * x[j])    ->    x[i] = b[i] - sum(j in 1..i-1: U[i, j] * X[i-1, j])
                                                            X[0, k] = 0
                                                            X[i, k] = x[i] if k = i else X[i-1, k]

so that every read is a fixed number of turns back. Precondition: a loop exists, up or down, whose dependences all point to earlier turns.
What is there before the loop stands in the array that its first turn gets. Declines for arrays that calls define, for loops in loops,
and where the ranges of the steps cannot be put in order: `choose_schedules` then says why there is no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from mathdsl.analysis.dependence import Dependence
from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.analysis.recurrences import Recurrence, analyse_recurrences
from mathdsl.ir.evaluation import module_values
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    IndexValue,
    Kind,
    Module,
    Origin,
    Program,
    Range,
    Read,
    Select,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import map_step, rewrite, step_targets, walk, zero_of
from mathdsl.passes.renaming import module_names, rename_axes


def hand_on_arrays(program: Program) -> Program:
    """Hand on arrays in each of the document's modules."""
    return replace(program, modules=tuple(map(_handing_on, program.modules)))


def _handing_on(module: Module) -> Module:
    for _ in module.arrays if _may_reach_far(module) else ():
        changed = next((new for loop in analyse_recurrences(module).recurrences if (new := _of_loop(module, loop)) is not None), None)
        if changed is None:
            return module
        module = changed
    return module


def _may_reach_far(module: Module) -> bool:
    """Whether some step reads what steps define at other indices than its own, by a distance: `y[j]` under a sum, for `t, j`, `y[k[t]]`."""
    own = {target for step in module.steps for target in step_targets(step)}
    for _, value in module_values(module):
        around = {axis.name for axis in value.axes}
        for node in walk(value.value):
            if isinstance(node, Read) and node.array in own:
                names = [entry.names if isinstance(entry, Poly) else None for entry in node.index]
                if any(own_names is None or not own_names <= around for own_names in names) or _is_at_one_of_several(names, around):
                    return True
    return False


def _is_at_one_of_several(names: Sequence[frozenset[str] | None], around: set[str]) -> bool:
    """Whether a read at such indices moves with some of the axes around, and not with others."""
    found = frozenset[str]().union(*(own for own in names if own is not None))
    return bool(found) and not around <= found


def _of_loop(module: Module, loop: Recurrence) -> Module | None:
    """The module in which a loop hands on one more of its arrays; None where it has none to hand on."""
    axes = dict(zip(loop.steps, loop.axes, strict=True))
    far = [edge for edge in loop.carried if (steps := edge.distance(axes[edge.source], axes[edge.sink])) is None or steps.constant is None]
    bounds = _hull([_axis(module.steps[number], name).range for number, name in axes.items()], facts_of_module(module))
    for name in dict.fromkeys(edge.access.read.array for edge in far):
        edges = [edge for edge in far if edge.access.read.array == name]
        if bounds is not None and (made := _handed_on(module, loop, axes, edges, bounds)) is not None:
            return made
    return None


def _handed_on(module: Module, loop: Recurrence, axes: dict[int, str], edges: list[Dependence], bounds: Range) -> Module | None:
    array = module.array(edges[0].access.read.array)
    own = {number: step for number in loop.steps if array.name in step_targets(step := module.steps[number])}
    places = {edge.place(axes[edge.source]) for edge in edges}
    changed = {(edge.sink, edge.access.read) for edge in edges}
    is_late = any((edge.sink, edge.access.read) in changed for edge in loop.live)
    writers = [step for step in module.steps if array.name in step_targets(step)]
    if is_late or len(places) > 1 or None in places or not all(isinstance(step, Equation) for step in writers):
        return None
    (place,) = places
    assert place is not None
    fresh, before = FreshNames(module_names(module)), 1 if loop.descending else -1
    name = fresh(f"{array.python}_so_far")
    turn = Axis(fresh(loop.axes[0]), bounds)
    ranges = Range(bounds.lower, bounds.upper + 1) if loop.descending else Range(bounds.lower - 1, bounds.upper)
    handed = Array(name, Kind.VALUE, array.element, (ranges, *array.ranges), name, rf"{array.latex}_{{\mathrm{{so\,far}}}}")
    inner = tuple(Axis(fresh(f"k_{number}"), of) for number, of in enumerate(array.ranges))
    index = tuple(Poly.of(axis.name) for axis in inner)
    origin = Origin(rf"{array.latex} \text{{ so far}}", array.span)
    start = bounds.upper + 1 if loop.descending else bounds.lower - 1
    kept: Expr = Read(name, (Poly.of(turn.name) + before, *index), array.element)
    for step in own.values():
        at = (*index[:place], Poly.of(turn.name), *index[place + 1 :])
        kept = _put(array, step, at, kept, _compare("equal", index[place], at[place]), place, bounds)
    steps = [_reading(step, number, axes, changed, handed, before) for number, step in enumerate(module.steps)]
    last = max(own)
    others = [step for step in writers if step not in own.values()]
    known = replace(handed, name=(first := fresh(f"{array.python}_before")), python=first, ranges=array.ranges) if others else None
    begin: Expr = zero_of(array.element) if known is None else Read(known.name, index, array.element)
    made = [
        Equation(name, inner, (start, *index), begin, origin),
        Equation(name, (turn, *inner), (Poly.of(turn.name), *index), kept, origin),
    ]
    if known is not None:
        made += [_before(step, step in others, known, origin, fresh) for step in writers]
    arrays = (*module.arrays, *((known,) if known is not None else ()), handed)
    return replace(module, arrays=arrays, steps=(*steps[: last + 1], *made, *steps[last + 1 :]))


def _before(step: Step, is_known: bool, known: Array, origin: Origin, fresh: FreshNames) -> Equation:
    """What is there before the loop of the elements that a step defines."""
    assert isinstance(step, Equation)
    names = {axis.name: fresh(axis.name) for axis in step.axes}
    index = tuple(entry.substitute({old: Poly.of(new) for old, new in names.items()}) for entry in step.index)
    value = Read(step.target, index, known.element) if is_known else zero_of(known.element)
    return Equation(known.name, rename_axes(step.axes, names), index, value, origin)


def _put(array: Array, step: Step, at: Sequence[Poly], rest: Expr, is_turn: Expr, place: int, turns: Range) -> Expr:
    """The array's element where a turn defines it, else the rest."""
    assert isinstance(step, Equation)
    asked = [is_turn]
    names = {axis.name: own for entry, own in zip(step.index, at, strict=True) for axis in step.axes if entry == Poly.of(axis.name)}
    for position, (entry, own, whole) in enumerate(zip(step.index, at, array.ranges, strict=True)):
        bounds = next((axis.range for axis in step.axes if entry == Poly.of(axis.name)), Range(entry, entry))
        around = turns if position == place else whole
        low, high = bounds.lower.substitute(names), bounds.upper.substitute(names)
        asked += [_compare("less_equal", low, own)] * (low != around.lower)
        asked += [_compare("less_equal", own, high)] * (high != around.upper)
    value = Read(array.name, tuple(own if entry.names else entry for entry, own in zip(step.index, at, strict=True)), array.element)
    return Select(reduce(_and, asked), value, rest, array.element)


def _reading(step: Step, number: int, axes: dict[int, str], changed: set[tuple[int, Read]], handed: Array, before: int) -> Step:
    """The step that reads what the turn before hands on."""
    if number not in axes:
        return step

    def node(expr: Expr) -> Expr:
        if not isinstance(expr, Read) or (number, expr) not in changed:
            return expr
        return Read(handed.name, (Poly.of(axes[number]) + before, *expr.index), expr.element)

    return map_step(step, lambda expr: rewrite(expr, node))


def _compare(op: str, left: Poly, right: Poly) -> Expr:
    return Apply(op, (IndexValue(left), IndexValue(right)), Element.BOOLEAN)


def _and(left: Expr, right: Expr) -> Expr:
    return Apply("and", (left, right), Element.BOOLEAN)


def _axis(step: Step, name: str) -> Axis:
    return next(axis for axis in step.axes if axis.name == name)


def _hull(ranges: Sequence[Range], facts: Facts) -> Range | None:
    def outermost(ends: list[Poly], sign: int) -> Iterator[Poly]:
        return (end for end in ends if all(facts.proves_nonnegative((end - other) * sign) for other in ends))

    lower, upper = next(outermost([r.lower for r in ranges], -1), None), next(outermost([r.upper for r in ranges], 1), None)
    return None if lower is None or upper is None else Range(lower, upper)
