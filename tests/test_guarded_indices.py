r"""Elements at an index that a condition keeps within its array: `x_q` where `q > 0`, of `q \in \{0, \dots, n\}`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, text_of

X, Q, P = r"x \in \mathbb{R}^{n}", r"q \in \{0, \dots, n\}", r"p \in \{0, \dots, n\}^{n}"
DATA = (0.3, 0.7, -0.2, 0.9)
Meaning = Callable[[Tensor, int], Any]


def held(text: str, meaning: Callable[..., Any], indices: list[Any]) -> None:
    """Values and slopes at each index, alone and in one batch."""
    found = compile(text)
    assert found.ok, [(d.code, d.message) for d in found.diagnostics]
    subject = found.load().F().double()
    rows = torch.tensor([DATA] * len(indices), dtype=torch.float64) + 0.1 * torch.arange(len(indices)).unsqueeze(-1)
    rows.requires_grad_()
    together = subject(rows, torch.tensor(indices))
    (slopes,) = torch.autograd.grad(together.sum(), rows, retain_graph=True)
    for k, index in enumerate(indices):
        x = rows[k].detach().requires_grad_()
        right = torch.as_tensor(meaning(x, index), dtype=torch.float64)
        slope = torch.autograd.grad(right.sum(), x)[0] if right.requires_grad else torch.zeros_like(x)
        ours = subject(x, torch.tensor(index))
        torch.testing.assert_close(ours, right)
        torch.testing.assert_close(together[k], right)
        torch.testing.assert_close(slopes[k], slope)
        own = torch.autograd.grad(ours.sum(), x, allow_unused=True)[0] if ours.requires_grad else None
        torch.testing.assert_close(torch.zeros_like(x) if own is None else own, slope)


def element(x: Tensor, q: int) -> Tensor:
    return x[q - 1] ** 2 if q > 0 else 0 * x[0]


def downwards(x: Tensor, q: int, *, until: float = 9.0) -> Tensor:
    s = 0 * x[0]
    while q > 0 and x[q - 1] < until:
        s = 2 * s + x[q - 1]
        q -= 1
    return s


def above(x: Tensor, q: int) -> Tensor:
    return x[q - 1] if q > 0 and x[q - 1] > 0.5 else 0 * x[0]


def cases(rows: str) -> str:
    return rf"return \begin{{cases}} {rows} \end{{cases}}"


ONE: dict[str, tuple[str, Meaning]] = {
    "a row": (cases(r"x_q^2 & q > 0 \\ 0 & \text{otherwise}"), element),
    "a row in brackets": (cases(r"x[q]^2 & 1 \leq q \\ 0 & \text{otherwise}"), element),
    "the row behind": (cases(r"0 & q = 0 \\ x_q^2 & \text{otherwise}"), element),
    "not zero": (cases(r"x_q^2 & q \neq 0 \\ 0 & \text{otherwise}"), element),
    "not": (cases(r"x_q^2 & \lnot (0 \geq q) \\ 0 & \text{otherwise}"), element),
    "a branch": ("y <- 0; if q > 0; y <- x_q^2; fi; return y", element),
    "the branch beside": ("if q = 0; y <- 0; else; y <- x_q^2; fi; return y", element),
    "a name of it": ("r <- q; if r > 0; y <- x_r^2; else; y <- 0; fi; return y", element),
    "behind and": (
        cases(r"x_q & q > 0 \land x_q > 0.5 \\ 0 & \text{otherwise}"),
        above,
    ),
    "behind or": (
        "y <- x_1; if q = 0 \\lor x_q > 0.5; y <- 2 x_2; fi; return y",
        lambda x, q: 2 * x[1] if q == 0 or x[q - 1] > 0.5 else x[0],
    ),
    "while": ("s <- 0; while q > 0 most n; s <- 2 s + x_q; q <- q - 1; ew; return s", downwards),
    "while, behind and": (
        r"s <- 0; while q > 0 \land x_q < 0.8 most n; s <- 2 s + x_q; q <- q - 1; ew; return s",
        lambda x, q: downwards(x, q, until=0.8),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ONE)
def test_an_index(name: str, notation: str) -> None:
    lines, meaning = ONE[name]
    held(text_of(notation, (X, Q), "x, q", lines), meaning, [0, 1, 4, 2])


def followed(x: Tensor, p: list[int], *, first: int = 4) -> Tensor:
    s, q = 0 * x[0], first
    for _ in x:
        if q > 0:
            s, q = 2 * s + x[q - 1], p[q - 1]
    return s


def picked(x: Tensor, p: list[int]) -> Tensor:
    return torch.stack([x[q - 1] if q > 0 else 0 * x[0] for q in p])


MANY: dict[str, tuple[str, Callable[[Tensor, list[int]], Tensor]]] = {
    "pointers": ("q <- n; s <- 0; while q > 0 most n; s <- 2 s + x_q; q <- p_q; ew; return s", followed),
    "pointers in turns": ("q <- n; s <- 0; for t = 1..n; if q > 0; s <- 2 s + x_q; q <- p_q; fi; end; return s", followed),
    "a guard of what is read next": (
        "q <- n; s <- x_q; for t = 1..n-1; if p_q > 0; q <- p_q; s <- 2 s + x_q; fi; end; return s",
        followed,
    ),
    "elements of an index array": (
        r"for i = 1..n; y_i <- \begin{cases} x_{p_i} & p_i > 0 \\ 0 & \text{otherwise} \end{cases}; end; return y",
        picked,
    ),
    "a sum of those": (r"return \sum_{i : p_i > 0} x_{p_i}", lambda x, p: picked(x, p).sum()),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", MANY)
def test_index_arrays(name: str, notation: str) -> None:
    lines, meaning = MANY[name]
    held(text_of(notation, (X, P), "x, p", lines), meaning, [[0, 1, 2, 3], [0, 0, 1, 2], [3, 1, 0, 0], [0, 4, 2, 1]])


def test_module_notation() -> None:
    rows = r"\begin{cases} x_{p_i} & p_i > 0 \\ 0 & \text{otherwise} \end{cases} \quad (i = 0, \dots, n - 1)"
    text = rf"\Module{{F}}{{{X}, {P} ; }} y_i \gets {rows} \\ \Return y \\ \EndModule"
    held(text, picked, [[0, 1, 2, 3], [4, 0, 1, 2]])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_type_with_as_many_values_as_elements_keeps_its_first_one(notation: str) -> None:
    lines = cases(r"x_q & q > 0 \\ 5 x_0 & \text{otherwise}")
    text = text_of(notation, (X, r"q \in \{0, \dots, n-1\}"), "x, q", lines)
    held(text, lambda x, q: x[q] if q > 0 else 5 * x[0], [0, 1, 3])


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "lines",
    [
        "return x_q",
        r"return \mathbb{1}[q > 0] x_q",
        r"y <- \begin{cases} x_q & q > 0 \\ 0 & \text{otherwise} \end{cases}; return y + x_q",
        r"r <- 2; " + cases(r"x_q & r > 0 \\ 0 & \text{otherwise}"),
    ],
)
def test_reads_without_a_guard_are_refused_and_the_help_helps(lines: str, notation: str) -> None:
    (found,) = (d for d in compile(text_of(notation, (X, Q), "x, q", lines)).diagnostics if d.severity == "error")
    assert (found.code, found.message) == ("E0502", "`q` reaches n, and indexes `x`, which ends at n - 1")
    assert found.help == "declare both over one range, or write a condition on the index"
    held(text_of(notation, (X, r"q \in \{1, \dots, n\}"), "x, q", "return x_q"), lambda x, q: x[q - 1], [1, 4])
