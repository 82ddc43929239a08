"""Make padding explicit in one module: entry fills, guards, neutral elements, base cases, results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.analysis.finiteness import Finiteness
from mathdsl.analysis.growth import is_tame
from mathdsl.analysis.padding import ArrayPadding, RaggedAxis, Unknown, padding_of_equation, ragged_axes
from mathdsl.analysis.raggedness import flat_inputs, ragged_size
from mathdsl.analysis.recurrences import Recurrence, Unordered, analyse_recurrences
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Apply,
    Argument,
    Array,
    Axis,
    Call,
    Check,
    Element,
    Equation,
    IndexValue,
    Kind,
    Literal,
    Module,
    Origin,
    Range,
    Read,
    Step,
)
from mathdsl.ir.own_parts import own_part, padded
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import (
    element_of,
    map_results,
    map_step,
    module_expressions,
    reads,
    rename_arrays,
    step_targets,
    substitute_axes,
    walk,
    zero_of,
)
from mathdsl.passes.pad_expressions import PaddedExpressions, in_padding
from mathdsl.passes.renaming import module_names, step_axis_names


def pad_module(module: Module, ragged: tuple[str, ...]) -> Module:
    """The module with something harmless (`x[t] if t within S else 0.0`) wherever the padding of these sizes could be seen."""
    unpadded = replace(module, ragged=())
    module = _with_base_cases(module, ragged)
    module = _with_resets(module, ragged, analyse_recurrences(unpadded).recurrences)
    module = _with_entry_fills(module, ragged)
    return _with_guards(module, ragged)


# ---- what is read from outside -------------------------------------------------------------------


def _with_entry_fills(module: Module, ragged: tuple[str, ...]) -> Module:
    """Each ragged input is filled once, and read filled from then on."""
    fresh = FreshNames(module_names(module))
    rows = _looked_up_rows(module)
    arrays: list[Array] = []
    fills: list[Step] = []
    names: dict[str, str] = {}
    checks: list[Check] = []
    for entry in flat_inputs(module):
        array = module.array(entry.array)
        if entry.shared or all(ragged_size(bounds, ragged) is None for bounds in array.ranges):
            continue
        checks += (_not_negative(array, bounds.extent) for bounds in array.ranges if any(factor < 0 for _, factor in bounds.extent.terms))
        axes = tuple(Axis(fresh("n"), bounds) for bounds in array.ranges)
        index = tuple(Poly.of(axis.name) for axis in axes)
        fill = Literal(rows.get(array.name, 0)) if array.element is Element.INTEGER else zero_of(array.element)
        value = in_padding(Read(array.name, index, array.element), ragged_axes(axes, ragged), fill)
        names[array.name] = fresh(f"{array.name}_padded")
        name = names[array.name]
        arrays.append(Array(name, Kind.VALUE, array.element, array.ranges, name, array.latex, description=array.description))
        fills.append(Equation(name, axes, index, value, Origin("", array.span, f"padding of {array.latex} is not read")))
    if not names:
        return module
    used = {read.array for expr in module_expressions(module) for read in reads(expr)}
    kept = [k for k, old in enumerate(names) if old in used]
    steps = (*(fills[k] for k in kept), *(map_step(step, lambda expr: rename_arrays(expr, names)) for step in module.steps))
    return replace(
        module,
        arrays=(*module.arrays, *(arrays[k] for k in kept)),
        steps=steps,
        results=map_results(module.results, lambda value: replace(value, value=rename_arrays(value.value, names))),
        checks=(*(replace(check, condition=rename_arrays(check.condition, names)) for check in module.checks), *checks),
    )


def _not_negative(array: Array, extent: Poly) -> Check:
    """A check that an input of `n - 1` elements is told no length of 0."""
    condition = Apply("less_equal", (Literal(0), IndexValue(extent)), Element.BOOLEAN)
    return Check((), condition, Origin(f"{array.latex} has no less than 0 elements"))


def _looked_up_rows(module: Module) -> dict[str, int]:
    """For integer arrays the first row of what they look up, where they are used so and all agree."""
    rows: defaultdict[str, set[int]] = defaultdict(set)
    ranges = {array.name: array.ranges for array in module.arrays}
    for expr in module_expressions(module):
        for node in walk(expr):
            if isinstance(node, Read):
                for entry, bounds in zip(node.index, ranges[node.array], strict=True):
                    if isinstance(entry, Read) and bounds.lower.constant is not None:
                        rows[entry.array].add(bounds.lower.constant)
    copies = [(step.target, step.value.array) for step in module.steps if isinstance(step, Equation) and isinstance(step.value, Read)]
    for _ in range(len(copies)):
        before = sum(map(len, rows.values()))
        for copy, source in copies:
            rows[source] |= rows[copy]
        if sum(map(len, rows.values())) == before:
            break
    return {array: next(iter(found)) for array, found in rows.items() if len(found) == 1}


# ---- recurrences ---------------------------------------------------------------------------------


def _with_base_cases(module: Module, ragged: tuple[str, ...]) -> Module:
    """`h[t] = e` for `t <= S` beside `h[S+1] = b` becomes `h[t] = padded(e, t <= S, b)`: each example starts at its own end."""
    bases = [
        (step, place)
        for step in module.steps
        if isinstance(step, Equation)
        for place, entry in enumerate(step.index)
        if not entry.names.isdisjoint(ragged)
    ]
    if not bases:
        return module
    fresh = FreshNames(module_names(module))
    steps = list(module.steps)
    for base, place in bases:
        for number, step in enumerate(steps):
            if not isinstance(step, Equation) or step.target != base.target or step is base:
                continue
            axis = next((axis for axis in step.axes if step.index[place] == Poly.of(axis.name)), None)
            if axis is None or axis.range.upper + 1 != base.index[place]:
                continue
            own = {a.name for a in base.axes}
            values = {next(iter(b.names)): s for b, s in zip(base.index, step.index, strict=True) if b.names & own}
            fill = substitute_axes(base.value, values, fresh, step_axis_names(step))
            steps[number] = replace(step, value=padded(step.value, Poly.of(axis.name), axis.range.upper, fill))
    return replace(module, steps=tuple(steps))


def _with_resets(module: Module, ragged: tuple[str, ...], recurrences: Sequence[Recurrence]) -> Module:
    """States that could overflow in the padding are 0 there; called modules get a state of 0 there."""
    steps = list(module.steps)

    def reset(recurrence: Recurrence) -> None:
        is_wild = not is_tame(module, recurrence)
        carried = {(edge.sink, edge.access.read) for edge in recurrence.carried}
        for number, name in zip(recurrence.steps, recurrence.axes, strict=True):
            step = steps[number]
            axis = ragged_axes([axis for axis in step.axes if axis.name == name], ragged)
            if not axis:
                continue
            if isinstance(step, Call):
                state = {read for sink, read in carried if sink == number}
                steps[number] = replace(step, arguments=tuple(_reset_argument(a, state, axis) for a in step.arguments))
            elif is_wild and own_part(step.value) is None:
                steps[number] = replace(step, value=in_padding(step.value, axis, zero_of(element_of(step.value))))
        for inner in recurrence.inner:
            reset(inner)

    for recurrence in recurrences:
        reset(recurrence)
    return replace(module, steps=tuple(steps))


def _reset_argument(argument: Argument, state: set[Read], axes: Sequence[RaggedAxis]) -> Argument:
    value = argument.value
    if not state.intersection(reads(value.value)):
        return argument
    return replace(argument, value=replace(value, value=in_padding(value.value, axes, zero_of(element_of(value.value)))))


# ---- everything else -----------------------------------------------------------------------------


def _with_guards(module: Module, ragged: tuple[str, ...]) -> Module:
    """Every expression guarded, given what is known of the padding of the arrays it reads."""
    order = _order(analyse_recurrences(replace(module, ragged=())).parts)
    finiteness = Finiteness(module, ragged)
    expressions = PaddedExpressions(module, finiteness, ragged, _paddings(module, finiteness, ragged, order))
    steps: list[Step] = []
    for step in module.steps:
        if isinstance(step, Equation):
            value, _ = expressions.guarded(step.value, step.axes)
            steps.append(step if value is step.value else replace(step, value=value))
        else:
            steps.append(replace(step, arguments=tuple(_guarded_argument(a, step, expressions) for a in step.arguments)))
    checks = tuple(_guarded_check(check, expressions, ragged) for check in module.checks)
    results = map_results(module.results, lambda value: _guarded_result(value, expressions, ragged))
    return replace(module, steps=tuple(steps), checks=(*checks, *expressions.checks), results=results)


def _guarded_argument(argument: Argument, call: Call, expressions: PaddedExpressions) -> Argument:
    value, _ = expressions.guarded(argument.value.value, (*call.axes, *argument.value.axes))
    return replace(argument, value=replace(argument.value, value=value))


def _guarded_check(check: Check, expressions: PaddedExpressions, ragged: tuple[str, ...]) -> Check:
    condition, known = expressions.guarded(check.condition, check.axes)
    open_axes = [axis for axis in ragged_axes(check.axes, ragged) if known.get(axis.name) is not True]
    return replace(check, condition=in_padding(condition, open_axes, Literal(True)))


def _guarded_result(value: Abstraction, expressions: PaddedExpressions, ragged: tuple[str, ...]) -> Abstraction:
    expr, known = expressions.guarded(value.value, value.axes)
    zero = zero_of(element_of(expr))
    is_sure = expressions.is_sure(value.value)
    open_axes = [axis for axis in ragged_axes(value.axes, ragged) if not is_sure or known.get(axis.name) != zero.value]
    return replace(value, value=in_padding(expr, open_axes, zero))


def _paddings(module: Module, finiteness: Finiteness, ragged: tuple[str, ...], order: Sequence[int]) -> dict[str, ArrayPadding]:
    """What is known beyond each example's own end of each array; arrays of recurrences are read as unknown inside them."""
    arrays = {array.name: array for array in module.arrays if any(ragged_size(r, ragged) for r in array.ranges)}
    missing = Counter(target for step in module.steps for target in step_targets(step))
    found: dict[str, ArrayPadding] = {}
    paddings: dict[str, ArrayPadding] = {}
    expressions = PaddedExpressions(module, finiteness, ragged, paddings)
    for number in order:
        step = module.steps[number]
        for target, padding in _defined_paddings(step, arrays, expressions, ragged):
            found[target] = found[target].joined(padding) if target in found else padding
        for target in step_targets(step):
            missing[target] -= 1
            if not missing[target] and target in found:
                paddings[target] = found[target]
    return paddings


def _order(parts: Sequence[int | Recurrence | Unordered]) -> tuple[int, ...]:
    """The steps so that each comes after what it needs, as far as it can."""
    found: list[int] = []
    for part in parts:
        match part:
            case int():
                found.append(part)
            case Recurrence():
                found.extend(_order(part.parts))
            case Unordered():
                found.extend(part.steps)
    return tuple(found)


def _defined_paddings(
    step: Step, arrays: dict[str, Array], expressions: PaddedExpressions, ragged: tuple[str, ...]
) -> list[tuple[str, ArrayPadding]]:
    """What the step puts into the padding of the arrays it defines."""
    if isinstance(step, Equation):
        if step.target not in arrays:
            return []
        value, known = expressions.guarded(step.value, step.axes)
        return [(step.target, padding_of_equation(step, value, known, arrays[step.target], ragged))]
    found: list[tuple[str, ArrayPadding]] = []
    for target in step.targets:
        if target is not None and target.array in arrays:
            zero = zero_of(arrays[target.array].element).value  # a module fills the padding of its results with zeros
            found.append((target.array, ArrayPadding(tuple(zero if isinstance(e, Range) else Unknown() for e in target.index))))
    return found
