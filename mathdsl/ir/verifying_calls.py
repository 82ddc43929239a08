"""Verify submodules and calls against the modules that they name."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.ir.nodes import Call, Input, Kind, Module, Program, Range, Setting, SizeKind, Submodule
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, flat_results
from mathdsl.ir.verifying_expressions import Names, poly_problems


def submodule_problems(submodule: Submodule, program: Program, names: Names) -> Iterator[str]:
    """Its callee exists and gets the constructor arguments that it needs, in sizes of the owner."""
    for part in submodule.parts:
        for poly in (part.range.lower, part.range.upper, *(v for _, v in part.arguments if isinstance(v, Poly))):
            yield from poly_problems(poly, names)
        for _, value in part.arguments:
            if isinstance(value, Setting) and value.name not in names.settings:
                yield f"{submodule.path} is built with {value.name}, which is no setting"
    if submodule.callee is None:
        return
    callee = _find_module(submodule.callee, program)
    if callee is None:
        yield f"{submodule.path} is a {submodule.callee}, which is no module of the program"
        return
    if not submodule.parts or not (submodule.is_stack or len(submodule.parts) == 1):
        yield f"{submodule.path} has {len(submodule.parts)} parts"
    needed = {size.name for size in callee.sizes if size.kind is SizeKind.HYPERPARAMETER and size.value is None}
    known = needed | {setting.name for setting in callee.settings}
    needed |= {setting.name for setting in callee.settings if setting.default is None}
    for part in submodule.parts:
        given = {name for name, _ in part.arguments}
        yield from (f"{submodule.path} is built without {name}" for name in sorted(needed - given))
        yield from (f"{submodule.path} is built with {name}, which {callee.name} has not" for name in sorted(given - known))


def call_problems(call: Call, module: Module, program: Program, names: Names) -> Iterator[str]:
    """Arguments, sizes and targets are those of the callee."""
    submodule = next((one for one in module.submodules if one.path == call.submodule), None)
    if submodule is None:
        yield f"{call.submodule} is called and not owned"
        return
    if submodule.is_stack != (call.at is not None):
        yield f"{call.submodule} is {'a stack' if submodule.is_stack else 'no stack'} and is called otherwise"
    for poly in (*(size for _, size in call.sizes), *(() if call.at is None else (call.at,))):
        yield from poly_problems(poly, names)
    callee = None if submodule.callee is None else _find_module(submodule.callee, program)
    if callee is not None:
        yield from _argument_problems(call, callee)
        yield from _target_problems(call, callee, names)


def _argument_problems(call: Call, callee: Module) -> Iterator[str]:
    inputs = {one.array: one for entry in callee.inputs for one in ((entry,) if isinstance(entry, Input) else entry)}
    given = [argument.input for argument in call.arguments]
    for name in (name for name, one in inputs.items() if one.default is None and name not in given):
        yield f"{call.submodule} is called without {name}"
    if len(given) != len(set(given)):
        yield f"{call.submodule} is called with an argument twice"
    arrays = {array.name: array for array in callee.arrays if array.kind is Kind.INPUT}
    for argument in call.arguments:
        array = arrays.get(argument.input)
        if array is None:
            yield f"{call.submodule} is called with {argument.input}, which it does not take"
            continue
        if len(argument.value.axes) != len(array.ranges):
            yield f"{call.submodule} takes {array.name} with {len(array.ranges)} axes and gets {len(argument.value.axes)}"
        if element_of(argument.value.value) is not array.element:
            yield f"{call.submodule} takes {array.name} as {array.element.value} and gets {element_of(argument.value.value).value}"
    open_ = {size.name for size in callee.sizes if size.kind is SizeKind.RUNTIME or size.value is not None}
    for name in sorted(open_ ^ {name for name, _ in call.sizes}):
        yield f"the size {name} of {call.submodule} is given in one place only"


def _target_problems(call: Call, callee: Module, names: Names) -> Iterator[str]:
    results = flat_results(callee.results)
    if len(results) != len(call.targets):
        yield f"{call.submodule} returns {len(results)} values for {len(call.targets)} targets"
        return
    for result, goal in zip(results, call.targets, strict=True):
        if goal is None:
            continue
        whole = sum(isinstance(entry, Range) for entry in goal.index)
        if whole != len(result.value.axes):
            yield f"{call.submodule} returns {result.name} with {len(result.value.axes)} axes, and {goal.array} takes {whole}"
        array = names.arrays.get(goal.array)
        if array is not None and array.element is not element_of(result.value.value):
            yield f"{goal.array} holds {array.element.value} and gets {element_of(result.value.value).value}"


def _find_module(name: str, program: Program) -> Module | None:
    return next((module for module in (*program.modules, *program.library) if module.name == name), None)
