"""What is known of numbers that are not computed: their limits, whether a mask is among them, how they grow with a state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from mathdsl.dataclass import dataclass

Number: TypeAlias = float | int | bool


@dataclass(frozen=True, slots=True)
class Abstract:
    r"""Numbers in `lower .. upper`.

    `may_be_infinite`: an infinity that was written or that came in, `-\\infty` in a mask, may be one of them, whatever the limits of the
    others. `degree`, with the state of a recurrence: 0 where they are bounded whatever the state is, 1 where they are at most the state
    plus something bounded, 2 where they may be more.
    """

    lower: Number = -math.inf
    upper: Number = math.inf
    may_be_infinite: bool = False
    degree: int = 0

    @property
    def point(self) -> Number | None:
        """The number, where it is only one."""
        return self.lower if self.lower == self.upper else None

    @property
    def is_at_most_one(self) -> bool:
        return self.lower >= -1 and self.upper <= 1

    def joined(self, other: Abstract) -> Abstract:
        """Numbers of either."""
        lower, upper = min(self.lower, other.lower), max(self.upper, other.upper)
        return Abstract(lower, upper, self.may_be_infinite or other.may_be_infinite, max(self.degree, other.degree))


Transfer: TypeAlias = Callable[..., Abstract]  # what an operation makes of its operands


def only(value: Number) -> Abstract:
    """One number."""
    return Abstract(value, value, abs(value) == math.inf)


def anything(*operands: Abstract) -> Abstract:
    """Of operations about which nothing is known."""
    return Abstract(may_be_infinite=_has_mask(operands), degree=2 if any(operand.degree for operand in operands) else 0)


def no_faster(*operands: Abstract) -> Abstract:
    """Of operations whose result grows no faster than their operands: `max`, the logarithm of a sum of exponentials."""
    return Abstract(may_be_infinite=_has_mask(operands), degree=max(operand.degree for operand in operands))


def between(lower: float, upper: float) -> Transfer:
    """Of operations with these limits, whatever their operands are."""
    return lambda *operands: Abstract(lower, upper)


def added(left: Abstract, right: Abstract) -> Abstract:
    degree = 2 if left.degree and right.degree else max(left.degree, right.degree)
    lower = -math.inf if math.inf in (abs(left.lower), abs(right.lower)) else left.lower + right.lower
    upper = math.inf if math.inf in (abs(left.upper), abs(right.upper)) else left.upper + right.upper
    return Abstract(lower, upper, _has_mask((left, right)), degree)


def subtracted(left: Abstract, right: Abstract) -> Abstract:
    return added(left, Abstract(-right.upper, -right.lower, right.may_be_infinite, right.degree))


def multiplied(left: Abstract, right: Abstract) -> Abstract:
    """A product with 0 is 0, but for infinities; one with what is at most 1 grows no faster than the other factor."""
    has_mask = _has_mask((left, right))
    if not has_mask and 0 in (left.point, right.point):
        return only(type(left.lower if left.point == 0 else right.lower)(0))
    if left.is_at_most_one and right.is_at_most_one:
        corners = [a * b for a in (left.lower, left.upper) for b in (right.lower, right.upper)]
        return Abstract(min(corners), max(corners), has_mask, 2 if left.degree and right.degree else max(left.degree, right.degree))
    for factor, other in ((left, right), (right, left)):
        if factor.degree == 0 and factor.is_at_most_one:
            return Abstract(may_be_infinite=has_mask, degree=other.degree)
    return anything(left, right)


def is_whole_power(base: Abstract, exponent: Abstract) -> bool:
    """Whether a power is only a product."""
    return exponent.point is not None and exponent.point >= 0 and float(exponent.point).is_integer()


def _has_mask(operands: tuple[Abstract, ...]) -> bool:
    return any(operand.may_be_infinite for operand in operands)
