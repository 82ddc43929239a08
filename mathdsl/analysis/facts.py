"""What is known where an expression stands: sizes, the ranges of the axes around it, the conditions above it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal as OneOf
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.ir.inequalities import OPPOSITES, is_infeasible, least_of_comparison
from mathdsl.ir.nodes import Apply, Axis, Expr, Extreme, IndexValue, Literal, Module, Size, SizeKind
from mathdsl.ir.sizes import Coefficient, OwnSize, Poly

Verdict: TypeAlias = OneOf["always", "never", "unknown"]


@dataclass(frozen=True)
class Facts:
    """Polynomials that are at least 0. Sizes are no less than `least`: 1 for hyperparameters whose default is not 0, else 0.

    `remainders` give index variables by quotients of their own, `i = 2 k`, since to be even is no inequality. `conditions` hold, or do
    not, as the flag says, and no polynomial says all of it.
    """

    known: tuple[Poly, ...]
    least: tuple[tuple[str, int], ...]
    remainders: tuple[tuple[str, Poly], ...] = ()
    conditions: tuple[tuple[Expr, bool], ...] = ()

    def proves_nonnegative(self, value: Poly) -> bool:
        """Whether `value >= 0` wherever these facts hold."""
        value = self._exact(value)
        constant = value.constant
        if (constant is not None and constant >= 0) or any(_is_no_less(value, fact) for fact in self.known):
            return True
        below = -value - 1
        return is_infeasible(self._about(below), below)

    def _exact(self, value: Poly) -> Poly:
        return value.substitute(dict(self.remainders)) if self.remainders else value

    def exclude(self, *nonnegative: Poly) -> bool:
        """Whether the polynomials cannot all be at least 0 here."""
        facts = self.adding(*nonnegative)._about(Poly.of(0))
        return any(is_infeasible(facts, self._exact(poly)) for poly in nonnegative)

    def adding(self, *nonnegative: Poly) -> Facts:
        """These facts and more."""
        return Facts((*self.known, *nonnegative), self.least, self.remainders, self.conditions) if nonnegative else self

    def inside(self, axes: Iterable[Axis]) -> Facts:
        """These facts at a point of the axes: each lies in its range."""
        bounds = [bound for axis in axes for bound in (Poly.of(axis.name) - axis.range.lower, axis.range.upper - axis.name)]
        return self.adding(*bounds)

    def assuming(self, condition: Expr, holds: bool) -> Facts:
        """These facts where the condition holds (or does not), as far as it is about index expressions."""
        found = _read_condition(condition, holds, self)
        return replace(self, conditions=(*self.conditions, (condition, holds))) if found is None else found

    def _about(self, query: Poly) -> tuple[Poly, ...]:
        """The facts, and how small the sizes and products of sizes in them can be."""
        least = dict(self.least)
        known = tuple(map(self._exact, self.known)) if self.remainders else self.known
        monomials = dict.fromkeys(m for poly in (*known, query) for m, _ in poly.terms if m)
        names = dict.fromkeys(name for monomial in monomials for name, _ in monomial)
        bounds = [Poly.of(name) - least[name] for name in names if name in least]
        for monomial in monomials:
            if monomial[1:] or monomial[0][1] != 1:
                if all(name in least for name, _ in monomial):
                    bounds.append(Poly(((monomial, 1),)))
        return (*known, *bounds)


def _is_no_less(left: Poly, right: Poly) -> bool:
    """Whether the polynomials differ by a constant at most, and the left one is not the smaller: most proofs are that."""
    more, less = left.terms, right.terms
    above: Coefficient = 0
    below: Coefficient = 0
    if more and not more[0][0]:
        above, more = more[0][1], more[1:]
    if less and not less[0][0]:
        below, less = less[0][1], less[1:]
    return above >= below and more == less


def facts_of_sizes(sizes: Iterable[Size]) -> Facts:
    """What holds everywhere in a module with these sizes."""
    sizes = tuple(sizes)
    known: list[Poly] = []
    for size in sizes:
        of = () if size.value is None else size.value.of
        above = [poly - size.name for poly in of]
        below = [Poly.of(size.name) - poly for poly in of]
        match size.value:
            case Extreme(op="floor_div", of=(whole, part)):
                rest = whole - part * size.name
                known += [rest, part - 1 - rest]
            case Extreme(op="pow", of=(_, exponent)):
                known += [Poly.of(size.name) - exponent - 1]
            case Extreme(op="minimum") if len(of) > 1:
                known += above
            case Extreme() if len(of) > 1:
                known += below
            case _:
                known += [*above, *below]  # the size is that of one other
    return Facts(tuple(known), tuple((size.name, _least(size)) for size in sizes))


def _least(size: Size) -> int:
    is_rounded = size.value is not None and size.value.op == "floor_div"
    return 1 if size.kind is SizeKind.HYPERPARAMETER and size.default != 0 and not is_rounded else 0


def facts_of_module(module: Module) -> Facts:
    """What holds everywhere in the module: its sizes, and those of an example are no longer than the padding."""
    facts = facts_of_sizes(module.sizes)
    own = tuple((OwnSize(name), 0) for name in module.ragged)
    padded = tuple(Poly.of(name) - OwnSize(name) for name in module.ragged)
    return Facts((*facts.known, *padded), (*facts.least, *own))


def compare(lower: Poly, upper: Poly, facts: Facts) -> Verdict:
    """Whether `lower <= upper` wherever the facts hold."""
    if facts.proves_nonnegative(upper - lower):
        return "always"
    if facts.proves_nonnegative(lower - upper - 1):
        return "never"
    return "unknown"


def _read_condition(condition: Expr, holds: bool, facts: Facts) -> Facts | None:
    """What polynomials say of the condition; None where they do not say all."""
    match condition:
        case Apply(op="not", arguments=(inner,)):
            return facts.assuming(inner, not holds)
        case Apply(op="and", arguments=(left, right)) if holds:
            return facts.assuming(left, True).assuming(right, True)
        case Apply(op="or", arguments=(left, right)) if not holds:
            return facts.assuming(left, False).assuming(right, False)
        case Apply(op=op, arguments=(left, right)):
            low, high = integer_poly(left), integer_poly(right)
            if low is None or high is None:
                return _with_remainder(condition, holds, facts)
            op = "less_equal" if op == "within" else op
            return _assuming_comparison(op if holds else OPPOSITES.get(op, ""), high - low, facts)
        case _:
            return None


def remainder_of(condition: Expr) -> tuple[Poly, int, int] | None:
    """The value, the modulus and the remainder of `value mod modulus = remainder`; None for all else."""
    match condition:
        case Apply(
            op="equal", arguments=(Apply(op="mod", arguments=(value, Literal(value=int() as modulus))), Literal(value=int() as rest))
        ):
            poly = integer_poly(value)
            return None if poly is None or modulus < 2 else (poly, modulus, rest % modulus)
        case _:
            return None


def _with_remainder(condition: Expr, holds: bool, facts: Facts) -> Facts | None:
    """`a mod m = r`: `a` is `m k + r` for a whole `k`; what has not one of two remainders has the other."""
    found = remainder_of(condition)
    if found is None or not holds and found[1] != 2:
        return None
    value, modulus, rest = found
    sizes = {size for size, _ in facts.least}
    name = next((name for name in sorted(value.names - sizes) if value.coefficient(name) == Poly.of(1)), None)
    if name is None or any(known == name for known, _ in facts.remainders):
        return None
    exact = Poly.of(f"{name} div {modulus}") * modulus + (rest if holds else 1 - rest) - (value - name)
    return replace(facts, remainders=(*facts.remainders, (name, exact)), conditions=(*facts.conditions, (condition, holds)))


def _assuming_comparison(op: str, difference: Poly, facts: Facts) -> Facts | None:
    """The facts where `left op right` holds; `difference` is right - left."""
    if op != "not_equal":
        said = least_of_comparison(op, difference)
        return facts.adding(*said) if said else None
    sign = 1 if facts.proves_nonnegative(difference) else -1
    return facts.adding(difference * sign - 1) if sign == 1 or facts.proves_nonnegative(-difference) else None


def integer_poly(expr: Expr) -> Poly | None:
    """An integer expression of index variables and sizes as a polynomial; None for anything else."""
    match expr:
        case IndexValue(value=value):
            return value
        case Literal(value=value) if isinstance(value, int) and not isinstance(value, bool):
            return Poly.of(value)
        case Apply(op="add", arguments=(left, right)):
            first, second = integer_poly(left), integer_poly(right)
            return None if first is None or second is None else first + second
        case Apply(op="sub", arguments=(left, right)):
            first, second = integer_poly(left), integer_poly(right)
            return None if first is None or second is None else first - second
        case _:
            return None
