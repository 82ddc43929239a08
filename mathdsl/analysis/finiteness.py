"""What may be infinite or no number: anywhere, and in examples where a ragged size is 0.

Operands that vary along a ragged axis are harmless in its padding. What is the same along all of it is not: `Z` in
`x[j] / Z` is a sum of nothing, 0, for an example without any `j`, and alone such an example divides nothing by it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import partial

from mathdsl.analysis.abstract import interpret, partial_operand
from mathdsl.analysis.raggedness import ragged_size
from mathdsl.ir.nodes import Along, Apply, Axis, Call, Equation, Expr, IndexValue, Kind, Module, Read, Reduce, Step
from mathdsl.ir.traversal import children, polys, reads, step_expressions, step_reads, step_targets, walk
from mathdsl.ops import REDUCTIONS
from mathdsl.ops.abstract import Abstract


class Finiteness:
    """Answers for one module: sets of arrays, found once."""

    def __init__(self, module: Module, ragged: Iterable[str]) -> None:
        self._ragged = tuple(ragged)
        self._constant = {array.name for array in module.arrays if array.kind in (Kind.PARAMETER, Kind.BUFFER)}
        self._called = {target for step in module.steps if isinstance(step, Call) for target in step_targets(step)}
        self._anyhow = closed(module.steps, self._step_fails)
        self._infinite = closed(module.steps, _step_holds_infinity)
        self._gathered = {size: closed(module.steps, partial(_step_gathers, size)) for size in self._ragged}
        self._when_empty = {size: closed(module.steps, partial(self._step_fails_when_empty, size)) for size in self._ragged}

    def is_finite(self, expr: Expr) -> bool:
        """Whether nothing in the expression fails, at the examples' own points too, whatever finite numbers come in."""
        return not self._fails(expr, self._anyhow)

    def may_be_infinite(self, expr: Expr) -> bool:
        r"""Whether an infinity that is written, `-\infty` in a mask, may be the value; of reductions, none is in padding."""
        return holds_infinity(expr, self._infinite, _is_whole)

    def is_result_of_call(self, expr: Expr) -> bool:
        """Whether an expression is what another module gave back, with its padding filled."""
        return isinstance(expr, Read) and expr.array in self._called

    def may_fail_when_empty(self, operand: Expr, size: str) -> bool:
        """Whether the operand of a partial operation could be outside its domain in an example where the size is 0."""
        return any(read.array not in self._constant for read in reads(operand)) or _gathers(operand, size, self._gathered[size])

    def is_spoilt_when_empty(self, array: str, size: str) -> bool:
        """Whether an array may hold infinities or no numbers in an example because the size is 0."""
        return array in self._when_empty[size]

    def _step_fails(self, step: Step, spoilt: Collection[str]) -> bool:
        return isinstance(step, Call) or any(self._fails(expr, spoilt) for expr in step_expressions(step))

    def _fails(self, expr: Expr, spoilt: Collection[str]) -> bool:
        for node in walk(expr):
            if isinstance(node, Read) and node.array in spoilt:
                return True
            operand = partial_operand(node)
            if operand is not None and not self._is_fixed(operand):
                return True
        return False

    def _is_fixed(self, expr: Expr) -> bool:
        """Whether an expression is the same for all examples."""
        own = (node for node in walk(expr) if isinstance(node, IndexValue))
        known = all(read.array in self._constant for read in reads(expr))
        return known and not any(node.value.names & set(self._ragged) for node in own)

    def _step_fails_when_empty(self, size: str, step: Step, spoilt: Collection[str]) -> bool:
        if isinstance(step, Equation):
            return not self._has_axis(step.axes, size) and self._fails_when_empty(step.value, size, spoilt)
        return not self._has_axis(step.axes, size) and _step_gathers(size, step, self._gathered[size])

    def _fails_when_empty(self, expr: Expr, size: str, spoilt: Collection[str]) -> bool:
        match expr:
            case Read(array=array) if array in spoilt:
                return True
            case Reduce(op=op, axis=axis) if self._has_axis((axis,), size):
                return math.isinf(REDUCTIONS[op].of_nothing or 0)
            case Along(axis=axis) if self._has_axis((axis,), size):
                return False
            case Apply():
                operand = partial_operand(expr)
                if operand is not None and _gathers(operand, size, self._gathered[size]):
                    return True
        return any(self._fails_when_empty(child, size, spoilt) for child in children(expr))

    def _has_axis(self, axes: Iterable[Axis], size: str) -> bool:
        return any(ragged_size(axis.range, self._ragged) == size for axis in axes)


def closed(steps: Iterable[Step], holds: Callable[[Step, Collection[str]], bool], known: Iterable[str] = ()) -> set[str]:
    """The known arrays, and the targets of the steps of which it holds, given what is found of the arrays that they read."""
    found = set(known)
    waiting = list(steps)[::-1]
    readers: defaultdict[str, list[Step]] = defaultdict(list)
    for step in waiting:
        for array in {read.array for read in step_reads(step)}:
            readers[array].append(step)
    while waiting:
        step = waiting.pop()
        new = [target for target in step_targets(step) if target not in found]
        if new and holds(step, found):
            found.update(new)
            waiting += [reader for array in new for reader in readers[array]]
    return found


def holds_infinity(expr: Expr, infinite: Collection[str], is_finite: Callable[[Expr], bool]) -> bool:
    """Whether an infinity, `-inf` in a mask, may be the value: these arrays may hold one, and nothing that `is_finite` is one."""

    def known(part: Expr) -> Abstract | None:
        if isinstance(part, Read):
            return Abstract(may_be_infinite=part.array in infinite)
        return Abstract() if is_finite(part) else None

    return interpret(expr, known).may_be_infinite


def _is_whole(part: Expr) -> bool:
    return isinstance(part, Reduce | Along)


def _step_holds_infinity(step: Step, infinite: Collection[str]) -> bool:
    return any(holds_infinity(expr, infinite, _is_whole) for expr in step_expressions(step))


def _step_gathers(size: str, step: Step, gathered: Collection[str]) -> bool:
    own = isinstance(step, Call) and any(size in axis.range.upper.names for a in step.arguments for axis in a.value.axes)
    return own or any(_gathers(expr, size, gathered) for expr in step_expressions(step))


def _gathers(expr: Expr, size: str, gathered: Collection[str]) -> bool:
    """Whether an expression takes a whole axis that ends with the size, speaks of the size, or reads an array that does."""
    for node in walk(expr):
        match node:
            case Reduce(axis=axis) | Along(axis=axis) if size in axis.range.upper.names:
                return True
            case IndexValue() | Read() if any(size in poly.names for poly in polys(node)):
                return True
            case Read(array=array) if array in gathered:
                return True
    return False
