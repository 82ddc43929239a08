r"""Values that some turns of a loop assign: what a reader finds, or an error at the call where there is nothing to find.

Each program stands in both notations of algorithms, beside the same statements in Python, which raise where a name has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.by_hand import calls_decide
from tests.test_algorithms_of_textbooks import SQUARE, VECTOR, FromOne, lists, stacked
from tests.test_arrays_executed import algorithmic, docstring, flat, slopes, up

SIZES = (1, 2, 3, 5)


class Names(dict[str, Any]):
    """What has been assigned; reading anything else is a `KeyError`."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def greatest(x: Any) -> Any:
    found, b = Names(), 0.3
    for i in up(1, len(x)):
        if x[i] > b:
            b, found.m = x[i], i
    return b + 10 * found.m


def first_of_some(x: Any) -> Any:
    found = Names(c=0)
    for i in up(1, len(x)):
        if found.c == 0 and x[i] > 0.2:
            found.k, found.c = i, 1
    return found.k * x[found.k]


def last_of_some(x: Any) -> Any:
    found = Names()
    for value in x:
        if value > 0:
            found.p = value
    return found.p


def peak(x: Any) -> Any:
    found = Names()
    for i in up(2, len(x) - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            found.p = i
    return x[found.p]


def held(x: Any) -> Any:
    found, y = Names(), []
    for value in x:
        if value > 0:
            found.u = 2 * value
        y.append(found.u)
    return y


def moved_by(x: Any) -> Any:
    found = Names()
    for value in x:
        if value > 0:
            found.m = value
    for i in up(2, len(x)):
        x[i] = x[i] + found.m
    return x


def crossings(x: Any) -> Any:
    found, c = Names(), 0
    for i in up(2, len(x)):
        if x[i - 1] * x[i] < 0:
            found.z, c = i, c + 1
    return c + found.z if c > 0 else 0


def last_turn(x: Any) -> Any:
    found = Names()
    for i in up(3, len(x)):
        found.t = x[i - 1]
        x[i] = found.t + x[i - 2]
    return found.t + x[len(x)]


def selection(x: Any) -> Any:
    for i in up(1, len(x) - 1):
        b = torch.tensor(inf)
        for j in up(i, len(x)):
            if x[j] < b:
                b, m = x[j], j
        x[i], x[m] = x[m], x[i]
    return x


def nearest(x: Any) -> Any:
    q, s = FromOne([None] * len(x)), 0
    for i in up(1, len(x)):
        b = torch.tensor(inf)
        for j in up(1, len(x)):
            if j != i and abs(x[i] - x[j]) < b:
                b, q[i] = abs(x[i] - x[j]), j
        if q[i] is None:
            raise KeyError(i)
        s = s + i * q[i]
    return s


def some_twice(x: Any) -> Any:
    return sum((value for value in x if value > 0), torch.tensor(0.0, dtype=torch.float64))


def chain(x: Any) -> Any:
    n, m, s = len(x), {}, Names()
    for i in up(1, n):
        m[i, i] = torch.tensor(0.0)
    for l in up(2, n):
        for i in up(1, n - l + 1):
            j = i + l - 1
            m[i, j] = torch.tensor(inf)
            for k in up(i, j - 1):
                q = m[i, k] + m[k + 1, j] + abs(x[i] * x[k] * x[j])
                if q < m[i, j]:
                    m[i, j], s[f"{i},{j}"] = q, k
    return m[1, n] + s[f"1,{n}"]


def distances(a: Any) -> Any:
    n = len(a)
    d, v = FromOne([torch.tensor(inf, dtype=torch.float64)] * n), FromOne([0] * n)
    d[1] = torch.tensor(0.0, dtype=torch.float64)
    for _ in up(1, n):
        b = inf
        for i in up(1, n):
            if v[i] == 0 and d[i] < b:
                b, u = d[i], i
        v[u] = 1
        for i in up(1, n):
            if d[u] + abs(a[u][i]) < d[i]:
                d[i] = d[u] + abs(a[u][i])
    return d


CHAIN = (
    r"for i = 1..n; m_{i,i} <- 0; end; for l = 2..n; for i = 1..n - l + 1; j <- i + l - 1; m_{i,j} <- \infty; for k = i..j - 1; "
    r"q <- m_{i,k} + m_{k+1,j} + \lvert x_i x_k x_j \rvert; if q < m_{i,j}; m_{i,j} <- q; s_{i,j} <- k; fi; end; end; end; "
    "return m_{1,n} + s_{1,n}"
)
DISTANCES = (
    r"for i = 1..n; d_i <- \infty; v_i <- 0; end; d_1 <- 0; for k = 1..n; b <- \infty; for i = 1..n; if v_i = 0 \land d_i < b; "
    r"b <- d_i; u <- i; fi; end; v_u <- 1; for i = 1..n; if d_u + \lvert A_{u,i} \rvert < d_i; d_i <- d_u + \lvert A_{u,i} \rvert; fi; "
    "end; end; return d"
)
NEAREST = (
    r"for i = 1..n; b <- \infty; for j = 1..n; if j \neq i; d <- \lvert x_i - x_j \rvert; if d < b; b <- d; q_i <- j; fi; fi; end; end; "
    r"return \sum_{i=1}^{n} i q_i"
)
FOUND: dict[str, tuple[str, Callable[..., Any]]] = {
    "the greatest beyond a number": ("b <- 0.3; for i = 1..n; if x_i > b; b <- x_i; m <- i; fi; end; return b + 10 m", greatest),
    "the first": (r"c <- 0; for i = 1..n; if c = 0 \land x_i > 0.2; k <- i; c <- 1; fi; end; return k x_k", first_of_some),
    "the last": ("for i = 1..n; if x_i > 0; p <- x_i; fi; end; return p", last_of_some),
    "a peak": (r"for i = 2..n-1; if x_i > x_{i-1} \land x_i > x_{i+1}; p <- i; fi; end; return x_p", peak),
    "what was found so far": ("for i = 1..n; if x_i > 0; u <- 2 x_i; fi; y_i <- u; end; return y", held),
    "read in a loop that need not begin": (
        "for i = 1..n; if x_i > 0; m <- x_i; fi; end; for i = 2..n; x_i <- x_i + m; end; return x",
        moved_by,
    ),
    "read where it was found": (
        "c <- 0; for i = 2..n; if x_{i-1} x_i < 0; c <- c + 1; z <- i; fi; end; if c > 0; r <- c + z; else; r <- 0; fi; return r",
        crossings,
    ),
    "what the last turn gave": ("for i = 3..n; t <- x_{i-1}; x_i <- t + x_{i-2}; end; return t + x_n", last_turn),
    "sorted by the least of the rest": (
        r"for i = 1..n-1; b <- \infty; for j = i..n; if x_j < b; b <- x_j; m <- j; fi; end; t <- x_i; x_i <- x_m; x_m <- t; end; return x",
        selection,
    ),
    "an element for each": (NEAREST, nearest),
    "elements read by the condition that gave them": (
        "for i = 1..n; if x_i > 0; y_i <- x_i; fi; end; s <- 0; for i = 1..n; if x_i > 0; s <- s + y_i; fi; end; return s",
        some_twice,
    ),
    "the order of a chain of matrices": (CHAIN, chain),
    "shortest paths": (DISTANCES, distances),
}


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("name", FOUND)
def test_what_a_reader_finds(name: str, write: Callable[..., str]) -> None:
    lines, meaning = FOUND[name]
    declared, header, rank = (SQUARE, "A", 2) if meaning is distances else (VECTOR, "x", 1)
    result = mathdsl.compile(write(declared, header, lines.split("; ")))
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    subject, generator = result.load().F(), torch.Generator().manual_seed(1)
    for n in SIZES:
        batch, values = [], []
        for given in torch.randn(5, *[n] * rank, dtype=torch.float64, generator=generator).unbind():
            ours, again = given.clone().requires_grad_(), given.clone().requires_grad_()
            try:
                wanted = stacked(meaning(lists(again)))
            except KeyError:
                with pytest.raises(ValueError, match="is assigned before it is read|is inside"):
                    subject(ours)
                continue
            found = subject(ours)
            torch.testing.assert_close(found.double(), wanted)
            torch.testing.assert_close(slopes(*flat(found), [ours]), slopes(*flat(wanted), [again]))
            batch.append(given)
            values.append(wanted)
        if batch:
            torch.testing.assert_close(subject(torch.stack(batch)).double(), torch.stack(values))


def test_lengths_of_examples_that_have_turns_and_of_some_that_have_none() -> None:
    lines = "for i = 1..n; if x_i > 0; m <- x_i; fi; end; for i = 2..n; x_i <- x_i + m; end; return x"
    subject = mathdsl.load(algorithmic(VECTOR, "x", lines.split("; "))).F()
    x = torch.tensor([[-1.0, 2.0, 3.0], [-1.0, torch.nan, torch.nan], [torch.nan] * 3])
    wanted: Tensor = torch.tensor([[-1.0, 5.0, 6.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    torch.testing.assert_close(subject(x, lengths=torch.tensor([3, 1, 0])), wanted)
    with pytest.raises(ValueError, match="`?m`? is assigned before it is read"):
        subject(-x.nan_to_num(1.0).abs(), lengths=torch.tensor([3, 1, 0]))


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        ("if x_1 > 0; u <- 1; fi; return u", [([1, -2], 1), ([-1, 2], None), ([3], 1)]),
        (
            "if x_1 > 0; for i = 1..n; u <- x_i; end; fi; return u",
            [([1, 2, 3], 3), ([1, -1, -2], -2), ([-1, 2, 3], None), ([-1], None)],
        ),
        (
            "for i = 1..n; if x_i > 0; y_i <- x_i; fi; end; return y",
            [([1, 2, 3], [1, 2, 3]), ([3, -1, 2], None), ([-1, -2, -3], None), ([2, 5], [2, 5]), ([2, -1], None), ([], [])],
        ),
        (
            r"for i = 1..n; if x_i > 0; y_i <- x_i; fi; end; return \sum_{i=1}^{n} y_i",
            [([1, 2, 3], 6), ([3, -1, 2], None), ([2, 5], 7), ([2, -1], None), ([-2], None), ([], 0)],
        ),
        (
            r"for i = 1..n; if x_i > 0; m <- i; y_i <- x_i; fi; end; return m + \sum_{i=1}^{n} y_i",
            [([1, 2, 3], 9), ([3, -1, 2], None), ([-1, -2, -3], None), ([1], 2), ([-1], None), ([], None)],
        ),
    ],
)
@pytest.mark.parametrize("write", [algorithmic, docstring])
def test_what_one_branch_may_leave_without_a_value_is_told_by_the_call(
    lines: str, answers: list[tuple[list[float], Any]], write: Callable[..., str]
) -> None:
    calls_decide(mathdsl.load(write(VECTOR, "x", lines.split("; "))).F(), answers)


@pytest.mark.parametrize("write", [algorithmic, docstring])
def test_a_truth_value_is_a_name_of_an_arm(write: Callable[..., str]) -> None:
    lines = "s <- 0; for k = 1..n; if x_k > 0; b <- x_k > 1; for i = 1..n; if b; s <- s + x_i; fi; end; fi; end; return s"
    subject = mathdsl.load(write(VECTOR, "x", lines.split("; "))).F()
    for x in torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 2:
        torch.testing.assert_close(subject(x), x.sum() * (x > 1).sum())
