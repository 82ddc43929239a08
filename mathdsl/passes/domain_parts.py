"""Equations on parts of their domain: at one point of an axis, or on a smaller range."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.analysis.facts import Facts, integer_poly
from mathdsl.ir.evaluation import map_children_where
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Apply, Axis, Equation, Expr, Literal, Range, Select
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import substitute_axes, walk

COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})


def at_point(step: Equation, axis: Axis, at: Poly, facts: Facts, fresh: FreshNames) -> Equation:
    """The equation at one value of the axis, selections that this decides decided."""
    name = Poly.of(axis.name)
    axes = tuple(other for other in step.axes if other.name != axis.name)
    value = simplified(step.value, facts.inside(axes).adding(name - at, at - name))
    value = substitute_axes(value, {axis.name: at}, fresh)
    return replace(step, axes=axes, index=tuple(at if entry == name else entry for entry in step.index), value=value)


def on_range(step: Equation, axis: Axis, bounds: Range, facts: Facts) -> Equation:
    """The equation on a part of the axis, selections that this decides decided."""
    axes = tuple(Axis(other.name, bounds) if other.name == axis.name else other for other in step.axes)
    return replace(step, axes=axes, value=simplified(step.value, facts.inside(axes)))


def decided(condition: Expr, facts: Facts) -> bool | None:
    """Whether a comparison of index expressions always or never holds where the facts hold; None where neither is proved."""
    match condition:
        case Apply(op=op, arguments=(left, right)) if op in COMPARISONS:
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


def simplified(expr: Expr, facts: Facts) -> Expr:
    """The expression with the selections and conditions decided that the facts decide, and without the zeros that leaves in sums."""
    return _simplified(expr, facts) if any(map(_is_decidable, walk(expr))) else expr


def _is_decidable(node: Expr) -> bool:
    match node:
        case Select() | Apply(op="and" | "or") | Literal(value=0):
            return True
        case _:
            return False


def _simplified(expr: Expr, facts: Facts) -> Expr:
    expr = map_children_where(expr, facts, _simplified)
    match expr:
        case Select(condition=condition, then=then, otherwise=otherwise):
            holds = _holds(condition, facts)
            return expr if holds is None else then if holds else otherwise
        case Apply(op="and" | "or" as op, arguments=(left, right)):
            deciding = op == "or"
            values = (_holds(left, facts), _holds(right, facts.assuming(left, op == "and")))
            if deciding in values:
                return Literal(deciding)
            return right if values[0] is not None else left if values[1] is not None else expr
        case _:
            return _without_zero(expr)


def _without_zero(expr: Expr) -> Expr:
    match expr:
        case Apply(op="add", arguments=(Literal(value=0), term)) | Apply(op="add" | "sub", arguments=(term, Literal(value=0))):
            return term
        case _:
            return expr


def _holds(condition: Expr, facts: Facts) -> bool | None:
    """The value of a condition that the facts decide."""
    match condition:
        case Literal(value=bool() as known):
            return known
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
