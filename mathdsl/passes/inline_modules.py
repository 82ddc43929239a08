r"""Replace calls of modules by the modules' equations.

Before -> after (`T_f` is an instance of T(x, h) = W_h h + W_x x + b)::

    call u[t, :] = T_f(x[t, :], h[t-1, :])  for t in 1..L
    f[t, i] = sigmoid(u[t, i])
      ->
    f[t, i] = sigmoid(sum(j: T_f.W_h[i, j] * h[t-1, j]) + sum(k: T_f.W_x[i, k] * x[t, k]) + T_f.b[i])

The axes of the call become the first axes of the callee's values; its parameters are read by their path from the caller.
A value that only stands for a call inside a larger formula is put where it is used.

Preconditions: an acyclic graph of modules; arguments for all sizes of the callee. Declines, and leaves the call as it is:
elements of a stack, opaque modules, library layers of several formulas (a `LayerNorm`, which torch computes at once),
modules with a recurrence of their own, with a list among their results, called
with sizes or over axes that change with another index, or large: a chain of modules that call each other twice would
double with every link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mathdsl.analysis.recurrences import has_recurrence
from mathdsl.ir.nodes import Call, Module, Program, Step, Structure, Submodule
from mathdsl.ir.traversal import flat_results, step_expressions, walk
from mathdsl.passes.expand_call import CallerNames, Expansion, expand_call
from mathdsl.passes.put_temporaries import put_temporaries

_MOST_NODES = 500  # in the formulas of a module that is put into others


def inline_modules(program: Program) -> Program:
    """Inline into each of the document's modules what may be inlined, callees before callers."""
    inliner = _Inliner(program)
    return replace(program, modules=tuple(inliner.finished(module) for module in program.modules))


class _Inliner:
    """Modules whose own calls are inlined already, each made once."""

    def __init__(self, program: Program) -> None:
        self._modules: Mapping[str, Module] = {m.name: m for m in (*program.library, *program.modules)}
        self._finished: dict[str, Module] = {}
        self._may_inline: dict[str, bool] = {}

    def finished(self, module: Module) -> Module:
        """The module with its calls inlined."""
        if module.name not in self._finished:
            self._finished[module.name] = self._inline(module)
        return self._finished[module.name]

    def _inline(self, module: Module) -> Module:
        submodules = {submodule.path: submodule for submodule in module.submodules}
        names = CallerNames(module)
        steps: list[Step] = []
        expansions: list[Expansion] = []
        made: list[str] = []
        for step in module.steps:
            callee = self._callee(step, submodules)
            if not isinstance(step, Call) or callee is None:
                steps.append(step)
                continue
            expansion = expand_call(names, step, submodules[step.submodule], callee)
            steps.extend(expansion.steps)
            expansions.append(expansion)
            made.extend(target.array for target in step.targets if target is not None)
        if not expansions:
            return module
        return put_temporaries(_with_declarations(replace(module, steps=tuple(steps)), expansions), made)

    def _callee(self, step: Step, submodules: Mapping[str, Submodule]) -> Module | None:
        """The module to put in place of the step; None where the step stays."""
        if not isinstance(step, Call) or step.at is not None:
            return None
        submodule = submodules[step.submodule]
        if submodule.is_stack or submodule.callee is None or _varies(step):
            return None
        callee = self.finished(self._modules[submodule.callee])
        if callee.name not in self._may_inline:
            lists = any(result.structure is Structure.LIST for result in flat_results(callee.results))
            is_small = _count_nodes(callee) <= _MOST_NODES and not (callee.library and callee.steps)
            self._may_inline[callee.name] = is_small and not lists and not has_recurrence(callee)
        return callee if self._may_inline[callee.name] else None


def _count_nodes(module: Module) -> int:
    return sum(1 for step in module.steps for expr in step_expressions(step) for _ in walk(expr))


def _varies(call: Call) -> bool:
    """Whether sizes of the callee, or the ranges of the call's axes, change with an index."""
    axes = {axis.name for axis in call.axes}
    used = [poly.names for _, poly in call.sizes]
    used += [bound.names for axis in call.axes for bound in (axis.range.lower, axis.range.upper)]
    return any(axes & names for names in used)


def _with_declarations(module: Module, expansions: list[Expansion]) -> Module:
    """What the expansions declare, each once: two calls of one instance share its parameters."""
    arrays = {array.name: array for expansion in expansions for array in expansion.arrays}
    submodules = {submodule.path: submodule for expansion in expansions for submodule in expansion.submodules}
    return replace(
        module,
        arrays=(*module.arrays, *arrays.values()),
        submodules=(*module.submodules, *submodules.values()),
        checks=(*module.checks, *(check for expansion in expansions for check in expansion.checks)),
    )
