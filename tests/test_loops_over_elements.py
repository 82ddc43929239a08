r"""Loops over the elements of an array, `\For{$v \in x$}`: what they hand from turn to turn, rows, pairs, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

VECTOR, MATRIX = r"x \in \mathbb{R}^{n}", r"X \in \mathbb{R}^{n \times d}"
VECTORS = [((n,),) for n in (6, 0, 1, 2, 3)]
ZERO = torch.zeros((), dtype=torch.float64)


def left_to_right(x: Any) -> Any:
    s = ZERO
    for v in x:
        s = 2 * s + v
    return s


def majority(x: Any) -> Any:
    m, c = ZERO, 0
    for v in x:
        if c == 0:
            m, c = v, 1
        else:
            c = c + 1 if v > m else c - 1
    return m


def swapped(x: Any) -> Any:
    a, b = ZERO, ZERO + 1
    for v in x:
        a, b = b, a + v * b
    return a


def left(x: Any) -> Any:
    s = ZERO
    for v in x:
        if v < 0:
            break
        s = 2 * s + v
    return s


def skipped(x: Any) -> Any:
    s = ZERO
    for v in x:
        if v < 0:
            continue
        s = 2 * s + v
    return s


def pairs(x: Any) -> Any:
    s = ZERO
    for u in x:
        for v in x:
            s = s * 0.5 + u * v
    return s


def halved(x: Any) -> Any:
    s = ZERO
    for v in x:
        if v > 0.3:
            v = v / 2
        s = 2 * s + v**2
    return s


def behind(x: Any) -> Any:
    s, v = ZERO, ZERO
    for v in x:
        s = 2 * s + v
    return s - v


def running(x: Any) -> Any:
    s, k, y = ZERO, 0, FromOne([ZERO] * len(x))
    for v in x:
        s, k = s + v, k + 1
        y[k] = s
    return y


def shadowed(x: Any) -> Any:
    s = ZERO
    for v in x:
        s = 2 * s + v * sum((t * w for w, t in zip(x, range(1, len(x) + 1), strict=True)), ZERO)
    return s


def after_change(x: Any) -> Any:
    x = FromOne(2 * v for v in x)
    s = ZERO
    for v in x:
        s = s / 2 + v
    return s


def running_twice(x: Any) -> Any:
    return left_to_right(running(x))


def largest_twice(x: Any) -> Any:
    y, s = FromOne(2 * v for v in x), ZERO
    for v in y:
        s = s / 2 + v
    return s


LOOPS: dict[str, tuple[str, Meaning]] = {
    "with branches": (
        "m <- 0; c <- 0; for v in x; if c = 0; m <- v; c <- 1; elif v > m; c <- c + 1; else; c <- c - 1; fi; end; return m",
        majority,
    ),
    "swapped": ("a <- 0; b <- 1; for v in x; (a, b) <- (b, a + v b); end; return a", swapped),
    "left": ("s <- 0; for v in x; if v < 0; break; fi; s <- 2 s + v; end; return s", left),
    "skipped": ("s <- 0; for v in x; if v < 0; continue; fi; s <- 2 s + v; end; return s", skipped),
    "nested": ("s <- 0; for u in x; for v in x; s <- 0.5 s + u v; end; end; return s", pairs),
    "assigned inside": ("s <- 0; for v in x; if v > 0.3; v <- v / 2; fi; s <- 2 s + v^2; end; return s", halved),
    "read behind": ("s <- 0; v <- 0; for v in x; s <- 2 s + v; end; return s - v", behind),
    "elements given": (r"y <- \mathbf{0}_n; s <- 0; k <- 0; for v in x; s <- s + v; k <- k + 1; y_k <- s; end; return y", running),
    "a letter of its own": (r"s <- 0; for v in x; s <- 2 s + v \sum_{i=1}^{n} i x_i; end; return s", shadowed),
    "an input that was changed": ("x <- 2 x; s <- 0; for v in x; s <- s / 2 + v; end; return s", after_change),
    "elements of its own": (
        "y_1 <- x_1; for i = 2..n; y_i <- y_{i-1} + x_i; end; s <- 0; for v in y; s <- 2 s + v; end; return s",
        running_twice,
    ),
    "an array of its own": ("y <- 2 x; s <- 0; for v in y; s <- s / 2 + v; end; return s", largest_twice),
    "its element as the variable": ("s <- 0; for x_i in x; s <- 2 s + x_i; end; return s", left_to_right),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", LOOPS)
def test_elements_in_order(name: str, notation: str) -> None:
    lines, meaning = LOOPS[name]
    check(text_of(notation, (VECTOR,), "x", lines), meaning, VECTORS, shortest=0)


@pytest.mark.parametrize("row", [r"x_t \in \mathbb{R}, t = 1, \dots, n", r"x_t \in \mathbb{R}, t = 0, \dots, n - 1"])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_declared_range_is_gone_through(notation: str, row: str) -> None:
    check(text_of(notation, (row,), "x", "s <- 0; for v in x; s <- 2 s + v; end; return s"), left_to_right, VECTORS, shortest=0)


def rows(x: Any) -> Any:
    s = ZERO
    for v in x:
        s = s / 2 + v[1] * v[2] + sum(t * w for t, w in zip(v, range(1, len(v) + 1), strict=True))
    return s


def entries(x: Any) -> Any:
    s = ZERO
    for i in range(1, len(x) + 1):
        for v in x[i]:
            s = s / 2 + i * v
    return s


MATRICES: dict[str, tuple[str, Meaning]] = {
    "rows": (r"s <- 0; for v in X; s <- s / 2 + v_1 v_2 + \sum_{j=1}^{d} j v_j; end; return s", rows),
    "elements of a row": ("s <- 0; for i = 1..n; for v in X_i; s <- s / 2 + i v; end; end; return s", entries),
    "rows of rows": ("s <- 0; i <- 0; for r in X; i <- i + 1; for v in r; s <- s / 2 + i v; end; end; return s", entries),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", MATRICES)
def test_rows_of_a_matrix(name: str, notation: str) -> None:
    lines, meaning = MATRICES[name]
    check(text_of(notation, (MATRIX,), "X", lines), meaning, [((n, 3),) for n in (4, 0, 1, 2)])


def relaxed(edges: Tensor, w: Tensor, start: int = 0) -> Tensor:
    d = [torch.full((), 9.0, dtype=torch.float64)] * 4
    d[start] = ZERO
    for (u, v), length in zip(edges.tolist(), w, strict=True):
        if d[u - 1] + length < d[v - 1]:
            d[v - 1] = d[u - 1] + length
    return torch.stack(d)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_pairs_that_are_rows(notation: str) -> None:
    declared = (r"E \in \{1, \dots, 4\}^{m \times 2}", r"w \in \mathbb{R}^m")
    lines = (
        r"d_i <- 9 \quad (i = 1, \dots, 4); d_1 <- 0; k <- 0; for (u, v) in E; k <- k + 1; if d_u + w_k < d_v; d_v <- d_u + w_k; fi; end"
    )
    subject = compile(text_of(notation, declared, "E, w", lines + "; return d")).load().F()
    edges = torch.tensor([[[1, 2], [2, 3], [3, 4], [1, 3]], [[1, 4], [4, 2], [2, 1], [2, 3]]])
    w = torch.tensor([[1.0, 2.0, 4.0, 0.5], [3.0, -1.0, 1.0, 2.5]], dtype=torch.float64, requires_grad=True)
    wanted = torch.stack([relaxed(edges[k], w[k]) for k in range(2)])
    torch.testing.assert_close(subject(edges, w), wanted)
    for found, right in zip(*(torch.autograd.grad(value.sin().sum(), w) for value in (subject(edges, w), wanted)), strict=True):
        torch.testing.assert_close(found, right)
    ragged = subject(edges, w, lengths=torch.tensor([4, 2]))
    torch.testing.assert_close(ragged, torch.stack([wanted[0], relaxed(edges[1, :2], w[1, :2])]))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_elements_that_are_indices(notation: str) -> None:
    declared = (r"x \in \{1, \dots, 4\}^n",)
    text = text_of(notation, declared, "x", r"c <- \mathbf{0}_4; for v in x; c_v <- c_v + 1; end; return c")
    subject = compile(text).load().F()
    x = torch.tensor([[1, 3, 3, 2], [2, 2, 2, 4]])
    for ours, own in zip(subject(x), x, strict=True):
        torch.testing.assert_close(ours.long(), torch.bincount(own - 1, minlength=4))


@pytest.mark.parametrize(
    ("rows", "lines", "message"),
    [
        ((VECTOR,), "s <- 0; for v in x; s <- s + v; x_1 <- s; end; return s", "a loop over the elements of `x`, which it assigns, is not"),
        (
            (),
            "s <- 0; for v in x; s <- s + v; end; return s",
            "a value of `s` that is handed from turn to turn in a loop over anything but",
        ),
    ],
)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_is_not_told(notation: str, rows: tuple[str, ...], lines: str, message: str) -> None:
    (found,) = compile(text_of(notation, rows, "x", lines)).diagnostics
    assert found.code == "E0701"
    assert found.message.startswith(message)
