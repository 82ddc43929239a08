r"""Take the elements of a join from its parts, where each example joins parts of its own lengths.

Before -> after, where `m` and `n` are lengths of inputs::

    c[i] = a[i]          for i in 0..m-1          c[k] = a[k] if k <= m-1 else b[k - m]    for k in 0..m+n-1
    c[m+j] = b[j]        for j in 0..n-1     ->

Padding then stands behind the last part of each example, as everywhere, and not between its parts. Preconditions: equations alone
define the array, part after part along one axis, and none of them needs it, whatever stands between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    IndexValue,
    Module,
    Range,
    Select,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, needed_by, step_targets, substitute_axes
from mathdsl.passes.renaming import module_names


@dataclass(frozen=True)
class _Part:
    """The elements `first .. last` of a join, defined by `step`; `axis` runs over them, where there are several."""

    step: Equation
    axis: Axis | None
    first: Poly
    last: Poly


def gathered_joins(module: Module, lengths: Set[str]) -> Module:
    """The module in which each join of parts of these lengths is gathered."""
    targets = Counter(target for step in module.steps for target in step_targets(step))
    for name in (name for name, count in targets.items() if count > 1):
        array = module.array(name)
        steps = [step for step in module.steps if name in step_targets(step)]
        equations = [step for step in steps if isinstance(step, Equation)]
        if array.listed or len(equations) < len(steps) or name in needed_by(module, steps):
            continue
        place, parts = next(_joins(array, equations), (0, ()))
        if any(not part.first.names.isdisjoint(lengths) for part in parts[1:]):
            module = _with_gathered(module, array, place, parts)
    return module


def _joins(array: Array, equations: Sequence[Equation]) -> Iterator[tuple[int, tuple[_Part, ...]]]:
    """The axes along which the equations define the array part after part, and alike along the others."""
    for place, bounds in enumerate(array.ranges):
        waiting = [_part(step, place) for step in equations]
        parts: list[_Part] = []
        start = bounds.lower
        while (after := next((part for part in waiting if part is not None and part.first == start), None)) is not None:
            waiting.remove(after)
            parts.append(after)
            start = after.last + 1
        if not waiting and start == bounds.upper + 1 and len({_others(part, place) for part in parts}) == 1:
            yield place, tuple(parts)


def _part(step: Equation, place: int) -> _Part | None:
    """The elements that an equation defines along an axis; None where they are not one next to the other."""
    entry = step.index[place]
    used = [axis for axis in step.axes if axis.name in entry.names]
    if not used:
        return _Part(step, None, entry, entry)
    axis = used[0]
    inside = (axis.range.lower + axis.range.upper).names & {other.name for other in step.axes}
    moved = any(axis.name in (other.range.lower + other.range.upper).names for other in step.axes)
    if len(used) > 1 or entry.coefficient(axis.name) != Poly.of(1) or inside or moved:
        return None
    offset = entry - axis.name
    return _Part(step, axis, offset + axis.range.lower, offset + axis.range.upper)


def _others(part: _Part, place: int) -> tuple[Range | Poly | None, ...]:
    """What an equation's index says at the other places: the range of an axis, or one point."""
    axes = {axis.name: axis.range for axis in part.step.axes}
    entries = (entry for k, entry in enumerate(part.step.index) if k != place)
    return tuple(axes.get(entry.variable or "", entry if entry.names.isdisjoint(axes) else None) for entry in entries)


def _with_gathered(module: Module, array: Array, place: int, parts: Sequence[_Part]) -> Module:
    """The module with one equation in place of the parts."""
    fresh = FreshNames(module_names(module))
    along = fresh("k")
    outer = [axis for axis in parts[0].step.axes if axis != parts[0].axis]
    axes = (*(Axis(fresh(axis.name), axis.range) for axis in outer), Axis(along, array.ranges[place]))
    names = {old.name: Poly.of(new.name) for old, new in zip(outer, axes, strict=False)}
    index = tuple(Poly.of(along) if k == place else entry.substitute(names) for k, entry in enumerate(parts[0].step.index))
    values = [_value(part, place, index, along, fresh, [axis.name for axis in axes]) for part in parts]
    value = values[-1]
    for part, own in zip(reversed(parts[:-1]), reversed(values[:-1]), strict=True):
        inside = Apply("less_equal", (IndexValue(Poly.of(along)), IndexValue(part.last)), Element.BOOLEAN)
        value = Select(inside, own, value, element_of(own))
    whole = Equation(array.name, axes, index, value, parts[0].step.origin)
    gone = [part.step for part in parts]
    at = module.steps.index(gone[0])
    steps = tuple(whole if k == at else step for k, step in enumerate(module.steps) if k == at or not any(step is old for old in gone))
    return replace(module, steps=steps)


def _value(part: _Part, place: int, index: Sequence[Poly], along: str, fresh: FreshNames, avoid: Sequence[str]) -> Expr:
    values = {entry.variable or "": index[k] for k, entry in enumerate(part.step.index) if k != place and entry.variable is not None}
    if part.axis is not None:
        values[part.axis.name] = Poly.of(along) - (part.first - part.axis.range.lower)
    own = {axis.name for axis in part.step.axes}
    return substitute_axes(part.step.value, {name: value for name, value in values.items() if name in own}, fresh, avoid)
