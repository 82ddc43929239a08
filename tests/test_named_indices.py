r"""Names of indices, `j \gets i + \ell - 1`, which stand for them on left sides, in what is read, and at the ends of ranges."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, same, text_of
from tests.by_hand import agree, made

ZERO = torch.zeros((), dtype=torch.float64)
VECTOR = (r"x \in \mathbb{R}^{n}",)
SQUARE = (r"c \in \mathbb{R}^{n \times n}",)
SQUARES = [((n, n),) for n in range(1, 6)]
ITS_ENDS = "for i = 1..n; t_{i,i} <- c_{i,i}; end; for l = 2..n; for i = 1..n - l + 1; j <- i + l - 1; "


def by_spans(join: Any) -> Meaning:
    """What is joined of both parts of every span, from the shortest on."""

    def meaning(c: Any) -> Any:
        n, t = len(c), {}
        for width in range(n):
            for i in range(1, n - width + 1):
                j = i + width
                parts = [(t[i, k], t[k + 1, j]) for k in range(i, j)]
                t[i, j] = join(c[i][j], parts) if parts else c[i][j]
        return t[1, n]

    return meaning


SPANS: dict[str, tuple[str, Meaning]] = {
    "least": (
        r"t_{i,j} <- c_{i,j} + \min_{k=i}^{j-1} (t_{i,k} + t_{k+1,j}); end; end; return t_{1,n}",
        by_spans(lambda c, parts: c + min(a + b for a, b in parts)),
    ),
    "added, side by side": (
        r"t_{ij} <- c_{ij} \sum_{k=i}^{j-1} t_{ik} t_{k+1,j}; end; end; return t_{1,n}",
        by_spans(lambda c, parts: c * sum(a * b for a, b in parts)),
    ),
    "one by one": (
        r"m <- 100; for k = i..j - 1; m <- \min(m, t_{i,k} + t_{k+1,j}); end; t_{i,j} <- m c_{i,j}; end; end; return t_{1,n}",
        by_spans(lambda c, parts: c * min(a + b for a, b in parts)),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", SPANS)
def test_ends_of_spans(name: str, notation: str) -> None:
    lines, meaning = SPANS[name]
    check(text_of(notation, SQUARE, "c", ITS_ENDS + lines), meaning, SQUARES)


def smoothed(x: Any) -> Any:
    n = len(x)
    return FromOne(x[2] if i < 2 else x[n - 1] if i == n else (x[i - 1] + x[i] + x[i + 1]) / 3 for i in range(1, n + 1))


def decayed(x: Any) -> Any:
    y = FromOne(x)
    for i in range(2, len(x) + 1):
        y[i] = x[i] + y[i - 1] / 2
    return y


def products(x: Any) -> Any:
    n, s = len(x), ZERO
    for i in range(1, n - 1):
        s = s + x[i] * x[i + 1] * x[i + 2]
    for i in range(1, n):
        s = s + (n - 1) * x[i] * x[i + 1]
    return s


def bound_below(x: Any) -> Any:
    total = ZERO
    for i in range(1, len(x)):
        for k in range(i, i + 2):
            total = total + x[k] * sum(x[q] * (i + 1) for q in (1, 2))
    return total


VECTORS: dict[str, tuple[str, Meaning, int]] = {
    "turned round": ("for i = 1..n; j <- n - i + 1; y_j <- x_i; end; return y", lambda x: FromOne(reversed(x)), 1),
    "every second": (
        "for i = 1..n; j <- 2 i - 1; k <- 2 i; y_j <- x_i; y_k <- x_i + 1; end; return y",
        lambda x: FromOne(value for one in x for value in (one, one + 1)),
        1,
    ),
    "the one before": ("y_1 <- x_1; for i = 2..n; p <- i - 1; y_i <- x_i + y_p / 2; end; return y", decayed, 1),
    "of a name": (
        "m <- n - 1; k <- m - 1; s <- 0; for i = 1..k; s <- s + x_i x_{i+1} x_{i+2}; end; "
        "for i = 1..m; s <- s + m x_i x_{i+1}; end; return s",
        products,
        2,
    ),
    "assigned again": (
        "m <- n - 2; s <- 0; for i = 1..m; s <- s + x_i x_{i+1} x_{i+2}; end; "
        "m <- n - 1; for i = 1..m; s <- s + m x_i x_{i+1}; end; return s",
        products,
        2,
    ),
    "in branches": (
        "for i = 1..n; a <- i - 1; b <- i + 1; if a < 1; y_i <- x_b; elif b > n; y_i <- x_a; else; "
        "y_i <- (x_a + x_i + x_b) / 3; fi; end; return y",
        smoothed,
        2,
    ),
    "whose letter a sum binds": (
        r"s <- 0; for i = 1..n - 1; j <- i + 1; for k = i..j; s <- s + x_k \sum_{i=1}^{2} x_i j; end; end; return s",
        bound_below,
        2,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", VECTORS)
def test_names_in_vectors(name: str, notation: str) -> None:
    lines, meaning, least = VECTORS[name]
    ragged = None if name in ("every second", "assigned again", "of a name") else least
    check(text_of(notation, VECTOR, "x", lines), meaning, [((n,),) for n in range(least, 6)][::-1], shortest=ragged)


def test_a_name_in_other_values_is_no_index() -> None:
    lines = r"s <- 0; for i = 1..n; m <- i + 1; s <- s + \hat{m} x_i; end; return s m"
    text = text_of("algorithmic", (*VECTOR, r"\hat{m} \in \mathbb{R}"), r"x, \hat{m}", lines)
    check(text, lambda x, h: sum((h * one for one in x), ZERO) * (len(x) + 1), [((3,), ()), ((1,), ())])


def test_what_is_declared_with_a_label_is_no_element() -> None:
    lines = "y_1 <- x_1; for i = 1..n-1; j <- i + 1; y_j <- W_j x_j + y_i; end; return y"
    subject = compile(text_of("algorithmic", (*VECTOR, r"W_j \in \mathbb{R}"), "x, W_j", lines)).load().F()
    x, weight = torch.rand(4, dtype=torch.float64), torch.tensor(0.5, dtype=torch.float64)
    same(subject(x, weight), torch.cat([x[:1], 0.5 * x[1:]]).cumsum(0))


MODULES = {
    r"m \gets n - 1 \\ \Return \sum_{i=1}^{m} (x_{i+1} - x_i)^2 \\": lambda x: x.diff().square().sum(),
    r"d_i \gets x_{i+1} - x_i \quad (i = 1, \dots, m) \\ k \gets m - 1 \\ m \gets n - 1 \\ \Return \sum_{i=1}^{k} d_i d_{i+1} \\": (
        lambda x: (x.diff()[1:] * x.diff()[:-1]).sum()
    ),
}


@pytest.mark.parametrize("body", MODULES)
def test_names_of_ends_in_modules(body: str) -> None:
    subject = made(rf"\Module{{F}}{{x \in \mathbb{{R}}^n ; }} {body} \EndModule")
    agree(subject, MODULES[body], [4, 2, 3, 5])


POOLED = {
    "algorithmic": r"\Require $x \in \mathbb{R}^{H}, P \in \mathbb{N}$ \Procedure{F}{$x, P$} \State $n \gets H / P$ "
    r"\For{$i = 1, \dots, n$} \State $y_i \gets \max_{k=1}^{P} x_{(i-1) P + k}$ \EndFor \State \Return $y$ \EndProcedure",
    "module": r"\Module{F}{x \in \mathbb{R}^{H} ; P \in \mathbb{N}} y_i \gets \max_{k=1}^{P} x_{(i-1) P + k} \quad (i = 1, \dots, n) \\ "
    r"n \gets \frac{H}{P} \\ \Return y \\ \EndModule",
}


@pytest.mark.parametrize("notation", POOLED)
def test_a_quotient_ends_a_range(notation: str) -> None:
    made_of = compile(POOLED[notation]).load().F

    def pooled(x: torch.Tensor) -> Any:
        return made_of(P=2)(x) if notation == "module" else made_of()(x, 2)

    for n in (6, 4, 2, 0):
        x = torch.rand(3, n, dtype=torch.float64)
        same(pooled(x[0]), x[0].reshape(-1, 2).amax(-1))
        same(pooled(x), x.reshape(3, -1, 2).amax(-1))
    with pytest.raises(ValueError, match=r"P \\\\mid H|P \\mid H"):
        pooled(torch.rand(5))


def flat(z: Any) -> Any:
    return FromOne(e for row in z for e in row)


FLAT = r"c <- \mathbf{0}_{BV}; for b = 1..B; for v = 1..V; k <- (b - 1) V + v; c_k <- z_{b,v}; end; end; "
BEHIND: dict[str, tuple[str, Meaning]] = {
    "the place of the greatest": (r"return \arg\max_k c_k", lambda z: torch.tensor(1.0 + int(torch.stack(flat(z)).argmax()))),
    "a sum": (r"return \sum_k c_k^2", lambda z: sum((e**2 for e in flat(z)), ZERO)),
    "in a statement": (r"s <- \max_k c_k + \sum_k c_k; return s c", lambda z: FromOne(e * (max(flat(z)) + sum(flat(z))) for e in flat(z))),
    "the whole": ("return c", flat),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("zeros", [r"\mathbf{0}_{BV}", r"\mathbf{0}_{B V}", r"\mathbf{0}_{(B V)}"])
@pytest.mark.parametrize("name", BEHIND)
def test_a_letter_that_a_reduction_binds_behind_the_loop(name: str, zeros: str, notation: str) -> None:
    lines, meaning = BEHIND[name]
    text = text_of(notation, (r"z \in \mathbb{R}^{B \times V}",), "z", (FLAT + lines).replace(r"\mathbf{0}_{BV}", zeros))
    check(text, meaning, [((m, n),) for m, n in ((2, 3), (1, 1), (3, 2))])
    assert not list(compile(text).load().F().parameters())


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_constant_whose_size_nothing_says_is_no_parameter(notation: str) -> None:
    lines, rows = r"c <- \mathbf{0}_n; for b = 1..B; c_b <- z_b; end; return c", (r"z \in \mathbb{R}^{B}",)
    (found,) = (d for d in compile(text_of(notation, rows, "z", lines)).diagnostics if d.severity == "error")
    assert (found.code, found.message) == ("E0701", r"`\mathbf{0}_n`, whose size nothing says, is not supported yet")
    assert found.help == r"write a size that an input has, or declare the one that is written, as in `n \in \mathbb{N}`"
    subject = compile(text_of(notation, (*rows, r"n \in \mathbb{N}"), "z", lines)).load().F(n=5)
    same(subject(torch.tensor([1.0, 2.0])), torch.tensor([1.0, 2.0, 0.0, 0.0, 0.0], dtype=torch.float64))
