r"""Add the batch: mark what differs between examples, choose the ragged sizes, and make padding explicit.

Before -> after, in a module with an input `x` over `1..S`::

    y[t] = tanh(w * x[t]) + b                     x_padded[t] = padded(x[t], t <= S, 0)
    m = max(t: y[t])                        ->    y[t] = tanh(w * x_padded[t]) + b
    return y                                      m = max(t: padded(y[t], t <= S, -inf))
                                                  return padded(y[t], t <= S, 0)

Arrays that depend on an input that is not shared, on an example's own size, or on a draw get `batch=True`. What stands in
padding is unspecified at entry (NaN, 10**9): a fill makes it 0, or for integers that look something up the first
row. From then on everything in padding is finite, because operands at which an operation fails, overflows or has no
derivative are replaced there, also where they are the same along an axis of which an example has no element (`Z` in
`x[t] / Z` with `S` = 0); and where a reduction, a softmax or a result would see it, it is filled unless it is
already known to be neutral. Base cases at the far end stand in the padding before them. A recurrence runs on into the
padding if its state cannot overflow there, and is reset otherwise.

Preconditions: no schedule yet; every read lies in its array's domain. Declines to make a size ragged where padding at the
upper end would not be exact (`mathdsl.analysis.raggedness`); the examples of a batch then share its value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from mathdsl.analysis.raggedness import find_ragged_sizes, flat_inputs
from mathdsl.ir.nodes import Along, Apply, Call, Expr, IndexValue, Module, Program, Read, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import map_polys, map_results, map_step, polys, reads, rewrite, step_expressions, step_targets, walk
from mathdsl.ops import ELEMENTWISE
from mathdsl.passes.pad_module import pad_module


def batch_axes(program: Program) -> Program:
    """Batch each of the document's modules; library modules stay as torch has them."""
    ragged = find_ragged_sizes(program)
    return replace(program, modules=tuple(_batched(module, ragged[module.name]) for module in program.modules))


def _batched(module: Module, ragged: tuple[str, ...]) -> Module:
    if all(entry.shared for entry in flat_inputs(module)):
        return module
    module = pad_module(replace(module, ragged=ragged), ragged) if ragged else module
    batched = batched_arrays(module, ragged)
    arrays = tuple(replace(array, batch=array.name in batched) for array in module.arrays)
    return _with_own_sizes(replace(module, arrays=arrays, ragged=ragged, batched=True))


def _with_own_sizes(module: Module) -> Module:
    """The module with each example's own sizes in values and indices; the bounds of axes are the padded extents."""
    if not module.ragged:
        return module

    def own(poly: Poly) -> Poly:
        return poly.owned(module.ragged)

    def change(node: Expr) -> Expr:
        match node:
            case IndexValue() | Read():
                return map_polys(node, own)
            case Along(at=Poly() as at):
                return replace(node, at=own(at))
            case _:
                return node

    return replace(
        module,
        steps=tuple(map_step(step, lambda expr: rewrite(expr, change)) for step in module.steps),
        checks=tuple(replace(check, condition=rewrite(check.condition, change)) for check in module.checks),
        results=map_results(module.results, lambda value: replace(value, value=rewrite(value.value, change))),
    )


def batched_arrays(module: Module, ragged: tuple[str, ...]) -> set[str]:
    """The arrays that may differ between examples."""
    batched = {entry.array for entry in flat_inputs(module) if not entry.shared}
    readers: defaultdict[str, list[Step]] = defaultdict(list)
    for step in module.steps:
        for read in (read for expr in step_expressions(step) for read in reads(expr)):
            readers[read.array].append(step)
        if _differs_by_itself(step, ragged):
            batched.update(step_targets(step))
    waiting = list(batched)
    while waiting:
        for step in readers[waiting.pop()]:
            found = [target for target in step_targets(step) if target not in batched]
            batched.update(found)
            waiting += found
    return batched


def _differs_by_itself(step: Step, ragged: tuple[str, ...]) -> bool:
    """Whether a step differs between examples whatever it reads: by a call, a draw or an example's own size."""
    return isinstance(step, Call) or any(_is_random(expr) or _uses_own_size(expr, ragged) for expr in step_expressions(step))


def _is_random(expr: Expr) -> bool:
    return any(isinstance(node, Apply) and ELEMENTWISE[node.op].random for node in walk(expr))


def _uses_own_size(expr: Expr, ragged: Iterable[str]) -> bool:
    """Whether a ragged size stands in a value, an index or a condition, not only in the bounds of axes."""
    sizes = set(ragged)
    own = (node for node in walk(expr) if isinstance(node, IndexValue | Read))
    return bool(sizes) and any(sizes & poly.names for node in own for poly in polys(node))
