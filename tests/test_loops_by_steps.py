r"""Loops by steps: `2 i, 3 i, \dots, n`, `n, n - 2, \dots, 1`, `1 : 2 : n`, and numbers that are listed beyond the second."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, text_of
from tests.by_hand import agree, made
from tests.test_loops_without_turns import up

VECTOR = (r"x \in \mathbb{R}^{n}",)
S = "s <- s / 2 + x_"
STEPS: dict[str, tuple[str, Callable[[int], Iterable[int]]]] = {
    "down by two": (f"for j = n, n-2..1;{S}j;end", lambda n: range(n, 0, -2)),
    "down by three": (f"for j = n, n - 3..2;{S}j;end", lambda n: range(n, 1, -3)),
    "multiples": (f"for i = 1..n;for j = 2i, 3i..n;{S}j;end;end", lambda n: [j for i in up(1, n) for j in range(2 * i, n + 1, i)]),
    "from a square": (
        f"for i = 1..n;for j = i^2, i^2 + i..n;{S}j;end;end",
        lambda n: [j for i in up(1, n) for j in range(i * i, n + 1, i)],
    ),
    "three of them": (f"for i = 1..n;for j = i, 2i, 3i..n;{S}j;end;end", lambda n: [j for i in up(1, n) for j in range(i, n + 1, i)]),
    "down by a letter": (f"for i = 1..n;for j = n, n-i..1;{S}j;end;end", lambda n: [j for i in up(1, n) for j in range(n, 0, -i)]),
    "three numbers": (f"for j = 1, 2, 3..n;{S}j;end", lambda n: up(1, n)),
    "three numbers down": (f"for j = n, n-1, n-2..1;{S}j;end", lambda n: range(n, 0, -1)),
    "a name for the step": (f"g <- 2;for j = 1, 1+g..n;{S}j;end", lambda n: range(1, n + 1, 2)),
    "a step that gets smaller": (
        rf"g <- 4;while g > 0 most 3;for j = 1, 1+g..n;{S}j;end;g <- \lfloor g/2 \rfloor;ew",
        lambda n: [j for g in (4, 2, 1) for j in range(1, n + 1, g)],
    ),
}
SPANS: dict[str, Callable[[int], range]] = {
    "1 : n": lambda n: up(1, n),
    "n : -1 : 1": lambda n: range(n, 0, -1),
    "1 : 2 : n": lambda n: range(1, n + 1, 2),
    "n - 1 : -2 : 1": lambda n: range(n - 1, 0, -2),
    "2 : n - 1": lambda n: up(2, n - 1),
}


def summed(turns: Callable[[int], Iterable[int]]) -> Callable[[Tensor], Tensor]:
    def by_hand(x: Tensor) -> Tensor:
        total = torch.zeros((), dtype=x.dtype)
        for j in turns(len(x)):
            total = total / 2 + x[j - 1]
        return total

    return by_hand


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, notation: str) -> None:
    lines, turns = STEPS[name]
    agree(made(text_of(notation, VECTOR, "x", f"s <- 0;{lines};return s")), summed(turns), [1, 2, 5, 6, 9])


@pytest.mark.parametrize("sign", ["=", r"\gets"])
@pytest.mark.parametrize("values", SPANS)
def test_colons_between_the_ends(values: str, sign: str) -> None:
    text = rf"\Require $x \in \mathbb{{R}}^n$ \Procedure{{F}}{{$x$}} \State $s \gets 0$ \For{{$j {sign} {values}$}} "
    text += r"\State $s \gets s/2 + x_j$ \EndFor \State \Return $s$ \EndProcedure"
    agree(made(text), summed(SPANS[values]), [1, 2, 5, 6])


HEADERS: dict[str, Callable[[int, int], Iterable[int]]] = {
    "$j = 1$ to $n$ step $2$": lambda n, i: range(1, n + 1, 2),
    "$j = n$ to $1$ step $-1$": lambda n, i: range(n, 0, -1),
    "$j = n$ downto $1$ step $2$": lambda n, i: range(n, 0, -2),
    "$j = n$ downto $1$ by $-2$": lambda n, i: range(n, 0, -2),
    r"$j = i$ \textbf{to} $n$ \textbf{step} $i$": lambda n, i: range(i, n + 1, i),
    r"$j = n$ \DownTo $i$": lambda n, i: range(n, i - 1, -1),
    r"$j = 1, \dots, n$ by $2$": lambda n, i: range(1, n + 1, 2),
    r"$j = 1$ to $n$, $j \neq i$": lambda n, i: (j for j in up(1, n) if j != i),
    r"$j = 1, \dots, n, j \neq i$": lambda n, i: (j for j in up(1, n) if j != i),
    r"$j \in \{1, \dots, n\}, j > i$": lambda n, i: up(i + 1, n),
    r"$1 \leq j \leq n$, $j \neq i$": lambda n, i: (j for j in up(1, n) if j != i),
}


@pytest.mark.parametrize("header", HEADERS)
def test_words_and_conditions_in_headers(header: str) -> None:
    text = r"\Require $x \in \mathbb{R}^n$ \Procedure{F}{$x$} \State $s \gets 0$ \For{$i = 1, \dots, n$} "
    text += rf"\For{{{header}}} \State $s \gets s/2 + x_j$ \EndFor \EndFor \State \Return $s$ \EndProcedure"
    agree(made(text), summed(lambda n: [j for i in up(1, n) for j in HEADERS[header](n, i)]), [1, 2, 5, 6])


def test_a_word_for_a_step_needs_a_step() -> None:
    text = r"\Require $x \in \mathbb{R}^n$ \Procedure{F}{$x$} \For{$j = 1$ to $n$ by} "
    text += r"\State $x_j \gets 1$ \EndFor \State \Return $x$ \EndProcedure"
    found = compile(text).diagnostics[0]
    assert (found.code, found.message) == ("E0208", "the word for a step has no step behind it")


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_sieve_of_eratosthenes(notation: str) -> None:
    lines = "for i = 1..n;p_i <- 1;end;for i = 2..n;if p_i = 1;for j = i^2, i^2 + i..n;p_j <- 0;end;fi;end;return p"
    found = made(text_of(notation, (r"n \in \mathbb{N}",), "n", lines))(torch.tensor(30))
    assert [i for i, value in enumerate(found.tolist(), 1) if value] == [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


@pytest.mark.parametrize(
    ("range_", "code", "message"),
    [
        ("1, 3, 4", "E0505", "`1, 3, 4` do not tell one step"),
        ("k, i", "E0701", "a step from `k` to `i` is not supported yet"),
        ("1, 1 + h", "E0701", "a step from `1` to `1 + h` is not supported yet"),
        ("s, s + 2", "E0701", "a step from `s` to `s + 2` is not supported yet"),
    ],
)
def test_what_tells_no_step_is_refused(range_: str, code: str, message: str) -> None:
    rows = (*VECTOR, r"h \in \mathbb{R}")
    lines = f"s <- 0.5;for k = 1..n;for i = 1..n;for j = {range_}..n;{S}j;end;end;end;return s"
    found = [d for d in compile(text_of("algorithmic", rows, "x, h", lines)).diagnostics if d.severity == "error"]
    assert [(d.code, d.message) for d in found] == [(code, message)]


def test_a_loop_does_not_change_its_own_step() -> None:
    lines = f"g <- 2;s <- 0;for j = 1, 1 + g..n;{S}j;g <- g + 1;end;return s"
    (found,) = compile(text_of("algorithmic", VECTOR, "x", lines)).diagnostics
    assert (found.code, found.message) == ("E0701", "a loop that changes its own step from `1` to `1 + g` is not supported yet")
    taken = lines.replace("for j = 1, 1 + g", "h <- g;for j = 1, 1 + h")
    agree(made(text_of("algorithmic", VECTOR, "x", taken)), summed(lambda n: range(1, n + 1, 2)), [1, 2, 5])
