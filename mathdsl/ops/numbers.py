"""Arithmetic on Python numbers with torch's results at the edges: infinities and NaN where Python raises."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mathdsl.ops.abstract import Number

INF = math.inf
NAN = math.nan
_LARGEST_FACTORIAL = 170  # of which a real number holds the factorial
_MOST_BITS = 1024  # of a whole number, which a real number still holds
_HALF_OF_THE_DIGITS = 2.0**-26
_LEAST_INTEGER = -(2**63)  # what torch makes of a real that is no integer


def total(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function, NaN outside its domain and infinite where it overflows (towards the operand for odd functions)."""

    def evaluate(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return NAN
        except OverflowError:
            return math.copysign(INF, function(math.copysign(1.0, x)))

    return evaluate


def divide(x: float, y: float) -> float:
    if y != 0:
        return x / y
    return NAN if x == 0 or math.isnan(x) else math.copysign(INF, x) * math.copysign(1.0, y)


def close(x: float, y: float) -> bool:
    """Whether two reals are equal up to rounding: half of their digits agree."""
    return x == y or abs(x - y) <= _HALF_OF_THE_DIGITS * (1 + abs(y)) < INF


def remainder(x: Number, y: Number) -> Number:
    """The remainder with the sign of the divisor; an integer over 0 raises, as in torch."""
    if isinstance(x, int) and isinstance(y, int):
        return x % y
    return NAN if y == 0 or math.isinf(x) else x % y


def power(x: Number, y: Number) -> Number:
    if isinstance(x, int) and isinstance(y, int):
        if y < 0:
            raise ValueError(f"integer {x} to the negative power {y}")
        if y * (abs(x).bit_length() - 1) > _MOST_BITS:
            raise OverflowError(f"{x} to the power {y}")
        return int(x**y)
    is_odd = float(y).is_integer() and y % 2 == 1
    try:
        return math.pow(x, y)
    except ValueError:  # 0 to a negative power, or a root of a negative number
        if x != 0:
            return NAN
        return math.copysign(INF, x) if is_odd else INF
    except OverflowError:
        return -INF if x < 0 and is_odd else INF


def logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -INF if x == 0 else total(function)(x)


def gamma(x: float) -> float:
    """Γ, with the infinity of one side at its poles."""
    if x == -INF:
        return NAN
    try:
        return math.gamma(x)
    except (ValueError, OverflowError):
        return -INF if math.floor(x) % 2 == 1 else INF


def factorial(n: int) -> float:
    """n!, infinite where no real number is as large, NaN below 0."""
    if n < 0:
        return NAN
    return float(math.factorial(n)) if n <= _LARGEST_FACTORIAL else INF


def integral(function: Callable[[float], int]) -> Callable[[float], int]:
    return lambda x: function(x) if math.isfinite(x) else _LEAST_INTEGER


def sign(x: Number) -> Number:
    if isinstance(x, int):
        return (x > 0) - (x < 0)
    return NAN if math.isnan(x) else float((x > 0) - (x < 0))


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))  # exp of a large positive number would overflow


def softplus(x: float) -> float:
    return NAN if math.isnan(x) else max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def relu(x: float) -> float:
    return x if x > 0 or math.isnan(x) else 0.0


def gelu(x: float) -> float:
    return 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0)))


def elu(x: float) -> float:
    return x if x > 0 or math.isnan(x) else math.expm1(x)


_SELU_SCALE = 1.0507009873554804934193349852946  # Self-Normalizing Neural Networks (2017)
_SELU_ALPHA = 1.6732632423543772848170429916717


def selu(x: float) -> float:
    return _SELU_SCALE * (x if x > 0 or math.isnan(x) else _SELU_ALPHA * math.expm1(x))


def maximum(*values: Number) -> Number:
    return next((value for value in values if math.isnan(value)), max(values))


def minimum(*values: Number) -> Number:
    return next((value for value in values if math.isnan(value)), min(values))


def clip(x: Number, lower: Number, upper: Number) -> Number:
    return minimum(maximum(x, lower), upper)


# ---- of a whole axis -------------------------------------------------------------------------------


def position_of_greatest(values: Sequence[Number]) -> int:
    """Where the greatest value stands first, from 0; a NaN counts as the greatest."""
    greatest = maximum(*values)
    return next(i for i, value in enumerate(values) if value == greatest or math.isnan(value))


def position_of_least(values: Sequence[Number]) -> int:
    return position_of_greatest([-value for value in values])


def total_sum(values: Sequence[Number]) -> Number:
    """The sum; of integers exactly, of reals without rounding on the way."""
    if all(isinstance(value, int) for value in values):
        return sum(values)
    return math.fsum(values) if all(math.isfinite(value) for value in values) else sum(values)


def mean(values: Sequence[Number]) -> float:
    return total_sum(values) / len(values)


def norm(values: Sequence[Number]) -> float:
    """The root of the sum of squares."""
    return NAN if any(math.isnan(value) for value in values) else math.hypot(*values)


def log_sum_exp(values: Sequence[Number]) -> float:
    greatest = maximum(*values)
    if math.isinf(greatest) or math.isnan(greatest):
        return float(greatest)
    return greatest + math.log(math.fsum(math.exp(value - greatest) for value in values))


def log_softmax(values: Sequence[Number]) -> list[Number]:
    """As differences to the greatest, so that large values of one size keep their digits."""
    greatest = maximum(*values)
    shifted = [value - greatest for value in values] if math.isfinite(greatest) else values
    whole = log_sum_exp(shifted)
    return [value - whole for value in shifted]


def softmax(values: Sequence[Number]) -> list[Number]:
    return [value if math.isnan(value) else math.exp(value) for value in log_softmax(values)]


def running_sums(values: Sequence[Number]) -> list[Number]:
    sums: list[Number] = []
    for value in values:
        sums.append(value + sums[-1] if sums else value)
    return sums
