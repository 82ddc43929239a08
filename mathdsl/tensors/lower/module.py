"""A scheduled module to a tensor program: the statements of its `forward`, or of a function."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.ir.nodes import Check, Element, Kind, Program, Result, ResultTuple, ScheduledModule, ScheduledProgram, Structure
from mathdsl.ir.traversal import reads
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.calls import takes_generator, takes_lengths
from mathdsl.tensors.lower.expressions import lower
from mathdsl.tensors.lower.index_checks import write_index_checks
from mathdsl.tensors.lower.inputs import plan_arguments, write_inputs
from mathdsl.tensors.lower.lists import list_of
from mathdsl.tensors.lower.operands import lower_whole
from mathdsl.tensors.lower.steps import Steps
from mathdsl.tensors.lower.storage import plan_storage
from mathdsl.tensors.lower.stores import Stores
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.names import Names
from mathdsl.tensors.passes.pipeline import PIPELINE, Pass, run_tensor_passes
from mathdsl.tensors.statements import Assert, Blank, Return, TensorProgram
from mathdsl.tensors.values import Form, Group, Holds, Value
from mathdsl.tensors.verifying import verify_tensors


def lower_module(program: Program, module: ScheduledModule, names: Names, passes: Sequence[Pass] = PIPELINE) -> TensorProgram:
    """The tensor program of one module after some passes, verified; its locals get their names of `names`."""
    body = Body(program, module, plan_storage(module), names, lower)
    _name_arrays(body)
    arguments = plan_arguments(body)
    if module.is_function:
        for setting in module.settings:
            names.fresh(setting.name)
    write_inputs(body, arguments)
    body.reserve_variables(module.schedule)
    steps = Steps(body, Stores.of(body))
    steps.write_paddings()
    write_index_checks(body)
    _write_checks(body, [check for check in module.checks if not _reads_values(body, check)])
    if body.block:
        body.write(Blank())
    steps.write()
    _write_checks(body, [check for check in module.checks if _reads_values(body, check)])
    returned = _lowered(body, module.results)
    body.place = module.returned.span if module.returned.span.file else module.span
    steps.stores.comment([module.returned])
    body.write(Return(returned))
    made = TensorProgram(
        module=module.name,
        arguments=arguments,
        arrays=tuple((array, body.locals[array]) for array in body.arrays if array in body.locals and array not in body.sizes),
        tables=tuple((array, local) for (array, _), local in body.tables.items()),
        sizes=body.known_sizes(),
        own=tuple(body.own.items()),
        batch=body.batch_name if module.batched else None,
        like=body.like,
        any_input=body.any_input,
        takes_lengths=takes_lengths(module),
        is_random=takes_generator(program, module),
        statements=tuple(body.block),
    )
    passed = run_tensor_passes(made, names, passes)
    verify_tensors(module, passed)
    return passed


def _name_arrays(body: Body) -> None:
    """Inputs and values have the names of the mathematics; what else needs a name comes later."""
    given = [member.array for item in body.module.inputs for member in (item if isinstance(item, tuple) else (item,))]
    values = [array.name for array in body.module.arrays if array.kind is Kind.VALUE]
    for name in (*given, *values):
        body.locals[name] = body.names.fresh(body.arrays[name].python)


def _reads_values(body: Body, check: Check) -> bool:
    return any(body.arrays[read.array].kind is Kind.VALUE for read in reads(check.condition))


def _write_checks(body: Body, checks: list[Check]) -> None:
    """Conditions that are looked at where no compiler traces."""
    for check in checks:
        body.write(Assert(body.lower(check.condition, Scope(check.axes)), check.origin))


def _lowered(body: Body, results: Result | ResultTuple) -> Value:
    """The returned value."""
    match results:
        case ResultTuple(items=items):
            return Group(Form((), False, Element.REAL, Holds.LIST), tuple(_lowered(body, item) for item in items))
        case Result(value=value, structure=Structure.LIST):
            return list_of(body, value.axes[0], value.axes[1:], value.value)
        case Result(value=value):
            order = [axis.name for axis in value.axes]
            return lower_whole(body, value.value, order, Scope(value.axes), body.module.batched)


def lower_program(program: ScheduledProgram, passes: Sequence[Pass] = PIPELINE) -> tuple[TensorProgram, ...]:
    """The tensor programs of the document's modules."""
    return tuple(lower_module(program, module, Names(), passes) for module in program.modules)
