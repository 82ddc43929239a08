"""Linear inequalities over integers: what provably has no solution (Fourier-Motzkin elimination)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd, lcm
from typing import TypeAlias

from mathdsl.ir.sizes import Monomial, Poly

Row: TypeAlias = tuple[tuple[tuple[Monomial, int], ...], int]  # sorted terms and a constant: sum of terms + constant >= 0

OPPOSITES = {
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "equal": "not_equal",
    "not_equal": "equal",
}
_MOST_ROWS = 120  # elimination may square the number of rows: beyond this the answer is "not proved"


@lru_cache(maxsize=200_000)
def is_infeasible(nonnegative: tuple[Poly, ...], query: Poly) -> bool:
    """Whether no integers make `query` and all of `nonnegative` at least 0; False where that is not proved.

    Products of names count as names of their own, so the answer is exact for affine systems over the rationals (with
    integer tightening of each row) and careful for the others.
    """
    rows = {_row(query)}
    rows.update(_relevant([_row(poly) for poly in nonnegative], query))
    while True:
        if any(not terms and constant < 0 for terms, constant in rows):
            return True
        atom = _cheapest_atom(rows)
        if atom is None:
            return False
        rows = _eliminate(rows, atom)
        if len(rows) > _MOST_ROWS:
            return False


def _row(poly: Poly) -> Row:
    """The polynomial with coprime integer coefficients, its constant rounded down (the names are integers)."""
    scale = lcm(*(c.denominator for _, c in poly.terms)) if poly.terms else 1
    terms = [(m, int(c * scale)) for m, c in poly.terms if m]
    constant = sum(int(c * scale) for m, c in poly.terms if not m)
    return _tight(terms, constant)


def _tight(terms: list[tuple[Monomial, int]], constant: int) -> Row:
    if not terms:
        return (), constant
    divisor = gcd(*(c for _, c in terms))
    return tuple((m, c // divisor) for m, c in terms), constant // divisor


def _relevant(rows: list[Row], query: Poly) -> Iterable[Row]:
    """The rows that share an atom with the query, directly or through other rows."""
    reached = {m for m, _ in query.terms if m}
    waiting, chosen = rows, []
    while True:
        later: list[Row] = []
        for row in waiting:
            atoms = {m for m, _ in row[0]}
            if not atoms or atoms & reached:
                chosen.append(row)
                reached |= atoms
            else:
                later.append(row)
        if len(later) == len(waiting):
            return chosen
        waiting = later


def _cheapest_atom(rows: set[Row]) -> Monomial | None:
    """The atom whose elimination makes the fewest rows; None where no atom is left."""
    signs: dict[Monomial, list[int]] = {}
    for terms, _ in rows:
        for atom, c in terms:
            signs.setdefault(atom, [0, 0])[c > 0] += 1
    return min(signs, key=lambda atom: (signs[atom][0] * signs[atom][1], atom)) if signs else None


def _eliminate(rows: set[Row], atom: Monomial) -> set[Row]:
    kept: set[Row] = set()
    above: list[tuple[int, Row]] = []
    below: list[tuple[int, Row]] = []
    for row in rows:
        factor = dict(row[0]).get(atom, 0)
        if factor > 0:
            below.append((factor, row))
        elif factor < 0:
            above.append((-factor, row))
        else:
            kept.add(row)
    for positive, (low_terms, low) in below:
        for negative, (high_terms, high) in above:
            total: dict[Monomial, int] = {}
            for m, c in low_terms:
                total[m] = c * negative
            for m, c in high_terms:
                total[m] = total.get(m, 0) + c * positive
            kept.add(_tight(sorted((m, c) for m, c in total.items() if c), low * negative + high * positive))
    return kept


def least_of_comparison(op: str, difference: Poly) -> tuple[Poly, ...]:
    """What is at least 0 where `left op right`, an operation with two indices, holds; `difference` is `right - left`."""
    match op:
        case "less":
            return (difference - 1,)
        case "less_equal":
            return (difference,)
        case "greater":
            return (-difference - 1,)
        case "greater_equal":
            return (-difference,)
        case "equal":
            return (difference, -difference)
        case _:
            return ()
