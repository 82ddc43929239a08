r"""Compute once what does not change: work that a recurrence does not carry, and work that does not use an index.

Before -> after::

    h[t, i] = tanh(sum(j: W[i, j] * x[t, j]) + sum(k: U[i, k] * h[t-1, k]) + b[i])
      ->
    W_x[t, i] = sum(j: W[i, j] * x[t, j]) + b[i]              for all t at once
    h[t, i] = tanh(W_x[t, i] + sum(k: U[i, k] * h[t-1, k]))

    y[t, i] = x[t, i] - mean(j: x[t, j])
      ->
    mean_x[t] = mean(j: x[t, j])                              not again for each i
    y[t, i] = x[t, i] - mean_x[t]

Taken out are the largest sub-expressions that hold a reduction, an operation along an axis, a lookup or a draw, together
with the terms of the sum they stand in; of nested loops the inner ones too (what only the outer loop carries is computed
for all turns of the inner one). A random sub-expression keeps all the indices around it: its draws stay apart.

What has no value where nothing wants it is not asked for there: `y[t] = x[t] - max(s: x[s])` of no elements has none::

    max_x = max(s: x[s]) if 1 <= S else 0
    y[t] = x[t] - max_x                                       for t in 1..S

Declines: where the indices do not span a box (`s` in `1..t`), and in a branch of a `Select` where the work could fail or
read outside a domain when the branch is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mathdsl.analysis.recurrences import Recurrence, analyse_recurrences
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import map_children_where, placed
from mathdsl.ir.nodes import Along, Axis, Equation, Expr, Module, Origin, Program, Read, Reduce, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, map_step, reads, walk
from mathdsl.passes.extraction import Extractor, has_contraction, is_gather, is_random
from mathdsl.passes.sums import build_sum, sum_terms


def hoist_invariants(program: Program) -> Program:
    """Hoist in each of the document's modules."""
    return replace(program, modules=tuple(hoist_in_module(module) for module in program.modules))


def hoist_in_module(module: Module) -> Module:
    """First what does not use an index, then for each depth of loops what the loops at that depth do not carry."""
    module = _rewrite_steps(module, lambda number, site: site.without_unused_axes)
    depth = 0
    while True:
        carried = _carried_reads(module, depth)
        if not carried:
            return module
        module = _without_invariants(module, carried)
        depth += 1


def _without_invariants(module: Module, carried: Mapping[int, Collection[Read]]) -> Module:
    return _rewrite_steps(module, lambda number, site: site.without_invariants(carried.get(number)))


def _carried_reads(module: Module, depth: int) -> dict[int, set[Read]]:
    """For each step in a recurrence at this depth of loops, its reads of what the recurrence computes."""
    level: list[Recurrence] = list(analyse_recurrences(module).recurrences)
    for _ in range(depth):
        level = [inner for recurrence in level for inner in recurrence.inner]
    found: dict[int, set[Read]] = {}
    for recurrence in level:
        for step in recurrence.steps:
            found[step] = set()
        for edge in (*recurrence.carried, *recurrence.live):
            found[edge.sink].add(edge.access.read)
    return found


def _rewrite_steps(module: Module, change: Callable[[int, _Site], Callable[[Expr], Expr] | None]) -> Module:
    """Each step with its expressions changed, after the equations that the changes made."""
    extractor = Extractor(module)
    steps: list[Step] = []
    for number, step in enumerate(module.steps):
        changed = _change_step(step, extractor, number, change)
        steps += [*extractor.take_equations(), changed]
    return extractor.finish(steps) if len(steps) > len(module.steps) else module


def _change_step(step: Step, extractor: Extractor, number: int, change: Callable[[int, _Site], Callable[[Expr], Expr] | None]) -> Step:
    """The step with its right side, or each of its arguments, changed at its site."""

    def changed(expr: Expr, axes: Sequence[Axis]) -> Expr:
        change_expr = change(number, _Site(extractor, axes, step.origin))
        return expr if change_expr is None else change_expr(expr)

    if isinstance(step, Equation):
        return map_step(step, lambda value: changed(value, step.axes))
    arguments = []
    for argument in step.arguments:
        value = changed(argument.value.value, (*step.axes, *argument.value.axes))
        arguments.append(replace(argument, value=replace(argument.value, value=value)))
    return replace(step, arguments=tuple(arguments))


