"""Gradients where formulas have an edge: norms at 0, values behind names that a branch does not take, stable forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
ROOT_2 = 2.0**0.5
Data = Sequence[object] | float


@cache
def module(text: str) -> object:
    result = compile_files([SourceFile("-", text)])
    assert result.ok, [d.message for d in result.diagnostics]
    return result.load().F()


def value_and_gradient(text: str, *data: Data) -> tuple[Tensor, list[Tensor]]:
    """The result for one example, and the gradients of its sum; the same in a batch beside an example of ones."""
    made = module(text)
    inputs = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in data]
    result = made(*inputs)  # type: ignore[operator]
    gradients = torch.autograd.grad(result.sum(), inputs, allow_unused=True)
    batch = [torch.stack([torch.ones_like(one), one.detach()]).requires_grad_() for one in inputs]
    together = made(*batch)  # type: ignore[operator]
    batched = torch.autograd.grad(together.sum(), batch, allow_unused=True)
    torch.testing.assert_close(together[1], result, **CLOSE)
    for alone, among in zip(gradients, batched, strict=True):
        assert (alone is None) == (among is None)
        if alone is not None and among is not None:
            torch.testing.assert_close(among[1], alone, **CLOSE)
    return result.detach(), [torch.zeros_like(i) if g is None else g for i, g in zip(inputs, gradients, strict=True)]


def check(text: str, data: Sequence[Data], value: Data, *gradients: Data) -> None:
    """Value and gradients are these."""
    found, slopes = value_and_gradient(text, *data)
    torch.testing.assert_close(found, torch.tensor(value, dtype=torch.float64), **CLOSE)
    for slope, wanted in zip(slopes, gradients, strict=True):
        torch.testing.assert_close(slope, torch.tensor(wanted, dtype=torch.float64), **CLOSE)


# ---- norms ---------------------------------------------------------------------------------------

VECTOR = r"\begin{where} x \in \mathbb{R}^{n} & \\ \end{where}"
VECTORS = r"\begin{where} x, y \in \mathbb{R}^{n} & \\ \end{where}"
MATRIX = r"\begin{where} A \in \mathbb{R}^{n \times m} & \\ \end{where}"
ROWS = {"x": VECTOR, "x, y": VECTORS, "A": MATRIX}


def norm(formula: str, inputs: str = "x") -> str:
    return rf"\Module{{F}}{{{inputs} ; }} \Return {formula} \\ \EndModule {ROWS[inputs]}"


SQUARES = [
    r"\lVert x - y \rVert^2",
    r"\lVert x - y \rVert_2^2",
    r"\lVert x - y \rVert^2_2",
    r"(\lVert x - y \rVert)^2",
    r"\| x - y \|^2",
    r"\lVert y - x \rVert ** 2",
    r"\lVert x - y \rVert \cdot \lVert x - y \rVert",
]


@pytest.mark.parametrize("formula", SQUARES)
def test_a_squared_distance_has_the_gradient_0_where_there_is_none(formula: str) -> None:
    text = norm(formula, "x, y")
    check(text, ([1.0, 2.0], [1.0, 2.0]), 0.0, [0.0, 0.0], [0.0, 0.0])
    check(text, ([1.0, 2.0], [4.0, -2.0]), 25.0, [-6.0, 8.0], [6.0, -8.0])


def test_a_squared_norm_is_the_sum_of_squares_to_the_second_derivative() -> None:
    made = module(norm(r"\lVert x \rVert^2"))
    x = torch.zeros(2, dtype=torch.float64)
    hessian = torch.autograd.functional.hessian(made, x)  # type: ignore[arg-type]
    torch.testing.assert_close(hessian, 2.0 * torch.eye(2, dtype=torch.float64))


def test_a_squared_norm_behind_a_name_has_the_gradient_0() -> None:
    text = rf"\Module{{F}}{{x ; }} r \gets \lVert x \rVert \\ \Return r^2 \\ \EndModule {VECTOR}"
    check(text, ([0.0, 0.0],), 0.0, [0.0, 0.0])
    check(text, ([3.0, -4.0],), 25.0, [6.0, -8.0])


@pytest.mark.parametrize("formula", [r"\lVert A \rVert_F^2", r"\lVert A \rVert^2_F", r"(\lVert A \rVert_F)^2"])
def test_a_squared_norm_of_a_matrix(formula: str) -> None:
    check(norm(formula, "A"), ([[0.0, 0.0], [0.0, 0.0]],), 0.0, [[0.0, 0.0], [0.0, 0.0]])
    check(norm(formula, "A"), ([[1.0, 0.0], [-2.0, 3.0]],), 14.0, [[2.0, 0.0], [-4.0, 6.0]])


def test_a_fourth_power() -> None:
    check(norm(r"\lVert x \rVert^4"), ([0.0, 0.0],), 0.0, [0.0, 0.0])
    check(norm(r"\lVert x \rVert^4"), ([1.0, 2.0],), 25.0, [20.0, 40.0])


@pytest.mark.parametrize(
    ("formula", "value", "slopes"),
    [
        (r"\lVert x \rVert", 5.0, [0.6, -0.8]),
        (r"\lVert x \rVert_2", 5.0, [0.6, -0.8]),
        (r"\lVert x \rVert_1", 7.0, [1.0, -1.0]),
        (r"\lVert x \rVert_\infty", 4.0, [0.0, -1.0]),
        (r"\lVert x \rVert_3", 91.0 ** (1 / 3), [9.0 * 91.0 ** (-2 / 3), -16.0 * 91.0 ** (-2 / 3)]),
        (r"\lVert x \rVert_{0.5}", (3.0**0.5 + 2.0) ** 2, [(3.0**0.5 + 2.0) / 3.0**0.5, -(3.0**0.5 + 2.0) / 2.0]),
        (r"\lVert x \rVert^3", 125.0, [45.0, -60.0]),
    ],
)
def test_a_norm_has_the_gradient_0_at_0(formula: str, value: float, slopes: list[float]) -> None:
    check(norm(formula), ([3.0, -4.0],), value, slopes)
    check(norm(formula), ([0.0, 0.0],), 0.0, [0.0, 0.0])


def test_norms_of_rows_of_which_some_are_0() -> None:
    text = r"\Module{F}{A ; } \Return \sum_{i=1}^{n} \lVert A_{i} \rVert \\ \EndModule"
    text += r"\begin{where} A_i \in \mathbb{R}^{m}, i = 1, \dots, n & \\ \end{where}"
    check(text, ([[0.0, 0.0], [1.0, -1.0]],), ROOT_2, [[0.0, 0.0], [1 / ROOT_2, -1 / ROOT_2]])
    frobenius = norm(r"\lVert A \rVert_F", "A")
    check(frobenius, ([[0.0, 0.0], [1.0, -1.0]],), ROOT_2, [[0.0, 0.0], [1 / ROOT_2, -1 / ROOT_2]])
