"""The shape of an operation's row: what it takes and gives, what it computes, how it is written in torch and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Element
from mathdsl.ops.abstract import Abstract, Number, Transfer, anything

REALS = (Element.REAL,)
NUMBERS = (Element.REAL, Element.INTEGER)
BOOLEANS = (Element.BOOLEAN,)
ANYTHING = (Element.REAL, Element.INTEGER, Element.BOOLEAN)
_GREATEST_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Signature:
    """`arity` operands that all hold the same element, one of `operands`; `result` None: the result holds it too."""

    arity: int
    operands: tuple[Element, ...]
    result: Element | None = None

    def result_of(self, elements: Sequence[Element]) -> Element | None:
        """What the result holds; None where the operands do not fit."""
        if len(elements) != self.arity or len(set(elements)) != 1 or elements[0] not in self.operands:
            return None
        return elements[0] if self.result is None else self.result


@dataclass(frozen=True, slots=True)
class Guard:
    """A value of one operand (as a number of its element) at which value and derivative are finite."""

    operand: int
    value: float


@dataclass(frozen=True, slots=True)
class Elementwise:
    r"""An operation on scalars.

    `evaluate` takes Python numbers and gives what torch gives, also at the edges (`log 0` is -inf, `1 / 0` is inf).

    `torch` and `scalar` are Python expressions with `{0}`, `{1}`, … for the operands: of tensors, and of plain Python
    numbers (sizes, settings; '' where there is no short one). `dtype` stands for the module's real type in them,
    `self.training` and `generator` for what a random operation needs. `helper` is the source of a function that the
    torch form calls, written once into a generated file. `latex` has the same placeholders. `edges` is `scalar` with what torch gives
    where Python has no value, by helper functions.

    `notations` are LaTeX function names without backslash; with `any_case` they are known in any mix of cases, else
    with their first letter in either. `safe` guards the operation where its result is not wanted. `keeps_zero`: zero
    operands give a zero result. `random`: two evaluations differ, so it is neither moved nor merged. `decided_by`: a
    first operand of this value is the result, and the second is not evaluated then. `abstract` says what is known of the result given
    what is known of the operands, `is_total` whether the operation cannot fail although it has a guard.
    """

    name: str
    signature: Signature
    evaluate: Callable[..., Number]
    torch: str
    latex: str
    scalar: str = ""
    notations: tuple[str, ...] = ()
    any_case: bool = False
    safe: Guard | None = None
    keeps_zero: bool = False
    random: bool = False
    helper: str = ""
    decided_by: bool | None = None
    abstract: Transfer = anything
    is_total: Callable[..., bool] | None = None
    edges: str = ""

    @property
    def is_operator(self) -> bool:
        """Whether tensors and numbers are operands alike: an operator of several operands, no function."""
        return "(" not in self.torch and self.signature.arity > 1


@dataclass(frozen=True, slots=True)
class Reduction:
    """An operation that takes an axis away; in `torch`, `{0}` is the tensor and `{1}` the axis.

    `evaluate` takes the values in the order of the axis (arguments of the maximum count from 0). `of_nothing`: the
    value over an empty range, None where that is an error at run time. `neutral`: what padding is filled with, so
    that it changes nothing (infinities stand for the least and greatest integer in an integer tensor).
    `divides_by_extent`: the result is the neutral sum over the number of the example's own elements.
    """

    name: str
    signature: Signature
    evaluate: Callable[[Sequence[Number]], Number]
    torch: str
    latex: str
    notations: tuple[str, ...]
    of_nothing: Number | None
    neutral: Number
    divides_by_extent: bool = False
    abstract: Callable[[Abstract], Abstract] = anything

    @property
    def is_position(self) -> bool:
        """Whether the result is a place on the axis, which counts from the axis's lower bound."""
        return self.signature.result is Element.INTEGER

    def neutral_of(self, element: Element) -> Number:
        """The neutral element as a number of the element; the least and greatest integer for the infinities."""
        match element:
            case Element.REAL:
                return float(self.neutral)
            case Element.INTEGER if self.neutral in (math.inf, -math.inf):
                return _GREATEST_INTEGER if self.neutral > 0 else -_GREATEST_INTEGER
            case Element.INTEGER:
                return int(self.neutral)
            case Element.BOOLEAN:
                return bool(self.neutral)
            case _:
                assert_never(element)


@dataclass(frozen=True, slots=True)
class AlongAxis:
    """An operation on a whole axis that keeps it; in `torch`, `{0}` is the tensor and `{1}` the axis.

    `fill_before` stands in padding before the operation, `fill_after` in the padding of its result.
    """

    name: str
    signature: Signature
    evaluate: Callable[[Sequence[Number]], list[Number]]
    torch: str
    latex: str
    notations: tuple[str, ...]
    fill_before: float
    fill_after: float
    abstract: Callable[[Abstract], Abstract] = anything
