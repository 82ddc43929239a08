"""Conditions at one point: whether those on indices hold there; those on data may, unless they bound an index."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.analysis.facts import Facts, compare, integer_poly, remainder_of
from mathdsl.ir.nodes import Apply, Expr
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import reads


def may_hold(condition: Expr, holds: bool, point: Mapping[str, Poly], facts: Facts) -> bool:
    """Whether the condition can be as `holds` says at the point, whatever the sizes; False where sizes decide."""
    match condition:
        case Apply(op="not", arguments=(inner,)):
            return may_hold(inner, not holds, point, facts)
        case Apply(op="and" | "or" as op, arguments=parts):
            several = (may_hold(part, holds, point, facts) for part in parts)
            return all(several) if (op == "and") == holds else any(several)
        case _ if any(True for _ in reads(condition)):
            return not _bounds_an_index(condition, point)
        case Apply(op=op, arguments=(left, right)):
            return _decided(op, left, right, condition, point, facts) is holds
        case _:
            return True


def _bounds_an_index(condition: Expr, point: Mapping[str, Poly]) -> bool:
    """Whether a condition keeps an index below (or above) what is computed, `i <= k[t]`: at the point it may be just what does not hold."""
    match condition:
        case Apply(op="less" | "less_equal" | "greater" | "greater_equal", arguments=(left, right)):
            sides = (integer_poly(left), integer_poly(right))
            return any(side is not None and not side.names.isdisjoint(point) for side in sides)
        case _:
            return False


def _decided(op: str, left: Expr, right: Expr, condition: Expr, point: Mapping[str, Poly], facts: Facts) -> bool | None:
    remainder = remainder_of(condition)
    if remainder is not None:
        return _has_remainder(*remainder, point)
    low, high = integer_poly(left), integer_poly(right)
    if low is None or high is None:
        return None
    low, high = low.substitute(dict(point)), high.substitute(dict(point))
    match op:
        case "less" | "greater_equal":
            verdict = compare(low + 1, high, facts)
        case "less_equal" | "greater":
            verdict = compare(low, high, facts)
        case _:
            return _are_equal(low, high, op == "equal", facts)
    return None if verdict == "unknown" else (verdict == "always") == op.startswith("less")


def _are_equal(low: Poly, high: Poly, wanted: bool, facts: Facts) -> bool | None:
    if low == high:
        return wanted
    apart = "never" in (compare(low, high, facts), compare(high, low, facts))
    return not wanted if apart else None


def _has_remainder(value: Poly, modulus: int, rest: int, point: Mapping[str, Poly]) -> bool | None:
    """Decided where each term with a name is a multiple of the modulus."""
    value = value.substitute(dict(point))
    if any(coefficient % modulus for monomial, coefficient in value.terms if monomial):
        return None
    return sum(coefficient for monomial, coefficient in value.terms if not monomial) % modulus == rest
