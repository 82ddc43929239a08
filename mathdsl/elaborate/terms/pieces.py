r"""`cases` on indices as pieces of the domain: `h_0` where `t = 0`, the recurrence on `1 .. S`.

A row whose condition cannot be decided for a whole range of an index stays a selection at each point.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.bounds import extreme, is_nonnegative
from mathdsl.elaborate.terms.guards import Facts, facts_of
from mathdsl.elaborate.terms.terms import Binder, CallResult, CaseTerm, Term, Undefined, walk
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
        intervals = [] if condition is None else _intervals(facts_of(condition, types.solver.value), {b.name for b in binders})
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
            links = facts_of(condition, types.solver.value)
        case _:
            return None
    if links.nonzero or not links.is_all:
        return None
    found = list(binders)
    for link in links.nonnegative:
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


def _intervals(facts: Facts, names: set[str]) -> list[Interval] | None:
    """What is said of one index variable each; None where that is not all."""
    found = [_interval(fact, names) for fact in facts.nonnegative]
    known = [interval for interval in found if interval is not None]
    return known if facts.is_all and not facts.nonzero and len(known) == len(found) else None


def _interval(fact: Poly, names: set[str]) -> Interval | None:
    """The range of the one index variable in a polynomial that is not negative."""
    found = sorted(fact.names & names)
    factor = fact.coefficient(found[0]) if len(found) == 1 else None
    match None if factor is None else factor.constant:
        case 1:
            return Interval(found[0], Poly.of(found[0]) - fact, None)
        case -1:
            return Interval(found[0], None, fact + found[0])
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
