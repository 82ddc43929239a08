"""Sizes and index expressions: polynomials with rational coefficients over names (sizes and index variables).

`S - 1`, `2*d`, `n*k`, `d/h` (a negative power) and `t - 1` are all `Poly`. They are kept in a normal form, so that
equality is equality of the mathematics; sympy comes in only where an equation between sizes has to be solved
(`mathdsl.elaborate.sizes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import gcd, lcm
from typing import Any, Generic, TypeAlias, TypeVar

from mathdsl.dataclass import dataclass

Monomial: TypeAlias = tuple[tuple[str, int], ...]  # sorted ((name, power), …); () is 1
Coefficient: TypeAlias = int | Fraction  # an integer is always an int: most are, and they are ten times as fast

_REMEMBERED = 50_000
_MOST_REMAINDERS = 1_000  # of the names of a quotient by a number, which are tried

Value = TypeVar("Value")


class _kept(Generic[Value]):  # noqa: N801 (a decorator)
    """A property that is computed once: `functools.cached_property` without its lock, which takes longer than most values here."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, poly: Any, owner: type) -> Value:
        value = poly.__dict__[self._name] = self._compute(poly)
        return value


class OwnSize(str):
    """The name of an example's own value of a size, `S′` beside `S`, as no author spells one: `S'` is a size of its own."""

    size: str

    def __new__(cls, size: str) -> OwnSize:
        own = super().__new__(cls, f"{size}′")
        own.size = size
        return own

    def __reduce__(self) -> tuple[type[OwnSize], tuple[object, ...]]:
        return OwnSize, (self.size,)


