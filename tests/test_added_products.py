"""What is added to a product of parameters alone: nothing is lost. Values and gradients are worked out in plain torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import load

W = torch.tensor([[0.5, -0.7, 0.9], [0.3, 0.2, -0.4]], dtype=torch.float64)
B = torch.tensor([0.8, -0.6, 0.1], dtype=torch.float64)
C = torch.tensor([0.7, -0.9], dtype=torch.float64)
ROWS = {
    "a sum before the batch": (r"y_i \gets x_i + \sum_j b_j W_{i,j} \quad (i = 1, \dots, 2)", lambda x, W, b, c: x + W @ b),
    "a sum behind the batch": (r"y_i \gets \sum_j b_j W_{i,j} + x_i \quad (i = 1, \dots, 2)", lambda x, W, b, c: x + W @ b),
    "the factors the other way round": (r"y_i \gets x_i + \sum_j W_{i,j} b_j \quad (i = 1, \dots, 2)", lambda x, W, b, c: x + W @ b),
    "a vector and a matrix": (r"y \gets x + b^\top W^\top", lambda x, W, b, c: x + W @ b),
    "with a bias": (r"y_i \gets x_i + \sum_j b_j W_{i,j} + c_i \quad (i = 1, \dots, 2)", lambda x, W, b, c: x + W @ b + c),
    "twice": (r"y_i \gets \sum_j b_j W_{i,j} + x_i + \sum_j b_j W_{i,j} \quad (i = 1, \dots, 2)", lambda x, W, b, c: x + 2 * (W @ b)),
    "inside a function": (r"y_i \gets \tanh(x_i + \sum_j b_j W_{i,j}) \quad (i = 1, \dots, 2)", lambda x, W, b, c: (x + W @ b).tanh()),
    "taken away": (r"y_i \gets x_i - \sum_j b_j W_{i,j} \quad (i = 1, \dots, 2)", lambda x, W, b, c: x - W @ b),
}  # fmt: skip
TABLE = (
    r"x_i, c_i \in \mathbb{R}, i = 1, \dots, 2 & \\ b_j \in \mathbb{R}, j = 1, \dots, 3 & \\"
    r" W_{i,j} \in \mathbb{R}, i = 1, \dots, 2, j = 1, \dots, 3 & \\"
)


@pytest.mark.parametrize("name", ROWS)
def test_nothing_that_is_added_is_lost(name: str) -> None:
    statement, formula = ROWS[name]
    used = ", ".join(letter for letter in "Wbc" if letter in statement.replace(r"\tanh", ""))
    table = TABLE if "c_i" in statement else TABLE.replace("x_i, c_i", "x_i")
    text = rf"\Module{{M}}{{x ; {used}}} {statement} \\ \Return y \EndModule \begin{{where}} {table} \end{{where}}"
    made = load(text).M().double()
    parameters = dict(made.named_parameters())
    with torch.no_grad():
        for letter, value in (("W", W), ("b", B), ("c", C)):
            if letter in parameters:
                parameters[letter].copy_(value)
    for shape in ((2,), (4, 2)):
        x = torch.linspace(-0.8, 0.9, 2 * max(1, shape[0] if len(shape) > 1 else 1), dtype=torch.float64).reshape(shape)
        _compare(made, parameters, formula, x)


def _compare(made: Any, parameters: dict[str, Tensor], formula: Callable[..., Tensor], x: Tensor) -> None:
    found = made(x)
    plain = [value.clone().requires_grad_() for value in (W, B, C)]
    rows = x if x.dim() > 1 else x[None]
    wanted = torch.stack([formula(row, *plain) for row in rows]).reshape(x.shape)
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)
    gradients = torch.autograd.grad(torch.sin(found).sum(), list(parameters.values()))
    theirs = torch.autograd.grad(torch.sin(wanted).sum(), plain, allow_unused=True)
    for name, gradient in zip(parameters, gradients, strict=True):
        expected = theirs["Wbc".index(name)]
        assert expected is not None
        torch.testing.assert_close(gradient, expected, rtol=1e-12, atol=1e-12)
