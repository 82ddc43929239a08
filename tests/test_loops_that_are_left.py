r"""Loops that are left before their end, `\textbf{break}`, `\Continue`, and results before the last statement."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

VECTOR = (r"x \in \mathbb{R}^{n}",)
MATRIX = (r"A \in \mathbb{R}^{n \times m}",)
SIZES = (((5,),), ((1,),), ((2,),), ((4,),), ((0,),))
TABLES = (((4, 3),), ((1, 1),), ((2, 5),), ((3, 2),))
ZERO = torch.zeros((), dtype=torch.float64)


def first(x: Any, holds: Any, otherwise: int) -> int:
    return next((i for i in range(1, len(x) + 1) if holds(x[i])), otherwise)


def enough(x: Any) -> Any:
    total = ZERO
    for value in x:
        total = total + value
        if total > 0.5:
            break
        total = total + 0.1
    return total


def doubled_until(x: Any) -> Any:
    end = first(x, lambda v: v > 0.5, len(x) + 1)
    return FromOne(2 * x[i] if i < end else 0 * x[i] for i in range(1, len(x) + 1))


def skipped_and_left(x: Any) -> Any:
    total = ZERO
    for value in x:
        if value < 0:
            continue
        if value > 0.6:
            break
        total = 0.5 * total + value
    return total


def skipped_inside(x: Any) -> Any:
    total = ZERO
    for value in x:
        if value < 0.4:
            total = total + 1
            if value < 0:
                continue
            total = total + value
        else:
            total = total + 2
        total = 2 * total
    return total


def left_inside(x: Any) -> Any:
    total = ZERO
    for value in x:
        if value < 0.4:
            total = total + 1
            if value < 0:
                break
            total = total + value
        else:
            total = total + 2
        total = 2 * total
    return total


def left_while(x: Any) -> Any:
    total, k = ZERO, 0
    while k < len(x):
        k += 1
        if x[k] > 0.5:
            break
        total = total + x[k]
    return total + 10 * k


def ordered(x: Any) -> Any:
    return FromOne(sorted(x))


LOOPS: dict[str, tuple[str, Meaning]] = {
    "a search": ("r <- 0; for i = 1..n; if x_i > 0.3; r <- i; break; fi; end; return r", lambda x: first(x, lambda v: v > 0.3, 0)),
    "a search downwards": (
        "r <- 0; down i = n..1; if x_i > 0.3; r <- i; break; fi; end; return r",
        lambda x: max((i for i in range(1, len(x) + 1) if x[i] > 0.3), default=0),
    ),
    "in the middle": ("s <- 0; for i = 1..n; s <- s + x_i; if s > 0.5; break; fi; s <- s + 0.1; end; return s", enough),
    "of an array": (
        "for i = 1..n; y_i <- 0; end; for i = 1..n; if x_i > 0.5; break; fi; y_i <- 2 x_i; end; return y",
        doubled_until,
    ),
    "a turn": (
        "s <- 0; for i = 1..n; if x_i < 0; continue; fi; s <- s + x_i; end; return s",
        lambda x: sum((v for v in x if v >= 0), ZERO),
    ),
    "a turn of an array": (
        "for i = 1..n; y_i <- 0; if x_i < 0; continue; fi; y_i <- 2 x_i; end; return y",
        lambda x: FromOne(2 * v if v >= 0 else 0 * v for v in x),
    ),
    "both": (
        "s <- 0; for i = 1..n; if x_i < 0; continue; fi; if x_i > 0.6; break; fi; s <- 0.5 s + x_i; end; return s",
        skipped_and_left,
    ),
    "a turn, from an inner branch": (
        "s <- 0; for i = 1..n; if x_i < 0.4; s <- s + 1; if x_i < 0; continue; fi; s <- s + x_i; else; s <- s + 2; fi; "
        "s <- 2 s; end; return s",
        skipped_inside,
    ),
    "from an inner branch": (
        "s <- 0; for i = 1..n; if x_i < 0.4; s <- s + 1; if x_i < 0; break; fi; s <- s + x_i; else; s <- s + 2; fi; "
        "s <- 2 s; end; return s",
        left_inside,
    ),
    "without a condition": ("s <- 0; for i = 1..n; s <- s + x_i; break; end; return s", lambda x: x[1] if len(x) else ZERO),
    "with a condition of its own": (
        "s <- 0; k <- 0; while k < n most n; k <- k + 1; if x_k > 0.5; break; fi; s <- s + x_k; ew; return s + 10 k",
        left_while,
    ),
    "then a loop to that place": (
        "p <- n + 1; for i = 1..n; if x_i > 0.3; p <- i; break; fi; end; s <- 0; for k = 1..p-1; s <- s + k x_k; end; return s",
        lambda x: sum((k * x[k] for k in range(1, first(x, lambda v: v > 0.3, len(x) + 1))), ZERO),
    ),
    "a sort by swaps": (
        r"for i = 2..n; down j = i..2; if x_j \geq x_{j-1}; break; fi; t <- x_j; x_j <- x_{j-1}; x_{j-1} <- t; end; end; return x",
        ordered,
    ),
    "a sort by places": (
        r"for i = 2..n; v <- x_i; p <- 1; down j = i - 1..1; if x_j \leq v; p <- j + 1; break; fi; "
        "x_{j+1} <- x_j; end; x_p <- v; end; return x",
        ordered,
    ),
    "a sort that sees that it is done": (
        "for i = 1..n-1; c <- 0; for j = 1..n-i; if x_j > x_{j+1}; t <- x_j; x_j <- x_{j+1}; x_{j+1} <- t; c <- c + 1; fi; end; "
        "if c = 0; break; fi; end; return x",
        ordered,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str, notation: str) -> None:
    lines, meaning = LOOPS[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES, shortest=0)


RESULTS: dict[str, tuple[str, Meaning]] = {
    "a search": ("for i = 1..n; if x_i > 0.3; return i; fi; end; return 0", lambda x: first(x, lambda v: v > 0.3, 0)),
    "a value": (
        "for i = 1..n; if x_i > 0.3; return x_i + i; fi; end; return 0",
        lambda x: next((x[i] + i for i in range(1, len(x) + 1) if x[i] > 0.3), ZERO),
    ),
    "an array": (
        "for i = 1..n; if x_i < 0; return 2 x; fi; end; return x",
        lambda x: FromOne(2 * v for v in x) if any(v < 0 for v in x) else x,
    ),
    "a question": (
        "for i = 1..n-1; if x_i > x_{i+1}; return 0; fi; end; return 1",
        lambda x: int(all(x[i] <= x[i + 1] for i in range(1, len(x)))),
    ),
    "in branches": (
        r"s <- \sum_{i=1}^{n} x_i; if s > 1; return s; elif s > 0; y <- 2 s; else; return -s; fi; return y + 1",
        lambda x: (lambda s: s if s > 1 else 2 * s + 1 if s > 0 else -s)(sum(x, ZERO)),
    ),
    "before all": (r"if n = 0; return 0; fi; return x_n", lambda x: x[len(x)] if len(x) else ZERO),
    "in all branches": (
        r"s <- \sum_{i=1}^{n} x_i; if s > 1; return s; else; return 2 s; fi",
        lambda x: (lambda s: s if s > 1 else 2 * s)(sum(x, ZERO)),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", RESULTS)
def test_results_before_the_last_statement(name: str, notation: str) -> None:
    lines, meaning = RESULTS[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, SIZES, shortest=0)


def row_by_row(a: Any) -> Any:
    sums = FromOne()
    for row in a:
        sums.append(ZERO)
        for value in row:
            if value < 0:
                break
            sums[len(sums)] = sums[len(sums)] + value
    return sums


def both_loops(a: Any) -> Any:
    total = ZERO
    for i in range(1, len(a) + 1):
        for value in a[i]:
            if value < 0:
                break
            total = 0.5 * total + value
        total = total + i
        if total > 4:
            break
    return total


def out_of_both(a: Any) -> Any:
    for i in range(1, len(a) + 1):
        total = ZERO
        for value in a[i]:
            total = total + value
            if total > 0.7:
                return total + i
    return ZERO - 1


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        ("for i = 1..n; s <- 0; for j = 1..m; if A_{i,j} < 0; break; fi; s <- s + A_{i,j}; end; y_i <- s; end; return y", row_by_row),
        (
            "s <- 0; for i = 1..n; for j = 1..m; if A_{i,j} < 0; break; fi; s <- 0.5 s + A_{i,j}; end; "
            "s <- s + i; if s > 4; break; fi; end; return s",
            both_loops,
        ),
        ("for i = 1..n; s <- 0; for j = 1..m; s <- s + A_{i,j}; if s > 0.7; return s + i; fi; end; end; return -1", out_of_both),
    ],
)
def test_loops_in_loops(lines: str, meaning: Meaning, notation: str) -> None:
    check(text_of(notation, MATRIX, "A", lines), meaning, TABLES)


def test_a_search_by_halves() -> None:
    lines = (
        r"l <- 1; r <- n; p <- 0; for k = 1..n; if l > r; break; fi; m <- \lfloor (l + r) / 2 \rfloor; "
        "if x_m < v; l <- m + 1; elif x_m > v; r <- m - 1; else; p <- m; break; fi; end; return p + 100 l"
    )

    def halves(x: Any, v: Any) -> Any:
        low, high = 1, len(x)
        while low <= high:
            middle = (low + high) // 2
            if x[middle] == v:
                return middle + 100 * low
            low, high = (middle + 1, high) if x[middle] < v else (low, middle - 1)
        return 100 * low

    for notation in NOTATIONS:
        check(text_of(notation, (*VECTOR, r"v \in \mathbb{R}"), "x, v", lines), halves, [((5,), ()), ((1,), ()), ((8,), ())])


def test_several_results() -> None:
    lines = "for i = 1..n; if x_i > 0.3; return (i, x_i); fi; end; return (0, 0)"
    for notation in NOTATIONS:
        result = compile(text_of(notation, VECTOR, "x", lines))
        assert result.ok, result.diagnostics
        place, value = result.load().F()(torch.tensor([[0.1, 0.5, 0.7], [0.1, 0.2, 0.0]]))
        assert (place.tolist(), value.tolist()) == ([2, 0], [0.5, 0.0])


WORDS = [r"\State \textbf{break}", r"\State break", r"\State \Break", r"\State \BREAK", r"\Break", r"\State \textbf{Break} \Comment{found}"]


@pytest.mark.parametrize("words", WORDS)
def test_the_words(words: str) -> None:
    lines, meaning = LOOPS["a search"]
    text = text_of("algorithmic", VECTOR, "x", lines).replace(r"\State \textbf{break}", words)
    assert words in text
    check(text, meaning, SIZES, shortest=0)


@pytest.mark.parametrize("word", [r"\textbf{break}\;", r"\Break\;", r"\KwBreak\;"])
def test_the_words_of_algorithms_in_braces(word: str) -> None:
    text = (
        r"\begin{algorithm} \caption{F} \SetKw{KwBreak}{break} \KwIn{$x \in \mathbb{R}^{n}$} $r \gets 0$\; "
        r"\For{$i = 1$ \KwTo $n$}{ \If{$x_i > 0.3$}{ $r \gets i$\; " + word + r" } } \Return{$r$}\; \end{algorithm}"
    )
    check(text, LOOPS["a search"][1], SIZES, shortest=0)


def test_names_of_the_author_stay() -> None:
    lines = r"left <- 0; returned <- 1; for i = 1..n; if x_i > 0.3; left <- i; break; fi; end; return left + returned"
    check(text_of("docstring", VECTOR, "x", lines), lambda x: first(x, lambda v: v > 0.3, 0) + 1, SIZES)


def test_how_it_is_shown() -> None:
    shown = compile(text_of("algorithmic", VECTOR, "x", LOOPS["both"][0])).source
    assert [line.strip() for line in shown.splitlines() if "Break" in line or "Continue" in line] == ["\\Continue \\\\", "\\Break \\\\"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("s <- x_1; break; return s", r"`\Break` stands outside of every loop"),
        ("s <- 0; for i = 1..n; break; s <- s + x_i; end; return s", r"nothing executes this, behind `\Break`"),
        ("for i = 1..n; if x_i > 0; return i; s <- 1; fi; end; return 0", r"nothing executes this, behind `\Return`"),
        (
            "s <- 0; for i = 1..n; if x_i > 0; break; else; continue; fi; s <- 1; end; return s",
            "nothing executes this: no arm before it goes on",
        ),
    ],
)
def test_what_is_refused(lines: str, message: str) -> None:
    for notation in NOTATIONS:
        (found,) = compile(text_of(notation, VECTOR, "x", lines)).diagnostics
        assert (found.code, found.message) == ("E0221", message)


def test_no_module_has_loops_to_leave() -> None:
    (found,) = compile("\\Module{M}{x}\n\\Break \\\\\n\\Return x \\\\\n\\EndModule\n").diagnostics
    assert (found.code, found.message) == ("E0221", r"`\Break` of the algorithm notations stands in a module")
