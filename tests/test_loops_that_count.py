r"""Loops that count to an end need no number of turns: `i \gets 1; while i \leq n: …; i \gets i + 1`."""

from __future__ import annotations

from typing import Any

import pytest

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, Meaning, check, text_of

VECTOR = (r"x \in \mathbb{R}^{n}",)
UNTIL = " most ANY"  # nothing says it


def written(notation: str, lines: str) -> str:
    return text_of(notation, VECTOR, "x", lines.replace("while", "while ").replace(" do;", f"{UNTIL};")).replace("[ANY]", "")


def summed(x: Any, order: Any, *, while_below: float = 9.0, factor: float = 2.0) -> Any:
    s = 0 * x[1]
    for i in order:
        if not x[i] < while_below:
            break
        s = factor * s + x[i]
    return s


def sorted_in_place(x: Any) -> Any:
    for j in range(2, len(x) + 1):
        v, i = x[j], j - 1
        while i > 0 and x[i] > v:
            x[i + 1] = x[i]
            i -= 1
        x[i + 1] = v
    return x


def in_pairs(x: Any) -> Any:
    n = len(x)
    return sum((x[i] * x[j] / (i + j) for i in range(1, n + 1) for j in range(1, n + 1)), 0 * x[1])


def iterated(x: Any) -> Any:
    u = x[1]
    for _ in range(5):
        u = u / 2 + x[len(x)]
    return u


UP = r"s <- 2 s + x_i; i <- i + 1; ew; return s"
CASES: dict[str, tuple[str, Meaning]] = {
    "up": (rf"i <- 1; s <- 0; while i \leq n do; {UP}", lambda x: summed(x, range(1, len(x) + 1))),
    "up to before": (rf"i <- 1; s <- 0; while i < n do; {UP}", lambda x: summed(x, range(1, len(x)))),
    "the end before": (rf"i <- 1; s <- 0; while n \geq i do; {UP}", lambda x: summed(x, range(1, len(x) + 1))),
    "down": ("i <- n; s <- 0; while i > 0 do; s <- 2 s + x_i; i <- i - 1; ew; return s", lambda x: summed(x, range(len(x), 0, -1))),
    "by two": (
        r"i <- 1; s <- 0; while i \leq n do; s <- 2 s + x_i; i <- i + 2; ew; return s",
        lambda x: summed(x, range(1, len(x) + 1, 2)),
    ),
    "counted first": (
        r"i <- 0; s <- 0; while i < n do; i <- i + 1; s <- 2 s + x_i; ew; return s",
        lambda x: summed(x, range(1, len(x) + 1)),
    ),
    "and another condition": (
        rf"i <- 1; s <- 0; while i \leq n \land x_i < 0.5 do; {UP}",
        lambda x: summed(x, range(1, len(x) + 1), while_below=0.5),
    ),
    "left": (
        r"i <- 1; s <- 0; while i \leq n do; if x_i \geq 0.5; break; fi; s <- 2 s + x_i; i <- i + 1; ew; return s",
        lambda x: summed(x, range(1, len(x) + 1), while_below=0.5),
    ),
    "in each other": (
        r"i <- 1; s <- 0; while i \leq n do; j <- 1; while j \leq n do; s <- s + x_i x_j / (i + j); j <- j + 1; ew; "
        "i <- i + 1; ew; return s",
        in_pairs,
    ),
    "insertion sort": (
        r"for j = 2..n; v <- x_j; i <- j - 1; while i > 0 \land x_i > v do; x_{i+1} <- x_i; i <- i - 1; ew; x_{i+1} <- v; end; return x",
        sorted_in_place,
    ),
    "elements at the counter": (r"u_0 <- x_1; k <- 0; while k < 5 do; u_{k+1} <- u_k / 2 + x_n; k <- k + 1; ew; return u_k", iterated),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, notation: str) -> None:
    lines, meaning = CASES[name]
    check(written(notation, lines), meaning, [((n,),) for n in (4, 1, 2, 5)], shortest=1)


def repeated(x: Any) -> Any:
    t, s = 0, 0 * x[1]
    while True:
        s, t = s / 2 + x[t + 1], t + 1
        if t >= len(x) or s > 0.6:
            return s


def test_repeat() -> None:
    text = r"""\Require $x \in \mathbb{R}^{n}$
\Procedure{F}{$x$} \State $t \gets 0$ \State $s \gets 0$
\Repeat \State $s \gets s / 2 + x_{t+1}$ \State $t \gets t + 1$ \Until{$t \geq n \lor s > 0.6$}
\State \Return $s$ \EndProcedure"""
    check(text, repeated, [((n,),) for n in (4, 1, 2, 5)])


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "lines",
    [
        r"i <- 1; while i \leq n do; if x_i > 0; i <- i + 1; fi; ew; return x_i",  # a turn may not count
        r"i <- 1; while i \leq n do; i <- i - 1; ew; return i",
        r"i <- 1; while i \leq n do; i <- 2 i; ew; return i",
        r"i <- 1; m <- n; while i \leq m do; m <- m + 1; i <- i + 1; ew; return i",
        r"i <- 1; while i \leq n do; if x_i > 0; continue; fi; i <- i + 1; ew; return i",
        r"i <- 1; if x_1 > 0; i <- 2; fi; while i \leq n do; i <- i + 1; i <- i + 1; ew; return i",
        r"s <- x_1; while s < 3 \lor x_2 > 0 do; s <- s + 1; ew; return s",
        r"i <- 1; while x_i > 0 do; x_{i+1} <- x_i; i <- i + 1; ew; return x",
        r"i <- 1; while i \leq n do; j <- i; while j \leq n do; j <- j + 1; ew; i <- i + 1; ew; return i",
        r"for j = 2..n; i <- j - 1; while x_i > x_j do; x_{i+1} <- x_i; i <- i - 1; ew; end; return x",
    ],
)
def test_loops_that_do_not_surely_count(lines: str, notation: str) -> None:
    (found,) = (d for d in compile(written(notation, lines)).diagnostics if d.severity == "error")
    assert (found.code, found.message) == ("E0701", "a `while` loop of which nothing says when it surely ends is not supported yet")
