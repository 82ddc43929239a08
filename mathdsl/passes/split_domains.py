r"""Split an equation where a condition on an index decides: conditions become domains.

Before -> after::

    h[k] = {sum(j: W[j] * x[j]) + u[k-1] if k = 1; u[k-1] otherwise}          for k in 1..D
      ->
    h[1] = sum(j: W[j] * x[j]) + u[0]
    h[k] = u[k-1]                                                              for k in 2..D

The condition must compare an axis of the equation with a polynomial that has no axes and that lies, provably, at an end of
the axis's range (`k = 1`, `k > 1`, `t = S`, `t < S`), so that one side is a single point. It may stand inside a larger formula: then both
equations get the formula. Everything else stays a selection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.analysis.facts import Facts, facts_of_module, integer_poly
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Apply, Axis, Equation, Expr, Module, Program, Range, Select, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, rewrite, substitute_axes, walk
from mathdsl.passes.renaming import module_names

_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})


def split_domains(program: Program) -> Program:
    """Split in each of the document's modules."""
    return replace(program, modules=tuple(_split_module(module) for module in program.modules))


def _split_module(module: Module) -> Module:
    facts = facts_of_module(module)
    fresh = FreshNames(module_names(module))
    steps = tuple(part for step in module.steps for part in _split(step, facts, fresh))
    return module if steps == module.steps else replace(module, steps=steps)


def _split(step: Step, facts: Facts, fresh: FreshNames) -> Iterator[Step]:
    """The step, or the equations for its parts, lowest index first."""
    found = _end(step, facts) if isinstance(step, Equation) else None
    if found is None or not isinstance(step, Equation):
        yield step
        return
    axis, is_first = found
    if is_first:
        yield from _split(_point(step, axis, axis.range.lower, facts, fresh), facts, fresh)
        yield from _split(_rest(step, axis, Range(axis.range.lower + 1, axis.range.upper), facts), facts, fresh)
    else:
        yield from _split(_rest(step, axis, Range(axis.range.lower, axis.range.upper - 1), facts), facts, fresh)
        yield from _split(_point(step, axis, axis.range.upper, facts, fresh), facts, fresh)


def _end(step: Equation, facts: Facts) -> tuple[Axis, bool] | None:
    """The axis of which some condition separates an end, and whether that is its first point."""
    axes = {axis.name: axis for axis in step.axes}
    inner = {name for axis in step.axes for bound in (axis.range.lower, axis.range.upper) for name in bound.names}
    for node in walk(step.value):
        if not isinstance(node, Select):
            continue
        for condition in _comparisons(node.condition):
            names = [name for name in free_names(condition) if name in axes]
            if len(names) != 1 or names[0] in inner:
                continue
            axis = axes[names[0]]
            if axis.range.lower.names & axes.keys() or axis.range.upper.names & axes.keys():
                continue
            if not facts.proves_nonnegative(axis.range.upper - axis.range.lower):
                continue  # the point would be defined even where the range is empty
            for end, is_first in ((axis.range.lower, True), (axis.range.upper, False)):
                if _separates(condition, axis, end, is_first, facts):
                    return axis, is_first
    return None


def _comparisons(condition: Expr) -> Iterator[Expr]:
    """The comparisons that make up a condition."""
    match condition:
        case Apply(op="and" | "or" | "not", arguments=arguments):
            for argument in arguments:
                yield from _comparisons(argument)
        case Apply(op=op) if op in _COMPARISONS:
            yield condition


def _separates(condition: Expr, axis: Axis, end: Poly, is_first: bool, facts: Facts) -> bool:
    """Whether the condition has one value at the end of the range and the other everywhere else."""
    rest = Range(end + 1, axis.range.upper) if is_first else Range(axis.range.lower, end - 1)
    at_end = facts.adding(Poly.of(axis.name) - end, end - Poly.of(axis.name))
    elsewhere = facts.inside((Axis(axis.name, rest),))
    there, others = decided(condition, at_end), decided(condition, elsewhere)
    return there is not None and others is not None and there != others


def decided(condition: Expr, facts: Facts) -> bool | None:
    """Whether a comparison of index expressions always or never holds where the facts hold; None where neither is proved."""
    match condition:
        case Apply(op=op, arguments=(left, right)) if op in _COMPARISONS:
            low, high = integer_poly(left), integer_poly(right)
        case _:
            return None
    if low is None or high is None:
        return None
    difference = high - low
    holds: dict[str, tuple[bool, bool]] = {
        "less": (facts.proves_nonnegative(difference - 1), facts.proves_nonnegative(-difference)),
        "less_equal": (facts.proves_nonnegative(difference), facts.proves_nonnegative(-difference - 1)),
        "greater": (facts.proves_nonnegative(-difference - 1), facts.proves_nonnegative(difference)),
        "greater_equal": (facts.proves_nonnegative(-difference), facts.proves_nonnegative(difference - 1)),
    }
    if op in holds:
        always, never = holds[op]
        return True if always else False if never else None
    is_equal = facts.proves_nonnegative(difference) and facts.proves_nonnegative(-difference)
    is_apart = facts.proves_nonnegative(difference - 1) or facts.proves_nonnegative(-difference - 1)
    if not is_equal and not is_apart:
        return None
    return is_equal if op == "equal" else is_apart


def _point(step: Equation, axis: Axis, at: Poly, facts: Facts, fresh: FreshNames) -> Equation:
    """The equation at one value of the axis."""
    name = Poly.of(axis.name)
    axes = tuple(other for other in step.axes if other.name != axis.name)
    value = _simplified(step.value, facts.inside(axes).adding(name - at, at - name))
    value = substitute_axes(value, {axis.name: at}, fresh)
    return replace(step, axes=axes, index=tuple(at if entry == name else entry for entry in step.index), value=value)


def _rest(step: Equation, axis: Axis, bounds: Range, facts: Facts) -> Equation:
    """The equation on what is left of the axis."""
    axes = tuple(Axis(other.name, bounds) if other.name == axis.name else other for other in step.axes)
    return replace(step, axes=axes, value=_simplified(step.value, facts.inside(axes)))


def _simplified(expr: Expr, facts: Facts) -> Expr:
    """The expression with the selections decided that the facts decide."""

    def node(expr: Expr) -> Expr:
        if isinstance(expr, Select):
            holds = _holds(expr.condition, facts)
            if holds is not None:
                return expr.then if holds else expr.otherwise
        return expr

    return rewrite(expr, node)


def _holds(condition: Expr, facts: Facts) -> bool | None:
    """The value of a condition that the facts decide."""
    match condition:
        case Apply(op="not", arguments=(inner,)):
            value = _holds(inner, facts)
            return None if value is None else not value
        case Apply(op="and" | "or" as op, arguments=(left, right)):
            deciding = op == "or"
            values = (_holds(left, facts), _holds(right, facts))
            if deciding in values:
                return deciding
            return None if None in values else not deciding
        case _:
            return decided(condition, facts)


