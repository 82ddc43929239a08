"""Loops of one turn less than there are elements, inside of others and before them, at every number of elements."""

from __future__ import annotations

from typing import Any

import pytest

from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of


def _updated(x: Any) -> Any:
    v = FromOne(x)
    for r in (1, 2):
        for i in range(1, len(x)):
            v[i] = v[i] + r * x[i]
    return v


IN_LOOPS: dict[str, tuple[str, Meaning]] = {
    "inside of another": (
        "y <- x; for r = 1..2; for i = 1..n-1; y <- y + x_i x; end; end; return y",
        lambda x: FromOne(one * (1 + 2 * sum(list(x)[:-1])) for one in x),
    ),
    "an array assigned whole before it is updated": (
        "v <- x; for i = 1..n-1; v <- x; d <- x_i; end; for r = 1..2; for i = 1..n-1; v_i <- v_i + r x_i; end; end; return v",
        _updated,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", IN_LOOPS)
def test_one_turn_less_than_elements(name: str, notation: str) -> None:
    lines, meaning = IN_LOOPS[name]
    check(text_of(notation, (r"x \in \mathbb{R}^{n}",), "x", lines), meaning, [((n,),) for n in (4, 0, 1, 2, 3)], shortest=0)
