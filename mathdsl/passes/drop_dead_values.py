"""Drop what no result and no check needs.

Before -> after::

    a[t] = exp(x[t])                      y[t] = w * x[t]
    y[t] = w * x[t]              ->       return y
    return y

Arrays that nothing needs go with the steps that define them; a call whose results are needed in part drops the others.
Inputs, parameters and submodules stay: they belong to the interface.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from mathdsl.ir.nodes import Call, Expr, Kind, Module, Program, Step
from mathdsl.ir.traversal import flat_results, reads, step_reads, step_targets


def drop_dead_values(program: Program) -> Program:
    """Drop in each of the document's modules."""
    return replace(program, modules=tuple(_drop(module) for module in program.modules))


def _drop(module: Module) -> Module:
    needed = _needed(module)
    steps = tuple(_without(step, needed) for step in module.steps if needed.intersection(step_targets(step)))
    arrays = tuple(array for array in module.arrays if array.kind is not Kind.VALUE or array.name in needed)
    if steps == module.steps and arrays == module.arrays:
        return module
    return replace(module, steps=steps, arrays=arrays)


def _needed(module: Module) -> set[str]:
    """The arrays that a result or a check reads, directly or through other arrays."""
    writers: defaultdict[str, list[Step]] = defaultdict(list)
    for step in module.steps:
        for array in step_targets(step):
            writers[array].append(step)
    roots: list[Expr] = [result.value.value for result in flat_results(module.results)]
    roots += [check.condition for check in module.checks]
    needed: set[str] = set()
    waiting = _arrays(roots)
    while waiting:
        array = waiting.pop()
        if array not in needed:
            needed.add(array)
            waiting += [read.array for step in writers[array] for read in step_reads(step)]
    return needed


def _arrays(exprs: Iterable[Expr]) -> list[str]:
    return [read.array for expr in exprs for read in reads(expr)]


def _without(step: Step, needed: set[str]) -> Step:
    if not isinstance(step, Call):
        return step
    targets = tuple(target if target is not None and target.array in needed else None for target in step.targets)
    return step if targets == step.targets else replace(step, targets=targets)
