r"""Stable logarithms that may be minus infinity because a mask among the terms of their operand is.

log_softmax(j: z[j] + m[j])[i]      where the input `m` may hold minus infinity
logsigmoid(x[i])                    where the input `x` may
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from mathdsl.ir.nodes import Along, Apply, Equation, Expr, Kind, Literal, Module, Read, Reduce
from mathdsl.ir.traversal import children, module_expressions, walk

_LOGS = frozenset({"log", "log2", "log_softmax", "logsigmoid", "logsumexp", "logaddexp", "times_log"})

NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MaskedLogs:
    """What may be such a logarithm: `infinite` are arrays that may hold an infinity, `logs` those that are one or have one as a term."""

    infinite: Collection[str]
    logs: Collection[str]

    def holds(self, expr: Expr) -> bool:
        """Whether an expression is such a logarithm, or has one among its terms."""
        match expr:
            case Along(op="log_softmax", body=operand) | Apply(op="logsigmoid", arguments=(operand,)):
                return _may_be_infinite(operand, self.infinite)
            case Apply(op="sub", arguments=(operand, Reduce(op="logsumexp") | Apply(op="logaddexp"))):
                return _may_be_infinite(operand, self.infinite)
            case Apply(op="times_log"):
                return True
            case Apply(op="add" | "sub" | "neg" | "mul" | "div", arguments=arguments):
                return any(self.holds(part) for part in arguments)
            case Read(array=array):
                return array in self.logs
            case _:
                return False


def find_masked_logs(module: Module, definitions: Mapping[str, Equation]) -> MaskedLogs:
    """What the definitions make of the inputs; parameters and buffers hold no infinities."""
    if not any(_is_log(node) for expr in module_expressions(module) for node in walk(expr)):
        return MaskedLogs(NOWHERE, NOWHERE)
    inputs = {a.name for a in module.arrays if a.kind not in (Kind.PARAMETER, Kind.BUFFER) and a.name not in definitions}
    infinite = _spread(definitions, inputs, _may_be_infinite)
    return MaskedLogs(infinite, _spread(definitions, NOWHERE, lambda value, logs: MaskedLogs(infinite, logs).holds(value)))


def _is_log(node: Expr) -> bool:
    return isinstance(node, Apply | Along | Reduce) and node.op in _LOGS


def _spread(definitions: Mapping[str, Equation], known: Collection[str], holds: Callable[[Expr, Collection[str]], bool]) -> set[str]:
    """The known arrays, and those of whose definition something holds because it holds of what that reads."""
    found = set(known)
    before = -1
    while before != len(found):
        before = len(found)
        for name, equation in definitions.items():
            if name not in found and holds(equation.value, found):
                found.add(name)
    return found


def _may_be_infinite(expr: Expr, infinite: Collection[str]) -> bool:
    """Whether an operand may be: a mask among its terms; not a sum of products, as in `W x + b`."""
    match expr:
        case Literal(value=value):
            return math.isinf(value)
        case Read(array=array):
            return array in infinite
        case Reduce(op="sum") | Along(op="softmax"):
            return False
        case _:
            return any(_may_be_infinite(child, infinite) for child in children(expr))
