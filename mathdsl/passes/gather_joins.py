r"""Take the elements of a join from its parts, where each example joins parts of its own lengths.

Before -> after, where `m` and `n` are lengths of inputs::

    c[i] = a[i]          for i in 0..m-1          c[k] = a[k] if k <= m-1 else b[k - m]    for k in 0..s-1
    c[m+j] = b[j]        for j in 0..n-1     ->
    return sum(k in 0..m+n-1: c[k])               return sum(k in 0..s-1: c[k])            s = m + n

Padding then stands behind the last part of each example, as everywhere, and not between its parts. The length of a join is a size of
its own, which follows from the others. Preconditions: equations alone define the array, part after part along one axis, and none of
them reads it. Declines where the lengths can differ between examples already, where they cannot then, and where a part is of an
input that may be left out: the lengths of the others are then given alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from mathdsl.analysis.raggedness import candidate_sizes, find_ragged_sizes, flat_inputs
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Apply,
    Array,
    Axis,
    CallTarget,
    Element,
    Equation,
    Expr,
    Extreme,
    IndexValue,
    Module,
    Program,
    Range,
    Select,
    Size,
    SizeKind,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, map_polys, map_range, map_results, rewrite, step_reads, step_targets, substitute_axes
from mathdsl.passes.renaming import module_names


def gather_joins(program: Program) -> Program:
    """Gather in each of the document's modules in which that lets lengths differ."""
    ragged = find_ragged_sizes(program)
    gathered = {module.name: _gathered(module, frozenset(ragged[module.name])) for module in program.modules}
    changed = {name: found for name, found in gathered.items() if found is not None}
    if not changed:
        return program
    modules = tuple(changed[m.name][0] if m.name in changed else m for m in program.modules)
    now = find_ragged_sizes(replace(program, modules=modules))
    kept = {name: module for name, (module, sizes) in changed.items() if sizes <= frozenset(now[name])}
    return replace(program, modules=tuple(kept.get(module.name, module) for module in program.modules))


@dataclass(frozen=True)
class _Part:
    """The elements `first .. last` of a join, defined by `step`; `axis` runs over them, where there are several."""

    step: Equation
    axis: Axis | None
    first: Poly
    last: Poly


def _gathered(module: Module, ragged: Set[str]) -> tuple[Module, frozenset[str]] | None:
    """The module with its joins gathered, and the lengths of their parts; None where there are none."""
    lengths = frozenset(candidate_sizes(module)) - _optional_sizes(module)
    if lengths <= ragged:
        return None
    targets = Counter(target for step in module.steps for target in step_targets(step))
    found: set[str] = set()
    for name in (name for name, count in targets.items() if count > 1):
        array = module.array(name)
        steps = [step for step in module.steps if name in step_targets(step)]
        equations = [step for step in steps if isinstance(step, Equation)]
        if array.listed or len(equations) < len(steps) or any(read.array == name for step in steps for read in step_reads(step)):
            continue
        place, parts = next(_joins(array, equations), (0, ()))
        moving = {size for part in parts[1:] for size in part.first.names}
        if moving and moving <= lengths and not moving <= ragged:
            module, own = _with_gathered(module, array, place, parts)
            found |= moving
            lengths |= own
    return (module, frozenset(found)) if found else None


def _optional_sizes(module: Module) -> frozenset[str]:
    """The sizes that only inputs which may be left out have: then there is one length to give, that of the others."""
    own: dict[bool, set[str]] = {True: set(), False: set()}
    for entry in flat_inputs(module):
        own[entry.default is not None or entry.is_empty].update(n for r in module.array(entry.array).ranges for n in r.extent.names)
    return frozenset(own[True] - own[False])


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


def _with_gathered(module: Module, array: Array, place: int, parts: Sequence[_Part]) -> tuple[Module, frozenset[str]]:
    """The module with one equation in place of the parts, and the name of its length, if that is new."""
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
    module = replace(module, steps=steps)
    extent = array.ranges[place].extent
    length = Poly(tuple(term for term in extent.terms if term[0]))
    if length.variable is not None:
        return module, frozenset()
    size = Size(fresh(f"n_{array.python}"), SizeKind.RUNTIME, rf"n_{{{array.latex}}}", value=Extreme("minimum", (length,)))
    return _measured(module, length, size), frozenset([size.name])


def _value(part: _Part, place: int, index: Sequence[Poly], along: str, fresh: FreshNames, avoid: Sequence[str]) -> Expr:
    values = {entry.variable or "": index[k] for k, entry in enumerate(part.step.index) if k != place and entry.variable is not None}
    if part.axis is not None:
        values[part.axis.name] = Poly.of(along) - (part.first - part.axis.range.lower)
    own = {axis.name for axis in part.step.axes}
    return substitute_axes(part.step.value, {name: value for name, value in values.items() if name in own}, fresh, avoid)


def _measured(module: Module, length: Poly, size: Size) -> Module:
    """The module in which the size stands for its value, in all ranges and indices."""

    def put(poly: Poly) -> Poly:
        return poly - length + size.name if set(length.terms) <= set(poly.terms) else poly

    def ranges(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        return tuple(Axis(axis.name, map_range(axis.range, put)) for axis in axes)

    def expression(expr: Expr) -> Expr:
        return rewrite(expr, lambda node: map_polys(node, put))

    def abstraction(value: Abstraction) -> Abstraction:
        return Abstraction(ranges(value.axes), expression(value.value))

    def target(old: CallTarget | None) -> CallTarget | None:
        return old and replace(old, index=tuple(map_range(e, put) if isinstance(e, Range) else put(e) for e in old.index))

    def step(old: Step) -> Step:
        axes = ranges(old.axes)
        if isinstance(old, Equation):
            return replace(old, axes=axes, index=tuple(map(put, old.index)), value=expression(old.value))
        arguments = tuple(replace(argument, value=abstraction(argument.value)) for argument in old.arguments)
        sizes = tuple((name, put(value)) for name, value in old.sizes)
        at = None if old.at is None else put(old.at)
        return replace(old, axes=axes, targets=tuple(map(target, old.targets)), at=at, arguments=arguments, sizes=sizes)

    return replace(
        module,
        sizes=(*module.sizes, size),
        arrays=tuple(replace(array, ranges=tuple(map_range(bounds, put) for bounds in array.ranges)) for array in module.arrays),
        steps=tuple(map(step, module.steps)),
        results=map_results(module.results, abstraction),
        checks=tuple(replace(c, axes=ranges(c.axes), condition=expression(c.condition)) for c in module.checks),
    )
