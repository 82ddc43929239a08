"""Elements that a loop has left to what was before it, and that a later statement assigns: the loop has read what was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.algorithms_by_hand import NOTATIONS, check, text_of
from tests.by_hand import agree, made, stack
from tests.test_algorithms_of_textbooks import FromOne
from tests.test_loops_without_turns import text, up

ZERO = torch.tensor(0.0, dtype=torch.float64)


def sums(v: Any, x: Any, n: int) -> None:
    for i in up(2, n):
        v[i] = v[i - 1] + x[i]
    v[1] = 0 * x[1]


def zeros(v: Any, x: Any, n: int) -> None:
    for i in up(1, n):
        v[i] = 0 * x[i]
    for i in up(2, n):
        v[i] = v[i - 1]
    v[1] = x[1]


def shifted(v: Any, x: Any, n: int) -> None:
    for i in up(1, n - 1):
        v[i] = v[i + 1]
    v[n] = x[1] / 2


def downwards(v: Any, x: Any, n: int) -> None:
    for i in range(n - 1, 0, -1):
        v[i] = v[i + 1] + x[i]
    v[n] = 0 * x[n]


def twice(v: Any, x: Any, n: int) -> None:
    for _ in up(1, 2):
        for i in up(2, n):
            v[i] = v[i - 1] + x[i]
        v[1] = 7 + 0 * x[1]


def between(v: Any, x: Any, n: int) -> None:
    for i in up(2, n):
        v[i] = 2 * x[i]
    s = sum((v[i] for i in up(1, n)), ZERO)
    v[1] = 7 * s


def through_another(v: Any, x: Any, n: int) -> None:
    u = FromOne(stack(v))
    for i in up(2, n):
        u[i] = u[i - 1] + 1
        v[i] = u[i] * x[i]
    u[1] = 5 * x[1]
    v[1] = u[1] + u[n]


def alone(v: Any, x: Any, n: int) -> None:
    for i in up(2, n):
        v[i] = 2 * x[i]
    v[1] = 7 + 0 * x[1]


def in_a_shorter_loop(v: Any, x: Any, n: int) -> None:
    for _ in up(1, n - 1):
        for j in up(1, n - 1):
            v[j] = 2 * x[j]
        v[n] = 3 + 0 * x[n]


PROGRAMS: dict[str, tuple[str, Callable[[Any, Any, int], None]]] = {
    "sums": ("v <- x;for i = 2..n;v_i <- v_{i-1} + x_i;end;v_1 <- 0;return v", sums),
    "zeros": (r"v <- \mathbf{0}_n;for i = 2..n;v_i <- v_{i-1};end;v_1 <- x_1;return v", zeros),
    "shifted": ("v <- x;for i = 1..n-1;v_i <- v_{i+1};end;v_n <- x_1 / 2;return v", shifted),
    "downwards": ("v <- x;down i = n - 1..1;v_i <- v_{i+1} + x_i;end;v_n <- 0;return v", downwards),
    "in a loop": ("v <- x;for r = 1..2;for i = 2..n;v_i <- v_{i-1} + x_i;end;v_1 <- 7;end;return v", twice),
    "read between": (r"v <- x;for i = 2..n;v_i <- 2 x_i;end;s <- \sum_{i=1}^n v_i;v_1 <- 7 s;return v", between),
    "through another": (
        "v <- x;u <- x;for i = 2..n;u_i <- u_{i-1} + 1;v_i <- u_i x_i;end;u_1 <- 5 x_1;v_1 <- u_1 + u_n;return v",
        through_another,
    ),
    "alone": ("v <- x;for i = 2..n;v_i <- 2 x_i;end;v_1 <- 7;return v", alone),
    "in a shorter loop": ("v <- x;for i = 1..n-1;for j = 1..n-1;v_j <- 2 x_j;end;v_n <- 3;end;return v", in_a_shorter_loop),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_reads_what_was_before_it(name: str) -> None:
    lines, run = PROGRAMS[name]

    def by_hand(x: Tensor) -> Tensor:
        value, given = FromOne(x.clone()), FromOne(x)
        run(value, given, len(x))
        return stack(value)

    agree(made(text(lines)), by_hand, [1, 2, 3, 5])


def taken_before(v: Any, x: Any, n: int) -> None:
    u = FromOne(stack(v))
    u[n] = 3 * x[1]
    v[n] = u[n]
    for i in up(1, n):
        u[i] = v[i] * x[i]
    v[1] = v[1] + u[n]


def in_turns_before(v: Any, x: Any, n: int) -> None:
    u = FromOne(2 * stack(x))
    for _ in up(1, 2):
        v[n] = v[n] + u[n]
    for i in up(1, n):
        u[i] = v[i] + x[i]
    v[n] = v[n] * u[1]


@pytest.mark.parametrize(
    ("lines", "run"),
    [
        ("u <- x;v <- x;u_n <- 3 x_1;v_n <- u_n;for i = 1..n;u_i <- v_i x_i;end;v_1 <- v_1 + u_n;return v", taken_before),
        ("u <- 2 x;v <- x;for r = 1..2;v_n <- v_n + u_n;end;for i = 1..n;u_i <- v_i + x_i;end;v_n <- v_n u_1;return v", in_turns_before),
    ],
)
def test_an_element_is_read_of_what_was_assigned_whole(lines: str, run: Callable[[Any, Any, int], None]) -> None:
    def by_hand(x: Tensor) -> Tensor:
        value, given = FromOne(x.clone()), FromOne(x)
        run(value, given, len(x))
        return stack(value)

    module = made(text(lines))
    assert [*module.parameters()] == []
    agree(module, by_hand, [1, 2, 3, 5])


def in_arms(x: Any) -> Any:
    n, u = len(x), FromOne([*x])
    for i in range(n - 1, 0, -1):
        if x[n - i + 1] < x[i]:
            for j in up(i + 1, n):
                if j < 3:
                    u[n - i + 1] = 2 + 0 * x[i]
                else:
                    u = FromOne([2 * one for one in x])
                if u[n - i + 1] > x[i]:
                    u[n - i + 1] = x[i]
    return u


@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_element_is_read_of_what_an_arm_has_assigned_whole(notation: str) -> None:
    lines = (
        "u <- x; for i = n - 1..1; if x_{n-i+1} < x_i; for j = i+1..n; if j < 3; u_{n-i+1} <- 2; else; u <- 2 x; fi; "
        "if u_{n-i+1} > x_i; u_{n-i+1} <- x_i; fi; end; fi; end; return u"
    )
    check(text_of(notation, (r"x \in \mathbb{R}^{n}",), "x", lines), in_arms, [((n,),) for n in (1, 2, 3, 5)])
