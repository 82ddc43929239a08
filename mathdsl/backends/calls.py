"""Calls of submodules: their arguments over whole axes, their lengths, and where their results go."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mathdsl.analysis.raggedness import given_lengths
from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.joins import Piece
from mathdsl.backends.lists import list_of
from mathdsl.backends.python_ast import call, const, name, subscript, unparse, unparse_tuple
from mathdsl.backends.shared_parts import name_shared
from mathdsl.backends.storage import call_box
from mathdsl.backends.terms import Scope, Term, permuted
from mathdsl.backends.text import shape_comment
from mathdsl.diagnostics.model import InternalError
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
    ResultTuple,
    Structure,
    Submodule,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import flat_results, module_expressions, walk
from mathdsl.ops import ELEMENTWISE

if TYPE_CHECKING:
    from mathdsl.backends.steps import Steps


def callee_of(program: Program, submodule: Submodule) -> Module | None:
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


def write_call(body: Body, step: Call, steps: Steps) -> None:
    """One call, in a loop for the axes that loops run over, with batch axes for the others."""
    submodule = next(s for s in body.module.submodules if s.path == step.submodule)
    callee = callee_of(body.program, submodule)
    axes = tuple(axis for axis in step.axes if not body.is_loop(axis.name))
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    if callee is None or callee.library:
        arguments = [_argument(body, argument, None, callee, axes) for argument in step.arguments]
    else:
        arguments, keywords = _arguments(body, step, callee, axes)
    function = name(body.submodule(submodule.path))
    if submodule.is_stack:
        assert step.at is not None
        function = subscript(function, body.poly(step.at - submodule.parts[0].range.lower))
    value = name_shared(body, ast.Call(function, arguments, keywords))
    _store(body, step, callee, value, axes, steps)


# ---- arguments -----------------------------------------------------------------------------------


def _arguments(body: Body, step: Call, callee: Module, axes: tuple[Axis, ...]) -> tuple[list[ast.expr], list[ast.keyword]]:
    given = {argument.input: argument for argument in step.arguments}
    positional: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    for item in callee.inputs:
        members = (item,) if isinstance(item, Input) else item
        names = [callee.array(member.array).python for member in members]
        if not any(member.array in given for member in members):
            continue
        values = [_argument(body, given[m.array], m, callee, axes) if m.array in given else const(None) for m in members]
        if isinstance(item, Input):
            value, keyword = values[0], names[0]
        else:
            value, keyword = ast.Tuple(values, ast.Load()), "_".join(names)
        if len(positional) == callee.inputs.index(item):
            positional.append(value)
        else:
            keywords.append(ast.keyword(keyword, value))
    if takes_lengths(callee):
        lengths = _lengths(body, step, callee, axes)
        if lengths is not None:
            keywords.append(ast.keyword("lengths", lengths))
    if callee.name not in body.drawing:
        body.drawing[callee.name] = takes_generator(body.program, callee)
    if body.drawing[callee.name]:
        body.used.add("generator")
        keywords.append(ast.keyword("generator", name("generator")))
    return positional, keywords


def _argument(body: Body, argument: Argument, given: Input | None, callee: Module | None, axes: tuple[Axis, ...]) -> ast.expr:
    value = argument.value
    if callee is not None and argument.input in {size.name for size in callee.sizes} and isinstance(value.value, IndexValue):
        return body.poly(value.value.value)
    if given is not None and given.structure is Structure.LIST:
        return list_of(body, value.axes[0], value.axes[1:], value.value, axes)
    scope = Scope((*axes, *value.axes))
    order = [axis.name for axis in scope.axes]
    if given is not None and given.shared:
        term = expressions.tensor(body, expressions.lower(body, value.value, scope))
        return permuted(term, order).node
    return expressions.lower_whole(body, value.value, order, scope, body.module.batched).node


def _lengths(body: Body, step: Call, callee: Module, axes: tuple[Axis, ...]) -> ast.expr | None:
    """The callee's own run-time sizes: those of the caller's that they are, over the call's axes."""
    found: dict[str, ast.expr] = {}
    for size, value in step.sizes:
        ragged = body.ragged_in(value)
        if size not in callee.ragged or not ragged:
            continue
        extra = value - ragged[0]
        if len(ragged) != 1 or ragged[0] in extra.names:
            raise InternalError(f"{callee.name}: the run-time size {size} is {value}, which no length can be made of")
        own = body.own(ragged[0])
        arguments = [body.extent(axis.range) for axis in axes]
        if extra.terms or arguments:
            own = call(body.helper("_own_over"), own, body.poly(extra), *arguments)
        found[size] = own
    if not found:
        return None
    if len(given_lengths(callee)) == 1:
        return next(iter(found.values()))
    return ast.Dict([const(key) for key in found], list(found.values()))


