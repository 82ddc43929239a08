r"""Loops by dots that go down to a variable of a loop around: `n, \dots, i` is one range, whatever the body does with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import text_of
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


# ---- where a range goes, in loops around it and without them -----------------------------------------

S = "s <- s / 2 + x_"
RANGES: dict[str, tuple[str, Callable[[int], Iterable[int]]]] = {
    "two numbers": (f"for j = 2..1;{S}j;end", lambda n: (2, 1)),
    "the last and the one before it": (f"for j = n..n-1;{S}j;end", lambda n: (n, n - 1)),
    "down to a number": (f"for j = n..3;{S}j;end", lambda n: range(n, 2, -1)),
    "a name with a value": (f"k <- 2;for j = k..1;{S}j;end", lambda n: (2, 1)),
    "down to a name with a value": (f"k <- 2;for j = n..k+1;{S}j;end", lambda n: range(n, 2, -1)),
    "up from a name with a value": (f"k <- 2;for j = k+1..n;{S}j;end", lambda n: up(3, n)),
    "up from a half": (rf"m <- \lfloor n/2 \rfloor + 1;for j = m..n;{S}j;end", lambda n: up(n // 2 + 1, n)),
    "down to a counter": (f"k <- 0;for i = 1..2;k <- k + 1;for j = n..k;{S}j;end;end", lambda n: [*range(n, 0, -1), *range(n, 1, -1)]),
    "up from a counter": (f"k <- 0;for i = 1..2;k <- k + 1;for j = k..n;{S}j;end;end", lambda n: [*up(1, n), *up(2, n)]),
    "between letters, up": (
        f"for i = 1..n;for j = i..n;for k = i..j;{S}k;end;end;end",
        lambda n: [k for i in up(1, n) for j in up(i, n) for k in up(i, j)],
    ),
    "between letters, down": (
        f"for i = 1..n;for j = 1..i;for k = i..j;{S}k;end;end;end",
        lambda n: [k for i in up(1, n) for j in up(1, i) for k in range(i, j - 1, -1)],
    ),
    "between letters of a loop that goes down": (
        f"for i = n..1;for j = i..n;for k = j..i;{S}k;end;end;end",
        lambda n: [k for i in range(n, 0, -1) for j in up(i, n) for k in range(j, i - 1, -1)],
    ),
    "down to the greatest": (
        rf"for i = 1..n;for j = n..\max(1, i - 1);{S}j;end;end",
        lambda n: [j for i in up(1, n) for j in range(n, max(1, i - 1) - 1, -1)],
    ),
    "up to the least": (
        rf"for i = 1..n;for j = i..\min(n, i + 1);{S}j;end;end",
        lambda n: [j for i in up(1, n) for j in up(i, min(n, i + 1))],
    ),
    "through a window": (
        rf"for i = 1..n;for j = \max(1, i - 2)..i;{S}j;end;end",
        lambda n: [j for i in up(1, n) for j in up(max(1, i - 2), i)],
    ),
    "a name of turns": (
        f"for i = 1..n;m <- n - i + 1;for j = m..n;{S}j;end;end",
        lambda n: [j for i in up(1, n) for j in up(n - i + 1, n)],
    ),
}


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
@pytest.mark.parametrize("name", RANGES)
def test_where_a_range_goes(name: str, notation: str) -> None:
    lines, turns = RANGES[name]

    def by_hand(x: Tensor) -> Tensor:
        total = torch.zeros((), dtype=x.dtype)
        for j in turns(len(x)):
            total = total / 2 + x[j - 1]
        return total

    agree(made(text_of(notation, (r"x \in \mathbb{R}^{n}",), "x", f"s <- 0;{lines};return s")), by_hand, [2, 3, 4, 5])


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
@pytest.mark.parametrize(("ends", "turns"), [("n..p+1", lambda n, p: range(n, p, -1)), ("p..n", lambda n, p: up(p, n))])
@pytest.mark.parametrize("values", [r"\mathbb{N}", r"\{1, \dots, n\}"])
def test_a_range_between_a_size_and_an_input(values: str, ends: str, turns: Callable[[int, int], range], notation: str) -> None:
    declared = (r"x \in \mathbb{R}^{n}", rf"p \in {values}")
    subject = made(text_of(notation, declared, "x, p", f"s <- 0;for j = {ends};{S}j;end;return s"))
    x = torch.tensor([1.0, -2.0, 4.0, 3.0, 0.5], dtype=torch.float64)
    for p in up(1, 4):
        total = 0.0
        for j in turns(5, p):
            total = total / 2 + float(x[j - 1])
        torch.testing.assert_close(float(subject(x, torch.tensor(p))), total)


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
def test_capacities_go_down_to_declared_weights(notation: str) -> None:
    declared = (r"w \in \{1, \dots, 4\}^{n}", r"v \in \mathbb{R}^{n}")
    lines = r"for c = 0..8;d_c <- 0;end;for i = 1..n;for c = 8..w_i;d_c <- \max(d_c, d_{c - w_i} + v_i);end;end;return d_8"
    subject = made(text_of(notation, declared, "w, v", lines))
    w, v = torch.tensor([3, 4, 2, 1]), torch.tensor([2.0, 5.0, 1.5, 0.5], dtype=torch.float64)
    best = [0.0] * 9
    for weight, value in zip(w.tolist(), v.tolist(), strict=True):
        for c in range(8, weight - 1, -1):
            best[c] = max(best[c], best[c - weight] + value)
    assert float(subject(w, v)) == best[8]


@pytest.mark.parametrize("declared", [r"\mathbb{N}", r"\mathbb{Z}"])
def test_nothing_tells_which_of_two_inputs_is_the_greater(declared: str) -> None:
    rows = (r"x \in \mathbb{R}^{n}", f"p, q \\in {declared}")
    (told,) = compile(text_of("algorithmic", rows, "x, p, q", f"s <- 0;for j = p..q;{S}j;end;return s")).diagnostics
    assert (told.code, told.message) == ("E0505", r"`p, \dots, q` can be a range that goes up, or one that goes down")
    assert told.help == r"write `p, p + 1, \dots, q` for one that goes up, or `p, p - 1, \dots, q` for one that goes down"


def test_the_word_to_goes_up() -> None:
    given = r"\Require $x \in \mathbb{R}^n, p \in \mathbb{N}, q \in \mathbb{N}$"
    body = r"\State $s \gets 0$ \For{$j = p$ to $q$} \State $s \gets s/2 + x_j$ \EndFor \State \Return $s$"
    subject = made(rf"{given} \Procedure{{F}}{{$x, p, q$}} {body} \EndProcedure")
    x = torch.tensor([1.0, 2.0, 4.0])
    assert [float(subject(x, torch.tensor(p), torch.tensor(q))) for p, q in ((1, 3), (2, 2), (3, 1))] == [5.25, 2.0, 0.0]
