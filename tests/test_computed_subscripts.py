r"""Subscripts that a program computes: `B_c` is the element of `B` at `c` where every value of `c` is an integer, `c \gets \min(i, 2)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import mathdsl
from tests.test_algorithms_of_textbooks import VECTOR
from tests.test_arrays_executed import algorithmic, docstring

_FILL = r"\For{$k = 1, \dots, n$} \State $C_k \gets %s$ \EndFor"
_RANK = r"\sum_{j=1}^{n} \mathbb{1}[u_j \leq u_i]"
_U = torch.tensor([0.5, -1.25, 2.0, 0.75], dtype=torch.float64)
_P = torch.tensor([3, 1, 4, 2])
_RANKS = [2, 1, 4, 3]
_COMPUTED = {
    "smaller": ("", r"$c \gets \min(i, 2)$", [1, 2, 2, 2]),
    "between": ("", r"$c \gets \max(1, \min(n, i + 1))$", [2, 3, 4, 4]),
    "several times": ("", r"$c \gets 2 \min\{i, 2\}$", [2, 4, 4, 4]),
    "largest": ("", r"$c \gets \max_j p_j$", [4, 4, 4, 4]),
    "count": ("", r"$c \gets \sum_{j=1}^{i} 1$", [1, 2, 3, 4]),
    "rank": ("", rf"$c \gets {_RANK}$", _RANKS),
    "braces": ("", r"$c \gets \mathbb{1}\{u_i > 0\} + 1$", [2, 1, 2, 2]),
    "product": ("", r"$c \gets \prod_{j=1}^{1} i$", [1, 2, 3, 4]),
    "power": ("", r"$c \gets i^1$", [1, 2, 3, 4]),
    "pair": ("", r"$(c, d) \gets (p_i, 1)$", [3, 1, 4, 2]),
    "function": (r"\State $f(k) \gets n + 1 - k$", r"$c \gets f(p_i)$", [2, 4, 1, 3]),
    "filled": (_FILL % "p_k", r"$c \gets C_i$", [3, 1, 4, 2]),
    "filled in brackets": (r"\For{$k = 1, \dots, n$} \State $C[k] \gets p_k$ \EndFor", r"$c \gets C[i]$", [3, 1, 4, 2]),
    "copied": (r"\State $C \gets p$", r"$c \gets C_i$", [3, 1, 4, 2]),
    "ranks": (_FILL % _RANK.replace("u_i", "u_k"), r"$c \gets C_i$", _RANKS),
    "chained": (_FILL % "k" + r" \State $q \gets C_1$", r"$c \gets \max(q, C_i)$", [1, 2, 3, 4]),
}


def _run(before: str, step: str, body: str, result: str) -> torch.nn.Module:
    lines = (
        r"\begin{algorithmic}",
        r"\Require $u \in \mathbb{R}^n$, $p \in \{1, \dots, n\}^n$",
        before,
        r"\State $B \gets u$",
        r"\State $s \gets 0$",
        r"\For{$i = 1, \dots, n$}",
        rf"\State {step}",
        rf"\State ${body}$",
        r"\EndFor",
        rf"\State \Return ${result} + 0 p_1$",
        r"\end{algorithmic}",
    )
    compiled = mathdsl.compile("\n".join(lines) + "\n")
    assert compiled.ok, [found.message for found in compiled.diagnostics]
    module: torch.nn.Module = compiled.load().Algorithm()
    return module


@pytest.mark.parametrize("way", _COMPUTED)
def test_an_element_at_a_computed_integer_is_assigned(way: str) -> None:
    before, step, places = _COMPUTED[way]
    module = _run(before, step, r"B_c \gets B_c + i u_i", "B")

    def expected(u: torch.Tensor) -> torch.Tensor:
        values = [*u]
        for i, c in enumerate(places):
            values[c - 1] = values[c - 1] + (i + 1) * u[i]
        return torch.stack(values)

    _compare(module, expected)


@pytest.mark.parametrize("way", _COMPUTED)
@pytest.mark.parametrize("name", ["u", "B"])
def test_an_element_at_a_computed_integer_is_read(way: str, name: str) -> None:
    before, step, places = _COMPUTED[way]
    module = _run(before, step, rf"s \gets s + i {name}_c", "s")
    _compare(module, lambda u: sum(((i + 1) * u[c - 1] for i, c in enumerate(places)), torch.zeros((), dtype=u.dtype)))


def _compare(module: torch.nn.Module, expected: object) -> None:
    assert callable(expected)
    ours, theirs = _U.clone().requires_grad_(), _U.clone().requires_grad_()
    found, right = module(ours, _P), expected(theirs)
    torch.testing.assert_close(found, right)
    weights = torch.arange(1.0, 1 + right.numel(), dtype=right.dtype).reshape(right.shape)
    (found * weights).sum().backward()
    (right * weights).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    batch = torch.stack([_U, _U * 2])  # the same order, so the same places
    torch.testing.assert_close(module(batch, torch.stack([_P, _P])), torch.stack([expected(one) for one in batch]))


def test_an_assignment_at_an_integer_is_none_of_a_name() -> None:
    program = r"""\begin{algorithmic}
