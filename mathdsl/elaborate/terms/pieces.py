r"""`cases` on indices as pieces of the domain: `h_0` where `t = 0`, the recurrence on `1 .. S`.

A row whose condition cannot be decided for a whole range of an index stays a selection at each point.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.bounds import extreme, index_of, is_nonnegative
from mathdsl.elaborate.terms.terms import Binder, CallResult, CaseTerm, Elementwise, Term, Undefined, walk
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly

Box = dict[str, Range]  # index variable -> its range


@dataclass(frozen=True, eq=False)
class Piece:
    """A value and the index variables it holds for, with narrowed ranges."""

    binders: tuple[Binder, ...]
    value: Term


@dataclass(frozen=True)
class Interval:
    """A condition on one index variable: from `lower` to `upper` (None: no end)."""

    name: str
    lower: Poly | None
    upper: Poly | None


def split_cases(types: Types, term: Term, binders: tuple[Binder, ...]) -> list[Piece] | None:
    """The pieces of a `cases` on index conditions; None where it is none, or where a condition cannot be decided."""
    if not isinstance(term, CaseTerm) or not binders:
        return None
    remaining: list[Box] = [{b.name: Range(types.solver.value(b.range.lower), types.solver.value(b.range.upper)) for b in binders}]
    pieces: list[Piece] = []
    for condition, value in term.rows:
        intervals = [] if condition is None else _conjunction(types, condition, {b.name for b in binders})
        if intervals is None:
            return None
        left: list[Box] = []
        for box in remaining:
            split = _split(box, intervals)
            if split is None:
                return None
            taken, rest = split
            left.extend(rest)
            if taken is not None:
                pieces.extend(_nested(types, value, tuple(replace(b, range=taken[b.name]) for b in binders)))
        remaining = left
    if remaining:
        raise refuse("E0508", "no row of `cases` holds for what is left of the range", term.span, help=r"add a row `… & \text{otherwise}`")
    return pieces


def triangle(types: Types, term: Term, binders: tuple[Binder, ...]) -> Piece | None:
    r"""The piece of `cases` that leave undefined what lies outside of a triangle, `1 \leq j \leq i`: there, the later index ends."""
    match term:
        case CaseTerm(rows=((condition, value), (None, Undefined()))) if condition is not None:
            links = _links(types, condition)
        case _:
            return None
    if links is None:
        return None
    found = list(binders)
    for link in links:
        at = next((k for k in reversed(range(len(found))) if found[k].name in link.names), None)
        if at is None:
            return None
        own, before = found[at], found[:at]
        factor = link.coefficient(own.name)
        sign = None if factor is None else factor.constant
        if sign == 1:  # from `end` on
            end = Poly.of(own.name) - link
            bounds = Range(end, own.range.upper) if _is_at_least(end - own.range.lower, before) else own.range
            is_known = bounds is not own.range or _is_at_least(own.range.lower - end, before)
        elif sign == -1:
            end = link + own.name
            bounds = Range(own.range.lower, end) if _is_at_least(own.range.upper - end, before) else own.range
            is_known = bounds is not own.range or _is_at_least(end - own.range.upper, before)
        else:
            return None
        if not is_known:
            return None
        found[at] = replace(own, range=bounds)
    return Piece(tuple(found), value)


def _is_at_least(value: Poly, binders: Sequence[Binder]) -> bool:
    """Whether a value is nowhere negative over the ranges of the indices."""
    least = extreme(value, binders, False)
    return least is not None and bool(is_nonnegative(least))


def _links(types: Types, condition: Term) -> list[Poly] | None:
    """What is at least 0 where relations of indices hold all at once."""
    match condition:
        case Elementwise(op="and", arguments=(left, right)):
            a, b = _links(types, left), _links(types, right)
            return None if a is None or b is None else a + b
        case Elementwise(op="less" | "less_equal" | "greater" | "greater_equal" as op, arguments=(left, right)):
            low, high = index_of(left), index_of(right)
            if low is None or high is None:
                return None
            difference = types.solver.value(high - low)
            difference = difference if op.startswith("less") else -difference
            return [difference - (0 if op.endswith("equal") else 1)]
        case _:
            return None


def without_last_condition(term: Term) -> Term:
    """`cases` whose rows are proved to leave nothing over: where no other row holds, the last one does."""
    return replace(term, rows=(*term.rows[:-1], (None, term.rows[-1][1]))) if isinstance(term, CaseTerm) else term


def may_be_missing(types: Types, binders: tuple[Binder, ...], pieces: list[Piece], runtime: Set[str]) -> bool:
    """Whether a piece of indices lies outside of the range for some run-time size (`t = 1`, `t = S` or `t \\leq 2` in `1 .. S`).

    Such a piece stays a selection at each point, unless a module is called in it: that would be called everywhere.
    """
    if any(isinstance(t, CallResult) for piece in pieces for t in walk(piece.value)):
        return False
    value = types.solver.value
    for piece in pieces:
        for whole, own in zip(binders, piece.binders, strict=True):
            below, above = value(own.range.lower - whole.range.lower), value(whole.range.upper - own.range.upper)
            if any(side.names & runtime and not is_nonnegative(side) for side in (below, above)):
                return True
    return False


def _nested(types: Types, value: Term, binders: tuple[Binder, ...]) -> list[Piece]:
    if isinstance(value, Undefined):
        return []
    found = split_cases(types, value, binders)
    return [Piece(binders, value)] if found is None else found


def _conjunction(types: Types, condition: Term, names: set[str]) -> list[Interval] | None:
    match condition:
        case Elementwise(op="and", arguments=(left, right)):
            a, b = _conjunction(types, left, names), _conjunction(types, right, names)
            return None if a is None or b is None else a + b
        case Elementwise(op=op, arguments=(left, right)):
            a_, b_ = index_of(left), index_of(right)
            return None if a_ is None or b_ is None else _interval(op, types.solver.value(a_ - b_), names)
        case _:
            return None


def _interval(op: str, difference: Poly, names: set[str]) -> list[Interval] | None:
    """The condition `difference op 0` on the one index variable in it."""
    found = difference.names & names
    if len(found) != 1:
        return None
    name = next(iter(found))
    factor = difference.coefficient(name)
    sign = None if factor is None else factor.constant
    if sign not in (1, -1):
        return None
    value = -(difference - Poly.of(name)) if sign == 1 else difference + name
    flipped = {"less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"}
    op = flipped.get(op, op) if sign == -1 else op
    match op:
        case "equal":
            return [Interval(name, value, value)]
        case "less":
            return [Interval(name, None, value - 1)]
        case "less_equal":
            return [Interval(name, None, value)]
        case "greater":
            return [Interval(name, value + 1, None)]
        case "greater_equal":
            return [Interval(name, value, None)]
        case _:
            return None


def _split(box: Box, intervals: list[Interval]) -> tuple[Box | None, list[Box]] | None:
    """The part of a box where all intervals hold, and the rest; None where that cannot be told."""
    rest: list[Box] = []
    current = dict(box)
    for interval in intervals:
        bounds = current[interval.name]
        lower = _later(bounds.lower, interval.lower, bounds)
        upper = _earlier(bounds.upper, interval.upper, bounds)
        if lower is None or upper is None:
            return None
        if is_nonnegative(lower - upper - 1) and not (lower == bounds.lower and upper == bounds.upper):
            return None, [*rest, current]
        if lower != bounds.lower:
            rest.append(current | {interval.name: Range(bounds.lower, lower - 1)})
        if upper != bounds.upper:
            rest.append(current | {interval.name: Range(upper + 1, bounds.upper)})
        current = current | {interval.name: Range(lower, upper)}
    return current, rest


def _later(own: Poly, wanted: Poly | None, bounds: Range) -> Poly | None:
    """The greater of a range's lower end and a condition's."""
    if wanted is None or own == wanted:
        return own
    if is_nonnegative(own - wanted):
        return own
    return wanted if wanted == bounds.upper or is_nonnegative(wanted - own) else None


def _earlier(own: Poly, wanted: Poly | None, bounds: Range) -> Poly | None:
    """The lesser of a range's upper end and a condition's."""
    if wanted is None or own == wanted:
        return own
    if is_nonnegative(wanted - own):
        return own
    return wanted if wanted == bounds.lower or is_nonnegative(own - wanted) else None
