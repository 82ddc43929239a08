"""Facts about sizes and index variables: what is proved, what is refuted, what stays open."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathdsl.analysis.facts import Facts, compare, facts_of_sizes
from mathdsl.ir.inequalities import is_infeasible
from mathdsl.ir.nodes import Apply, Axis, Element, IndexValue, Range, Size, SizeKind
from mathdsl.ir.sizes import Poly

S, d, t, s = (Poly.of(name) for name in ("S", "d", "t", "s"))
FACTS = facts_of_sizes((Size("S", SizeKind.RUNTIME, "S"), Size("d", SizeKind.HYPERPARAMETER, "d")))
INSIDE = FACTS.inside((Axis("t", Range(Poly.of(1), S)), Axis("s", Range(Poly.of(1), t - 1))))


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        (Poly.of(0), S, "always"),
        (Poly.of(1), S, "unknown"),  # a sequence may be empty
        (Poly.of(1), d, "always"),  # a hyperparameter is positive
        (Poly.of(1), S * d + 1, "always"),
        (S + 1, S, "never"),
    ],
)
def test_sizes_alone(lower: Poly, upper: Poly, verdict: str) -> None:
    assert compare(lower, upper, FACTS) == verdict


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        (Poly.of(0), t - 1, "always"),
        (Poly.of(1), S, "always"),  # there is a t
        (s + 1, t, "always"),
        (Poly.of(1), t - 1, "always"),  # there is an s before it
        (t + 1, S, "unknown"),
        (S + 1, s, "never"),
    ],
)
def test_a_point_of_the_axes_says_more(lower: Poly, upper: Poly, verdict: str) -> None:
    assert compare(lower, upper, INSIDE) == verdict


def test_a_condition_narrows_the_range_on_both_sides() -> None:
    facts = FACTS.inside((Axis("t", Range(Poly.of(0), S)),))
    is_first = Apply("equal", (IndexValue(t), IndexValue(Poly.of(0))), Element.BOOLEAN)
    assert compare(t, Poly.of(0), facts.assuming(is_first, True)) == "always"
    assert compare(Poly.of(1), t, facts.assuming(is_first, False)) == "always"
    assert compare(Poly.of(1), t, facts) == "unknown"


_ROWS = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-3, 3)), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(_ROWS)
def test_what_is_infeasible_has_no_solution(rows: list[tuple[int, int, int]]) -> None:
    polys = tuple(Poly.of("a") * x + Poly.of("b") * y + c for x, y, c in rows)
    if is_infeasible(polys[1:], polys[0]):
        for a, b in itertools.product(range(-6, 7), repeat=2):
            assert any(poly.evaluate({"a": a, "b": b}) < 0 for poly in polys)


def test_no_contradiction_from_fractions() -> None:
    half = Poly((((("a", 1),), Fraction(1, 2)),))
    assert Facts((half,), ()).proves_nonnegative(Poly.of("a"))
