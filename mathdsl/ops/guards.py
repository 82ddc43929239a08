r"""Unsatisfiable sets of guards: neither `t = 1` nor `t > 1` for `t` in `1 .. S`, neither `u < 0` nor `u \geq 0`, neither even nor odd.

Relations of integers (sizes, index variables, remainders, integer data) are decided together, those of reals one linear form at a time
(`u - v < 1` beside `v \leq u - 1`); what is no relation is a truth value of its own. That there is no number (NaN) is left out, as in
mathematics. Declines: whatever it cannot prove.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import isfinite, lcm
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.inequalities import OPPOSITES, is_infeasible
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Along, Apply, Element, Expr, IndexValue, Literal, Reduce
from mathdsl.ir.sizes import Coefficient, Monomial, Poly
from mathdsl.ir.traversal import element_of, map_children, substitute_axes, walk
from mathdsl.ops.elementwise import ELEMENTWISE

Claim: TypeAlias = tuple[Expr, bool]  # a condition, and whether it holds

_MOST_STEPS = 500  # beyond this many the answer is "not proved"
_MOST_TERMS = 12  # a product with more terms is a number of its own


def are_contradictory(claims: Iterable[Claim], nonnegative: Iterable[Poly]) -> bool:
    """Whether the claims cannot all be true where the polynomials of sizes and index variables are at least 0."""
    return _Search(_Numbers(list(nonnegative))).is_impossible(tuple(claims), _World())


# ---- numbers -------------------------------------------------------------------------------------


@dataclass
class _Numbers:
    """Expressions as polynomials, `0.1` as a tenth: what is no sum and no product has a name of its own. `facts` are at least 0."""

    facts: list[Poly]
    names: dict[Expr, str] = field(default_factory=dict)
    reals: set[str] = field(default_factory=set)
    count: int = 0

    def poly(self, expr: Expr) -> Poly:
        """The number as a polynomial."""
        match expr:
            case IndexValue(value=value):
                return value
            case Literal(value=value) if isfinite(value) and not isinstance(value, bool):
                return _number(Fraction(repr(value)))
            case Apply(op="to_real", arguments=(inner,)):
                return self.poly(inner)
            case Apply(op="neg", arguments=(inner,)):
                return -self.poly(inner)
            case Apply(op="add", arguments=(left, right)):
                return self.poly(left) + self.poly(right)
            case Apply(op="sub", arguments=(left, right)):
                return self.poly(left) - self.poly(right)
            case Apply(op="mul", arguments=(left, right)):
                product = self.poly(left) * self.poly(right)
                return product if len(product.terms) <= _MOST_TERMS else self._named(expr)
            case Apply(op="div", arguments=(above, Literal(value=below))) if isfinite(below) and below != 0:
                return self.poly(above) * _number(1 / Fraction(repr(below)))
            case _:
                return self._named(expr)

    def is_whole(self, poly: Poly) -> bool:
        """Whether the polynomial is an integer up to a factor."""
        return all(name not in self.reals and power > 0 for monomial, _ in poly.terms for name, power in monomial)

    def _named(self, expr: Expr) -> Poly:
        key = _anonymous(expr)
        if key in self.names and not _is_random(expr):
            return Poly.of(self.names[key])
        name = self.names[key] = self._fresh()
        if element_of(expr) is not Element.INTEGER:
            self.reals.add(name)
        match expr:
            case Apply(op="mod", arguments=(value, Literal(value=int() as modulus)), element=Element.INTEGER) if modulus > 0:
                rest = self.poly(value) - name - Poly.of(self._fresh()) * modulus
                self.facts += [Poly.of(name), Poly.of(modulus - 1) - name, rest, -rest]
        return Poly.of(name)

    def _fresh(self) -> str:
        self.count += 1
        return f"@{self.count}"


def _number(value: Fraction) -> Poly:
    return Poly((((), value),)) if value else Poly(())


def _anonymous(expr: Expr, depth: int = 0) -> Expr:
    r"""The expression with its bound axes named by their depth, so that `\sum_i x_i` is `\sum_j x_j`."""
    match expr:
        case Reduce(axis=axis, body=body) | Along(axis=axis, body=body):
            inner = substitute_axes(body, {axis.name: Poly.of(f"#{depth}")}, FreshNames())
            return replace(expr, axis=replace(axis, name=f"#{depth}"), body=_anonymous(inner, depth + 1))
        case _:
            return map_children(expr, lambda child: _anonymous(child, depth))


def _is_random(expr: Expr) -> bool:
    """Whether two evaluations may differ."""
    return any(isinstance(node, Apply) and ELEMENTWISE[node.op].random for node in walk(expr))


# ---- what holds together -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Interval:
    """What is known of one linear form of reals: its ends (None: no end), and whether they are left out."""

    lower: tuple[Coefficient, bool] | None = None
    upper: tuple[Coefficient, bool] | None = None

    @property
    def is_empty(self) -> bool:
        if self.lower is None or self.upper is None:
            return False
        (low, is_low_open), (high, is_high_open) = self.lower, self.upper
        return low > high or low == high and (is_low_open or is_high_open)

    def above(self, end: tuple[Coefficient, bool]) -> _Interval:
        """Its part above an end; of two equal ones, the one that is left out counts."""
        return replace(self, lower=end if self.lower is None else max(self.lower, end))

    def below(self, end: tuple[Coefficient, bool]) -> _Interval:
        """Its part below an end."""
        return replace(self, upper=end if self.upper is None else min(self.upper, end, key=lambda e: (e[0], not e[1])))


@dataclass(frozen=True)
class _World:
    """Claims that hold together: polynomials of integers that are at least 0, intervals of linear forms of reals, truth values."""

    nonnegative: tuple[Poly, ...] = ()
    intervals: tuple[tuple[tuple[tuple[Monomial, Coefficient], ...], _Interval], ...] = ()
    truths: tuple[Claim, ...] = ()

    def with_truth(self, atom: Expr, holds: bool) -> _World | None:
        """Also this truth value; None where it has the other one."""
        return None if (atom, not holds) in self.truths else replace(self, truths=(*self.truths, (atom, holds)))

    def with_positive(self, poly: Poly, is_strict: bool, numbers: _Numbers) -> _World | None:
        """Also a polynomial that is greater than 0 (or no less); None where that cannot be."""
        if numbers.is_whole(poly):
            row = poly * lcm(*(c.denominator for _, c in poly.terms)) - int(is_strict)
            is_apart = is_infeasible((*self.nonnegative, *numbers.facts), row)
            return None if is_apart else replace(self, nonnegative=(*self.nonnegative, row))
        form, end, is_above = _form(poly)
        known = dict(self.intervals)
        interval = known.get(form, _Interval())
        known[form] = interval.above((end, is_strict)) if is_above else interval.below((end, is_strict))
        return None if known[form].is_empty else replace(self, intervals=tuple(known.items()))


def _form(poly: Poly) -> tuple[tuple[tuple[Monomial, Coefficient], ...], Coefficient, bool]:
    """`2 u - 3` as the form `u`, the end 3/2, and whether the form is above the end where the polynomial is above 0."""
    leading = next(c for m, c in poly.terms if m)
    form = tuple((m, Fraction(c) / leading) for m, c in poly.terms if m)
    constant = sum((c for m, c in poly.terms if not m), Fraction(0))
    return form, Fraction(-constant) / leading, leading > 0


@dataclass
class _Search:
    """Tries all ways in which claims can hold together."""

    numbers: _Numbers
    steps: int = 0

    def is_impossible(self, claims: tuple[Claim, ...], world: _World) -> bool:
        """Whether the claims cannot all hold in the world; False where that is not proved."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            return False
        waiting = list(claims)
        choices: list[Claim] = []
        while waiting:
            claim = waiting.pop(0)
            ways = _ways(*claim)
            if len(ways) == 1:
                waiting += ways[0]
            elif ways:
                choices.append(claim)
            elif (more := self._with(world, *claim)) is None:
                return True
            else:
                world = more
        if not choices:
            return False
        return all(self.is_impossible((*way, *choices[1:]), world) for way in _ways(*choices[0]))

    def _with(self, world: _World, condition: Expr, holds: bool) -> _World | None:
        """The world where a condition without parts holds, or does not; None where that cannot be."""
        match condition:
            case Literal(value=value):
                return world if value is holds else None
            case Apply(op="less" | "less_equal" as op, arguments=(left, right)):
                return world.with_positive(self.numbers.poly(right) - self.numbers.poly(left), op == "less", self.numbers)
            case Apply(op="greater" | "greater_equal" as op, arguments=(left, right)):
                return world.with_positive(self.numbers.poly(left) - self.numbers.poly(right), op == "greater", self.numbers)
            case _:
                return world if _is_random(condition) else world.with_truth(_anonymous(condition), holds)


def _ways(condition: Expr, holds: bool) -> tuple[tuple[Claim, ...], ...]:
    """The ways in which a claim comes from claims of its parts: several of a choice, none where it has no parts."""
    match condition:
        case Apply(op="not", arguments=(inner,)):
            return (((inner, not holds),),)
        case Apply(op="and" | "or" as op, arguments=parts):
            several = tuple((part, holds) for part in parts)
            return (several,) if (op == "and") is holds else tuple((claim,) for claim in several)
        case Apply(op="equal" | "not_equal" as op, arguments=(left, right)) if element_of(left) is Element.BOOLEAN:
            return tuple(((left, truth), (right, truth is (holds is (op == "equal")))) for truth in (True, False))
        case Apply(op=op) if op in OPPOSITES and not holds:
            return (((replace(condition, op=OPPOSITES[op]), True),),)
        case Apply(op="equal"):
            return (((replace(condition, op="less_equal"), True), (replace(condition, op="greater_equal"), True)),)
        case Apply(op="not_equal"):
            return ((replace(condition, op="less"), True),), ((replace(condition, op="greater"), True),)
        case _:
            return ()
