r"""What conditions on indices say where they hold, and where they do not: `i > 1` says that `i - 2` is no less than 0.

Of an index that is a value they say between which ends it is: `q > 0` makes `1, \dots, n` of `q \in \{0, \dots, n\}`.
"""

from __future__ import annotations

from collections.abc import Callable

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.terms.bounds import index_of
from mathdsl.elaborate.terms.terms import Elementwise, Ref, Term
from mathdsl.ir.inequalities import OPPOSITES, least_of_comparison
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_surely_nonnegative

_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


@dataclass(frozen=True)
class Facts:
    """Polynomials that are not negative at a place, and such that are not zero; `is_all`: nothing else is said.

    `of_values`: what reads are compared with, `q > 0` as the read `q`, `greater` and 0.
    """

    nonnegative: tuple[Poly, ...] = ()
    nonzero: tuple[Poly, ...] = ()
    is_all: bool = True
    of_values: tuple[tuple[Ref, str, Poly], ...] = ()

    def __add__(self, other: Facts) -> Facts:
        nonnegative, nonzero = self.nonnegative + other.nonnegative, self.nonzero + other.nonzero
        return Facts(nonnegative, nonzero, self.is_all and other.is_all, self.of_values + other.of_values)

    def between(self, read: Ref, bounds: Range) -> Range:
        """The ends between which a read is here that is between these everywhere."""
        for other, op, value in self.of_values:
            bounds = _compared(bounds, op, value) if _is_same(read, other) else bounds
        return bounds


def facts_of(condition: Term | None, value: Callable[[Poly], Poly], holds: bool = True) -> Facts:
    """What is known where a condition holds, or does not; `value` puts solved sizes in."""
    match condition:
        case Elementwise(op="not", arguments=(inner,)):
            return facts_of(inner, value, not holds)
        case Elementwise(op="and" | "or" as op, arguments=(left, right)):
            return facts_of(left, value, holds) + facts_of(right, value, holds) if (op == "and") == holds else Facts(is_all=False)
        case Elementwise(op=op, arguments=(left, right)) if op in OPPOSITES:
            a, b, op = index_of(left), index_of(right), op if holds else OPPOSITES[op]
            if isinstance(left, Ref) and b is not None:
                return Facts(is_all=False, of_values=((left, op, value(b)),))
            if isinstance(right, Ref) and a is not None:
                return Facts(is_all=False, of_values=((right, _MIRRORED.get(op, op), value(a)),))
            if a is None or b is None:
                return Facts(is_all=False)
            difference = value(b - a)
            return Facts((), (difference,)) if op == "not_equal" else Facts(least_of_comparison(op, difference))
        case _:
            return Facts(is_all=False)


def _compared(bounds: Range, op: str, value: Poly) -> Range:
    """The part of a range where its elements compare so with a value."""
    if op == "not_equal":
        return Range(bounds.lower + (value == bounds.lower), bounds.upper - (value == bounds.upper))
    lower = value + (op == "greater") if op in ("greater", "greater_equal", "equal") else bounds.lower
    upper = value - (op == "less") if op in ("less", "less_equal", "equal") else bounds.upper
    is_above, is_below = is_surely_nonnegative(lower - bounds.lower), is_surely_nonnegative(bounds.upper - upper)
    return Range(lower if is_above else bounds.lower, upper if is_below else bounds.upper)


def _is_same(one: Ref, other: Ref) -> bool:
    """Whether two reads are of one element."""
    if one.symbol is not other.symbol or len(one.positions) != len(other.positions):
        return False
    pairs = zip(one.positions, other.positions, strict=True)
    return all(a == b or isinstance(a, Ref) and isinstance(b, Ref) and _is_same(a, b) for a, b in pairs)
