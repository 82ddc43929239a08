r"""Assignments over a range that are executed, `w_i \gets a_t w_i \quad (i = 1, \dots, n)` in a loop over `t`: at once, asked about."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

A, W, M = r"a \in \mathbb{R}^{T}", r"w \in \mathbb{R}^{n}", r"M \in \mathbb{R}^{n \times m}"
ALL = r"\quad (i = 1, \dots, n)"
VECTORS = [((t,), (n,)) for t, n in ((3, 4), (0, 2), (1, 1), (2, 3))]
MATRICES = [((t,), (n, m)) for t, n, m in ((3, 4, 2), (0, 2, 2), (1, 1, 3), (2, 3, 3))]


def boosted(a: Any, w: Any) -> Any:
    u = FromOne(w[i] * 0 + 1 for i in range(1, len(w) + 1))
    for x in a:
        u = FromOne(e * torch.exp(-x * v) for e, v in zip(u, w, strict=True))
    return u


def normalised(a: Any, w: Any) -> Any:
    for x in a:
        w = FromOne(e * torch.exp(-x) + x for e in w)
        total = sum(w) + 2
        w = FromOne(e / total for e in w)
    return w


def by_the_first(a: Any, w: Any) -> Any:
    for x in a:
        w = FromOne(e / (w[1] + 3) + x for e in w)
    return w


def scaled(a: Any, m: Any) -> Any:
    for x in a:
        m = FromOne(FromOne(x * e + i - j for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    return m


def by_a_row(a: Any, m: Any) -> Any:
    for x in a:
        m = FromOne(FromOne(e - m[i][1] * m[1][j] * x for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    return m


def triangle(a: Any, m: Any) -> Any:
    for x in a:
        m = FromOne(FromOne(e + x if j >= i else e for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    return m


def in_branches(a: Any, w: Any) -> Any:
    for x in a:
        total = sum(w)
        w = FromOne(e + x * total for e in w) if x > 0.3 else FromOne(e / 2 for e in w)
    return w


def until(a: Any, w: Any) -> Any:
    k = 1
    while k <= len(a):
        w = FromOne(e * a[k] + sum(w) for e in w)
        k += 1
    return w


def exchanged(a: Any, w: Any) -> Any:
    u = FromOne(e * 2 for e in w)
    for x in a:
        u, w = FromOne(e + x for e in w), FromOne(u)
    return FromOne(e + 2 * v for e, v in zip(u, w, strict=True))


def of_each_turn(a: Any, w: Any) -> Any:
    s = torch.zeros((), dtype=torch.float64)
    for x in a:
        s = s * x + sum((e * x) ** 2 for e in w)
    return s


VECTOR_CASES = {
    "boosted": (rf"u_i <- 1 {ALL};for t = 1..T;u_i <- u_i \exp(-a_t w_i) {ALL};end;return u", boosted),
    "normalised": (rf"for t = 1..T;w_i <- w_i \exp(-a_t) + a_t {ALL};w_i <- w_i / (2 + \sum_j w_j) {ALL};end;return w", normalised),
    "a sum over the same letter": (
        rf"for t = 1..T;w_i <- w_i \exp(-a_t) + a_t {ALL};w_i <- w_i / (2 + \sum_{{i=1}}^{{n}} w_i) {ALL};end;return w",
        normalised,
    ),
    "by the first": (rf"for t = 1..T;w_i <- w_i / (w_1 + 3) + a_t {ALL};end;return w", by_the_first),
    "in branches": (
        rf"for t = 1..T;if a_t > 0.3;w_i <- w_i + a_t \sum_j w_j {ALL};else;w_i <- w_i / 2 {ALL};fi;end;return w",
        in_branches,
    ),
    "until": (rf"k <- 1;while k \leq T most T;w_i <- w_i a_k + \sum_j w_j {ALL};k <- k + 1;ew;return w", until),
    "exchanged": (
        rf"u_i <- 2 w_i {ALL};for t = 1..T;(u_i, w_i) <- (w_i + a_t, u_i) {ALL};end;return u + 2 w",
        exchanged,
    ),
    "of each turn": (rf"s <- 0;for t = 1..T;v_i <- a_t w_i {ALL};s <- a_t s + \sum_i v_i^2;end;return s", of_each_turn),
}
MATRIX_CASES = {
    "scaled": (r"for t = 1..T;M_{i,j} <- a_t M_{i,j} + i - j \quad (i = 1, \dots, n, j = 1, \dots, m);end;return M", scaled),
    "by a row": (
        r"for t = 1..T;M_{i,j} <- M_{i,j} - M_{i,1} M_{1,j} a_t \quad (i = 1, \dots, n, j = 1, \dots, m);end;return M",
        by_a_row,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", VECTOR_CASES)
def test_vectors(name: str, notation: str) -> None:
    lines, meaning = VECTOR_CASES[name]
    check(text_of(notation, (A, W), "a, w", lines), meaning, VECTORS)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", MATRIX_CASES)
def test_matrices(name: str, notation: str) -> None:
    lines, meaning = MATRIX_CASES[name]
    check(text_of(notation, (A, M), "a, M", lines), meaning, MATRICES)


def gauss(m: Any, v: Any) -> Any:
    n = len(m)
    m = FromOne(FromOne(e + 3 * (i == j) for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    for k in range(1, n + 1):
        pivot = m[k][k]
        m[k] = FromOne(e / pivot if j >= k else e for j, e in enumerate(m[k], 1))
        m = FromOne(FromOne(e - row[k] * m[k][j] if i > k and j >= k else e for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    return m


def shortest(m: Any, v: Any) -> Any:
    for k in range(1, len(m) + 1):
        m = FromOne(FromOne(min(e, row[k] + m[k][j]) for j, e in enumerate(row, 1)) for row in m)
    return m


def iterated(m: Any, v: Any) -> Any:
    for _ in range(3):
        u = FromOne(sum(e * x for e, x in zip(row, v, strict=True)) for row in m)
        norm = sum(e**2 for e in u) + 1
        v = FromOne(e / norm for e in u)
    return v


def over_a_triangle(m: Any, v: Any) -> Any:
    for x in v:
        m = FromOne(FromOne(e * x if j >= i else e for j, e in enumerate(row, 1)) for i, row in enumerate(m, 1))
    return m


SQUARE_CASES = {
    "elimination": (
        r"M_{i,i} <- M_{i,i} + 3 \quad (i = 1, \dots, n);for k = 1..n;M_{k,j} <- M_{k,j} / M_{k,k} \quad (j = k, \dots, n);"
        r"M_{i,j} <- M_{i,j} - M_{i,k} M_{k,j} \quad (i = k+1, \dots, n, j = k, \dots, n);end;return M",
        gauss,
    ),
    "shortest paths": (
        r"for k = 1..n;M_{i,j} <- \min(M_{i,j}, M_{i,k} + M_{k,j}) \quad (i = 1, \dots, n, j = 1, \dots, n);end;return M",
        shortest,
    ),
    "power iteration": (
        rf"for t = 1..3;v_i <- \sum_j M_{{i,j}} v_j {ALL};v_i <- v_i / (1 + \sum_j v_j^2) {ALL};end;return v",
        iterated,
    ),
    "a triangle": (r"for t = 1..n;M_{i,j} <- M_{i,j} v_t \quad (i = 1, \dots, n, j = i, \dots, n);end;return M", over_a_triangle),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", SQUARE_CASES)
def test_squares(name: str, notation: str) -> None:
    lines, meaning = SQUARE_CASES[name]
    rows = (r"M \in \mathbb{R}^{n \times n}", r"v \in \mathbb{R}^{n}")
    check(text_of(notation, rows, "M, v", lines), meaning, [((n, n), (n,)) for n in (3, 1, 4)])


def ragged_ones(x: Any, w: Any) -> Any:
    for e in x:
        total = sum(w) + 3
        w = FromOne(v / total + e for v in w)
    return w


@pytest.mark.parametrize("notation", NOTATIONS)
def test_lengths(notation: str) -> None:
    lines = rf"for t = 1..n;w_i <- w_i / (3 + \sum_j w_j) + x_t {ALL};end;return w"
    rows = (r"x \in \mathbb{R}^{n}", r"w \in \mathbb{R}^{n}")
    check(text_of(notation, rows, "x, w", lines), ragged_ones, [((n,), (n,)) for n in (4, 1)], shortest=1)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("w_{i-1} + w_{i+1}", "w_{i - 1}"),
        ("w_{n+1-i}", "w_{n + 1 - i}"),
        (r"\sum_{j \neq i} w_j", "w_j"),
        (r"\sum_{j=1}^{i-1} w_j", "w_j"),
    ],
)
def test_elements_that_may_have_changed_already_are_asked_about(value: str, read: str, notation: str) -> None:
    lines = rf"for t = 1..T;w_i <- a_t ({value}) \quad (i = 2, \dots, n - 1);end;return w"
    found = compile(text_of(notation, (A, W), "a, w", lines)).diagnostics
    assert [d.code for d in found] == ["E0303"]
    assert f"which reads `{read}`, can be made of the values before it, all at once, or one after the other" in found[0].message


def at_once(a: Any, w: Any) -> Any:
    for x in a:
        w = FromOne(x * (w[i - 1] + w[i + 1]) if 1 < i < len(w) else e for i, e in enumerate(w, 1))
    return w


def in_turn(a: Any, w: Any) -> Any:
    w = FromOne(w)
    for x in a:
        for i in range(2, len(w)):
            w[i] = x * (w[i - 1] + w[i + 1])
    return w


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        (r"v_i <- a_t (w_{i-1} + w_{i+1}) \quad (i = 2, \dots, n - 1);w_i <- v_i \quad (i = 2, \dots, n - 1)", at_once),
        (r"for i = 2..n - 1;w_i <- a_t (w_{i-1} + w_{i+1});end", in_turn),
    ],
)
def test_both_ways_to_write_it(lines: str, meaning: Meaning, notation: str) -> None:
    check(text_of(notation, (A, W), "a, w", f"for t = 1..T;{lines};end;return w"), meaning, [((2,), (n,)) for n in (5, 2, 3)])


def in_brackets(lines: str) -> str:
    r"""The statements with ranges in brackets: `w[1 \leq i \leq n] <- e` of `w_i <- e \quad (i = 1, \dots, n)`."""

    def moved(found: re.Match[str]) -> str:
        name, items, value, domain = found.groups()
        ranges = {letter: rf"{low} \leq {letter} \leq {high}" for letter, low, high in re.findall(r"(\w) = (.*?), \\dots, ([^,]*)", domain)}
        return f"{name}[{', '.join(ranges.pop(item, item) for item in items.strip('{}').split(','))}] <- {value}"

    parts = (re.sub(r"^(\w)_(\w|\{[^{}]*\}) <- (.*?) \\quad \((.*)\)$", moved, part.strip()) for part in lines.split(";"))
    return ";".join(parts)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", sorted({*VECTOR_CASES, *MATRIX_CASES, *SQUARE_CASES} - {"exchanged"}))
def test_ranges_in_brackets(name: str, notation: str) -> None:
    cases, rows, header, shapes = (
        (VECTOR_CASES, (A, W), "a, w", VECTORS)
        if name in VECTOR_CASES
        else (MATRIX_CASES, (A, M), "a, M", MATRICES)
        if name in MATRIX_CASES
        else (SQUARE_CASES, (r"M \in \mathbb{R}^{n \times n}", r"v \in \mathbb{R}^{n}"), "M, v", [((n, n), (n,)) for n in (3, 1, 4)])
    )
    lines, meaning = cases[name]
    assert "quad" not in in_brackets(lines)
    check(text_of(notation, rows, header, in_brackets(lines)), meaning, shapes)


def grown(a: Any, w: Any) -> Any:
    h = FromOne(FromOne(e * 0 for e in [0, *w]) for _ in range(len(a) + 1))
    for i, x in enumerate(a, 2):
        for j, e in enumerate(w, 2):
            h[i][j] = h[i - 1][j - 1] + x * e - h[i][j - 1] / 2
    return h


def counted(a: Any, w: Any) -> Any:
    z = FromOne(w[i] * 0 + i for i in range(1, len(w) + 1))
    for i in range(2, len(w) + 1):
        if w[i] < w[i - 1]:
            z[i] = z[i - 1]
    return z


def put(a: Any, w: Any) -> Any:
    z = FromOne(w[i] * 0 + i for i in range(1, len(w) + 1))
    for i in range(1, len(w)):
        z[i + 1] = z[i] * w[i]
    z[1] = a[1] * 5
    return z


IN_BRACKETS = {
    "a table": (
        r"H[i, j] <- 0 \quad (i = 0, \dots, T, j = 0, \dots, n);"
        r"for i = 1..T;for j = 1..n;H[i, j] <- H[i-1, j-1] + a[i] w[j] - H[i, j-1] / 2;end;end;return H",
        grown,
    ),
    "a table with its ranges": (
        r"H[0 \leq i \leq T, 0 \leq j \leq n] <- 0;"
        r"for i = 1..T;for j = 1..n;H[i, j] <- H[i-1, j-1] + a[i] w[j] - H[i, j-1] / 2;end;end;return H",
        grown,
    ),
    "in a branch": (r"z[i] <- i \quad (i = 1, \dots, n);for i = 2..n;if w[i] < w[i-1];z[i] <- z[i-1];fi;end;return z", counted),
    "in turns and alone": (r"z[1 \leq i \leq n] <- i;for i = 1..n-1;z[i+1] <- z[i] w[i];end;z[1] <- 5 a[1];return z", put),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", IN_BRACKETS)
def test_first_values_in_brackets(name: str, notation: str) -> None:
    lines, meaning = IN_BRACKETS[name]
    check(text_of(notation, (A, W), "a, w", lines), meaning, [((t,), (n,)) for t, n in ((3, 4), (1, 1), (2, 3))])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_other_elements_are_asked_about_in_brackets(notation: str) -> None:
    lines = r"for t = 1..T;w[2 \leq i \leq n] <- a[t] w[i-1];end;return w"
    found = compile(text_of(notation, (A, W), "a, w", lines)).diagnostics
    assert [d.code for d in found] == ["E0303"]
    assert "which reads `w[i - 1]`, can be made of the values before it, all at once, or one after the other" in found[0].message


def shrunk(a: Any, w: Any) -> Any:
    p = [0 * x for x in [*w, w[1]]]
    for x in a:
        q = [1 + 0 * x]
        for j in range(len(w)):
            q.append(p[j] * x + w[j + 1])
        p = q
    return p[-1]


def of_an_input(a: Any, w: Any) -> Any:
    total = sum(a) + 3
    new = FromOne(e - w[1] * total for e in w)
    return FromOne([new[1], *(0 * e for e in list(new)[1:-1]), *list(new)[1:][-1:]])


AGAIN = {
    "as a whole in turns": (
        r"p_j <- 0 \quad (j = 0, \dots, n);for t = 1..T;q_0 <- 1;for j = 1..n;q_j <- a_t p_{j-1} + w_j;end;p <- q;end;return p_n",
        shrunk,
    ),
    "an input": (
        rf"w_i <- w_i - w_1 (3 + \sum_t a_t) {ALL};w_i <- 0 \quad (i = 2, \dots, n - 1);return w",
        of_an_input,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", AGAIN)
def test_what_is_assigned_again(name: str, notation: str) -> None:
    lines, meaning = AGAIN[name]
    check(text_of(notation, (A, W), "a, w", lines), meaning, [((t,), (n,)) for t, n in ((3, 4), (1, 1), (2, 3))])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_other_elements_of_an_input_are_asked_about(notation: str) -> None:
    (found,) = compile(text_of(notation, (W,), "w", r"w_i <- w_{i-1} \quad (i = 2, \dots, n);return w")).diagnostics
    assert (found.code, found.message) == (
        "E0303",
        r"`w_i \gets …` for all `i`, which reads `w_{i - 1}`, can be made of the values before it, all at once, or one after the other",
    )
