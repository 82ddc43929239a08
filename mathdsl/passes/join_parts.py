r"""Add fused products before they are taken apart, instead of their parts one by one.

Before -> after (`a` and `p` are fused; `f` and `g` read the halves)::

    p[t, i] = sum(j: U[i, j] * h[t-1, j])           p[t, i] = a[t, i] + sum(j: U[i, j] * h[t-1, j])
    f[t, i] = sigmoid(a[t, i] + p[t, i])      ->    f[t, i] = sigmoid(p[t, i])
    g[t, i] = tanh(a[t, i + d] + p[t, i + d])       g[t, i] = tanh(p[t, i + d])

Preconditions: each read of `p` stands in a sum beside a read of `a` at the same index, and both have the same ranges.
No new cycle can come of it: whatever reads `p` reads `a` as well. Declines where one read of `p` stands elsewhere, and
where `p` is computed for all points at once and `a` in a recurrence, which `p` would have to join.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from mathdsl.analysis.recurrences import analyse_recurrences
from mathdsl.ir.nodes import Apply, Element, Equation, Expr, Module, Read, Reduce, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, flat_results, map_children, reads, step_reads, step_targets
from mathdsl.passes.sums import build_sum, sum_terms


def join_parts(module: Module, fused: Collection[str]) -> Module:
    """Join the sums of fused products, given the names of the arrays that hold them."""
    arrays = {array.name: array for array in module.arrays}
    beside: dict[str, set[str]] = {}
    for read, others in _all_reads(module):
        if read.array in fused:
            alike = {other for other in others & set(fused) if arrays[other].ranges == arrays[read.array].ranges}
            beside[read.array] = beside.get(read.array, alike) & alike
    carried = {
        target
        for recurrence in analyse_recurrences(module).recurrences
        for number in recurrence.steps
        for target in step_targets(module.steps[number])
    }
    joined: dict[str, str] = {}
    for step in module.steps:
        if isinstance(step, Equation) and isinstance(step.value, Reduce) and step.target in fused:
            known = beside.get(step.target, set()) - joined.keys()
            found = sorted(known if step.target in carried else known - carried)
            if found:
                joined[step.target] = found[0]
    return _joined(module, joined) if joined else module


def _all_reads(module: Module) -> Iterator[tuple[Read, set[str]]]:
    """Every read of the module, with what stands beside it in a sum of an equation."""
    for step in module.steps:
        if isinstance(step, Equation):
            yield from _placed_reads(step.value)
        else:
            yield from ((read, set()) for read in step_reads(step))
    for check in module.checks:
        yield from ((read, set()) for read in reads(check.condition))
    for result in flat_results(module.results):
        yield from ((read, set()) for read in reads(result.value.value))


def _placed_reads(expr: Expr) -> Iterator[tuple[Read, set[str]]]:
    """Each read, with the arrays that are added to it and read at the same index."""
    terms = sum_terms(expr)
    if len(terms) == 1:
        if isinstance(expr, Read):
            yield expr, set()
        for child in children(expr):
            yield from _placed_reads(child)
        return
    for sign, term in terms:
        if isinstance(term, Read) and sign > 0:
            alike = {other.array for s, other in terms if s > 0 and isinstance(other, Read) and other.index == term.index}
            yield term, alike - {term.array}
        else:
            yield from _placed_reads(term)


def _joined(module: Module, joined: dict[str, str]) -> Module:
    steps: list[Step] = []
    for step in module.steps:
        if isinstance(step, Equation):
            value = _without_partners(step.value, joined)
            if step.target in joined:
                index = tuple(Poly.of(axis.name) for axis in step.axes)
                value = Apply("add", (Read(joined[step.target], index, Element.REAL), value), Element.REAL)
            step = replace(step, value=value)
        steps.append(step)
    return replace(module, steps=tuple(steps))


def _without_partners(expr: Expr, joined: dict[str, str]) -> Expr:
    """Sums in which a joined product stands for itself and its partner."""
    terms = sum_terms(expr)
    if len(terms) == 1:
        return map_children(expr, lambda child: _without_partners(child, joined))
    gone = {(joined[term.array], term.index) for sign, term in terms if sign > 0 and isinstance(term, Read) and term.array in joined}
    kept: list[tuple[int, Expr]] = []
    for sign, term in terms:
        if sign > 0 and isinstance(term, Read) and (term.array, term.index) in gone:
            gone.discard((term.array, term.index))
        else:
            kept.append((sign, _without_partners(term, joined)))
    return build_sum(kept)