# ---- results -------------------------------------------------------------------------------------


def _store(body: Body, step: Call, callee: Module | None, value: ast.expr, axes: tuple[Axis, ...], steps: Steps) -> None:
    results = flat_results(callee.results) if callee is not None else ()
    if len(step.targets) == 1 and (callee is None or isinstance(callee.results, Result)):
        target = step.targets[0]
        if target is None:
            steps.comment([step.origin])
            body.write(unparse(value))
            return
        listed = bool(results) and results[0].structure is Structure.LIST
        _put(body, step, target, value, axes, steps, listed, [step.origin])
        return
    assert callee is not None
    steps.comment([step.origin])
    places: list[ast.expr] = []
    left: list[tuple[CallTarget, ast.expr, bool]] = []  # what the call cannot put where it belongs
    notes: list[str] = []
    for target, result in zip(step.targets, results, strict=True):
        is_list = result.structure is Structure.LIST
        element = None if target is None or is_list or axes else steps.element_target(target, call_box(step, target))
        if target is None:
            places.append(name("_"))
        elif element is not None:
            places.append(element[0])
            notes.append(element[1])
        elif _is_whole(body, target, axes) and (not is_list or _stays_list(body, target, axes)):
            places.append(name(body.locals[target.array]))
            body.assigned.add(body.locals[target.array])
            body.lists.update([target.array] if is_list else [])
            body.write(f"{body.locals[target.array]}: {'list[torch.Tensor]' if is_list else 'torch.Tensor'}")
        else:
            places.append(name(body.names.fresh(f"{body.locals[target.array]}_new")))
            left.append((target, places[-1], is_list))
            body.write(f"{unparse(places[-1])}: {'list[torch.Tensor]' if is_list else 'torch.Tensor'}")
    note = f"  # {', '.join(notes)}" if notes and len(notes) == len(places) else ""
    body.write(f"{unparse_tuple(_pattern(callee.results, list(places)))} = {unparse(value)}{note}")
    for target, place, is_list in left:
        _put(body, step, target, place, axes, steps, is_list, [])


def _is_whole(body: Body, target: CallTarget, axes: tuple[Axis, ...]) -> bool:
    """Whether a result is the whole array, with its axes in order."""
    storage = body.storage[target.array]
    lead = tuple(Poly.of(axis.name) for axis in axes)
    return not storage.elements and storage.definitions == 1 and tuple(e for e in target.index[: len(lead)]) == lead


def _stays_list(body: Body, target: CallTarget, axes: tuple[Axis, ...]) -> bool:
    """Whether a list that is a whole array is kept as it is: its reads then take an element, or stack it once."""
    sizes = {size for bounds in body.arrays[target.array].ranges for size in bounds.extent.names}
    return not body.loops and not axes and isinstance(target.index[0], Range) and not sizes & body.unmeasured


def _pattern(results: Result | ResultTuple, waiting: list[ast.expr]) -> ast.expr:
    if isinstance(results, Result):
        return waiting.pop(0)
    return ast.Tuple([_pattern(item, waiting) for item in results.items], ast.Store())


def _put(
    body: Body,
    step: Call,
    target: CallTarget,
    value: ast.expr,
    axes: tuple[Axis, ...],
    steps: Steps,
    listed: bool,
    origins: Sequence[Origin],
) -> None:
    """One result into its array."""
    array = body.arrays[target.array]
    synthetic = {p: Axis(f"?{p}", entry) for p, entry in enumerate(target.index) if isinstance(entry, Range)}
    given = value
    if listed:
        value = call("torch.stack", value, const(-len(synthetic)))
    index = tuple(Poly.of(synthetic[p].name) if isinstance(entry, Range) else entry for p, entry in enumerate(target.index))
    scope = Scope((*axes, *synthetic.values()))
    names = tuple(axis.name for axis in scope.axes)
    order = tuple(n for entry in index for n in scope.order(entry.names))
    batch = body.module.batched
    term = permuted(Term(value, names, batch, Element.REAL), order)
    storage = body.storage[array.name]
    if storage.elements:
        steps.store(array, index, call_box(step, target), term, scope, origins)
        return
    local = body.locals[array.name]
    if storage.definitions == 1:
        if listed and _is_whole(body, target, axes) and _stays_list(body, target, axes):
            body.lists.add(array.name)
            steps.comment(origins)
            body.write(f"{local}: list[torch.Tensor] = {unparse(given)}")
            return
        steps.comment(origins)
        body.write(f"{body.typed(local)} = {unparse(term.node)}  {shape_comment(array.ranges, batch)}")
        body.measure(array)
        return
    steps.comment(origins)
    part = body.names.fresh(f"{local}_part")
    body.write(f"{part}: torch.Tensor = {unparse(term.node)}")
    steps.piece(array, Piece(call_box(step, target), name(part), step.origin.span))
