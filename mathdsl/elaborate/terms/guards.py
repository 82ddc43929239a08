"""What conditions on indices say where they hold, and where they do not: `i > 1` says that `i - 2` is no less than 0."""

from __future__ import annotations

from collections.abc import Callable

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.terms.bounds import index_of
from mathdsl.elaborate.terms.terms import Elementwise, Term
from mathdsl.ir.inequalities import OPPOSITES, least_of_comparison
from mathdsl.ir.sizes import Poly


@dataclass(frozen=True)
class Facts:
    """Polynomials that are not negative at a place, and such that are not zero; `is_all`: nothing else is said."""

    nonnegative: tuple[Poly, ...] = ()
    nonzero: tuple[Poly, ...] = ()
    is_all: bool = True

    def __add__(self, other: Facts) -> Facts:
        return Facts(self.nonnegative + other.nonnegative, self.nonzero + other.nonzero, self.is_all and other.is_all)


def facts_of(condition: Term | None, value: Callable[[Poly], Poly], holds: bool = True) -> Facts:
    """What is known where a condition holds, or does not; `value` puts solved sizes in."""
    match condition:
        case Elementwise(op="not", arguments=(inner,)):
            return facts_of(inner, value, not holds)
        case Elementwise(op="and" | "or" as op, arguments=(left, right)):
            return facts_of(left, value, holds) + facts_of(right, value, holds) if (op == "and") == holds else Facts(is_all=False)
        case Elementwise(op=op, arguments=(left, right)) if op in OPPOSITES:
            a, b = index_of(left), index_of(right)
            if a is None or b is None:
                return Facts(is_all=False)
            op, difference = op if holds else OPPOSITES[op], value(b - a)
            return Facts((), (difference,)) if op == "not_equal" else Facts(least_of_comparison(op, difference))
        case _:
            return Facts(is_all=False)
