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


FILLED = r"""
\Require $A \in \mathbb{R}^{n \times n}$
\Procedure{F}{$A$}
\State $t_{\cdot} \gets 2$
\State BODY
\EndProcedure
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\Return $\sum_k t_k + A_{1,1}$", lambda a: 4 + a[0, 0]),
        (r"\Return $\max_k t_k + A_{1,1}$", lambda a: 2 + a[0, 0]),
        (r"\Return $t_1 A$", lambda a: 2 * a),
        (r"\Return $t_{\cdot}$", lambda a: 2 + 0 * a[0]),
        (r"$t_{\cdot} \gets t_{\cdot} + 1$ \State \Return $t$", lambda a: 3 + 0 * a[0]),
    ],
)
def test_a_whole_axis_of_which_nothing_tells_how_long_it_is(body: str, expected: Callable[[Tensor], Tensor]) -> None:
    text = FILLED.replace("BODY", body)
    (found,) = (one for one in api.compile(text).diagnostics if one.severity == "error")
    assert found.code == ("E0701" if "+ 1$" in body else "E0405")
    assert found.message == "nothing tells how many elements `t` has"
    assert r"declare it" in found.help
    told = api.compile(text.replace("\\Procedure", "\\Require $t \\in \\mathbb{R}^{n}$\n\\Procedure"))
    assert told.ok, [(one.code, one.message) for one in told.diagnostics]
    a = torch.randn(2, 2, dtype=torch.float64)
    torch.testing.assert_close(told.load().F().double()(a).expand_as(expected(a)), expected(a), check_dtype=False)


def test_a_whole_axis_that_a_range_or_a_product_tells_of() -> None:
    for body, expected in [
        (r"\Return $A t$", lambda a: 2 * a.sum(1)),
        (r"\Return $\sum_{k=1}^{n} t_k A_{k,1}$", lambda a: 2 * a[:, 0].sum()),
        (r"\For{$k = 1, \dots, n$} \State $t_k \gets A_{k,k}$ \EndFor \State \Return $t$", torch.diag),
    ]:
        a = torch.randn(2, 2, dtype=torch.float64)
        torch.testing.assert_close(api.compile(FILLED.replace("BODY", body)).load().F().double()(a), expected(a))
