r"""Sums and products with an ellipsis: each term that is written is one step after the one before it, or the program is refused."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import pytest
import torch
from torch import Tensor

from mathdsl import api

X = torch.tensor([0.5, -1.5, 2.0, 0.25], dtype=torch.float64)
ROWS = r"\begin{where} x_i \in \mathbb{R}, i = 1, \dots, n & \\ \end{where}"
PAIRS = r"\begin{where} x_i, w_i \in \mathbb{R}, i = 1, \dots, n & \\ b \in \mathbb{R} & \\ \end{where}"


def module(formula: str, header: str = "x", rows: str = ROWS) -> str:
    return rf"\Module{{M}}{{{header}}} \Return {formula} \\ \EndModule {rows}"


def algorithm(formula: str) -> str:
    inner = rf"\Procedure{{M}}{{$x$}} \State $s \gets {formula}$ \State \Return $s$ \EndProcedure"
    return rf"\begin{{algorithmic}} {inner} \end{{algorithmic}} " + ROWS


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"x_1 + \dots + x_n", lambda x: x.sum()),
        (r"x_1 + x_2 + \cdots + x_n", lambda x: x.sum()),
        (r"x_1 + x_2 + x_3 + \ldots + x_{n-1} + x_n", lambda x: x.sum()),
        (r"x_2 + x_3 + \dots + x_n", lambda x: x[1:].sum()),
        (r"x_1 x_2 \cdots x_n", lambda x: x.prod()),
        (r"x_1 \cdots x_n", lambda x: x.prod()),
        (r"x_1 \cdot x_2 \cdot \ldots \cdot x_n", lambda x: x.prod()),
        (r"x_1 \times x_2 \times \dots \times x_n", lambda x: x.prod()),
        (r"x_1 \cdot x_2 \cdots x_n", lambda x: x.prod()),
        (r"(1 + x_1)(1 + x_2) \cdots (1 + x_n)", lambda x: (1 + x).prod()),
        (r"\tanh(x_1) \tanh(x_2) \cdots \tanh(x_n)", lambda x: x.tanh().prod()),
        (r"\sqrt{x_1^2 + x_2^2 + \cdots + x_n^2}", lambda x: x.norm()),
        (r"\frac{x_1 + x_2 + \dots + x_n}{n}", lambda x: x.mean()),
        (r"\log(e^{x_1} + e^{x_2} + \dots + e^{x_n})", lambda x: x.logsumexp(0)),
        (r"x_1 x_2 + x_2 x_3 + \dots + x_{n-1} x_n", lambda x: (x[1:] * x[:-1]).sum()),
        (r"x_1 + 2 x_2 + \dots + n x_n", lambda x: sum((k + 1) * x[k] for k in range(4))),
        (r"n x_1 + n x_2 + \dots + n x_n", lambda x: 4 * x.sum()),
        (r"x_1 (1 + 2 + \dots + n)", lambda x: 10 * x[0]),
        (r"2 (x_1 + \dots + x_n) - 3", lambda x: 2 * x.sum() - 3),
        (r"x_1 + \dots + x_n - 3", lambda x: x.sum() - 3),
        (r"x_1 + x_1 x_2 + x_1 x_2 + 1", lambda x: x[0] + 2 * x[0] * x[1] + 1),
    ],
)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_a_series(notation: Callable[[str], str], formula: str, expected: Callable[[Tensor], Tensor]) -> None:
    result = api.compile(notation(formula))
    assert result.ok, [(found.code, found.message) for found in result.diagnostics]
    made = result.load().M()
    x = X.clone().requires_grad_()
    torch.testing.assert_close(made(x), expected(x).to(x))
    torch.testing.assert_close(torch.autograd.grad(made(x), x), torch.autograd.grad(expected(x), x))
    batch = torch.stack([X, X.flip(0) + 1])
    torch.testing.assert_close(made(batch), torch.stack([expected(one).to(one) for one in batch]))


def test_powers_and_factors_of_one_are_left_out() -> None:
    rows = r"\begin{where} x \in \mathbb{R} & \\ a_i \in \mathbb{R}, i = 0, \dots, n & \\ \end{where}"
    made = api.compile(module(r"a_0 + a_1 x + a_2 x^2 + \dots + a_n x^n", "x, a", rows)).load().M()
    torch.testing.assert_close(made(X[2], X), sum(X[k] * X[2] ** k for k in range(4)))
    geometric = api.compile(
        module(r"1 + x + x^2 + \dots + x^n", r"x ; n \in \mathbb{N}", r"\begin{where} x \in \mathbb{R} & \\ \end{where}")
    )
    torch.testing.assert_close(geometric.load().M(n=5)(X[2]), torch.tensor(63.0, dtype=X.dtype))


def test_a_term_of_another_shape_stands_beside_it() -> None:
    for formula in (r"w_1 x_1 + w_2 x_2 + \dots + w_n x_n + b", r"b + w_1 x_1 + \dots + w_n x_n"):
        made = api.compile(module(formula, "x, w, b", PAIRS)).load().M()
        torch.testing.assert_close(made(X, X + 1, X[0]), X @ (X + 1) + X[0])


@pytest.mark.parametrize(("sign", "fold"), [("+", sum), (r"\times", prod)])
def test_a_series_to_the_index_of_a_definition(sign: str, fold: Callable[..., Tensor]) -> None:
    text = rf"\Module{{M}}{{x}} y_i \gets x_1 {sign} x_2 {sign} \dots {sign} x_i \quad (i = 1, \dots, n) \\ \Return y \\ \EndModule " + ROWS
    torch.testing.assert_close(api.compile(text).load().M()(X), torch.stack([fold(X[: k + 1]) for k in range(4)]))


@pytest.mark.parametrize(
    "formula",
    [
        r"x_n + \dots + x_1",  # downwards
        r"x_1 + x_3 + \dots + x_n",  # steps of 2
        r"x_1 + x_2^2 + \dots + x_n",  # two shapes
        r"x_1 + \dots",
        r"\dots + x_n",
        r"x_1 + \dots + x_n + x_{n+2}",
        r"x_1 x_2 \cdots x_n x_1",
        r"1 \cdots n",
        r"x_1 + x_2 + \dots + y_n",
        r"x_1 + \dots + x_n + \dots + x_n",
    ],
)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_what_is_no_step_of_one_upwards_is_refused(notation: Callable[[str], str], formula: str) -> None:
    assert not api.compile(notation(formula)).ok
