"""How a recurrence's state can grow: whether it may be run on into the padding without overflowing there.

A state of bounded numbers, or one that adds a bounded number in each turn (`c[t] = f[t] * c[t-1] + u[t]` with `f` in
0 .. 1), stays finite however long the padding is. One that is multiplied by an unbounded number need not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mathdsl.analysis.abstract import interpret
from mathdsl.analysis.recurrences import Recurrence
from mathdsl.ir.nodes import Call, Equation, Expr, Module, Read
from mathdsl.ops.abstract import Abstract

_MOST_ROUNDS = 8  # each round starts from what is sure, so that stopping early is only more careful


def is_tame(module: Module, recurrence: Recurrence) -> bool:
    """Whether the state stays finite in however many turns."""
    steps = (module.steps[number] for number in recurrence.steps)
    carried = {step.target: Abstract(degree=1) for step in steps if isinstance(step, Equation)}
    for _ in range(_MOST_ROUNDS):  # what an operation bounds is known after the first round, what that bounds after the next
        found = _one_turn(module, recurrence, carried)
        if found == carried:
            break
        carried = found
    return all(growth.degree <= 1 for growth in found.values())


def _one_turn(module: Module, recurrence: Recurrence, before: Mapping[str, Abstract]) -> dict[str, Abstract]:
    """The growth of each array of the recurrence, given what it was in the turn before."""
    now: dict[str, Abstract] = dict(before)
    found: dict[str, Abstract] = {}

    def known(part: Expr) -> Abstract | None:
        if not isinstance(part, Read) or part.array not in now:
            return None
        both = now[part.array].joined(before.get(part.array, now[part.array]))
        return replace(both, degree=min(both.degree, 1))

    for number in _in_order(recurrence):
        step = module.steps[number]
        if isinstance(step, Call):
            continue  # its state enters through arguments that are reset in the padding
        growth = interpret(step.value, known)
        found[step.target] = now[step.target] = growth.joined(found[step.target]) if step.target in found else growth
    return found


def _in_order(recurrence: Recurrence) -> tuple[int, ...]:
    return tuple(n for part in recurrence.parts for n in ((part,) if isinstance(part, int) else _in_order(part)))
