"""How a recurrence's state can grow: whether it may be run on into the padding without overflowing there.

A state of bounded numbers, or one that adds a bounded number in each turn (`c[t] = f[t] * c[t-1] + u[t]` with `f` in
0 .. 1), stays finite however long the padding is. One that is multiplied by an unbounded number need not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mathdsl.analysis.recurrences import Recurrence
from mathdsl.ir.nodes import Along, Apply, Call, Equation, Expr, IndexValue, Literal, Module, Padded, Read, Reduce, Select, Setting

_BOUNDED_OPERATIONS: Mapping[str, tuple[float, float]] = {
    "sigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "sin": (-1.0, 1.0),
    "cos": (-1.0, 1.0),
    "erf": (-1.0, 1.0),
    "arctan": (-2.0, 2.0),
    "sign": (-1.0, 1.0),
    "softmax": (0.0, 1.0),
}
_AT_MOST_ITS_OPERANDS = frozenset({"neg", "abs", "maximum", "minimum", "relu", "to_real", "stop_gradient", "floor", "ceil"})
_AT_MOST_ITS_BODY = frozenset({"max", "min", "mean", "logsumexp"})
_MOST_ROUNDS = 8  # each round starts from what is sure, so that stopping early is only more careful
_ANYTHING = (-math.inf, math.inf)


@dataclass(frozen=True)
class _Growth:
    """`degree` 0: bounded whatever the state; 1: at most the state plus something bounded; 2: more. `limits` of the value."""

    degree: int
    limits: tuple[float, float] = _ANYTHING

    @property
    def is_at_most_one(self) -> bool:
        return self.limits[0] >= -1.0 and self.limits[1] <= 1.0


def is_tame(module: Module, recurrence: Recurrence) -> bool:
    """Whether the state stays finite in however many turns."""
    steps = (module.steps[number] for number in recurrence.steps)
    carried = {step.target: _Growth(1) for step in steps if isinstance(step, Equation)}
    for _ in range(_MOST_ROUNDS):  # what an operation bounds is known after the first round, what that bounds after the next
        found = _one_turn(module, recurrence, carried)
        if found == carried:
            break
        carried = found
    return all(growth.degree <= 1 for growth in found.values())


def _one_turn(module: Module, recurrence: Recurrence, before: Mapping[str, _Growth]) -> dict[str, _Growth]:
    """The growth of each array of the recurrence, given what it was in the turn before."""
    now: dict[str, _Growth] = dict(before)
    found: dict[str, _Growth] = {}
    for number in _in_order(recurrence):
        step = module.steps[number]
        if isinstance(step, Call):
            continue  # its state enters through arguments that are reset in the padding
        growth = _growth(step.value, now, before, step)
        known = found.get(step.target)
        if known is not None:
            growth = _joined(known, growth)
        found[step.target] = now[step.target] = growth
    return found


def _in_order(recurrence: Recurrence) -> tuple[int, ...]:
    return tuple(n for part in recurrence.parts for n in ((part,) if isinstance(part, int) else _in_order(part)))


def _joined(left: _Growth, right: _Growth) -> _Growth:
    limits = (min(left.limits[0], right.limits[0]), max(left.limits[1], right.limits[1]))
    return _Growth(max(left.degree, right.degree), limits)


def _growth(expr: Expr, now: Mapping[str, _Growth], before: Mapping[str, _Growth], step: Equation) -> _Growth:
    def of(child: Expr) -> _Growth:
        return _growth(child, now, before, step)

    match expr:
        case Literal(value=value):
            return _Growth(0, (float(value), float(value)))
        case IndexValue() | Setting():
            return _Growth(0)
        case Read(array=array):
            known = now.get(array)
            if known is None:
                return _Growth(0)
            earlier = before.get(array, known)
            degree = 1 if max(known.degree, earlier.degree) >= 1 else 0
            return _Growth(degree, _joined(known, earlier).limits)
        case Apply(op=op) if op in _BOUNDED_OPERATIONS:
            return _Growth(0, _BOUNDED_OPERATIONS[op])
        case Apply(op="add" | "sub" as op, arguments=(left, right)):
            return _of_sum(of(left), of(right), 1.0 if op == "add" else -1.0)
        case Apply(op="mul", arguments=(left, right)):
            return _of_product(of(left), of(right))
        case Apply(op=op, arguments=arguments) if op in _AT_MOST_ITS_OPERANDS:
            return _Growth(max(of(argument).degree for argument in arguments))
        case Apply(arguments=arguments):
            return _Growth(0 if all(of(argument).degree == 0 for argument in arguments) else 2)
        case Reduce(op=op, body=body):
            degree = of(body).degree
            return _Growth(degree if degree == 0 or op in _AT_MOST_ITS_BODY else 2)
        case Along(op=op, body=body):
            if op in _BOUNDED_OPERATIONS:
                return _Growth(0, _BOUNDED_OPERATIONS[op])
            return _Growth(0 if of(body).degree == 0 else 2)
        case Select(then=then, otherwise=otherwise):
            return _joined(of(then), of(otherwise))
        case Padded(body=body, fill=fill):
            return _joined(of(body), of(fill))


def _of_sum(left: _Growth, right: _Growth, sign: float) -> _Growth:
    degree = 2 if left.degree and right.degree else max(left.degree, right.degree)
    low, high = sorted((sign * right.limits[0], sign * right.limits[1]))
    return _Growth(degree, (left.limits[0] + low, left.limits[1] + high))


def _of_product(left: _Growth, right: _Growth) -> _Growth:
    if left.is_at_most_one and right.is_at_most_one:
        corners = [a * b for a in left.limits for b in right.limits]
        return _Growth(max(left.degree, right.degree) if not (left.degree and right.degree) else 2, (min(corners), max(corners)))
    if left.degree == 0 and left.is_at_most_one:
        return _Growth(right.degree)
    if right.degree == 0 and right.is_at_most_one:
        return _Growth(left.degree)
    return _Growth(0 if left.degree == right.degree == 0 else 2)
