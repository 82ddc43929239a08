r"""Let a call define what its result is only copied to.

Before -> after::

    call f_out[t, 0..d-1] = f[1](x[t], s[t-1, 1])        call s[t, 1, 0..d-1] = f[1](x[t], s[t-1, 1])
    s[t, 1, i] = f_out[t, i]                       ->

Preconditions: one call defines the array and one equation reads it, an element for an element of the whole array, as the only
reader. Declines anything else: a part of the array, another order of axes, a value that something else reads or returns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from mathdsl.ir.nodes import Array, Axis, Call, CallTarget, Equation, Module, Program, Range, Read, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import module_expressions, reads, step_targets


def retarget_calls(program: Program) -> Program:
    """Retarget in each of the document's modules."""
    return replace(program, modules=tuple(_retargeted(module) for module in program.modules))


def _retargeted(module: Module) -> Module:
    arrays = {array.name: array for array in module.arrays}
    count = Counter(read.array for expr in module_expressions(module) for read in reads(expr))
    defined = Counter(target for step in module.steps for target in step_targets(step))
    copies: defaultdict[str, list[Equation]] = defaultdict(list)
    for step in module.steps:
        if isinstance(step, Equation) and isinstance(step.value, Read):
            copies[step.value.array].append(step)
    steps: list[Step] = []
    gone: dict[str, Equation] = {}
    for step in module.steps:
        if isinstance(step, Call):
            targets: list[CallTarget | None] = []
            for target in step.targets:
                found = None
                if target is not None and count[target.array] == defined[target.array] == len(copies[target.array]) == 1:
                    found = _target(step, target, copies[target.array][0], arrays[target.array])
                if target is not None and found is not None:
                    gone[target.array] = copies[target.array][0]
                targets.append(found or target)
            step = replace(step, targets=tuple(targets))
        steps.append(step)
    if not gone:
        return module
    kept = tuple(step for step in steps if not any(step is copy for copy in gone.values()))
    return replace(module, steps=kept, arrays=tuple(array for array in module.arrays if array.name not in gone))


def _target(call: Call, target: CallTarget, copy: Equation, array: Array) -> CallTarget | None:
    """Where the call's result goes if the copy is left out; None where the copy is more than that."""
    assert isinstance(copy.value, Read)
    axes = {axis.name: axis.range for axis in copy.axes}
    calls = {axis.name: axis for axis in call.axes}
    goes_to: dict[str, Poly | Range] = {}
    for entry, read, bounds in zip(target.index, copy.value.index, array.ranges, strict=True):
        name = next((name for name in axes if isinstance(read, Poly) and (read - name).constant is not None), None)
        if name is None or name in goes_to or not isinstance(read, Poly):
            return None
        shift = read - name
        if Range(axes[name].lower + shift, axes[name].upper + shift) != bounds:
            return None
        placed = _entry(entry, axes[name], shift, bounds, calls)
        if placed is None:
            return None
        goes_to[name] = placed
    if goes_to.keys() != axes.keys():
        return None
    index = tuple(goes_to.get(next(iter(entry.names), ""), entry) for entry in copy.index)
    before = [name for name, entry in goes_to.items() if isinstance(entry, Range)]
    after = [name for entry in copy.index for name in entry.names if isinstance(goes_to.get(name), Range)]
    return CallTarget(copy.target, index) if before == after else None


def _entry(entry: Poly | Range, own: Range, shift: Poly, bounds: Range, calls: dict[str, Axis]) -> Poly | Range | None:
    """What stands in the index for an axis of the copy: the range it runs over, or the call's own axis."""
    if isinstance(entry, Range):
        return own if entry == bounds else None
    axis = calls.get(next(iter(entry.names), ""))
    return entry if axis is not None and shift.constant == 0 and axis.range == bounds else None
