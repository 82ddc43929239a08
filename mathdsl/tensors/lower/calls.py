"""Calls of submodules: their arguments over whole axes, their lengths, and where their results go."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.analysis.raggedness import given_lengths
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir import nodes as ir
from mathdsl.ir.nodes import (
    Apply,
    Argument,
    Axis,
    Call,
    CallTarget,
    Element,
    Expr,
    IndexValue,
    Input,
    Module,
    Origin,
    Program,
    Range,
    Result,
    Structure,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import flat_results, module_expressions, walk
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body, listed
from mathdsl.tensors.lower.joins import Piece
from mathdsl.tensors.lower.lists import list_of
from mathdsl.tensors.lower.storage import call_box
from mathdsl.tensors.lower.stores import Stores
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.orders import permuted
from mathdsl.tensors.statements import Declare, Let, Receive, Run, Shape
from mathdsl.tensors.values import At, Form, Group, Holds, Local, Nothing, OwnOver, Stack, Submodule, Value

_TUPLE = Form((), False, Element.REAL, Holds.LIST)  # of values with forms of their own


def callee_of(program: Program, submodule: ir.Submodule) -> Module | None:
    """The module that a submodule is an instance of; None for an opaque one."""
    return None if submodule.callee is None else program.module(submodule.callee)


def takes_lengths(module: Module) -> bool:
    """Whether the generated `forward` has the argument `lengths`."""
    return module.batched and bool(module.ragged) and not module.library


def takes_generator(program: Program, module: Module) -> bool:
    """Whether the generated `forward` draws random numbers, itself or in a module that it calls."""
    reached = {module.name: module}
    waiting = [] if module.library else [module]
    while waiting:
        one = waiting.pop()
        if any(is_random(expr) for expr in module_expressions(one)):
            return True
        for called in dict.fromkeys(submodule.callee for submodule in one.submodules if submodule.callee is not None):
            if called not in reached:
                reached[called] = program.module(called)
                if not reached[called].library:
                    waiting.append(reached[called])
    return False


def is_random(expr: Expr) -> bool:
    """Whether an expression holds a random operation."""
    return any(ELEMENTWISE[node.op].random for node in walk(expr) if isinstance(node, Apply))


def write_call(body: Body, step: Call, stores: Stores) -> None:
    """One call, in a loop for the axes that loops run over, with batch axes for the others."""
    submodule = next(s for s in body.module.submodules if s.path == step.submodule)
    callee = callee_of(body.program, submodule)
    axes = tuple(axis for axis in step.axes if not body.is_loop(axis.name))
    given: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    lengths: list[tuple[str, Value]] = []
    is_written = callee is not None and not callee.library
    if callee is None or callee.library:
        given = [_argument(body, argument, None, callee, axes) for argument in step.arguments]
    else:
        given, keywords = _arguments(body, step, callee, axes)
        lengths = _lengths(body, step, callee, axes) if takes_lengths(callee) else []
    at = None
    if submodule.is_stack:
        assert step.at is not None
        at = body.poly(step.at - submodule.parts[0].range.lower)
    value = Submodule(
        _call_form(body, step, callee, axes),
        submodule.path,
        at,
        tuple(given),
        tuple(keywords),
        tuple(lengths),
        has_single_length=callee is not None and len(given_lengths(callee)) == 1,
        is_random=callee is not None and is_written and takes_generator(body.program, callee),
    )
    _store(body, step, callee, value, axes, stores)


def _call_form(body: Body, step: Call, callee: Module | None, axes: tuple[Axis, ...]) -> Form:
    """The form of what a call gives: of a single tensor, its axes are those of the call and those of its target."""
    target = step.targets[0] if len(step.targets) == 1 else None
    if target is None or (callee is not None and not isinstance(callee.results, Result)):
        return _TUPLE
    is_list = callee is not None and flat_results(callee.results)[0].structure is Structure.LIST
    inner = tuple(f"?{p}" for p, entry in enumerate(target.index) if isinstance(entry, Range))
    form = Form((*(axis.name for axis in axes), *inner[is_list:]), body.module.batched, Element.REAL)
    return listed(form) if is_list else form


# ---- arguments -----------------------------------------------------------------------------------


def _arguments(body: Body, step: Call, callee: Module, axes: tuple[Axis, ...]) -> tuple[list[Value], list[tuple[str, Value]]]:
    given = {argument.input: argument for argument in step.arguments}
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    for item in callee.inputs:
        members = (item,) if isinstance(item, Input) else item
        names = [callee.array(member.array).python for member in members]
        if not any(member.array in given for member in members):
            continue
        values = [_argument(body, given[m.array], m, callee, axes) if m.array in given else Nothing(_TUPLE) for m in members]
        if isinstance(item, Input):
            value, keyword = values[0], names[0]
        else:
            value, keyword = Group(_TUPLE, tuple(values)), "_".join(names)
        if len(positional) == callee.inputs.index(item):
            positional.append(value)
        else:
            keywords.append((keyword, value))
    return positional, keywords


def _argument(body: Body, argument: Argument, given: Input | None, callee: Module | None, axes: tuple[Axis, ...]) -> Value:
    value = argument.value
    if callee is not None and argument.input in {size.name for size in callee.sizes} and isinstance(value.value, IndexValue):
        return body.poly(value.value.value)
    if given is not None and given.structure is Structure.LIST:
        return list_of(body, value.axes[0], value.axes[1:], value.value, axes)
    scope = Scope((*axes, *value.axes))
    order = [axis.name for axis in scope.axes]
    if given is not None and given.shared:
        return permuted(operands.tensor(body, body.lower(value.value, scope)), order)
    return operands.lower_whole(body, value.value, order, scope, body.module.batched)


def _lengths(body: Body, step: Call, callee: Module, axes: tuple[Axis, ...]) -> list[tuple[str, Value]]:
    """The callee's own run-time sizes: those of the caller's that they are, over the call's axes."""
    found: list[tuple[str, Value]] = []
    for size, value in step.sizes:
        ragged = [own for own in body.module.ragged if own in value.names]
        if size not in callee.ragged or not ragged:
            continue
        extra = value - ragged[0]
        if len(ragged) != 1 or ragged[0] in extra.names:
            raise InternalError(f"{callee.name}: the run-time size {size} is {value}, which no length can be made of")
        own: Value = body.own_size(ragged[0])
        extents = tuple(body.extent(axis.range) for axis in axes)
        if extra.terms or extents:
            form = Form(tuple(axis.name for axis in axes), True, Element.INTEGER)
            own = OwnOver(form, ragged[0], body.poly(extra), extents)
        found.append((size, own))
    return found


