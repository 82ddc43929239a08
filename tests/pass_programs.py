"""Small modules for the tests of passes, and their steps as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from ir_samples import given, hyper, owned, parameter, returns, runtime, value

from mathdsl.ir.nodes import Array, Axis, Expr, Input, Module, Program, Step, Submodule
from mathdsl.ir.printing import print_step
from mathdsl.ir.printing_expressions import print_expression
from mathdsl.ir.traversal import flat_results


def small(
    *steps: Step,
    inputs: dict[str, Sequence[Axis]],
    parameters: dict[str, Sequence[Axis]] | None = None,
    values: dict[str, Sequence[Axis]] | None = None,
    result: tuple[Sequence[Axis], Expr],
    submodules: tuple[Submodule, ...] = (),
    name: str = "M",
) -> Module:
    """A module with the run-time sizes S and L and the hyperparameters d and n; arrays run over the ranges of axes."""

    def ranges(axes: Sequence[Axis]) -> list[object]:
        return [axis.range for axis in axes]

    arrays: list[Array] = [given(array, *ranges(axes)) for array, axes in inputs.items()]
    arrays += [parameter(array, *ranges(axes)) for array, axes in (parameters or {}).items()]
    arrays += [value(array, *ranges(axes)) for array, axes in (values or {}).items()]
    return Module(
        name=name,
        sizes=(*hyper("d", "n"), *runtime("S", "L")),
        settings=(),
        arrays=tuple(arrays),
        inputs=tuple(Input(array) for array in inputs),
        parameters=owned(*(parameters or {})),
        submodules=submodules,
        steps=steps,
        results=returns("result", *result),
    )


def lines(program: Program | Module) -> list[str]:
    """The steps of the (first) module without comments, then what it returns."""
    module = program.modules[0] if isinstance(program, Program) else program
    steps = [line for step in module.steps for line in print_step(step) if not line.startswith("#")]
    return [*steps, *(f"return {print_expression(result.value.value)}" for result in flat_results(module.results))]
