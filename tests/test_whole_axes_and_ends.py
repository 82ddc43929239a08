r"""Ends above a sum and whole axes beside an index: `\sum_{i=1, j=1}^{h, w}`, `\sum_i^n`, `R_{*i}`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import api

A = torch.tensor([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], dtype=torch.float64)
ROWS = r"\begin{where} A_{ij} \in \mathbb{R}, i = 1, \dots, h, j = 1, \dots, w & \\ \end{where}"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\sum_{i=1, j=1}^{h, w} i A_{ij}", lambda a: a[0].sum() + 2 * a[1].sum()),
        (r"\sum_{i, j=1}^{h, w} j A_{ij}", lambda a: (a * torch.tensor([1.0, 2.0, 3.0])).sum()),
        (r"\sum_i^h \sum_j^w A_{ij}^2", lambda a: a.square().sum()),
        (r"\sum_i \lVert A_{i*} \rVert", lambda a: a.norm(dim=1).sum()),
        (r"\sum_j \lVert A_{*j} \rVert", lambda a: a.norm(dim=0).sum()),
        (r"\sum_j \lVert A_{\cdot j} \rVert", lambda a: a.norm(dim=0).sum()),
        (r"\sum_i \lVert A_{i\cdot} \rVert", lambda a: a.norm(dim=1).sum()),
    ],
)
def test_a_sum(formula: str, expected: Callable[[Tensor], Tensor]) -> None:
    result = api.compile(rf"\Module{{M}}{{A}} \Return {formula} \\ \EndModule {ROWS}")
    assert result.ok, [(found.code, found.message) for found in result.diagnostics]
    made, a = result.load().M(), A.clone().requires_grad_()
    torch.testing.assert_close(made(a), expected(a))
    torch.testing.assert_close(torch.autograd.grad(made(a), a), torch.autograd.grad(expected(a), a))
    torch.testing.assert_close(made(torch.stack([A, -A]))[1], expected(-A))


@pytest.mark.parametrize("range_", [r", \quad (t = 1, \dots, n)", r", (t = 1, \dots, n)", r"\quad (t = 1, \dots, n),"])
def test_a_comma_before_a_domain_means_nothing(range_: str) -> None:
    rows = r"\begin{where} x_t \in \mathbb{R}, t = 1, \dots, n & \\ \end{where}"
    text = rf"\Module{{M}}{{x}} y_t \gets t x_t {range_} \\ \Return y \\ \EndModule {rows}"
    torch.testing.assert_close(api.compile(text).load().M()(A[0]), A[0] * torch.tensor([1.0, 2.0, 3.0]))
