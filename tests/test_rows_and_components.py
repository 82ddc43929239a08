"""Rows of an array and their components, assigned side by side: they are of one array, or the author is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.by_hand import made
from tests.test_algorithms_of_textbooks import Algorithm

PAIRS = r"y \in \mathbb{R}^{n \times 2}, b \in \mathbb{R}^2"
NOTHING: Any = None


def text(lines: str, declared: str = PAIRS, header: str = "y, b") -> str:
    return Algorithm(declared, header, lines, NOTHING).text


def scaled(u: list[Tensor], b: Tensor, t: int) -> None:
    u[t] = torch.stack([(u[t][1] * b)[0], torch.ones_like(b[0])])


def after_the_last(u: list[Tensor], b: Tensor, t: int) -> None:
    if t > 0:
        u[t] = torch.stack([(u[t - 1][0] * b)[0], torch.ones_like(b[0])])


PROGRAMS: dict[str, tuple[str, Callable[[list[Tensor], Tensor, int], None]]] = {
    "an input": (r"for t = 1..n;y_t <- y_{t,2} b;y_{t,2} <- 1;end;return y", scaled),
    "a copy": (r"u <- y;for t = 1..n;u_t <- u_{t,2} b;u_{t,2} <- 1;end;return u", scaled),
    "the turn before": (r"u <- y;for t = 2..n;u_t <- u_{t-1,1} b;u_{t,2} <- 1;end;return u", after_the_last),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_and_components_are_of_one_array(name: str) -> None:
    lines, run = PROGRAMS[name]

    def by_hand(y: Tensor, b: Tensor) -> Tensor:
        rows = [*y]
        for t in range(len(rows)):
            run(rows, b, t)
        return torch.stack(rows)

    module = made(text(lines))
    for n in (1, 2, 4):
        y, b = torch.rand(n, 2, dtype=torch.float64), torch.rand(2, dtype=torch.float64)
        torch.testing.assert_close(module(y, b), by_hand(y, b))
        torch.testing.assert_close(module(torch.stack([y, 2 * y]), b.expand(2, 2)), torch.stack([by_hand(y, b), by_hand(2 * y, b)]))


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (r"v_{k,1} <- 7", "v_{k,1}"),
        (r"v_{n,1} <- 7", "v_{n,1}"),
        (r"if y_{1,1} > 0;v_{n,1} <- 7;fi", "v_{n,1}"),
        (r"if y_{1,1} > 0;v_{k,2} <- 7;fi", "v_{k,2}"),
    ],
)
def test_a_component_of_a_row_that_was_defined_is_asked_about(line: str, place: str) -> None:
    program = text(f"for i = 1..n;v_i <- y_i;end;{line};return v", r"y \in \mathbb{R}^{n \times 2}, k \in \{1, \dots, n\}", "y, k")
    (found,) = [d for d in mathdsl.compile(program).diagnostics if d.severity == "error"]
    assert (found.code, program[found.span.start : found.span.end]) == ("E0303", place)
    bracketed = program.replace(place, place.replace("_{", "[").replace("}", "]")).replace(r"\For", "\\State $v \\gets 0 y$\n\\For", 1)
    assert mathdsl.compile(bracketed).ok


def test_a_component_in_brackets_is_one() -> None:
    lines = "for i = 1..n;v_i <- 2 y_i;end;v[n, 1] <- 7;return v"

    def by_hand(y: Tensor) -> Tensor:
        found = 2 * y
        return torch.cat([found[:-1], torch.stack([torch.full_like(found[-1, 0], 7.0), found[-1, 1]])[None]])

    module = made(text(lines, r"y \in \mathbb{R}^{n \times 2}", "y"))
    for n in (1, 3):
        y = torch.rand(n, 2, dtype=torch.float64)
        torch.testing.assert_close(module(y), by_hand(y))
