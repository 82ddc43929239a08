"""Which run-time sizes may differ between the examples of a batch.

A size qualifies if some input that is not shared has it, or a multiple or part of it, as the extent of an axis, some elements
more included, and if everything that it bounds can be computed exactly with padding at the upper end: it occurs in upper bounds
only, alone, and these grow with it. Anything else (a lower bound that moves, two run-time sizes in one bound, a list whose length it
is) is declined: all examples of a batch then have the same value of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mathdsl.analysis.element_names import poly_latex
from mathdsl.analysis.facts import facts_of_module
from mathdsl.diagnostics.build import note
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.ir.nodes import Call, Equation, Input, Module, Program, Range, SizeKind, Structure, Submodule
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import all_axes, bound_axes, flat_results, step_expressions
from mathdsl.spans import NOWHERE, Span


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
    own, common = _measured_sizes(module)
    lists = {n for entry in flat_inputs(module) if entry.structure is Structure.LIST for n in _extents(module, entry)[0].names}
    sizes = [size for size in module.sizes if size.kind is SizeKind.RUNTIME and not size.common]
    return tuple(size.name for size in sizes if size.value is not None or size.name in own - common - lists)


def common_lengths(module: Module) -> tuple[str, ...]:
    """The lengths that all examples of a batch share, not because some input is shared, but because padding would not do."""
    own, common = _measured_sizes(module)
    given = {entry.array for entry in flat_inputs(module)}
    sizes = [size.name for size in module.sizes if size.kind is SizeKind.RUNTIME and not size.common and size.value is None]
    return tuple(size for size in sizes if size in own - common - given and size not in module.ragged)


def _measured_sizes(module: Module) -> tuple[set[str], set[str]]:
    """Sizes that axes of an example's inputs have as their extents, or twice, some elements more or less; those of shared inputs."""
    facts = facts_of_module(module)
    own: set[str] = set()
    common: set[str] = set()
    for entry in flat_inputs(module):
        for extent in _extents(module, entry):
            if entry.shared:
                common |= extent.names
                continue
            for name in extent.names:
                factor = extent.coefficient(name)
                if factor is not None and (factor.is_positive or facts.proves_nonnegative(factor - 1)):
                    own.add(name)
    return own, common


def _extents(module: Module, entry: Input) -> tuple[Poly, ...]:
    """The extents of an input, in sizes that nothing else gives."""
    values = values_of_sizes(module)
    return tuple(bounds.extent.substitute(values) for bounds in module.array(entry.array).ranges)


def optional_sizes(module: Module) -> frozenset[str]:
    """The sizes that only inputs which may be left out have: then there is one length to give, that of the others."""
    own: dict[bool, set[str]] = {True: set(), False: set()}
    for entry in flat_inputs(module):
        own[entry.default is not None or entry.is_empty].update(n for r in module.array(entry.array).ranges for n in r.extent.names)
    return frozenset(own[True] - own[False])


def values_of_sizes(module: Module) -> dict[str, Poly]:
    """The run-time sizes that are one polynomial of others, in sizes that are not: `m + n` for the length of a join."""
    values: dict[str, Poly] = {}
    for size in module.sizes:
        if size.value is not None and size.kind is SizeKind.RUNTIME and len(size.value.of) == 1:
            values[size.name] = size.value.of[0].substitute(values)
    return values


def _is_exact(module: Module, size: str) -> bool:
    """Whether the size occurs only where padding at the upper end is right."""
    for value in (s.value for s in module.sizes if s.value is not None):
        if len(value.of) > 1 and any(size in poly.names and poly.coefficient(size) != Poly.of(1) for poly in value.of):
            return False
    exact = all(_ends_with(bounds, size) for bounds in _ranges(module))
    return exact and all(_is_last_element(module, step, size) for step in module.steps)


def _ends_with(bounds: Range, size: str) -> bool:
    """Whether a range that speaks of the size ends later where that is greater, and begins where it begins."""
    factor = bounds.upper.coefficient(size)
    return size not in bounds.lower.names and (size not in bounds.upper.names or factor is not None and factor.is_positive)


def _ranges(module: Module) -> Iterator[Range]:
    for array in module.arrays:
        yield from array.ranges
    for step in module.steps:
        for target in step.targets if isinstance(step, Call) else ():
            if target is not None:
                yield from (entry for entry in target.index if isinstance(entry, Range))
    for axis in all_axes(module):
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


# ---- what the author is told -----------------------------------------------------------------------


def notes_of_lengths(program: Program) -> Iterator[Diagnostic]:
    """A note for each length of an input that all examples of a batch share, and why; an input that may be left out was declared so."""
    for module in program.modules:
        sizes = {size.name: size.latex for size in module.sizes}
        optional = optional_sizes(module)
        for name in (name for name in common_lengths(module) if name not in optional):
            span, label = _obstacle(module, name)
            message = f"the examples of a batch of `{module.name}` have the same `{sizes[name]}`"
            text = "`lengths=` does not take it: compute examples of several lengths one by one"
            yield note("N0501", message, module.span if span == NOWHERE else span, label=label, help=text)


def _obstacle(module: Module, size: str) -> tuple[Span, str]:
    """Where padding would not do, and what stands there."""
    lengths = {*common_lengths(module), *module.ragged}

    def stops(bounds: Range) -> bool:
        return not _ends_with(bounds, size) or size in bounds.upper.names and len(bounds.upper.names & lengths) > 1

    def shown(bounds: Range) -> str:
        return f"{poly_latex(bounds.lower)} .. {poly_latex(bounds.upper)}"

    entry = next(entry for entry in flat_inputs(module) if any(size in extent.names for extent in _extents(module, entry)))
    first = module.array(entry.array)
    if entry.structure is Structure.LIST:
        return first.span, f"`{first.latex}` is a list"
    for array in module.arrays:
        for bounds in filter(stops, array.ranges):
            if array.span != NOWHERE:
                return array.span, f"`{array.latex}` runs over {shown(bounds)}"
    for step in module.steps:
        axes = (*step.axes, *(axis for expr in step_expressions(step) for axis in bound_axes(expr)))
        for axis in axes:
            if stops(axis.range):
                return step.origin.span, f"an index runs over {shown(axis.range)}"
    for axis in (axis for result in flat_results(module.results) for axis in (*result.value.axes, *bound_axes(result.value.value))):
        if stops(axis.range):
            return module.returned.span, f"an index runs over {shown(axis.range)}"
    calls = [step for step in module.steps if isinstance(step, Call)]
    for call in calls:
        if any(size in axis.range.upper.names for argument in call.arguments for axis in argument.value.axes):
            return call.origin.span, f"`{call.submodule}` is called on all of them at once"
    return first.span, ""
