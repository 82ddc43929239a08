"""Which run-time sizes may differ between the examples of a batch.

A size qualifies if some input that is not shared has it, or a multiple or part of it, as the extent of an axis, some elements
more included, and if everything that it bounds can be computed exactly with padding at the upper end: it occurs in upper bounds
only, alone, and these grow with it. Anything else (a lower bound that moves, two run-time sizes in one bound, a list whose length it
is) is declined: all examples of a batch then have the same value of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mathdsl.analysis.facts import facts_of_module
from mathdsl.ir.nodes import Axis, Call, Equation, Input, Module, Program, Range, SizeKind, Structure, Submodule
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import bound_axes, flat_results, module_expressions


def ragged_size(bounds: Range, ragged: Iterable[str]) -> str | None:
    """The ragged size that the upper bound moves with."""
    return next((size for size in ragged if size in bounds.upper.names), None)


def find_ragged_sizes(program: Program) -> dict[str, tuple[str, ...]]:
    """For each module the run-time sizes that may be given per example, and those that follow from them, as declared."""
    modules = {module.name: module for module in (*program.library, *program.modules)}
    found = {name: _exact_together(module) for name, module in modules.items()}
    while True:
        fewer = {
            name: _without_halves(modules[name], tuple(size for size in sizes if _calls_allow(modules[name], size, sizes, found)))
            for name, sizes in found.items()
        }
        if fewer == found:
            return found
        found = fewer


def given_lengths(module: Module) -> tuple[str, ...]:
    """The ragged sizes that `lengths=` may hold: the others follow from them."""
    following = {size.name for size in module.sizes if size.value is not None}
    return tuple(name for name in module.ragged if name not in following)


def _exact_together(module: Module) -> tuple[str, ...]:
    """The candidates that are exact; of several in one bound, none."""
    alone = [size for size in candidate_sizes(module) if _is_exact(module, size)]
    crowds = [crowd for bounds in _ranges(module) if len(crowd := bounds.upper.names & set(alone)) > 1]
    return _without_halves(module, tuple(size for size in alone if not any(size in crowd for crowd in crowds)))


def _without_halves(module: Module, sizes: tuple[str, ...]) -> tuple[str, ...]:
    """The sizes without those that follow from none, and without those that one which may not be ragged follows from."""
    while True:
        kept = set(sizes)
        for size in module.sizes:
            bases = {name for poly in size.value.of for name in poly.names} if size.value is not None else set()
            if size.value is not None and size.name not in sizes:
                kept -= bases
            elif size.value is not None and not bases & kept:
                kept.discard(size.name)
        if len(kept) == len(sizes):
            return sizes
        sizes = tuple(size for size in sizes if size in kept)


def flat_inputs(module: Module) -> tuple[Input, ...]:
    """The inputs without their tuples."""
    return tuple(one for item in module.inputs for one in (item if isinstance(item, tuple) else (item,)))


def candidate_sizes(module: Module) -> tuple[str, ...]:
    """Run-time sizes that a per-example input has as the extent of an axis, and no shared input has."""
    own = {name for entry in flat_inputs(module) if not entry.shared for name in _extents(module, entry)}
    common = {name for entry in flat_inputs(module) if entry.shared for name in _extents(module, entry)}
    lists = {
        name
        for entry in flat_inputs(module)
        if entry.structure is Structure.LIST
        for name in module.array(entry.array).ranges[0].upper.names
    }
    sizes = [size.name for size in module.sizes if size.kind is SizeKind.RUNTIME and not size.common]
    following = {size.name for size in module.sizes if size.value is not None}
    return tuple(size for size in sizes if size in following or size in own and size not in common and size not in lists)


def _extents(module: Module, entry: Input) -> Iterator[str]:
    r"""The sizes that an axis has as its extent, or twice, some elements more included: `S` of `x_0, \dots, x_S`."""
    facts = facts_of_module(module)
    for bounds in module.array(entry.array).ranges:
        for name in bounds.extent.names:
            factor = bounds.extent.coefficient(name)
            if factor is not None and factor.is_positive and facts.proves_nonnegative(bounds.extent - factor * name):
                yield name


def _is_exact(module: Module, size: str) -> bool:
    """Whether the size occurs only where padding at the upper end is right."""
    for value in (s.value for s in module.sizes if s.value is not None):
        if len(value.of) > 1 and any(size in poly.names and poly.coefficient(size) != Poly.of(1) for poly in value.of):
            return False
    for bounds in _ranges(module):
        if size in bounds.lower.names:
            return False
        if size in bounds.upper.names:
            factor = bounds.upper.coefficient(size)
            if factor is None or not factor.is_positive:
                return False
    return all(_is_last_element(module, step, size) for step in module.steps)


def _ranges(module: Module) -> Iterator[Range]:
    for array in module.arrays:
        yield from array.ranges
    axes: list[Axis] = [axis for step in module.steps for axis in step.axes]
    for step in module.steps:
        if isinstance(step, Call):
            axes += [axis for argument in step.arguments for axis in argument.value.axes]
            for target in step.targets:
                if target is not None:
                    yield from (entry for entry in target.index if isinstance(entry, Range))
    axes += [axis for result in flat_results(module.results) for axis in result.value.axes]
    axes += [axis for check in module.checks for axis in check.axes]
    axes += [axis for expr in module_expressions(module) for axis in bound_axes(expr)]
    for axis in axes:
        yield axis.range


def _is_last_element(module: Module, step: Equation | Call, size: str) -> bool:
    """Whether an element at an index with the size (`h[S + 1] = …`) can stand for the padding of the equations before it."""
    if isinstance(step, Call):
        indices = [entry for target in step.targets if target is not None for entry in target.index if isinstance(entry, Poly)]
        used = [*indices, *([] if step.at is None else [step.at])]
        return not any(size in entry.names for entry in used)
    places = [k for k, entry in enumerate(step.index) if size in entry.names]
    if not places:
        return True
    if len(places) > 1 or step.index[places[0]] != module.array(step.target).ranges[places[0]].upper:
        return False
    place = places[0]
    others = [other for other in module.steps if other is not step and isinstance(other, Equation) and other.target == step.target]
    calls = [call for call in module.steps if isinstance(call, Call) and any(t and t.array == step.target for t in call.targets)]
    return not calls and all(_precedes(module, other, step, place, size) for other in others)


def _precedes(module: Module, other: Equation, last: Equation, place: int, size: str) -> bool:
    """Whether `last` is what comes directly after `other`, and is defined wherever `other` is."""
    entry = other.index[place]
    axis = next((axis for axis in other.axes if entry == Poly.of(axis.name)), None)
    if axis is None:
        return size not in entry.names
    if axis.range.upper + 1 != last.index[place]:
        return size not in axis.range.upper.names
    facts = facts_of_module(module)
    for k, (mine, base) in enumerate(zip(other.index, last.index, strict=True)):
        if k == place or mine == base:
            continue
        mine_axis = next((a for a in other.axes if mine == Poly.of(a.name)), None)
        base_axis = next((a for a in last.axes if base == Poly.of(a.name)), None)
        if base_axis is None:
            return False
        low = mine if mine_axis is None else mine_axis.range.lower
        high = mine if mine_axis is None else mine_axis.range.upper
        if not (facts.proves_nonnegative(low - base_axis.range.lower) and facts.proves_nonnegative(base_axis.range.upper - high)):
            return False
    return True


def _calls_allow(module: Module, size: str, sizes: tuple[str, ...], ragged: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether every submodule that is called on something as long as the size can be told each example's length."""
    submodules = {submodule.path: submodule for submodule in module.submodules}
    calls = (step for step in module.steps if isinstance(step, Call))
    return all(_call_allows(step, submodules[step.submodule], size, sizes, ragged) for step in calls)


def _call_allows(call: Call, submodule: Submodule, size: str, sizes: tuple[str, ...], ragged: Mapping[str, tuple[str, ...]]) -> bool:
    if submodule.callee is None:
        return not any(size in axis.range.upper.names for argument in call.arguments for axis in argument.value.axes)
    depending = ((name, value) for name, value in call.sizes if size in value.names)
    return all(not (value - size).names & {size, *sizes} and name in ragged[submodule.callee] for name, value in depending)
