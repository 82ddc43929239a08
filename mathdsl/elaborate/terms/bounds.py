"""What can be said of index expressions: their least and greatest value, and signs where sizes are not negative."""

from __future__ import annotations

from collections.abc import Iterable

from mathdsl.elaborate.terms.terms import Binder, Elementwise, NumberTerm, SizeTerm, Term
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly


def extreme(value: Poly, binders: Iterable[Binder], greatest: bool) -> Poly | None:
    """The greatest or least value over the ranges of index variables; None where a factor has no known sign."""
    for binder in reversed(tuple(binders)):
        if binder.name not in value.names:
            continue
        factor = value.coefficient(binder.name)
        sign = None if factor is None else factor.constant
        if sign is None:
            return None
        end = binder.range.upper if (sign > 0) == greatest else binder.range.lower
        value = value.substitute({binder.name: end})
    return value


def is_nonnegative(value: Poly) -> bool | None:
    """Whether a size expression is at least 0, for all sizes that are at least 0; None where it depends."""
    if all(c >= 0 for _, c in value.terms):
        return True
    constant = next((c for m, c in value.terms if m == ()), 0)
    if all(c <= 0 for _, c in value.terms) and constant < 0:
        return False
    return None


_TINY = 3  # a range `S .. 1` has elements where `S` is 1 only: it is meant to go down


def goes_down(extent: Poly) -> bool:
    """Whether a range of so many elements is meant to go down: the more, the greater its sizes are, the fewer it has."""
    constant = sum(factor for monomial, factor in extent.terms if not monomial)
    return bool(extent.names) and all(factor <= -1 for monomial, factor in extent.terms if monomial) and constant <= _TINY


def hull(ranges: Iterable[Range]) -> Range | None:
    """The smallest range that holds all; None where the ends cannot be compared."""
    found = _joined(list(ranges))
    lower = outermost([item.lower for item in found], False)
    upper = outermost([item.upper for item in found], True)
    return None if lower is None or upper is None else Range(lower, upper)


def _joined(ranges: list[Range]) -> list[Range]:
    """Ranges that follow each other as one: `2` and `3 .. n` are `2 .. n`, where `n` may be less than 2 too."""
    for one in ranges:
        for other in ranges:
            if one is not other and one.upper + 1 == other.lower:
                rest = [item for item in ranges if item is not one and item is not other]
                return _joined([*rest, Range(one.lower, other.upper)])
    return ranges


def outermost(ends: list[Poly], greatest: bool) -> Poly | None:
    """The end beyond all others; the others need not be in order among themselves (`1` and `S - 1`, beside `S`)."""
    return next((end for end in ends if all(_end(end, other, greatest) == end for other in ends)), None)


def _end(a: Poly, b: Poly, greatest: bool) -> Poly | None:
    if a == b:
        return a
    if is_nonnegative(a - b):
        return a if greatest else b
    if is_nonnegative(b - a):
        return b if greatest else a
    # `0` beside `1 .. n`: a single element next to a range that may be empty still bounds it
    return _adjacent(a, b, greatest)


def _adjacent(a: Poly, b: Poly, greatest: bool) -> Poly | None:
    one = (a - b).constant
    if one is None:
        shifted = a - b + 1
        if is_nonnegative(shifted):
            return a if greatest else b
        shifted = b - a + 1
        if is_nonnegative(shifted):
            return b if greatest else a
        return None
    return a if (one > 0) == greatest else b


def index_of(term: Term) -> Poly | None:
    """The index that a number is, `i`, `n - 1`, `2 i + 1`; None for a value."""
    match term:
        case SizeTerm(value=value):
            return value
        case NumberTerm(value=int() as value):
            return Poly.of(int(value))
        case Elementwise(op="neg", arguments=(inner,)):
            index = index_of(inner)
            return None if index is None else -index
        case Elementwise(op="add" | "sub" | "mul" as op, arguments=(left, right)):
            a, b = index_of(left), index_of(right)
            if a is None or b is None:
                return None
            return a + b if op == "add" else a - b if op == "sub" else a * b
        case _:
            return None
