"""Verify a program between passes: what fails here is a mistake of the compiler, never of the author.

Only the structure is looked at; that operations exist and fit their operands is verified by `mathdsl.ops.verifying`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import assert_never

from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import (
    Abstraction,
    Axis,
    Call,
    Element,
    Equation,
    Input,
    Kind,
    Module,
    Program,
    Range,
    ScheduledModule,
    SizeKind,
    Step,
)
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.ir.traversal import element_of, flat_results, step_targets
from mathdsl.ir.verified import Verified, VerifiedEquations
from mathdsl.ir.verifying_calls import call_problems, submodule_problems
from mathdsl.ir.verifying_expressions import Names, axis_problems, expression_problems, poly_problems
from mathdsl.ir.verifying_reads import leaving_reads, left_side, surely_leaves, surely_meet
from mathdsl.ir.verifying_schedules import schedule_problems


def verify(program: Program, after: str, verified: Verified | None = None) -> None:
    """Raise an `InternalError` that names the pass `after` which the program does not hold together any more.

    Equations that `verified` remembers are not looked at again; those that are right are added to it.
    """
    verified = verified or Verified()
    modules = (*program.modules, *program.library)
    problems = list(_repeated("the module", (module.name for module in modules)))
    by_name = {module.name: module for module in modules}
    for module in modules:
        callees = tuple(by_name[s.callee] for s in module.submodules if s.callee in by_name)
        if verified.holds(module, callees):
            continue
        found = [f"{module.name}: {problem}" for problem in _module_problems(module, program, verified)]
        problems += found
        if not found:
            verified.note(module, callees)
    if problems:
        raise InternalError(f"after {after}: {'; '.join(dict.fromkeys(problems))}")


def _module_problems(module: Module, program: Program, verified: Verified) -> Iterator[str]:
    names = Names(
        arrays={array.name: array for array in module.arrays},
        settings={setting.name: setting.element for setting in module.settings},
        sizes=frozenset((*(size.name for size in module.sizes), *map(OwnSize, module.ragged))),
    )
    yield from _declaration_problems(module, names)
    for submodule in module.submodules:
        yield from submodule_problems(submodule, program, names)
    equations = verified.of(module.name, names)
    for step in module.steps:
        if isinstance(step, Equation):
            yield from _equation_problems(step, names, equations)
        else:
            yield from _call_problems(step, module, program, names)
    for check in module.checks:
        yield from _abstraction_problems(Abstraction(check.axes, check.condition), names)
        if element_of(check.condition) is not Element.BOOLEAN:
            yield f"an assertion that is {element_of(check.condition).value}"
    for result in flat_results(module.results):
        yield from _abstraction_problems(result.value, names)
    yield from _overlap_problems(module)
    if isinstance(module, ScheduledModule):
        yield from schedule_problems(module)


def _declaration_problems(module: Module, names: Names) -> Iterator[str]:
    yield from _repeated("the array", (array.name for array in module.arrays))
    scalars = (*(size.name for size in module.sizes), *(setting.name for setting in module.settings))
    yield from _repeated("the size or setting", scalars)
    yield from _repeated("the submodule", (submodule.path for submodule in module.submodules))
    for array in module.arrays:
        for bounds in array.ranges:
            yield from poly_problems(bounds.lower, names)
            yield from poly_problems(bounds.upper, names)
    inputs = [one.array for entry in module.inputs for one in ((entry,) if isinstance(entry, Input) else entry)]
    yield from _repeated("the input", inputs)
    for name in sorted(set(inputs) ^ {array.name for array in module.arrays if array.kind is Kind.INPUT}):
        yield f"{name} is an input in one place only"
    for parameter in module.parameters:
        filled = names.arrays.get(parameter.array)
        if filled is None or filled.kind not in (Kind.PARAMETER, Kind.BUFFER):
            yield f"{parameter.array} is filled and is no parameter"
    yield from _construction_problems(module, names)
    defined = {target for step in module.steps for target in step_targets(step)}
    for array in module.arrays:
        if array.kind is Kind.VALUE and array.name not in defined:
            yield f"{array.name} is a value that nothing defines"
    runtime = {size.name for size in module.sizes if size.kind is SizeKind.RUNTIME}
    yield from (f"ragged in {name}, which is no run-time size" for name in module.ragged if name not in runtime)


def _construction_problems(module: Module, names: Names) -> Iterator[str]:
    """What an instance is made with is known when it is made."""
    runtime = {size.name for size in module.sizes if size.kind is SizeKind.RUNTIME}
    parameters = [names.arrays[parameter.array] for parameter in module.parameters if parameter.array in names.arrays]
    made = [(array.name, bounds.extent) for array in parameters for bounds in array.ranges]
    for submodule in module.submodules:
        for part in submodule.parts:
            made += [(submodule.path, size) for size in (part.range.extent, *(v for _, v in part.arguments if isinstance(v, Poly)))]
    for name, size in made:
        yield from (f"{name} is made with {found}, which is a run-time size" for found in size.ordered_names if found in runtime)


def _abstraction_problems(value: Abstraction, names: Names) -> Iterator[str]:
    for axis in value.axes:
        yield from axis_problems(axis, names)
        names = names.inside(axis)
    yield from expression_problems(value.value, names)


# ---- steps ---------------------------------------------------------------------------------------


def _equation_problems(step: Equation, names: Names, verified: VerifiedEquations) -> list[str]:
    if verified.holds(step, names.arrays):
        return []
    problems: list[str] = []
    inside = names
    for axis in step.axes:
        problems += axis_problems(axis, inside)
        inside = inside.inside(axis)
    problems += expression_problems(step.value, inside)
    problems += _left_side_problems(step.target, step.index, step.axes, names)
    target = names.arrays.get(step.target)
    if target is not None and target.element is not element_of(step.value):
        problems.append(f"{step.target} holds {target.element.value} and is defined as {element_of(step.value).value}")
    problems += _outside_problems(step, names)
    if not problems:
        verified.note(step, names.arrays)
    return problems


def _call_problems(step: Call, module: Module, program: Program, names: Names) -> Iterator[str]:
    inside = names
    for axis in step.axes:
        yield from axis_problems(axis, inside)
        inside = inside.inside(axis)
    for argument in step.arguments:
        yield from _abstraction_problems(argument.value, inside)
    for goal in step.targets:
        if goal is not None:
            yield from _left_side_problems(goal.array, goal.index, step.axes, names)
    yield from call_problems(step, module, program, inside)
    yield from _outside_problems(step, names)


def _left_side_problems(target: str, index: Sequence[Poly | Range], axes: tuple[Axis, ...], names: Names) -> Iterator[str]:
    """Each entry is one of the axes alone, or has none; each axis occurs once; the whole lies in the array's ranges."""
    array = names.arrays.get(target)
    if array is None or array.kind is not Kind.VALUE:
        yield f"{target} is defined and no value of the module"
        return
    if len(index) != len(array.ranges):
        yield f"{target} has {len(array.ranges)} axes and is defined with {len(index)} indices"
        return
    own = {axis.name for axis in axes}
    alone = [entry for entry in index if isinstance(entry, Poly) and entry.names & own]
    if sorted(entry.variable or str(entry) for entry in alone) != sorted(own):
        yield f"{target} is defined at {', '.join(map(str, alone))}, not once at each of {', '.join(sorted(own))}"
    for entry in index:
        for poly in (entry.lower, entry.upper) if isinstance(entry, Range) else (entry,):
            yield from (f"{name} in an index of {target} is unknown" for name in sorted(poly.names - names.sizes - own))
    ranges = left_side(index, axes)
    for defined, declared in zip(ranges or (), array.ranges):
        if surely_leaves(defined, declared):
            yield f"{target} is defined outside of its range {declared.lower} .. {declared.upper}"


