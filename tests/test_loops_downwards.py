r"""Loops by dots that go down to a variable of a loop around: `n, \dots, i` is one range, whatever the body does with it."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.by_hand import agree, made
from tests.test_loops_without_turns import text, up

TARGETS = {"j": lambda i, j, n: j, "n-j+1": lambda i, j, n: n - j + 1, "n+i-j": lambda i, j, n: n + i - j}
LASTS = {"i": lambda i, n: i, "n-i+1": lambda i, n: n - i + 1}


@pytest.mark.parametrize(("target", "last"), [(target, last) for target in TARGETS for last in LASTS][:-1])  # the last lies outside
def test_a_range_goes_down_whatever_is_assigned(target: str, last: str) -> None:
    def by_hand(x: Tensor) -> Tensor:
        n = len(x)
        found = torch.zeros(n, n, dtype=x.dtype)
        for i in up(1, n):
            for j in range(n, LASTS[last](i, n) - 1, -1):
                found[i - 1, TARGETS[target](i, j, n) - 1] = 2 * x[j - 1]
        return found

    lines = rf"M <- \mathbf{{0}}_{{n,n}};for i = 1..n;for j = n..{last};M_{{i,{target}}} <- 2 x_j;end;end;return M"
    agree(made(text(lines)), by_hand, [1, 2, 3, 5])


def test_the_order_is_that_of_the_range() -> None:
    def by_hand(x: Tensor) -> Tensor:
        n, total = len(x), torch.zeros((), dtype=x.dtype)
        for i in up(1, n):
            for j in range(n, i - 1, -1):
                total = total / 2 + x[n - j]
        return total

    agree(made(text("s <- 0;for i = 1..n;for j = n..i;s <- s / 2 + x_{n-j+1};end;end;return s")), by_hand, [1, 2, 3, 5])
