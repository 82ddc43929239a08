r"""Elements at a counter of turns, `x_{k+1} \gets f(x_k)`: handed on, several sequences, branches, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, check, text_of

SCALAR, VECTOR = r"b \in \mathbb{R}", r"b \in \mathbb{R}^{n}"
SCALARS: list[tuple[tuple[int, ...], ...]] = [((),), ((),)]
HALVED = r"while x_k > 0.05 most 9;x_{k+1} <- x_k / 2;k <- k + 1;ew"


def halved(b: Any) -> Any:
    k = 0
    while b > 0.05 and k < 9:
        b, k = b / 2, k + 1
    return b


def counted(b: Any) -> Any:
    k = 0
    while b > 0.05 and k < 9:
        b, k = b / 2, k + 1
    return b + k


def two_before(b: Any) -> Any:
    before, now = b * 0, b + 1
    for _ in range(5):
        if not now < 4:
            break
        before, now = now, now + before / 2
    return now + before


def chosen(b: Any) -> Any:
    x = b
    for _ in range(6):
        if x > 0.3:
            x = x / 2
        elif x > 0:
            x = x + 1
        else:
            x = x**2 + 0.5
    return x


def left(b: Any) -> Any:
    x = b
    for _ in range(6):
        new = x / 2 + 0.1
        if abs(new - x) < 0.05:
            break
        x = new
    return x


def at_last(b: Any) -> Any:
    x = b
    for _ in range(6):
        x = x / 2
        if x < 0.1:
            break
    return x


def products(b: Any) -> Any:
    x, p = b, b * 0 + 1
    for k in range(4):
        a = x**2 + k
        x, p = x / (1 + a), p * a
    return x + p


def restarted(b: Any) -> Any:
    s = b * 0
    for t in range(1, 4):
        s = s + halved(b * t)
    return s


CASES = {
    "given": (r"x_0 \in \mathbb{R}", "x_0", f"k <- 0;{HALVED};return x_k", halved),
    "assigned": (SCALAR, "b", f"x_0 <- b;k <- 0;{HALVED};return x_k", halved),
    "assigned at the counter": (SCALAR, "b", f"k <- 0;x_k <- b;{HALVED};return x_k", halved),
    "brackets": (
        SCALAR,
        "b",
        "x[0] <- b;k <- 0;while x[k] > 0.05 most 9;x[k+1] <- x[k] / 2;k <- k + 1;ew;return x[k]",
        halved,
    ),
    "the counter is read": (SCALAR, "b", f"x_0 <- b;k <- 0;{HALVED};return x_k + k", counted),
    "from one": (SCALAR, "b", f"x_1 <- b;k <- 1;{HALVED};return x_k", halved),
    "counted first": (
        SCALAR,
        "b",
        r"x_0 <- b;k <- 0;while x_k > 0.05 most 9;k <- k + 1;x_k <- x_{k-1} / 2;ew;return x_k",
        halved,
    ),
    "two before": (
        SCALAR,
        "b",
        r"x_0 <- 0;x_1 <- b + 1;k <- 1;while x_k < 4 most 5;x_{k+1} <- x_k + x_{k-1} / 2;k <- k + 1;ew;return x_k + x_{k-1}",
        two_before,
    ),
    "branches": (
        SCALAR,
        "b",
        r"x_0 <- b;k <- 0;while k < 6 most 6;if x_k > 0.3;x_{k+1} <- x_k / 2;elif x_k > 0;x_{k+1} <- x_k + 1;"
        r"else;x_{k+1} <- x_k^2 + 0.5;fi;k <- k + 1;ew;return x_k",
        chosen,
    ),
    "left": (
        SCALAR,
        "b",
        r"x_0 <- b;k <- 0;while k < 6 most 6;x_{k+1} <- x_k / 2 + 0.1;if |x_{k+1} - x_k| < 0.05;break;fi;k <- k + 1;ew;return x_k",
        left,
    ),
    "left behind": (
        SCALAR,
        "b",
        r"x_0 <- b;k <- 0;while k < 6 most 6;x_{k+1} <- x_k / 2;k <- k + 1;if x_k < 0.1;break;fi;ew;return x_k",
        at_last,
    ),
    "several": (
        SCALAR,
        "b",
        r"x_0 <- b;p_0 <- 1;k <- 0;while k < 4 most 4;\alpha_k <- x_k^2 + k;x_{k+1} <- x_k / (1 + \alpha_k);"
        r"p_{k+1} <- p_k \alpha_k;k <- k + 1;ew;return x_k + p_k",
        products,
    ),
    "counted in a branch": (
        SCALAR,
        "b",
        r"x_0 <- b;k <- 0;for t = 1..9;if x_k > 0.05;x_{k+1} <- x_k / 2;k <- k + 1;fi;end;return x_k + k",
        counted,
    ),
    "in a loop": (SCALAR, "b", f"s <- 0;for t = 1..3;x_0 <- b t;k <- 0;{HALVED};s <- s + x_k;end;return s", restarted),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", CASES)
def test_what_turns_hand_on(name: str, notation: str) -> None:
    row, header, lines, meaning = CASES[name]
    check(text_of(notation, (row,), header, lines), meaning, SCALARS)


def of_vectors(b: Any) -> Any:
    b, k = list(b), 0
    while sum(e**2 for e in b) > 0.05 and k < 9:
        b, k = [e / 2 + b[0] / 10 for e in b], k + 1
    return b


@pytest.mark.parametrize("notation", NOTATIONS)
def test_vectors_with_lengths(notation: str) -> None:
    lines = r"x_0 <- b;k <- 0;while \sum_i x_{k,i}^2 > 0.05 most 9;x_{k+1} <- x_k / 2 + x_{k,1} / 10;k <- k + 1;ew;return x_k"
    check(text_of(notation, (VECTOR,), "b", lines), of_vectors, [((n,),) for n in (3, 1)], shortest=1)


def conjugate_gradients(rows: Any, b: Any, x: Any) -> Any:
    a, b, x = torch.stack([torch.stack(list(row)) for row in rows]), torch.stack(list(b)), torch.stack(list(x))
    r = b - a @ x
    p = r
    for _ in range(len(b)):
        if r.norm() <= 1e-3:
            break
        alpha = (r @ r) / (p @ (a @ p))
        x, new = x + alpha * p, r - alpha * (a @ p)
        p, r = new + (new @ new) / (r @ r) * p, new
    return x


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(("first", "start"), [("", "x_0"), (r"x_0 <- \mathbf{0};", "b")])
def test_conjugate_gradients(first: str, start: str, notation: str) -> None:
    lines = (
        rf"{first}r_0 <- b - A x_0;p_0 <- r_0;k <- 0;while \|r_k\| > \epsilon most n;"
        r"\alpha_k <- \frac{r_k^\top r_k}{p_k^\top A p_k};x_{k+1} <- x_k + \alpha_k p_k;r_{k+1} <- r_k - \alpha_k A p_k;"
        r"\beta_k <- \frac{r_{k+1}^\top r_{k+1}}{r_k^\top r_k};p_{k+1} <- r_{k+1} + \beta_k p_k;k <- k + 1;ew;return x_k"
    )
    square, tolerance = r"A \in \mathbb{R}^{n \times n}", r"\epsilon \in \mathbb{R}_{>0}"
    if start == "x_0":
        text = text_of(notation, (square, r"b, x_0 \in \mathbb{R}^{n}", tolerance), "A, b, x_0", lines)
        check(text, conjugate_gradients, [((n, n), (n,), (n,)) for n in (2, 1)], epsilon=1e-3)
        return

    def from_zeros(rows: Any, b: Any) -> Any:
        return conjugate_gradients(rows, b, [e * 0 for e in b])

    text = text_of(notation, (square, VECTOR, tolerance), "A, b", lines)
    check(text, from_zeros, [((n, n), (n,)) for n in (2, 1)], epsilon=1e-3)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "lines",
    [
        r"while x_k > 1 most 9;if x_k > 2;x_{k+1} <- x_k / 2;fi;k <- k + 1;ew;return x_k",  # a turn may assign nothing
        r"while x_k > 1 most 9;x_{k+1} <- x_k / 2;k <- k + 1;ew;return x_{k+1}",
        r"while x_k > 1 most 9;x_{k+1} <- x_k / x_{k-1};k <- k + 1;ew;return x_k",  # no element before the first
        r"while x_k > 1 most 9;x_{k+1} <- x_k / 2;k <- k + 1;ew;return x",
        r"while x_k > 1 most 9;x_{k+1} <- x_k / 2;k <- k + 1;ew;return x_1",
        r"while x_k > 1 most 9;x_{k+1} <- x_k / 2;k <- k + 2;ew;return x_k",
    ],
)
def test_what_turns_may_not_have_is_refused(lines: str, notation: str) -> None:
    found = [d for d in compile(text_of(notation, (SCALAR,), "b", f"x_0 <- b;k <- 0;{lines}")).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0701"]
    assert r"begin with `x \gets \mathbf{0}_n`" in found[0].help


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "lines",
    [
        r"x_1 <- b;x_2 <- 2 b;k <- 1;s <- 0;while s < 1 most 2;s <- s + x_k;k <- k + 1;ew;return s",
        r"x_0 <- b;k <- 0;while x_k > 0.05 most 9;j <- k + 1;x_j <- x_k / 2;k <- k + 1;ew;return x_k",
    ],
)
def test_an_element_at_a_counter_is_no_parameter(lines: str, notation: str) -> None:
    found = compile(text_of(notation, (SCALAR,), "b", lines)).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["E0701"]
    assert "an element at a computed index, `x_k`," in found[0].message


def of_an_array(b: Any) -> Any:
    x = [b, *[b * 0] * 9]
    for k in range(9):
        if not x[k] > 0.05:
            break
        x[k + 1] = x[k] / 2
    return x


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_way_out_of_elements_that_are_no_names(notation: str) -> None:
    lines = r"x <- \mathbf{0}_{10};x[1] <- b;k <- 1;while x[k] > 0.05 most 9;x[k+1] <- x[k] / 2;k <- k + 1;ew;return x"
    check(text_of(notation, (SCALAR,), "b", lines), of_an_array, SCALARS)
