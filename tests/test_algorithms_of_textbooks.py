r"""Algorithms as textbooks write them, with arrays that change in place: the values, the slopes, batches and lengths.

A program is written in short, `for i = 2..n`, `down i = n..1`, `if c`; beside it stand the same statements in Python, on lists that
count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile
from tests.algorithms_by_hand import FromOne, Meaning

VECTOR = r"x \in \mathbb{R}^{n}"
SQUARE = r"A \in \mathbb{R}^{n \times n}"
SYSTEM = r"A \in \mathbb{R}^{n \times n}, b \in \mathbb{R}^{n}"
ITEMS = r"w \in \mathbb{N}^{n}, v \in \mathbb{R}^{n}"


def lists(tensor: Tensor) -> Any:
    return FromOne(lists(row) for row in tensor) if tensor.dim() else tensor


def stacked(value: Any) -> Tensor:
    return torch.stack([stacked(v) for v in value]) if isinstance(value, list) else torch.as_tensor(value, dtype=torch.float64)


LINES = (
    (r"for (\w+) = (.*?)\.\.(.*)", r"\\For{$\1 = \2, \\dots, \3$}"),
    (r"down (\w+) = (.*?)\.\.(.*)", r"\\For{$\1 = \2, \2 - 1, \\dots, \3$}"),
    (r"if (.*)", r"\\If{$\1$}"),
    (r"elif (.*)", r"\\ElsIf{$\1$}"),
    ("end", r"\\EndFor"),
    ("fi", r"\\EndIf"),
    (r"return (.*)", r"\\State \\Return $\1$"),
    (r"(.*)", r"\\State $\1$"),
)


def written(line: str) -> str:
    pattern, latex = next((p, t) for p, t in LINES if re.fullmatch(p, line))
    return re.sub(f"^{pattern}$", latex, line).replace("<-", r"\gets")


@dataclass(frozen=True)
class Algorithm:
    """A procedure, what it means, and its inputs: numbers, or the shapes of random ones."""

    declared: str
    header: str
    lines: str
    meaning: Meaning
    inputs: tuple[tuple[int, ...] | list[int] | list[float], ...] = ((5,),)

    @property
    def text(self) -> str:
        body = "\n".join(written(line.strip()) for line in self.lines.strip().split(";"))
        return f"\\Require ${self.declared}$\n\\Procedure{{F}}{{${self.header}$}}\n{body}\n\\EndProcedure\n"

    def drawn(self) -> list[Tensor]:
        torch.manual_seed(0)
        found = [torch.rand(*s, dtype=torch.float64) + 0.3 if isinstance(s, tuple) else torch.tensor(s) for s in self.inputs]
        found = [t.double() if isinstance(s, list) and isinstance(s[0], float) else t for s, t in zip(self.inputs, found)]
        return [t.requires_grad_() if t.is_floating_point() else t for t in found]


def bubble_sort(x: Any) -> Any:
    for i in range(1, len(x)):
        for j in range(1, len(x) - i + 1):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def selection_sort(x: Any) -> Any:
    for i in range(1, len(x) + 1):
        m = i
        for j in range(i + 1, len(x) + 1):
            m = j if x[j] < x[m] else m
        x[i], x[m] = x[m], x[i]
    return x


def lomuto(x: Any) -> Any:
    q, n = 1, len(x)
    for i in range(1, n):
        if x[i] < x[n]:
            x[q], x[i] = x[i], x[q]
            q += 1
    x[q], x[n] = x[n], x[q]
    return x


def primes(x: Any) -> Any:
    return FromOne(x[i] if i > 1 and all(i % j for j in range(2, i)) else 0 * x[i] for i in range(1, len(x) + 1))


def knapsack(w: Any, v: Any, goes_down: bool) -> Any:
    d = [torch.zeros((), dtype=torch.float64)] * 11
    for i in range(1, len(w) + 1):
        fitting = range(int(w[i]), 11)
        for c in reversed(fitting) if goes_down else fitting:
            d[c] = torch.maximum(d[c], d[c - int(w[i])] + v[i])
    return d[10]


def divided_differences(x: Any, y: Any) -> Any:
    for j in range(2, len(x) + 1):
        for i in range(len(x), j - 1, -1):
            y[i] = (y[i] - y[i - 1]) / (x[i] - x[i - j + 1])
    return y


def de_casteljau(b: Any, t: Any) -> Any:
    for r in range(1, len(b)):
        for i in range(1, len(b) - r + 1):
            b[i] = (1 - t[1]) * b[i] + t[1] * b[i + 1]
    return b[1]


def lu(a: Any) -> Any:
    n = len(a)
    for k in range(1, n + 1):
        for i in range(k + 1, n + 1):
            a[i][k] = a[i][k] / a[k][k]
            for j in range(k + 1, n + 1):
                a[i][j] = a[i][j] - a[i][k] * a[k][j]
    return a


def elimination(a: Any, b: Any) -> Any:
    n = len(b)
    for k in range(1, n):
        for i in range(k + 1, n + 1):
            m = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] = a[i][j] - m * a[k][j]
            b[i] = b[i] - m * b[k]
    return b


def back_substitution(a: Any, b: Any) -> Any:
    for i in range(len(b), 0, -1):
        for j in range(i + 1, len(b) + 1):
            b[i] = b[i] - a[i][j] * b[j]
        b[i] = b[i] / a[i][i]
    return b


def gram_schmidt(a: Any) -> Any:
    for k in range(1, len(a) + 1):
        norm = torch.sqrt(sum(v * v for v in a[k]))
        a[k] = FromOne(v / norm for v in a[k])
        for j in range(k + 1, len(a) + 1):
            r = sum(p * q for p, q in zip(a[k], a[j]))
            a[j] = FromOne(q - r * p for p, q in zip(a[k], a[j]))
    return a


def floyd_warshall(d: Any) -> Any:
    each = range(1, len(d) + 1)
    for k in each:
        for i in each:
            for j in each:
                d[i][j] = torch.minimum(d[i][j], d[i][k] + d[k][j])
    return d


def relaxed(x: Any) -> Any:
    for _ in range(3):
        for i in range(2, len(x)):
            x[i] = (x[i - 1] + x[i + 1]) / 2
    return x


def edit_distance(a: Any, b: Any) -> Any:
    d = [torch.tensor(float(j), dtype=torch.float64) for j in range(len(b) + 1)]
    for i in range(1, len(a) + 1):
        p, d[0] = d[0], torch.tensor(float(i), dtype=torch.float64)
        for j in range(1, len(b) + 1):
            p, d[j] = d[j], torch.minimum(torch.minimum(d[j] + 1, d[j - 1] + 1), p + (a[i] - b[j]) ** 2)
    return d[-1]


def convolved(a: Any, b: Any) -> Any:
    c = FromOne([0.0] * (len(a) + len(b) - 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            c[i + j - 1] = c[i + j - 1] + a[i] * b[j]
    return c


def counted(x: Any, k: Any) -> Any:
    h = FromOne([torch.zeros((), dtype=torch.float64)] * 3)
    for i in range(1, len(x) + 1):
        h[k[i]] = h[k[i]] + x[i]
    return h


def stack(x: Any) -> Any:
    s, p = FromOne([torch.zeros((), dtype=torch.float64)] * len(x)), 0
    for i in range(1, len(x) + 1):
        if x[i] > 0.5:
            p += 1
            s[p] = x[i]
        elif p > 0:
            p -= 1
    return s


def learned(q: Any, r: Any, s: Any, a: Any) -> Any:
    for t in range(1, len(r) + 1):
        row, action = q[s[t]], a[t]
        row[action] = row[action] + 0.1 * (r[t] + 0.9 * torch.stack(list(q[s[t + 1]])).max() - row[action])
    return q


def fibonacci(x: Any) -> Any:
    a, b = torch.ones((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
    for i in range(3, len(x) + 1):
        a, b = b, a + b * x[i]
    return b


def horner(x: Any) -> Any:
    s = torch.zeros((), dtype=torch.float64)
    for i in range(len(x), 0, -1):
        s = 0.5 * s + x[i]
    return s


SWAP = "if x_j > x_{j+1}; t <- x_j; x_j <- x_{j+1}; x_{j+1} <- t; fi"
ALGORITHMS = {
    "bubble sort": Algorithm(VECTOR, "x", f"for i = 1..n-1; for j = 1..n-i; {SWAP}; end; end; return x", bubble_sort),
    "insertion sort": Algorithm(
        VECTOR,
        "x",
        "for i = 2..n; down j = i-1..1; if x_j > x_{j+1}; (x_j, x_{j+1}) <- (x_{j+1}, x_j); fi; end; end; return x",
        lambda x: sorted(x),
    ),
    "selection sort": Algorithm(
        VECTOR,
        "x",
        "for i = 1..n; m <- i; for j = i+1..n; if x_j < x_m; m <- j; fi; end; t <- x_i; x_i <- x_m; x_m <- t; end; return x",
        selection_sort,
    ),
    "the sieve": Algorithm(
        VECTOR,
        "x",
        r"for i = 1..n; p_i <- 1; end; p_1 <- 0; for i = 2..n; for j = i+1..n; if p_i = 1 \land j \bmod i = 0; p_j <- 0; fi; end; end; "
        "for i = 1..n; y_i <- p_i x_i; end; return y",
        primes,
        ((9,),),
    ),
    "knapsack, each once": Algorithm(
        ITEMS,
        "w, v",
        r"for c = 0..10; d_c <- 0; end; for i = 1..n; down c = 10..0; if c \geq w_i; d_c <- \max(d_c, d_{c-w_i} + v_i); fi; end; end; "
        "return d_{10}",
        lambda w, v: knapsack(w, v, True),
        ([2, 3, 4], (3,)),
    ),
    "knapsack, any number": Algorithm(
        ITEMS,
        "w, v",
        r"for c = 0..10; d_c <- 0; end; for i = 1..n; for c = 0..10; if c \geq w_i; d_c <- \max(d_c, d_{c-w_i} + v_i); fi; end; end; "
        "return d_{10}",
        lambda w, v: knapsack(w, v, False),
        ([2, 3, 4], (3,)),
    ),
    "Horner, going down": Algorithm(VECTOR, "x", "s <- 0; down i = n..1; s <- 0.5 s + x_i; end; return s", horner),
    "Fibonacci": Algorithm(VECTOR, "x", "(a, b) <- (1, 1); for i = 3..n; (a, b) <- (b, a + b x_i); end; return b", fibonacci),
    "divided differences": Algorithm(
        r"x, y \in \mathbb{R}^{n}",
        "x, y",
        "for j = 2..n; down i = n..j; y_i <- (y_i - y_{i-1}) / (x_i - x_{i-j+1}); end; end; return y",
        divided_differences,
        ((4,), (4,)),
    ),
    "de Casteljau": Algorithm(
        r"b \in \mathbb{R}^{n}, t \in \mathbb{R}^{1}",
        "b, t",
        "for r = 1..n-1; for i = 1..n-r; b_i <- (1 - t_1) b_i + t_1 b_{i+1}; end; end; return b_1",
        de_casteljau,
        ((4,), (1,)),
    ),
    "LU in place": Algorithm(
        SQUARE,
        "A",
        "for k = 1..n; for i = k+1..n; A_{i,k} <- A_{i,k} / A_{k,k}; "
        "for j = k+1..n; A_{i,j} <- A_{i,j} - A_{i,k} A_{k,j}; end; end; end; return A",
        lu,
        ((3, 3),),
    ),
    "Gaussian elimination": Algorithm(
        SYSTEM,
        "A, b",
        "for k = 1..n-1; for i = k+1..n; m <- A_{i,k} / A_{k,k}; A_i <- A_i - m A_k; b_i <- b_i - m b_k; end; end; return b",
        elimination,
        ((3, 3), (3,)),
    ),
    "back substitution": Algorithm(
        SYSTEM,
        "A, b",
        "down i = n..1; for j = i+1..n; b_i <- b_i - A_{i,j} b_j; end; b_i <- b_i / A_{i,i}; end; return b",
        back_substitution,
        ((3, 3), (3,)),
    ),
    "modified Gram-Schmidt": Algorithm(
        r"A \in \mathbb{R}^{n \times d}",
        "A",
        r"for k = 1..n; A_k <- A_k / \lVert A_k \rVert; for j = k+1..n; A_j <- A_j - (A_k^\top A_j) A_k; end; end; return A",
        gram_schmidt,
        ((3, 4),),
    ),
    "Floyd-Warshall": Algorithm(
        SQUARE,
        "A",
        r"for k = 1..n; for i = 1..n; for j = 1..n; A_{i,j} <- \min(A_{i,j}, A_{i,k} + A_{k,j}); end; end; end; return A",
        floyd_warshall,
        ((3, 3),),
    ),
    "relaxation of the interior": Algorithm(
        VECTOR, "x", "for k = 1..3; for i = 2..n-1; x_i <- (x_{i-1} + x_{i+1}) / 2; end; end; return x", relaxed
    ),
    "edit distance in one row": Algorithm(
        r"a \in \mathbb{R}^{n}, b \in \mathbb{R}^{m}",
        "a, b",
        r"for j = 0..m; d_j <- j; end; for i = 1..n; p <- d_0; d_0 <- i; "
        r"for j = 1..m; t <- d_j; d_j <- \min(d_j + 1, d_{j-1} + 1, p + (a_i - b_j)^2); p <- t; end; end; return d_m",
        edit_distance,
        ((3,), (4,)),
    ),
    "convolution": Algorithm(
        r"a \in \mathbb{R}^{n}, b \in \mathbb{R}^{m}",
        "a, b",
        "for k = 1..n+m-1; c_k <- 0; end; for i = 1..n; for j = 1..m; c_{i+j-1} <- c_{i+j-1} + a_i b_j; end; end; return c",
        convolved,
        ((3,), (4,)),
    ),
    "a histogram": Algorithm(
        r"x \in \mathbb{R}^{n}, k \in \{1, \dots, 3\}^{n}",
        "x, k",
        "for j = 1..3; h_j <- 0; end; for i = 1..n; h_{k_i} <- h_{k_i} + x_i; end; return h",
        counted,
        ((5,), [1, 3, 1, 2, 3]),
    ),
    "a stack": Algorithm(
        VECTOR,
        "x",
        "for i = 1..n; s_i <- 0; end; p <- 0; "
        "for i = 1..n; if x_i > 0.5; p <- p + 1; s_p <- x_i; elif p > 0; p <- p - 1; fi; end; return s",
        stack,
    ),
    "Q-learning": Algorithm(
        r"Q \in \mathbb{R}^{m \times k}, r \in \mathbb{R}^{T}, s \in \{1, \dots, m\}^{T+1}, a \in \{1, \dots, k\}^{T}",
        "Q, r, s, a",
        r"for t = 1..T; Q_{s_t,a_t} <- Q_{s_t,a_t} + 0.1 (r_t + 0.9 \max_{b} Q_{s_{t+1},b} - Q_{s_t,a_t}); end; return Q",
        learned,
        ((3, 2), (4,), [1, 2, 3, 1, 2], [1, 2, 1, 2]),
    ),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_of_a_textbook(name: str) -> None:
    algorithm = ALGORITHMS[name]
    found = compile_files([SourceFile("-", algorithm.text)])
    assert found.ok, [d.message for d in found.diagnostics if d.severity == "error"]
    given, again = algorithm.drawn(), algorithm.drawn()
    actual, expected = found.load().F()(*given), stacked(algorithm.meaning(*map(lists, again)))
    torch.testing.assert_close(actual.to(torch.float64), expected)
    for value in (actual, expected):
        (value * torch.arange(1.0, value.numel() + 1, dtype=torch.float64).reshape(value.shape)).sum().backward()
    for a, b in zip(given, again):
        if a.requires_grad:
            torch.testing.assert_close(a.grad, b.grad)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_batches_and_lengths(name: str) -> None:
    assert check_text(ALGORITHMS[name].text) == 1


def test_a_partition_of_an_array_with_elements() -> None:
    swaps = "t <- x_q; x_q <- x_i; x_i <- t; q <- q + 1"
    lines = f"q <- 1; for i = 1..n-1; if x_i < x_n; {swaps}; fi; end; t <- x_q; x_q <- x_n; x_n <- t; return x"
    made = compile_files([SourceFile("-", Algorithm(VECTOR, "x", lines, lomuto).text)]).load().F()
    rows, given = torch.randn(4, 6, dtype=torch.float64), torch.tensor([1, 3, 4, 6])
    together = made(rows, lengths=given)
    for row, own, count in zip(rows, together, given.tolist()):
        torch.testing.assert_close(own[:count], stacked(lomuto(lists(row[:count]))))
    with pytest.raises(ValueError, match="inside 1 .. n"):
        made(rows[0, :0])


# ---- loops in loops: where arrays begin, and which way a range goes -----------------------------------

FROM_0, FROM_1 = r"x_i \in \mathbb{R}, i = 0, \dots, n-1", r"x_i \in \mathbb{R}, i = 1, \dots, n"


@pytest.mark.parametrize(
    ("declared", "outer", "inner", "statement", "turns", "change"),
    [
        (FROM_0, r"k = 1, \dots, 2", r"i = 2, \dots, n-1", "x_i + x_{i-1}", lambda n: [i for _ in range(2) for i in range(2, n)], -1),
        (FROM_1, r"k = 1, \dots, n", r"i = n, \dots, k", "x_i + 1", lambda n: [i for k in range(n) for i in range(n - 1, k - 1, -1)], None),
        (
            FROM_1,
            r"k = 1, \dots, n",
            r"i = n, \dots, k+1",
            "x_i + x_{i-1}",
            lambda n: [i for k in range(n) for i in range(n - 1, k, -1)],
            -1,
        ),
        (
            FROM_0,
            r"k = 1, \dots, n-1",
            r"i = n-1, \dots, k",
            "x_i + x_{i-1}",
            lambda n: [i for k in range(1, n) for i in range(n - 1, k - 1, -1)],
            -1,
        ),
    ],
)
def test_a_loop_in_a_loop(
    declared: str, outer: str, inner: str, statement: str, turns: Callable[[int], list[int]], change: int | None
) -> None:
    """`change`: the place of what is added, from that of the element; 1 is added where it is None."""
    lines = f"for {outer};for {inner};x_i <- {statement};end;end;return x"
    text = Algorithm(declared, "x", lines.replace(r", \dots, ", ".."), lomuto).text
    assert check_text(text) == 1
    made = compile_files([SourceFile("-", text)]).load().F()
    for n in (3, 5):
        x = torch.randn(n, dtype=torch.float64)
        wanted = x.tolist()
        for i in turns(n):
            wanted[i] += 1 if change is None else wanted[i + change]
        torch.testing.assert_close(made(x), torch.tensor(wanted, dtype=torch.float64))


def test_a_turn_without_inner_turns_tells_nothing_of_where_an_array_begins() -> None:
    lines = "for k = n..1;for i = 1..k-1;x_i <- x_i + x_{k-1};end;end;return x"
    made = compile_files([SourceFile("-", Algorithm(FROM_1, "x", lines, lomuto).text)]).load().F()
    x = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    torch.testing.assert_close(made(x), torch.tensor([86.0, 44.0, 24.0, 16.0, 16.0]))


def test_a_range_that_can_go_either_way_is_asked_about() -> None:
    rows = FROM_1 + r", y \in \mathbb{R}^{m}"
    text = Algorithm(rows, "x, y", "for k = 1..m;for i = n..k;x_i <- x_i + 1;end;end;return x", lomuto).text
    (error,) = [d for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
    assert error.code == "E0505"
    assert "n, n - 1, \\dots" in error.help
    assert "n, n + 1, \\dots" in error.help
