r"""Loops whose ends are computed: `\For{$k = \max(1, t - 1), \dots, \min(t + 1, n)$}`, and to a counter that branches change."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

VECTOR = (r"x \in \mathbb{R}^{n}",)
SIZES = (((5,),), ((1,),), ((2,),), ((3,),), ((0,),))
ZERO = torch.zeros((), dtype=torch.float64)


def each(x: Any, value: Any) -> FromOne:
    return FromOne(value(t, len(x)) for t in range(1, len(x) + 1))


def added(x: Any, first: int, last: int) -> Any:
    return sum((x[k] for k in range(first, last + 1)), ZERO)


def decayed(x: Any, turns: Any) -> Any:
    total = ZERO
    for k in turns:
        total = 0.5 * total + k * x[k]
    return total


def counted(x: Any) -> int:
    return sum(bool(value > 0) for value in x)


def window_in_place(x: Any) -> Any:
    for t in range(1, len(x) + 1):
        for k in range(max(1, t - 1), min(t + 1, len(x)) + 1):
            x[k] = 0.5 * x[k] + 0.1 * x[t]
    return x


def parts_sorted(x: Any) -> Any:
    for t in range(1, len(x) + 1):
        for k in range(max(1, t - 2), min(t, len(x) - 1) + 1):
            if x[k] > x[k + 1]:
                x[k], x[k + 1] = x[k + 1], x[k]
    return x


def moving_end(x: Any) -> Any:
    end, total = 2, ZERO
    for t in range(1, len(x) + 1):
        for k in range(t, min(end, len(x)) + 1):
            total = total + x[k]
            end += bool(x[k] > 0.2)
    return total


def primes(x: Any) -> Any:
    return each(x, lambda i, n: float(all(i % j for j in range(2, i))) + 0 * x[i])


WINDOWS: dict[str, tuple[str, Meaning]] = {
    "both": (
        r"for t = 1..n; s_t <- 0; for k = \max(1, t-1)..\min(t+1, n); s_t <- s_t + x_k; end; end; return s",
        lambda x: each(x, lambda t, n: added(x, max(1, t - 1), min(t + 1, n))),
    ),
    "above": (
        r"for t = 1..n; s <- 0; for k = t..\min(t+2, n); s <- s + x_k; end; y_t <- s; end; return y",
        lambda x: each(x, lambda t, n: added(x, t, min(t + 2, n))),
    ),
    "below": (
        r"for t = 1..n; m <- x_t; for k = \max\{1, t-2\}..t; m <- \max(m, x_k); end; y_t <- m; end; return y",
        lambda x: each(x, lambda t, n: max(x[k] for k in range(max(1, t - 2), t + 1))),
    ),
    "by name": (
        r"for t = 1..n; h <- \min(t+1, n); l <- \max(1, t-1); s <- 0; for k = l..h; s <- s + x_k; end; "
        r"y_t <- s / (h - l + 1); end; return y",
        lambda x: each(x, lambda t, n: added(x, max(1, t - 1), min(t + 1, n)) / (min(t + 1, n) - max(1, t - 1) + 1)),
    ),
    "of three": (
        r"for t = 1..n; h <- \min(t + 2, n, 4); s <- 0; for k = t..h; s <- s + h x_k; end; y_t <- s; end; return y",
        lambda x: each(x, lambda t, n: min(t + 2, n, 4) * added(x, t, min(t + 2, n, 4))),
    ),
    "downwards": (
        r"for t = 1..n; s <- 0; down k = t..\max(1, t-2); s <- 0.5 s + k x_k; end; y_t <- s; end; return y",
        lambda x: each(x, lambda t, n: decayed(x, range(t, max(1, t - 2) - 1, -1))),
    ),
    "the last ones": (
        r"y <- 0; for k = \max(1, n-2)..n; y <- 0.5 y + k x_k; end; return y",
        lambda x: decayed(x, range(max(1, len(x) - 2), len(x) + 1)),
    ),
    "the first ones, downwards": (
        r"y <- 0; down k = \min(3, n)..1; y <- 0.5 y + k x_k; end; return y",
        lambda x: decayed(x, range(min(3, len(x)), 0, -1)),
    ),
    "the further end": (
        r"for t = 1..n; s <- 0; for k = 1..\max(t, n - t); s <- s + x_k; end; y_t <- s; end; return y",
        lambda x: each(x, lambda t, n: added(x, 1, max(t, n - t))),
    ),
    "in place": (
        r"for t = 1..n; for k = \max(1, t-1)..\min(t+1, n); x_k <- 0.5 x_k + 0.1 x_t; end; end; return x",
        window_in_place,
    ),
    "sorted by parts": (
        r"for t = 1..n; for k = \max(1, t-2)..\min(t, n-1); if x_k > x_{k+1}; "
        r"v <- x_k; x_k <- x_{k+1}; x_{k+1} <- v; fi; end; end; return x",
        parts_sorted,
    ),
    "halves": (
        r"for t = 1..n; s <- 0; for k = 1..\lfloor t / 2 \rfloor; s <- s + x_k; end; y_t <- s; end; return y",
        lambda x: each(x, lambda t, n: added(x, 1, t // 2)),
    ),
    "a root": (
        r"s <- 0; for k = 1..\lfloor \sqrt{n} \rfloor; s <- 0.5 s + k x_k; end; return s",
        lambda x: decayed(x, range(1, math.isqrt(len(x)) + 1)),
    ),
    "a sum": (
        r"for t = 1..n; h <- \min(t+1, n); y_t <- \sum_{k=\max(1,t-1)}^{h} x_k; end; return y",
        lambda x: each(x, lambda t, n: added(x, max(1, t - 1), min(t + 1, n))),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str, notation: str) -> None:
    lines, meaning = WINDOWS[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES, shortest=0)


COUNT = r"c <- 0; for i = 1..n; if x_i > 0; c <- c + 1; fi; end; "


def changed_in_the_body(x: Any) -> Any:
    c, total = 1 + counted(x), ZERO
    for k in range(1, c + 1):
        total, c = 0.5 * total + k, c - (c > 1)
    return total + 100 * c


def begun_anew(x: Any) -> Any:
    c, total = 0, ZERO
    for value in x:
        c = c + 1 if value > 0 else 0
        total = total + added(x, 1, c)
    return total


def until_enough(x: Any) -> Any:
    c, total = 0, ZERO
    while total < 0.7 and c < len(x):
        c += 1
        total = total + x[c]
    return decayed(x, range(1, c + 1))


def runs(x: Any) -> Any:
    lengths = [1]
    for value in list(x)[1:]:
        lengths.append(lengths[-1] + 1 if value > 0 else 1)
    return FromOne(added(x, 1, length) for length in lengths)


COUNTERS: dict[str, tuple[str, Meaning]] = {
    "to a counter": (COUNT + "s <- 0; for k = 1..c; s <- 0.5 s + k x_k; end; return s", lambda x: decayed(x, range(1, counted(x) + 1))),
    "behind it": (
        COUNT + "s <- 0; for k = c+1..n; s <- 0.5 s + k x_k; end; return s",
        lambda x: decayed(x, range(counted(x) + 1, len(x) + 1)),
    ),
    "the rest": (
        COUNT + "s <- 0; for k = 1..n-c; s <- 0.5 s + k x_k; end; return s",
        lambda x: decayed(x, range(1, len(x) - counted(x) + 1)),
    ),
    "downwards": (
        COUNT + "s <- 0; down k = c..1; s <- 0.5 s + k x_k; end; return s",
        lambda x: decayed(x, range(counted(x), 0, -1)),
    ),
    "downwards by dots": (
        COUNT + "s <- 0; for k = c..1; s <- 0.5 s + k x_k; end; return s",
        lambda x: decayed(x, range(counted(x), 0, -1)),
    ),
    "within a size": (
        COUNT + r"s <- 0; for k = 1..\min(c, 2); s <- 0.5 s + k; end; return s",
        lambda x: decayed(FromOne([1.0] * 9), range(1, min(counted(x), 2) + 1)) + ZERO,
    ),
    "in a sum": (COUNT + r"return \sum_{k=1}^{c} k x_k", lambda x: sum((k * x[k] for k in range(1, counted(x) + 1)), ZERO)),
    "from three on": (
        r"c <- 3; s <- 0; for i = 1..n-1; if x_i > 0; c <- c + 1; fi; end; for k = 1..c; s <- s + k; end; return s",
        lambda x: float(sum(range(1, 4 + counted(list(x)[: max(len(x) - 1, 0)])))),
    ),
    "by two steps": (
        r"c <- 0; s <- 0; for i = 1..n; if x_i > 0; c <- c + 1; fi; if x_i > 0.4; c <- c + 2; fi; end; "
        r"for k = 1..c; s <- s + k; end; return s",
        lambda x: float(sum(range(1, 1 + sum(bool(v > 0) + 2 * bool(v > 0.4) for v in x)))),
    ),
    "by an indicator": (
        r"c <- 0; s <- 0; for i = 1..n; c <- c + \mathbb{1}[x_i > 0]; end; for k = 1..c; s <- s + x_k; end; return s",
        lambda x: added(x, 1, counted(x)),
    ),
    "in nested loops": (
        r"c <- 0; for i = 1..n; for j = 1..i; if x_i x_j > 0.1; c <- c + 1; fi; end; end; s <- 0; for k = 1..c; s <- s + k; end; return s",
        lambda x: float(sum(range(1, 1 + sum(bool(x[i] * x[j] > 0.1) for i in range(1, len(x) + 1) for j in range(1, i + 1))))),
    ),
    "changed in the body": (
        r"c <- 1; s <- 0; for i = 1..n; if x_i > 0; c <- c + 1; fi; end; "
        r"for k = 1..c; s <- 0.5 s + k; if c > 1; c <- c - 1; fi; end; return s + 100 c",
        changed_in_the_body,
    ),
    "begun anew": (
        r"c <- 0; s <- 0; for i = 1..n; if x_i > 0; c <- c + 1; else; c <- 0; fi; for k = 1..c; s <- s + x_k; end; end; return s",
        begun_anew,
    ),
    "of a loop that ends by a condition": (
        r"c <- 0; s <- 0; while s < 0.7 most n; c <- c + 1; s <- s + x_c; ew; y <- 0; for k = 1..c; y <- 0.5 y + k x_k; end; return y",
        until_enough,
    ),
    "with a moving end": (
        r"h <- 2; s <- 0; for t = 1..n; for k = t..\min(h, n); s <- s + x_k; if x_k > 0.2; h <- h + 1; fi; end; end; return s",
        moving_end,
    ),
    "packed": (
        r"c <- 0; for i = 1..n; y_i <- 0; end; for i = 1..n; if x_i > 0; c <- c + 1; y_c <- x_i; fi; end; "
        r"s <- 0; for k = 1..c; s <- 0.5 s + k y_k; end; return s",
        lambda x: decayed(FromOne(v for v in x if v > 0), range(1, counted(x) + 1)),
    ),
    "a sieve": (
        r"for i = 1..n; p_i <- 1; end; for i = 2..n; if p_i = 1; "
        r"for j = 2..\lfloor n / i \rfloor; p_{i \cdot j} <- 0; end; fi; end; return p",
        primes,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", COUNTERS)
def test_counters(name: str, notation: str) -> None:
    lines, meaning = COUNTERS[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES, shortest=None if name == "a sieve" else 0)


def around_the_last(x: Any) -> Any:
    m = max((i for i in range(1, len(x) + 1) if x[i] > 0), default=0)
    return added(x, max(1, m - 1), min(m + 1, len(x)))


PLACES: dict[str, tuple[str, Meaning]] = {
    "to the greatest": (
        r"m <- 1; for i = 2..n; if x_i > x_m; m <- i; fi; end; s <- 0; for k = 1..m; s <- s + x_k; end; return s",
        lambda x: added(x, 1, max(range(1, len(x) + 1), key=lambda i: x[i])),
    ),
    "from the greatest": (
        r"m <- 1; for i = 2..n; if x_i > x_m; m <- i; fi; end; s <- 0; for k = m..n; s <- s + x_k; end; return s",
        lambda x: added(x, max(range(1, len(x) + 1), key=lambda i: x[i]), len(x)),
    ),
    "around the last": (
        r"m <- 0; for i = 1..n; if x_i > 0; m <- i; fi; end; s <- 0; for k = \max(1, m - 1)..\min(m + 1, n); s <- s + x_k; end; return s",
        around_the_last,
    ),
    "elements": (
        r"c_1 <- 1; for i = 2..n; if x_i > 0; c_i <- c_{i-1} + 1; else; c_i <- 1; fi; end; "
        r"for i = 1..n; s <- 0; for k = 1..c_i; s <- s + x_k; end; y_i <- s; end; return y",
        runs,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", PLACES)
def test_places_that_are_found(name: str, notation: str) -> None:
    lines, meaning = PLACES[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES[:4], shortest=1)


def test_an_element_that_is_not_there_is_told() -> None:
    result = compile(text_of("algorithmic", VECTOR, "x", PLACES["to the greatest"][0]))
    with pytest.raises(ValueError, match=r"x\[k\] is inside 1 \.\. n"):
        result.load().F()(torch.zeros(0))


MATRIX = (r"A \in \mathbb{R}^{n \times n}",)


def by_diagonals(a: Any) -> Any:
    n, total = len(a), ZERO
    for d in range(2, 2 * n + 1):
        for i in range(max(1, d - n), min(n, d - 1) + 1):
            total = 0.9 * total + a[i][d - i]
    return total


def warped(a: Any) -> Any:
    n = len(a)
    table = [[100 + ZERO] * (n + 1) for _ in range(n + 1)]
    table[0][0] = ZERO
    for i in range(1, n + 1):
        for j in range(max(1, i - 2), min(n, i + 2) + 1):
            table[i][j] = a[i][j] + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[n][n]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        (
            r"s <- 0; for d = 2..2n; for i = \max(1, d-n)..\min(n, d-1); s <- 0.9 s + A_{i, d-i}; end; end; return s",
            by_diagonals,
        ),
        (
            r"for i = 0..n; for j = 0..n; D_{i,j} <- 100; end; end; D_{0,0} <- 0; for i = 1..n; for j = \max(1, i-2)..\min(n, i+2); "
            r"D_{i,j} <- A_{i,j} + \min(D_{i-1,j}, D_{i,j-1}, D_{i-1,j-1}); end; end; return D_{n,n}",
            warped,
        ),
    ],
)
def test_bands_of_matrices(lines: str, meaning: Meaning, notation: str) -> None:
    check(text_of(notation, MATRIX, "A", lines), meaning, [((3, 3),), ((1, 1),), ((5, 5),)])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_two_sizes(notation: str) -> None:
    rows = (r"a \in \mathbb{R}^{n}", r"b \in \mathbb{R}^{m}")
    shapes = [((3,), (2,)), ((1,), (1,)), ((2,), (5,)), ((1,), (3,))]
    convolution = r"for k = 2..n+m; c_k <- 0; for i = \max(1, k-m)..\min(n, k-1); c_k <- c_k + a_i b_{k-i}; end; end; return c"

    def convolved(a: Any, b: Any) -> Any:
        n, m = len(a), len(b)
        return FromOne(sum(a[i] * b[k - i] for i in range(max(1, k - m), min(n, k - 1) + 1)) for k in range(2, n + m + 1))

    def triangle(a: Any, b: Any) -> Any:
        return sum((a[t] * b[k] for t in range(1, len(a) + 1) for k in range(1, min(t, len(b)) + 1)), ZERO)

    check(text_of(notation, rows, "a, b", convolution), convolved, shapes)
    lines = r"s <- 0; for t = 1..n; for k = 1..\min(t, m); s <- s + a_t b_k; end; end; return s"
    check(text_of(notation, rows, "a, b", lines), triangle, [*shapes, ((0,), (2,))])


@pytest.mark.parametrize(
    ("rows", "header", "lines"),
    [
        # an integer that may be negative is no number of steps
        ((*VECTOR, r"d \in \mathbb{Z}"), "x, d", "c <- 0; for i = 1..n; c <- c - d; end; s <- 0; for k = 1..c; s <- s + k; end; return s"),
        (VECTOR, "x", "c <- 0; for i = 1..n; c <- 2 c + 1; end; s <- 0; for k = 1..c; s <- s + k; end; return s"),
        (VECTOR, "x, c", "for i = 1..n; c <- c + 1; end; s <- 0; for k = 1..c; s <- s + k; end; return s"),
    ],
)
def test_an_end_of_which_nothing_is_known_is_refused(rows: tuple[str, ...], header: str, lines: str) -> None:
    result = compile(text_of("algorithmic", rows, header, lines))
    assert [d.code for d in result.diagnostics if d.severity == "error"] == ["E0701"]