# ---- results -------------------------------------------------------------------------------------


def _store(body: Body, step: Call, callee: Module | None, value: Value, axes: tuple[Axis, ...], stores: Stores) -> None:
    results = flat_results(callee.results) if callee is not None else ()
    if len(step.targets) == 1 and (callee is None or isinstance(callee.results, Result)):
        target = step.targets[0]
        if target is None:
            stores.comment([step.origin])
            body.write(Run(value))
            return
        is_list = bool(results) and results[0].structure is Structure.LIST
        _put(body, step, target, value, axes, stores, is_list, [step.origin])
        return
    assert callee is not None
    stores.comment([step.origin])
    places: list[Local | At | None] = []
    left: list[tuple[CallTarget, Local, bool]] = []  # what the call cannot put where it belongs
    notes: list[Shape] = []
    for target, result in zip(step.targets, results, strict=True):
        is_list = result.structure is Structure.LIST
        element = None if target is None or is_list or axes else stores.element_target(target, call_box(step, target))
        if target is None:
            places.append(None)
        elif element is not None:
            places.append(element[0])
            notes.append(element[1])
        elif _is_whole(body, target, axes) and (not is_list or _stays_list(body, target, axes)):
            local = Local(_result_form(body, target, axes, is_list), body.locals[target.array])
            places.append(local)
            body.assigned.add(local.name)
            body.lists.update([target.array] if is_list else [])
            body.write(Declare(local))
        else:
            local = Local(_result_form(body, target, axes, is_list), body.names.fresh(f"{body.locals[target.array]}_new"))
            places.append(local)
            left.append((target, local, is_list))
            body.write(Declare(local))
    body.write(Receive(tuple(places), callee.results, value, tuple(notes) if len(notes) == len(places) else ()))
    for target, local, is_list in left:
        _put(body, step, target, local, axes, stores, is_list, [])


def _result_form(body: Body, target: CallTarget, axes: tuple[Axis, ...], is_list: bool) -> Form:
    """The form of one result of a call: the call's axes, then those of its target."""
    inner = tuple(f"?{p}" for p, entry in enumerate(target.index) if isinstance(entry, Range))
    form = Form((*(axis.name for axis in axes), *inner[is_list:]), body.module.batched, body.arrays[target.array].element)
    return listed(form) if is_list else form


def _is_whole(body: Body, target: CallTarget, axes: tuple[Axis, ...]) -> bool:
    """Whether a result is the whole array, with its axes in order."""
    storage = body.storage[target.array]
    lead = tuple(Poly.of(axis.name) for axis in axes)
    return not storage.elements and storage.definitions == 1 and tuple(e for e in target.index[: len(lead)]) == lead


def _stays_list(body: Body, target: CallTarget, axes: tuple[Axis, ...]) -> bool:
    """Whether a list that is a whole array is kept as it is: its reads then take an element, or stack it once."""
    sizes = {size for bounds in body.arrays[target.array].ranges for size in bounds.extent.names}
    return not body.loops and not axes and isinstance(target.index[0], Range) and not sizes & body.unmeasured


def _put(
    body: Body,
    step: Call,
    target: CallTarget,
    value: Value,
    axes: tuple[Axis, ...],
    stores: Stores,
    is_list: bool,
    origins: Sequence[Origin],
) -> None:
    """One result into its array."""
    array = body.arrays[target.array]
    synthetic = {p: Axis(f"?{p}", entry) for p, entry in enumerate(target.index) if isinstance(entry, Range)}
    index = tuple(Poly.of(synthetic[p].name) if isinstance(entry, Range) else entry for p, entry in enumerate(target.index))
    scope = Scope((*axes, *synthetic.values()))
    form = Form(tuple(axis.name for axis in scope.axes), body.module.batched, array.element)
    given = value
    if is_list:
        value = Stack(form, value, len(axes))
    order = tuple(n for entry in index for n in scope.order(entry.names))
    value = permuted(value, order)
    storage = body.storage[array.name]
    if storage.elements:
        stores.store(array, index, call_box(step, target), value, scope, origins)
        return
    local = body.locals[array.name]
    if storage.definitions == 1:
        stores.comment(origins)
        if is_list and _is_whole(body, target, axes) and _stays_list(body, target, axes):
            body.lists.add(array.name)
            body.write(Let(Local(given.form, local), given, is_declared=True))
            return
        body.write(Let(Local(value.form, local), value, Shape(array.ranges, body.module.batched), body.is_first(local)))
        body.measure(array)
        return
    stores.comment(origins)
    part = Local(value.form, body.names.fresh(f"{local}_part"))
    body.write(Let(part, value, is_declared=True))
    stores.piece(array, Piece(call_box(step, target), part, step.origin.span))
