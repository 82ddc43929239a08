"""New names for axes of steps, and the names that a module has taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Abstraction, Axis, Call, Equation, Module, Range, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import all_axes, bound_axes, map_range, step_expressions, substitute_axes


def module_names(module: Module) -> Iterator[str]:
    """Every name of the module that a new axis or array must differ from."""
    yield from (size.name for size in module.sizes)
    yield from (setting.name for setting in module.settings)
    for array in module.arrays:
        yield from (array.name, array.python)
    yield from (submodule.path for submodule in module.submodules)
    yield from (axis.name for axis in all_axes(module))


def step_axis_names(step: Step) -> frozenset[str]:
    """The names of all axes of the step: its own, its arguments', and those of reductions inside."""
    names = {axis.name for axis in step.axes}
    if isinstance(step, Call):
        names |= {axis.name for argument in step.arguments for axis in argument.value.axes}
    return frozenset(names | {axis.name for expr in step_expressions(step) for axis in bound_axes(expr)})


def rename_step_axes(step: Step, names: Mapping[str, str], fresh: FreshNames) -> Step:
    """The step with some of its own axes named anew."""
    values = {old: Poly.of(new) for old, new in names.items()}

    def put(poly: Poly) -> Poly:
        return poly.substitute(values)

    axes = rename_axes(step.axes, names)
    if isinstance(step, Equation):
        index = tuple(put(entry) for entry in step.index)
        return replace(step, axes=axes, index=index, value=substitute_axes(step.value, values, fresh))
    targets = tuple(
        target and replace(target, index=tuple(put(i) if isinstance(i, Poly) else i for i in target.index)) for target in step.targets
    )
    arguments = tuple(replace(a, value=_rename_free(a.value, values, fresh)) for a in step.arguments)
    at = None if step.at is None else put(step.at)
    sizes = tuple((name, put(size)) for name, size in step.sizes)
    return replace(step, axes=axes, targets=targets, arguments=arguments, at=at, sizes=sizes)


def rename_axes(axes: Iterable[Axis], names: Mapping[str, str]) -> tuple[Axis, ...]:
    """The axes with new names, in their own bounds too."""
    values = {old: Poly.of(new) for old, new in names.items()}
    return tuple(Axis(names.get(axis.name, axis.name), map_range(axis.range, lambda poly: poly.substitute(values))) for axis in axes)


def _rename_free(value: Abstraction, values: Mapping[str, Poly], fresh: FreshNames) -> Abstraction:
    axes = tuple(Axis(axis.name, _put_range(axis.range, values)) for axis in value.axes)
    return Abstraction(axes, substitute_axes(value.value, values, fresh))


def _put_range(bounds: Range, values: Mapping[str, Poly]) -> Range:
    return map_range(bounds, lambda poly: poly.substitute(dict(values)))
