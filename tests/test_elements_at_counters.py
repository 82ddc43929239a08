r"""Elements at a counter of turns, `x_{k+1} \gets f(x_k)`: handed on, several sequences, branches, what is refused."""

from __future__ import annotations

import re
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


def above(text: str, bracket: str) -> str:
    """With the places above: `x^{(k+1)}` for `x_{k+1}`, `(x^{(k)})^2` for `x_k^2`."""
    left, right = (bracket, ")") if bracket else ("", "")
    text = re.sub(r"(\b[xp]|\\alpha)_(?:(\w)|\{([^{}]*)\})", rf"\1^{{{left}\2\3{right}}}", text)
    return re.sub(r"(\b[xp]\^\{[^{}]*\})\^2", r"(\1)^2", text)


@pytest.mark.parametrize("bracket", ["(", ""])
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", sorted(CASES.keys() - {"brackets"}))
def test_places_above(name: str, notation: str, bracket: str) -> None:
    row, header, lines, meaning = CASES[name]
    check(text_of(notation, (above(row, bracket),), above(header, bracket), above(lines, bracket)), meaning, SCALARS)


def in_two_loops(b: Any) -> Any:
    x, y = halved(b), b
    for _ in range(7):
        if y >= 3:
            break
        y = 2 * y + x + 1
    return y + x


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("place", ["_{{{}}}", "^{{({})}}", "[{}]"])
def test_a_counter_that_begins_anew(place: str, notation: str) -> None:
    lines = (
        "x@0 <- b;k <- 0;while x@k > 0.05 most 9;x@+ <- x@k / 2;k <- k + 1;ew;s <- x@k;"
        "k <- 0;y@k <- b;while y@k < 3 most 7;y@+ <- 2 y@k + s + 1;k <- k + 1;ew;return y@k + s"
    )
    written = re.sub("@(.)", lambda found: place.format("k + 1" if found[1] == "+" else found[1]), lines)
    check(text_of(notation, (SCALAR,), "b", written), in_two_loops, SCALARS)


SYSTEM = (r"A \in \mathbb{R}^{n \times n}", r"b \in \mathbb{R}^{n}")
OTHERS = r"\sum_{j \neq i} A_{i,j} x(k, j)"
SWEEPS = {
    "in a loop": rf"for i = 1..n;x(k+1, i) <- (b_i - {OTHERS}) / (3 + A_{{i,i}});end;k <- k + 1",
    "over a range": rf"x(k+1, i) <- (b_i - {OTHERS}) / (3 + A_{{i,i}}) \quad (i = 1, \dots, n);k <- k + 1",
    "the first one apart": r"x(k+1, 1) <- (b_1 - \sum_{j > 1} A_{1,j} x(k, j)) / (3 + A_{1,1});"
    rf"for i = 2..n;x(k+1, i) <- (b_i - {OTHERS}) / (3 + A_{{i,i}});end;k <- k + 1",
    "in both branches": rf"for i = 1..n;if b_i > 0.2;x(k+1, i) <- (b_i - {OTHERS}) / (3 + A_{{i,i}});"
    rf"else;x(k+1, i) <- (b_i - {OTHERS}) / (3 + A_{{i,i}});fi;end;k <- k + 1",
}
PLACES = {"below": (r"x_{\1}", r"x_{\1,\2}"), "above": (r"x^{(\1)}", r"x_{\2}^{(\1)}"), "in brackets": (r"x[\1]", r"x[\1,\2]")}


def jacobi(rows: Any, b: Any, *, turns: int = 6, least: float = 0.05) -> Any:
    a, b = torch.stack([torch.stack(list(row)) for row in rows]), torch.stack(list(b))
    x = b
    for _ in range(turns):
        if x[0] <= least:
            break
        x = (b - a @ x + torch.diagonal(a) * x) / (3 + torch.diagonal(a))
    return x


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", SWEEPS)
def test_elements_one_by_one(name: str, place: str, notation: str) -> None:
    whole, element = PLACES[place]
    lines = f"k <- 0;x(0) <- b;while x(k, 1) > 0.05 most 6;{SWEEPS[name]};ew;return x(k)"
    lines = re.sub(r"\bx\(([^(),]*)\)", whole, re.sub(r"\bx\(([^(),]*), ([^(),]*)\)", element, lines))
    check(text_of(notation, SYSTEM, "A, b", lines), jacobi, [((n, n), (n,)) for n in (3, 1, 2)])


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (r"for i = 1..n;x_{k+1,i} <- x_{k,i} + \sum_{j=1}^{n} x_{k+1,j};end", "E0510"),  # no turn before has given them
        (r"for i = 1..n;if x_{k,i} > 0;x_{k+1,i} <- x_{k,i} + 1;fi;end", "E0701"),  # a turn may leave out an element
    ],
)
def test_elements_without_a_value_are_refused(lines: str, code: str, notation: str) -> None:
    text = text_of(notation, (r"x_0 \in \mathbb{R}^{n}",), "x_0", f"k <- 0;while x_{{k,1}} < 3 most 9;{lines};k <- k + 1;ew;return x_k")
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == [code]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("turns", [9, 10, 12])
def test_what_is_read_behind_many_turns_is_the_whole(turns: int, notation: str) -> None:
    """The last of 12 turns is no element at 1 and 2."""
    turn = r"if v_1 > 0;for i = 1..n;w_i <- (b_i - \sum_{j \neq i} A_{i,j} v_j) / (3 + A_{i,i});end;v <- w;fi"
    lines = f"v <- b;for t = 1..{turns};{turn};end;return v"
    check(text_of(notation, SYSTEM, "A, b", lines), lambda a, b: jacobi(a, b, turns=turns, least=0), [((n, n), (n,)) for n in (3, 1)])
