r"""Stable logarithms that may be minus infinity because a mask among the terms of their operand is.

log_softmax(j: z[j] + m[j])[i]      where the input `m` may hold minus infinity
logsigmoid(x[i])                    where the input `x` may
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mathdsl.analysis.finiteness import closed, holds_infinity
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Along, Apply, Equation, Expr, Kind, Module, Read, Reduce
from mathdsl.ir.traversal import module_expressions, step_expressions, walk

_LOGS = frozenset({"log", "log2", "log_softmax", "logsigmoid", "logsumexp", "logaddexp", "times_log", "xlogy"})


@dataclass(frozen=True, slots=True)
class MaskedLogs:
    """What may be such a logarithm: `infinite` are arrays that may hold an infinity, `logs` those that are one or have one as a term."""

    infinite: Collection[str]
    logs: Collection[str]

    def holds(self, expr: Expr) -> bool:
        """Whether an expression is such a logarithm, or has one among its terms."""
        match expr:
            case Along(op="log_softmax", body=operand) | Apply(op="logsigmoid", arguments=(operand,)):
                return holds_infinity(operand, self.infinite, _is_sum)
            case Apply(op="sub", arguments=(operand, Reduce(op="logsumexp") | Apply(op="logaddexp"))):
                return holds_infinity(operand, self.infinite, _is_sum)
            case Apply(op="times_log"):
                return True
            case Apply(op="add" | "sub" | "neg" | "mul" | "div", arguments=arguments):
                return any(self.holds(part) for part in arguments)
            case Read(array=array):
                return array in self.logs
            case _:
                return False


def find_masked_logs(module: Module, definitions: Mapping[str, Equation]) -> MaskedLogs | None:
    """What the definitions make of the inputs; parameters and buffers hold no infinities. None where the module has no logarithm."""
    if not any(_is_log(node) for expr in module_expressions(module) for node in walk(expr)):
        return None
    inputs = {a.name for a in module.arrays if a.kind not in (Kind.PARAMETER, Kind.BUFFER) and a.name not in definitions}
    equations = definitions.values()
    infinite = closed(equations, lambda step, found: any(holds_infinity(e, found, _is_sum) for e in step_expressions(step)), inputs)
    logs = closed(equations, lambda step, found: any(map(MaskedLogs(infinite, found).holds, step_expressions(step))))
    return MaskedLogs(infinite, logs)


def _is_log(node: Expr) -> bool:
    return isinstance(node, Apply | Along | Reduce) and node.op in _LOGS


def _is_sum(part: Expr) -> bool:
    """What is a sum of products, as in `W x + b`, and no mask."""
    return isinstance(part, Reduce) and part.op == "sum"