\Require $u \in \mathbb{R}^n$
\State $c \gets \max(1, 2)$
\State $u_c \gets 7$
\State \Return $u$
\end{algorithmic}
"""
    compiled = mathdsl.compile(program)
    assert compiled.ok
    torch.testing.assert_close(compiled.load().Algorithm()(_U), torch.tensor([0.5, 7.0, 2.0, 0.75], dtype=torch.float64))


def test_a_label_that_holds_reals_names() -> None:
    program = r"""\begin{algorithmic}
\Require $x \in \mathbb{R}^n$, $W \in \mathbb{R}^{n \times n}$, $W_h \in \mathbb{R}^{n \times n}$
\State $h \gets W x$
\State \Return $W_h h$
\end{algorithmic}
"""
    compiled = mathdsl.compile(program)
    assert compiled.ok
    one, two = torch.arange(16.0, dtype=torch.float64).reshape(4, 4), torch.eye(4, dtype=torch.float64) * 3
    torch.testing.assert_close(compiled.load().Algorithm()(_U, one, two), two @ (one @ _U))


# ---- a number of which nothing says that it is an integer ------------------------------------------

_MIDDLE = r"B <- x; c <- n / 2; B_c <- 0; return B"
_HALVES = r"B <- x; for i = 2..n; c <- i / 2; B_c <- B_c + x_i; end; return B"
_PLACES = (
    (_MIDDLE, "B_c"),
    (_HALVES.replace("B_c + ", ""), "B_c"),
    ("B <- x; s <- 0; for i = 1..n; c <- x_i / 2; B_c <- x_i; s <- s + B_c; end; return s + B_1", "B_c"),
    ("B <- x; c <- x_1; if c > 0; B_c <- 0; fi; return B", "B_c"),
    ("(c, d) <- (n / 2, 3); x_c <- d; return x", "x_c"),
    (r"A <- x x^\top; c <- n / 2; A_{c,1} <- 0; return A", "A_{c,1}"),
    (r"A <- x x^\top; c <- n / 2; A_c <- x; return A", "A_c"),
)


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize(("lines", "place"), _PLACES)
def test_a_left_side_at_a_number_that_is_computed_is_asked_about(lines: str, place: str, write: Callable[..., str]) -> None:
    text = write(VECTOR, "x", lines.split("; "))
    (found,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert (found.code, text[found.span.start : found.span.end]) == ("E0303", place)
    assert f"`{place}` can be an element of `{place[0]}`, or a symbol of its own" in found.message


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("lines", [_MIDDLE, _HALVES])
def test_the_element_that_the_question_offers(lines: str, write: Callable[..., str]) -> None:
    in_brackets = lines.replace("B_c", "B[c]")
    asked = mathdsl.compile(write(VECTOR, "x", in_brackets.split("; "))).diagnostics
    assert {d.code for d in asked if d.severity == "error"} == {"E0406"}
    rounded = in_brackets.replace("n / 2", r"\lfloor n / 2 \rfloor").replace("i / 2", r"\lfloor i / 2 \rfloor")
    module = mathdsl.load(write(VECTOR, "x", rounded.split("; "))).F()

    def expected(x: torch.Tensor) -> torch.Tensor:
        values = [*x]
        if lines == _MIDDLE:
            values[len(values) // 2 - 1] = 0 * x[0]
        else:
            for i in range(2, len(values) + 1):
                values[i // 2 - 1] = values[i // 2 - 1] + x[i - 1]
        return torch.stack(values)

    ours, theirs = _U.clone().requires_grad_(), _U.clone().requires_grad_()
    torch.testing.assert_close(module(ours), expected(theirs))
    torch.testing.assert_close(*(torch.autograd.grad((f(x) * _U).sum(), x) for f, x in ((module, ours), (expected, theirs))))
    torch.testing.assert_close(module(torch.stack([_U, -_U])), torch.stack([expected(_U), expected(-_U)]))


@pytest.mark.parametrize("write", [algorithmic, docstring])
def test_a_label_that_is_a_vector_names(write: Callable[..., str]) -> None:
    module = mathdsl.load(write(VECTOR, "x", [r"m <- x / 2", "x_m <- x - m", "return x_m + 3 x"])).F()
    torch.testing.assert_close(module(_U), 3.5 * _U)


def test_elements_that_turns_choose_define_an_array_that_the_header_does_not_name() -> None:
    text = algorithmic(
        r"x \in \mathbb{R}^n, p \in \{1, \dots, n\}^n, y \in \mathbb{R}^n",
        "x, p",
        "for i = 1..n; j <- p_i; y_j <- x_i; end; return y".split("; "),
    )
    subject = mathdsl.load(text).F()
    torch.testing.assert_close(subject(_U, torch.tensor([2, 1, 4, 3])), _U[[1, 0, 3, 2]])
    with pytest.raises(ValueError, match="y is assigned before it is read"):
        subject(_U, torch.tensor([2, 1, 4, 2]))
    begun = mathdsl.load(text.replace(r"\For", r"\State $y \gets \mathbf{0}_n$ \For", 1)).F()
    torch.testing.assert_close(begun(_U, torch.tensor([2, 1, 4, 2])), torch.stack([_U[1], _U[3], torch.zeros_like(_U[0]), _U[2]]))