def _outside_problems(step: Step, names: Names) -> Iterator[str]:
    for leaving in leaving_reads(step, names.arrays):
        array = names.arrays[leaving.read.array]
        declared = array.ranges[leaving.position]
        yield f"{array.name} is read at {leaving.read.index[leaving.position]}, outside of {declared.lower} .. {declared.upper}"


def _overlap_problems(module: Module) -> Iterator[str]:
    """Two left sides that surely define the same element."""
    parts: dict[str, list[tuple[Step, Sequence[Poly | Range]]]] = {}
    for step in module.steps:
        for target, index in _left_sides(step):
            parts.setdefault(target, []).append((step, index))
    for target, sides in parts.items():
        defined = [ranges for step, index in sides if (ranges := left_side(index, step.axes)) is not None] if len(sides) > 1 else []
        for one, other in combinations(defined, 2):
            if len(other) == len(one) and all(map(surely_meet, one, other)):
                yield f"{target} is defined twice at one place"


def _left_sides(step: Step) -> Iterator[tuple[str, Sequence[Poly | Range]]]:
    match step:
        case Equation(target=target, index=index):
            yield target, index
        case Call(targets=targets):
            yield from ((goal.array, goal.index) for goal in targets if goal is not None)
        case _:
            assert_never(step)


def _repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"{what} {name} is there {count} times" for name, count in Counter(names).items() if count > 1)