@dataclass(frozen=True)
class Poly:
    """A polynomial: sorted terms ((monomial, coefficient), …) without zero coefficients."""

    terms: tuple[tuple[Monomial, Coefficient], ...]

    def __hash__(self) -> int:
        return self._hash

    @_kept
    def _hash(self) -> int:
        """Kept, since fractions are slow to hash and polynomials are keys everywhere."""
        return hash(self.terms)

    def __reduce__(self) -> tuple[type[Poly], tuple[object, ...]]:
        """Copies and pickles hold the terms alone: another process hashes names differently."""
        return Poly, (self.terms,)

    @staticmethod
    def of(value: Poly | int | str) -> Poly:
        """A number, a name or a polynomial as a polynomial."""
        if isinstance(value, Poly):
            return value
        return _variable(value) if isinstance(value, str) else _number(value)

    @staticmethod
    def _collect(terms: dict[Monomial, Coefficient]) -> Poly:
        return Poly(tuple(sorted([(m, c if isinstance(c, int) else _plain(c)) for m, c in terms.items() if c])))

    def __add__(self, other: Poly | int | str) -> Poly:
        added = Poly.of(other).terms
        if not added:
            return self
        if len(added) == 1 and not added[0][0]:
            return self._plus(added[0][1])
        terms = dict(self.terms)
        for monomial, coefficient in added:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Poly._collect(terms)

    def _plus(self, number: Coefficient) -> Poly:
        """The polynomial and a number: most sums and differences are that, and the number's term is the first."""
        terms = self.terms
        if terms and not terms[0][0]:
            number, terms = _plain(number + terms[0][1]), terms[1:]
        return Poly((((), number), *terms)) if number else Poly(terms)

    def __neg__(self) -> Poly:
        return Poly(tuple([(m, -c) for m, c in self.terms]))

    def __sub__(self, other: Poly | int | str) -> Poly:
        removed = Poly.of(other).terms
        if not removed:
            return self
        if len(removed) == 1 and not removed[0][0]:
            return self._plus(-removed[0][1])
        terms = dict(self.terms)
        for monomial, coefficient in removed:
            terms[monomial] = terms.get(monomial, 0) - coefficient
        return Poly._collect(terms)

    def __mul__(self, other: Poly | int | str) -> Poly:
        terms: dict[Monomial, Coefficient] = {}
        factors = Poly.of(other).terms
        for left, a in self.terms:
            for right, b in factors:
                powers = dict(left)
                for name, power in right:
                    powers[name] = powers.get(name, 0) + power
                monomial = tuple(sorted((n, p) for n, p in powers.items() if p))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Poly._collect(terms)

    def divided_by(self, other: Poly) -> Poly | None:
        """The quotient where the divisor is a single non-zero term; None otherwise."""
        if len(other.terms) != 1:
            return None
        monomial, coefficient = other.terms[0]
        inverse = 1 if coefficient == 1 else _plain(Fraction(1) / coefficient)
        return self * Poly(((tuple([(n, -p) for n, p in monomial]), inverse),))

    @_kept
    def names(self) -> frozenset[str]:
        """The names that occur."""
        return frozenset(self.ordered_names)

    @_kept
    def ordered_names(self) -> tuple[str, ...]:
        """The names that occur, each once, in the order of the terms."""
        return tuple(dict.fromkeys([name for monomial, _ in self.terms for name, _ in monomial]))

    @_kept
    def variable(self) -> str | None:
        """The name, if the polynomial is one name and nothing else."""
        if len(self.terms) != 1:
            return None
        monomial, coefficient = self.terms[0]
        return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None

    @property
    def constant(self) -> int | None:
        """The value, if it is an integer without names."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == () and self.terms[0][1].denominator == 1:
            return int(self.terms[0][1])
        return None

    @property
    def is_positive(self) -> bool:
        """Whether the value is a number above 0, whole or not."""
        return len(self.terms) == 1 and self.terms[0][0] == () and self.terms[0][1] > 0

    @_kept
    def degree(self) -> int:
        """How fast the value grows with all names together: 2 of `n*k + n`, 0 of a number."""
        return max((sum(power for _, power in monomial) for monomial, _ in self.terms), default=0)

    def coefficient(self, name: str) -> Poly | None:
        """The factor of `name` where it occurs linearly (0 where it does not occur); None where it does not."""
        found: list[tuple[Monomial, Coefficient]] = []
        for monomial, c in self.terms if name in self.names else ():
            powers = dict(monomial)
            if name in powers:
                if powers.pop(name) != 1:
                    return None
                found.append((tuple(powers.items()), c))
        return Poly(tuple(sorted(found)))

    def factors(self, names: Set[str]) -> dict[Monomial, Poly]:
        """By product of these names, the factor of it: `n/2` of `g` and `m - 1` of 1 for `g` in `g n/2 + m - 1`."""
        found: dict[Monomial, list[tuple[Monomial, Coefficient]]] = {}
        for monomial, c in self.terms:
            of = tuple([part for part in monomial if part[0] in names])
            found.setdefault(of, []).append((tuple([part for part in monomial if part[0] not in names]), c))
        return {of: Poly(tuple(sorted(terms))) for of, terms in found.items()}

    def substitute(self, values: dict[str, Poly]) -> Poly:
        """Replace names by polynomials; a name with a negative power needs a single-term value."""
        if values.keys().isdisjoint(self.names):
            return self
        if self.variable is not None:
            return values[self.variable]
        result = Poly(())
        for monomial, c in self.terms:
            term = Poly((((), c),))
            for name, power in monomial:
                factor = values.get(name, Poly.of(name))
                for _ in range(abs(power)):
                    if power > 0:
                        term = term * factor
                    else:
                        quotient = term.divided_by(factor)
                        if quotient is None:
                            raise ValueError(f"{name} = {factor} stands in a denominator")
                        term = quotient
            result = result + term
        return result

    @property
    def has_whole_terms(self) -> bool:
        """Whether no number divides a term, as in `n/2`."""
        return all(c.denominator == 1 for _, c in self.terms)

    @_kept
    def fraction(self) -> tuple[Poly, Poly]:
        """Two polynomials without quotients, the value of which this is: `n + 2` over 2 is `n/2 + 1`."""
        below = Poly.of(lcm(*(c.denominator for _, c in self.terms)))
        for name in self.ordered_names:
            least = min(power for monomial, _ in self.terms for n, power in monomial if n == name)
            for _ in range(-least):
                below = below * name
        return self * below, below

    @_kept
    def quotient(self) -> tuple[Poly, Poly] | None:
        """What has to be a multiple of what, so that the value is whole: `n` of 2 for `n/2 + 1`; None where it always is, as `n(n+1)/2`."""
        parts = tuple([term for term in self.terms if term[1].denominator != 1 or any(power < 0 for _, power in term[0])])
        if not parts:
            return None
        above, below = Poly(parts).fraction
        number, names = below.constant, above.ordered_names
        if number is None:
            return (above if any(c > 0 for _, c in above.terms) else -above), below
        for _ in range(2):  # `3 n` is a multiple of 2 where `n` is, and `-n` of 3, which is `2 n` then
            common = gcd(*(int(c) for _, c in above.terms))
            shared = common if gcd(common, number) == 1 else 1
            above = Poly._collect({monomial: int(c) // shared % number for monomial, c in above.terms})
        if number ** len(names) <= _MOST_REMAINDERS:
            remainders = product(range(number), repeat=len(names))
            if all(above.evaluate(dict(zip(names, values, strict=True))) % number == 0 for values in remainders):
                return None
        return above, below

    @_kept
    def padded(self) -> Poly:
        """The polynomial of the padded extents: `S - t` for `S′ - t`."""
        own: dict[str, Poly] = {name: Poly.of(name.size) for name in self.names if isinstance(name, OwnSize)}
        return self.substitute(own) if own else self

    def owned(self, sizes: Iterable[str]) -> Poly:
        """The polynomial of an example's own values of these sizes: `S′ - t` for `S - t`."""
        found = self.names.intersection(sizes)
        return self.substitute({size: Poly.of(OwnSize(size)) for size in found}) if found else self

    def evaluate(self, values: dict[str, int]) -> int:
        """The value for given names; a ValueError where it is no integer."""
        total: Coefficient = 0
        for monomial, c in self.terms:
            term = c
            for name, power in monomial:
                term *= Fraction(values[name]) ** power
            total += term
        if total.denominator != 1:
            raise ValueError(f"{self} is no integer")
        return int(total)

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        for monomial, c in sorted(self.terms, key=lambda term: (term[0] == (), term[0])):
            over = "*".join(n if p == 1 else f"{n}**{p}" for n, p in monomial if p > 0)
            under = [n if p == -1 else f"{n}**{-p}" for n, p in monomial if p < 0]
            size = -c if c < 0 else c
            text = over if over and size.numerator == 1 else f"{size.numerator}{'*' + over if over else ''}"
            for name in ([] if size.denominator == 1 else [str(size.denominator)]) + under:
                text += f"/{name}"
            parts.append(f"{'-' if c < 0 else '+'} {text}")
        text = " ".join(parts)
        return text[2:] if text.startswith("+ ") else "-" + text[2:]


def _plain(value: Coefficient) -> Coefficient:
    return value.numerator if value.denominator == 1 else value


# The same few names and numbers stand everywhere: one object each, which keeps its hash and its names.


@lru_cache(maxsize=_REMEMBERED)
def _variable(name: str) -> Poly:
    return Poly(((((name, 1),), 1),))


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _number(value: int) -> Poly:
    return Poly((((), value),)) if value else Poly(())
