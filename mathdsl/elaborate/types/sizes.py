"""Equations between sizes and first indices: unknown ones are names that start with `?`, and are solved symbolically.

The first index of an axis that nothing declares is such an unknown, too: `?first3` of `x`, which is read at `x_t` for `t = 1, \\dots, S`.

The common cases (an unknown alone, or with an integer factor) are solved by polynomial arithmetic; sympy is imported only
when an equation needs more.
"""

from __future__ import annotations

from fractions import Fraction

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.sizes import Poly


def is_unknown(name: str) -> bool:
    """Whether a name in a polynomial is an unknown size or first index."""
    return name.startswith("?")


_FIRST = "?first"


def is_first(name: str) -> bool:
    """Whether a name in a polynomial is an unknown first index."""
    return name.startswith(_FIRST)


def _newest_size_first(name: str) -> tuple[bool, int]:
    return is_first(name), -int(name.removeprefix(_FIRST).removeprefix("?"))


@dataclass
class SizeSolver:
    """The solution so far: unknown -> polynomial. `measured`: sizes that a program reads off its arrays, which may be sums of others."""

    solution: dict[str, Poly] = field(default_factory=dict)
    measured: set[str] = field(default_factory=set)
    count: int = 0

    def fresh(self) -> Poly:
        """A new unknown size."""
        self.count += 1
        return Poly.of(f"?{self.count}")

    def fresh_first(self) -> Poly:
        """A new unknown first index."""
        self.count += 1
        return Poly.of(f"{_FIRST}{self.count}")

    def value(self, size: Poly) -> Poly:
        """The size with all that is solved put in."""
        asked = size.variable
        while not self.solution.keys().isdisjoint(size.names):
            size = size.substitute({n: self.solution[n] for n in size.names if n in self.solution})
        if asked in self.solution:
            self.solution[asked] = size  # the next one who asks need not go the whole way
        return size

    def define(self, name: str, size: Poly) -> bool:
        """Fix a name (an unknown, or a size that the author relates to others); False where that contradicts."""
        size = self.value(size)
        if name in self.solution:
            return self.unify(self.solution[name], size)
        if size == Poly.of(name):
            return True
        if name in size.names:
            return False
        self.solution[name] = size
        return True

    def unify(self, left: Poly, right: Poly) -> bool:
        """Make two sizes equal; False where they provably cannot be, or where no rule tells that they are."""
        left, right = self.value(left), self.value(right)
        if left == right:
            return True
        for size, total in ((left, right), (right, left)):
            if size.variable in self.measured and len(total.terms) > 1 and all(count > 0 for _, count in total.terms):
                return self.define(size.variable or "", total)
        difference = left - right
        unknowns = sorted((n for n in difference.names if is_unknown(n)), key=_newest_size_first)
        for name in unknowns:
            solved = _solve_linear(difference, name)
            if solved is not None:
                return self.define(name, solved)
        for name in unknowns:
            solved = _solve_by_sympy(difference, name)
            if solved is not None:
                return self.define(name, solved)
        return False


def _solve_linear(difference: Poly, name: str) -> Poly | None:
    """`name` from `difference = 0` where its factor is a number and the result has integer coefficients."""
    factor = difference.coefficient(name)
    if factor is None or not factor.terms or factor.names:
        return None
    rest = difference - factor * name
    quotient = (-rest).divided_by(factor)
    if quotient is None or any(c.denominator != 1 for _, c in quotient.terms):
        return None
    return quotient


def _solve_by_sympy(difference: Poly, name: str) -> Poly | None:
    """The one solution of `difference = 0` for `name` that is a polynomial; None where there is no or no single one."""
    import sympy

    symbols = {n: sympy.Symbol(f"s{k}", positive=True, integer=True) for k, n in enumerate(sorted(difference.names))}
    expression = sum(
        (sympy.Rational(c.numerator, c.denominator) * sympy.prod([symbols[n] ** p for n, p in m]) for m, c in difference.terms),
        sympy.Integer(0),
    )
    solutions = sympy.solve(expression, symbols[name])
    if len(solutions) != 1:
        return None
    back = {symbol: n for n, symbol in symbols.items()}
    result = Poly(())
    for term in sympy.Add.make_args(sympy.expand(solutions[0])):
        coefficient, powers = term.as_coeff_mul()
        if not coefficient.is_Rational:
            return None
        monomial = Poly((((), Fraction(int(coefficient.p), int(coefficient.q))),))
        for power in powers:
            base, exponent = power.as_base_exp()
            if base not in back or not exponent.is_Integer:
                return None
            monomial = monomial * Poly(((((back[base], int(exponent)),), Fraction(1)),))
        result = result + monomial
    return result
