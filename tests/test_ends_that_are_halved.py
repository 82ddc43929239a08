r"""Ends of loops that are halved turn by turn, `k \gets \lfloor k / 2 \rfloor`, and reads that such an end keeps inside of an array."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

VECTOR = (r"x \in \mathbb{R}^{n}",)
SIZES = [((n,),) for n in (8, 0, 1, 2, 3, 5)]


def haar(x: Any) -> Any:
    k = len(x)
    while k > 1:
        k, t = k // 2, FromOne(x)
        for i in range(1, k + 1):
            x[i], x[k + i] = (t[2 * i - 1] + t[2 * i]) / 2, (t[2 * i - 1] - t[2 * i]) / 2
    return x


def halves(x: Any) -> Any:
    k, s = len(x), torch.zeros((), dtype=torch.float64)
    while k > 1:
        k //= 2
        s = s + sum(x[i] for i in range(1, k + 1))
    return s


def from_a_half(x: Any) -> Any:
    h, s = len(x) // 2, torch.zeros((), dtype=torch.float64)
    while h >= 1:
        for j in range(1, h + 1):
            s = 0.5 * s + x[j] * x[j + h]
        h //= 2
    return s


def rounded_up(x: Any) -> Any:
    k, s = len(x), torch.zeros((), dtype=torch.float64)
    while k > 1:
        k = -(-k // 3)
        s = s + sum(x[i] for i in range(1, k + 1))
    return s


HALVED: dict[str, tuple[str, Meaning]] = {
    "in place": (
        r"k <- n; while k > 1 most n; k <- \lfloor k / 2 \rfloor; t <- x; for i = 1..k; x_i <- (t_{2i-1} + t_{2i}) / 2; "
        "x_{k+i} <- (t_{2i-1} - t_{2i}) / 2; end; ew; return x",
        haar,
    ),
    "by elements": (
        r"k <- n; while k > 1 most n; k <- \lfloor \frac{k}{2} \rfloor; for i = 1..k; t_i <- (x_{2i-1} + x_{2i}) / 2; "
        "t_{k+i} <- (x_{2i-1} - x_{2i}) / 2; end; for i = 1..2 k; x_i <- t_i; end; ew; return x",
        haar,
    ),
    "a sum": (r"k <- n; s <- 0; while k > 1 most n; k <- \lfloor k / 2 \rfloor; for i = 1..k; s <- s + x_i; end; ew; return s", halves),
    "from a half": (
        r"h <- \lfloor n / 2 \rfloor; s <- 0; while h \geq 1 most n; for j = 1..h; s <- 0.5 s + x_j x_{j+h}; end; "
        r"h <- \lfloor h / 2 \rfloor; ew; return s",
        from_a_half,
    ),
    "rounded up": (
        r"k <- n; s <- 0; while k > 1 most n; k <- \lceil k / 3 \rceil; for i = 1..k; s <- s + x_i; end; ew; return s",
        rounded_up,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", HALVED)
def test_halved_turn_by_turn(name: str, notation: str) -> None:
    lines, meaning = HALVED[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES, shortest=0)


COUNTED = "c <- 0; for i = 1..n; if x_i > 0.5; c <- c + 1; fi; end; s <- 0; for i = 1..c; s <- s + x_{i+1}; end; return s"


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_an_end_keeps_inside_is_checked_when_it_runs(notation: str) -> None:
    subject = compile(text_of(notation, VECTOR, "x", COUNTED)).load().F()
    x = torch.tensor([[0.1, 0.7, 0.2], [0.9, 0.8, 0.1], [0.1, 0.2, 0.3]], dtype=torch.float64)
    torch.testing.assert_close(subject(x), torch.tensor([0.7, 0.9, 0.0], dtype=torch.float64))
    torch.testing.assert_close(subject(x[:, :2], lengths=torch.tensor([2, 0, 1])), torch.tensor([0.7, 0.0, 0.0], dtype=torch.float64))
    with pytest.raises(ValueError, match=r"x\[i \+ 1\] is inside 1 \.\. n"):
        subject(torch.tensor([0.6, 0.7]))
    with pytest.raises(ValueError, match=r"x\[i \+ 1\] is inside 1 \.\. n"):
        subject(x, lengths=torch.tensor([3, 2, 1]))


@pytest.mark.parametrize("value", ["k / 2", r"\frac{k}{2}"])
def test_a_quotient_is_no_end(value: str) -> None:
    lines = f"k <- n; s <- 0; while k > 1 most n; k <- {value}; for i = 1..k; s <- s + x_i; end; ew; return s"
    text = text_of("algorithmic", VECTOR, "x", lines)
    (problem,) = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert problem.code == "E0406"
    assert problem.help == rf"round it, as in `k \gets \lfloor {value} \rfloor`"
    assert compile(text.replace(value, rf"\lfloor {value} \rfloor")).ok


@pytest.mark.parametrize("notation", NOTATIONS)
def test_quotients_from_the_first_value_on(notation: str) -> None:
    r"""`h \gets n / 2` before the loop, and `h \gets h / 2` in it: the help for each is taken."""
    text = text_of(notation, VECTOR, "x", HALVED["from a half"][0].replace(r"\lfloor ", "").replace(r" \rfloor", ""))
    for letter in "nh":
        (problem,) = [d for d in compile(text).diagnostics if d.severity == "error"]
        assert problem.help == rf"round it, as in `h \gets \lfloor {letter} / 2 \rfloor`"
        text = text.replace(f"{letter} / 2", rf"\lfloor {letter} / 2 \rfloor")
    check(text, from_a_half, SIZES, shortest=0)
