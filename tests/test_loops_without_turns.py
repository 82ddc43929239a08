"""A loop that has no turn leaves everything as it was, at every size: what it reads of its own elements is no reason for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.by_hand import agree, made, stack, value_and_gradient
from tests.test_algorithms_of_textbooks import SQUARE, VECTOR, Algorithm, FromOne, lists, stacked

NOTHING: Any = None


def text(lines: str, declared: str = VECTOR, header: str = "x") -> str:
    return Algorithm(declared, header, lines, NOTHING).text


def up(first: int, last: int) -> range:
    return range(first, last + 1)


def sums(x: Any, n: int) -> None:
    for i in up(3, n):
        x[i] = x[i - 1] + x[i - 2]


def differences(x: Any, n: int) -> None:
    for i in range(n - 2, 0, -1):
        x[i] = x[i + 1] - x[i + 2]


def both(x: Any, n: int) -> None:
    sums(x, n)
    differences(x, n)


def thrice(x: Any, n: int) -> None:
    for _ in up(1, 3):
        sums(x, n)


def counted(x: Any, n: int) -> None:
    t = torch.tensor(5.0, dtype=torch.float64)
    for i in up(4, n):
        x[i] = t + x[i - 3]
        t = x[i] / 2
    for i in up(1, n):
        x[i] = t * x[i]


def with_a_name(x: Any, n: int) -> None:
    for i in up(3, n):
        if x[i] > 0:
            u = x[i - 1] / 2
            x[i] = u + x[i - 2]


def from_the_turn(x: Any, n: int) -> None:
    for k in up(1, n):
        for i in up(k + 2, n):
            x[i] = x[i - 1] + x[i - 2] / k


def in_arms(x: Any, n: int) -> None:
    if sum(x, torch.tensor(0.0)) > 0:
        sums(x, n)
    else:
        for i in up(4, n):
            x[i] = x[i - 3] / 2


def ahead(x: Any, n: int) -> None:
    for i in up(1, n - 3):
        x[i + 3] = x[i + 3] + x[i + 1] * x[i]


def means(x: Any, n: int) -> None:
    for i in up(2, n - 1):
        x[i] = (x[i - 1] + x[i + 1]) / 2


LOOPS = {
    "up": ("for i = 3..n;x_i <- x_{i-1} + x_{i-2};end;return x", sums),
    "down": ("down i = n - 2..1;x_i <- x_{i+1} - x_{i+2};end;return x", differences),
    "one after the other": ("for i = 3..n;x_i <- x_{i-1} + x_{i-2};end;down i = n-2..1;x_i <- x_{i+1} - x_{i+2};end;return x", both),
    "in another": ("for k = 1..3;for i = 3..n;x_i <- x_{i-1} + x_{i-2};end;end;return x", thrice),
    "a name beside": (r"t <- 5;for i = 4..n;x_i <- t + x_{i-3};t <- x_i / 2;end;return t x", counted),
    "a name in an arm": ("for i = 3..n;if x_i > 0;u <- x_{i-1} / 2;x_i <- u + x_{i-2};fi;end;return x", with_a_name),
    "from another's turn": ("for k = 1..n;for i = k+2..n;x_i <- x_{i-1} + x_{i-2} / k;end;end;return x", from_the_turn),
    "counted ahead": ("for i = 1..n-3;x_{i+3} <- x_{i+3} + x_{i+1} x_i;end;return x", ahead),
    "one element at each end": ("for i = 2..n-1;x_i <- (x_{i-1} + x_{i+1}) / 2;end;return x", means),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_without_turns_leaves_a_vector_as_it_was(name: str) -> None:
    lines, run = LOOPS[name]

    def by_hand(x: Tensor) -> Tensor:
        found = FromOne(x)
        run(found, len(x))
        return stack(found)

    agree(made(text(lines)), by_hand, [5, 0, 1, 3, 2, 4])


def rows(a: Any, n: int) -> None:
    for i in up(3, n):
        for j in up(1, n):
            a[i][j] = a[i - 1][j] + a[i - 2][j]


def columns(a: Any, n: int) -> None:
    for i in up(1, n):
        for j in up(3, n):
            a[i][j] = a[i][j - 1] - a[i][j - 2]


def inner(a: Any, n: int) -> None:
    for i in up(3, n - 2):
        for j in up(3, n - 2):
            a[i][j] = a[i - 1][j] + a[i][j - 2] + a[i + 2][j]


TABLES = {
    "rows": ("for i = 3..n;for j = 1..n;A_{i,j} <- A_{i-1,j} + A_{i-2,j};end;end;return A", rows),
    "columns": ("for i = 1..n;for j = 3..n;A_{i,j} <- A_{i,j-1} - A_{i,j-2};end;end;return A", columns),
    "neither edge": ("for i = 3..n-2;for j = 3..n-2;A_{i,j} <- A_{i-1,j} + A_{i,j-2} + A_{i+2,j};end;end;return A", inner),
}


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("name", TABLES)
def test_a_loop_without_turns_leaves_a_matrix_as_it_was(name: str, size: int) -> None:
    lines, run = TABLES[name]
    subject = made(text(lines, SQUARE, "A"))

    def by_hand(a: Tensor) -> Tensor:
        found = lists(a)
        run(found, size)
        return stacked(found)

    batch = torch.randn(3, size, size, dtype=torch.float64, generator=torch.Generator().manual_seed(size))
    for value in batch:
        torch.testing.assert_close(value_and_gradient(subject, value), value_and_gradient(by_hand, value))
    torch.testing.assert_close(subject(batch), torch.stack([by_hand(value) for value in batch]))


def test_arrays_of_two_sizes_in_one_loop() -> None:
    lines = r"for i = 3..m;x_i <- x_{i-1} + x_{i-2};y_i <- y_{i-1} - x_i;end;return \sum_{i=1}^n x_i + 2 \sum_{i=1}^m y_i"
    subject = made(text(lines, r"x \in \mathbb{R}^n, y \in \mathbb{R}^m", "x, y"))
    for size in range(1, 6):
        x, y = torch.arange(1.0, size + 3), torch.arange(2.0, size + 2)
        p, q = FromOne(x), FromOne(y)
        for i in up(3, size):
            p[i] = p[i - 1] + p[i - 2]
            q[i] = q[i - 1] - p[i]
        torch.testing.assert_close(subject(x, y), sum(p) + 2 * sum(q))


def test_elements_that_a_loop_reads_beyond_an_array_are_missed() -> None:
    subject: Callable[[Tensor], Tensor] = made(text("for i = 3..5;x_i <- x_{i-1} + x_{i-2};end;return x"))
    torch.testing.assert_close(subject(torch.arange(6.0)), torch.tensor([0.0, 1.0, 1.0, 2.0, 3.0, 5.0]))
    with pytest.raises(ValueError, match="x"):
        subject(torch.arange(4.0))
