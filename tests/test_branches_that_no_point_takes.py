"""Conditions on an index: what the domain decides is neither computed nor awaited; no piece has more points than there are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from differential import check_text
from torch import Tensor

import mathdsl

WHERE = r"""
\begin{where}
  x_t \in \mathbb{R}, t = 1, \dots, S & \\
  w \in \mathbb{R} & \\
\end{where}
"""
RANGE = r"\quad (t = 1, \dots, S)"


def made(first: str, second: str) -> Any:
    text = (
        rf"""\Module{{M}}{{x ; w}}
  c_0 \gets 0 \\
  k_0 \gets w \\
  c_t \gets {first} {RANGE} \\
  k_t \gets {second} {RANGE} \\
  \Return (c, k) \\
\EndModule"""
        + WHERE
    )
    module = mathdsl.compile(text).load().M().double()
    with torch.no_grad():
        module.w.fill_(0.7)
    return module


def cases(inner: str, outer: str, then: str = "x_{t-2}") -> str:
    last = rf"\begin{{cases}} 0.5 & {inner} \\ w & \text{{otherwise}} \end{{cases}}"
    return rf"\begin{{cases}} {then} & {outer} \\ {last} & \text{{otherwise}} \end{{cases}}"


def earlier(x: Tensor, back: int) -> Tensor:
    """`x_{t-back}` where `t > back`, and 0."""
    return torch.cat([torch.zeros(min(back, len(x)), dtype=x.dtype), x[:-back]])


CONDITIONS = {
    "the first of an or": (r"t \leq 2 \lor k_{t-1} > 0.1 \lor x_{t-2} < 0.1", True),
    "the middle of an or": (r"x_t > 5 \lor t \leq 2 \lor k_{t-1} > 0.1", True),
    "a part of an and": (r"x_t < 5 \land (t > 2 \land k_{t-1} > 0.1)", False),
    "a part of an or in an and": (r"x_t < 5 \land (t \leq 2 \lor k_{t-1} > 0.1)", True),
    "what is not": (r"\lnot (t > 2 \land k_{t-1} > 0.1)", True),
    "an or of two": (r"(t > 2 \land k_{t-1} > 0.1) \lor (t > 3 \land x_{t-3} > 0.1)", False),
}


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_a_decided_condition_guards_is_not_awaited(condition: str, steps: int) -> None:
    """`c_1` and `c_2` never read `k`, which reads `c`."""
    inner, holds = CONDITIONS[condition]
    module = made(cases(inner, "t > 2"), r"\tanh(c_{t-1}) + x_t")
    x = torch.linspace(-1, 1, steps, dtype=torch.float64) * 0.9
    c = torch.where(torch.arange(1, steps + 1) > 2, earlier(x, 2), 0.5 if holds else module.w)
    k = torch.tanh(torch.cat([torch.zeros(1, dtype=x.dtype), c[:-1]])) + x
    check(module, x, c, k)


def check(module: Any, x: Tensor, c: Tensor, k: Tensor) -> None:
    expected_c = torch.cat([torch.zeros(1, dtype=x.dtype), c])
    expected_k = torch.cat([module.w[None], k])
    found_c, found_k = module(x)
    torch.testing.assert_close(found_c, expected_c)
    torch.testing.assert_close(found_k, expected_k)
    padded = torch.cat([x, torch.full((2,), float("nan"), dtype=x.dtype)])[None]
    ragged_c, ragged_k = module(padded, lengths=torch.tensor([len(x)]))
    torch.testing.assert_close(ragged_c[0, : len(x) + 1], expected_c)
    torch.testing.assert_close(ragged_k[0, : len(x) + 1], expected_k)
    ours, theirs = (
        torch.autograd.grad(value.sum(), module.w, retain_graph=True)[0]
        for value in (found_c.sum() + found_k.sum(), c.sum() + expected_k.sum())
    )
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_a_condition_that_always_holds_in_its_whole_range(steps: int) -> None:
    module = made(cases(r"t \geq 1 \lor k_{t-1} > 0.1", r"t < 1 \land k_{t-1} < 3", "w"), r"c_t \cdot w + x_t")
    x = torch.linspace(-1, 1, steps, dtype=torch.float64)
    c = torch.full((steps,), 0.5, dtype=torch.float64)
    check(module, x, c, c * module.w + x)


PIECES = {
    "two at the start": (r"\begin{cases} x_{t-2} & t > 2 \\ w & \text{otherwise} \end{cases}", lambda t, s: t <= 2),
    "two at the end": (r"\begin{cases} x_t & t < S - 1 \\ w & \text{otherwise} \end{cases}", lambda t, s: t >= s - 1),
    "the second": (r"\begin{cases} w & t = 2 \\ x_t & \text{otherwise} \end{cases}", lambda t, s: t == 2),
    "the last but one": (r"\begin{cases} w & t = S - 1 \\ x_t & \text{otherwise} \end{cases}", lambda t, s: t == s - 1),
    "between": (r"\begin{cases} w & 2 \leq t \leq 3 \\ x_t & \text{otherwise} \end{cases}", lambda t, s: 2 <= t <= 3),
    "three rows": (
        r"\begin{cases} w & t = 1 \\ w & t = 2 \\ x_t & \text{otherwise} \end{cases}",
        lambda t, s: t <= 2,
    ),
}


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("pieces", PIECES)
def test_a_piece_has_no_more_points_than_the_range(pieces: str, steps: int) -> None:
    value, is_w = PIECES[pieces]
    text = rf"\Module{{M}}{{x ; w}} c_t \gets {value} {RANGE} \\ \Return c \\ \EndModule" + WHERE
    module = mathdsl.compile(text).load().M().double()
    with torch.no_grad():
        module.w.fill_(0.7)
    x = torch.linspace(-1, 1, steps, dtype=torch.float64)
    read = earlier(x, 2) if "t-2" in value else x
    mask = torch.tensor([is_w(t, steps) for t in range(1, steps + 1)], dtype=torch.bool)
    expected = torch.where(mask, module.w, read)
    torch.testing.assert_close(module(x), expected)
    padded = torch.cat([x, torch.full((2,), float("nan"), dtype=x.dtype)])[None]
    ragged = module(padded, lengths=torch.tensor([steps]))
    torch.testing.assert_close(ragged[0], torch.cat([expected, torch.zeros(2, dtype=x.dtype)]))


# ---- branches that one point takes ------------------------------------------------------------------

NUMBERS = r"x_i \in \mathbb{R}, i = 1, \dots, n"
X = torch.tensor([10.0, 20.0, 30.0, 40.0], dtype=torch.float64)


def _algorithm(lines: str) -> str:
    return f"\\begin{{algorithmic}}\n\\Procedure{{F}}{{$x$}}\n\\Require ${NUMBERS}$\n{lines}\n\\EndProcedure\n\\end{{algorithmic}}\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            _algorithm(r"\State $a \gets 0$ \For{$i = 1, \dots, n$} \If{$i > 1$} \State $a \gets x_i$ \EndIf \EndFor \State \Return $a$"),
            X[3],
        ),
        (
            _algorithm(
                r"\State $p \gets 0$ \For{$i = 1, \dots, n$} \If{$i \neq 1$} \State $p \gets x_{i-1}$ \EndIf"
                r" \State $y_i \gets x_i - p$ \EndFor \State \Return $y$"
            ),
            torch.full((4,), 10.0, dtype=torch.float64),
        ),
        (
            r"\Module{F}{x ; } a_0 \gets 5 \\ a_t \gets \begin{cases} a_{t-1} & t = 1 \\ x_t & \text{otherwise} \end{cases}"
            rf" \quad (t = 1, \dots, n) \\ \Return a \\ \begin{{where}} {NUMBERS} & \\ \end{{where}} \EndModule",
            torch.tensor([5.0, 5, 20, 30, 40], dtype=torch.float64),
        ),
    ],
)
def test_what_one_point_alone_reads_is_read_there(program: str, expected: torch.Tensor) -> None:
    made = mathdsl.load(program).F()
    torch.testing.assert_close(made(X), expected)
    assert check_text(program) == 1