@dataclass(frozen=True)
class _Site:
    """A place of an expression: the axes around it, whether a condition stands above it."""

    extractor: Extractor
    around: Sequence[Axis]
    origin: Origin
    is_conditional: bool = False

    def inside(self, axes: Iterable[Axis]) -> _Site:
        return replace(self, around=(*self.around, *axes))

    def assuming(self, condition: Expr, holds: bool) -> _Site:
        return replace(self, is_conditional=True)

    # ---- work that does not use an axis ----------------------------------------------------------

    def without_unused_axes(self, expr: Expr) -> Expr:
        """The expression, its largest parts with a reduction that use fewer axes than there are taken out.

        None of them does where each of its reductions uses all axes around itself.
        """
        reductions = ((node, place.axes) for node, place in placed(expr, tuple(self.around)) if isinstance(node, (Reduce, Along)))
        if not any(self.extractor.is_constant_along_some(node, axes) for node, axes in reductions):
            return expr
        if self.extractor.is_constant_along_some(expr, self.around):
            return self._extracted(expr) or expr
        return self._descend(expr, _Site.without_unused_axes)

    # ---- work that a recurrence does not carry -----------------------------------------------------

    def without_invariants(self, carried: Collection[Read] | None) -> Callable[[Expr], Expr] | None:
        """A change that takes out what reads nothing of `carried`; None for a step outside of recurrences."""
        return None if carried is None else lambda expr: self._without_invariants(expr, carried)

    def _without_invariants(self, expr: Expr, carried: Collection[Read]) -> Expr:
        if not any(read in carried for read in reads(expr)):
            return (self._extracted(expr) or expr) if _is_work(expr) else expr
        terms = sum_terms(expr)
        if len(terms) > 1:
            return self._sum_without_invariants(terms, carried)
        return self._descend(expr, lambda site, child: site._without_invariants(child, carried))

    def _sum_without_invariants(self, terms: list[tuple[int, Expr]], carried: Collection[Read]) -> Expr:
        """The invariant terms become one value, if there is work among them; it takes the place of the first."""
        invariant = [k for k, (_, term) in enumerate(terms) if not any(read in carried for read in reads(term))]
        together = None
        if any(_is_work(terms[k][1]) for k in invariant):
            together = self._extracted(build_sum([terms[k] for k in invariant]))
        if together is None:
            return build_sum([(sign, self._without_invariants(term, carried)) for sign, term in terms])
        rest: list[tuple[int, Expr]] = []
        for k, (sign, term) in enumerate(terms):
            if k not in invariant:
                rest.append((sign, self._without_invariants(term, carried)))
            elif k == invariant[0]:
                rest.append((1, together))
        return build_sum(rest)

    # ---- both ------------------------------------------------------------------------------------

    def _extracted(self, expr: Expr) -> Read | None:
        if self.is_conditional and not self.extractor.may_run_anywhere(expr, self.around):
            return None
        return self.extractor.extract(self.extractor.where_wanted(expr, self.around), self.around, self.origin)

    def _descend(self, expr: Expr, change: Callable[[_Site, Expr], Expr]) -> Expr:
        """The children changed, each at its own site."""
        match expr:
            case Along(axis=axis, body=body, at=at):
                around = tuple(outer for outer in self.around if at != Poly.of(outer.name) or outer.name in free_names(body))
                return replace(expr, body=change(replace(self, around=(*around, axis)), body))
            case _:
                return map_children_where(expr, self, lambda child, site: change(site, child))


def _is_work(expr: Expr) -> bool:
    """Whether it is worth a value of its own: a reduction, a lookup or a draw, not only arithmetic."""
    return has_contraction(expr) or is_random(expr) or any(is_gather(node) for node in walk(expr))
