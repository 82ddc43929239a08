"""Equations that are asserted: of reals up to rounding, of integers and in choices exactly."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile

_BY_ELEMENTS = r"""\Require $A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$
\Ensure $x \in \mathbb{R}^n$ with $A x = b$
\Procedure{Solve}{$A, b$}
\State $x \gets \mathbf{0}_n$
\For{$i = 1, \dots, n$} \State $x_i \gets (b_i - \sum_{j=1}^{i-1} A_{i,j} x_j) / A_{i,i}$ \EndFor
\State \Return $x$
\EndProcedure
"""
_RECIPROCAL = r"\Module{F}{x} y \gets 1 / x \\ \Assert % \\ \Return y \\ \EndModule \begin{where} x \in \mathbb{R} & \\ \end{where}"
_DIGITS = r"""\Require $x \in \mathbb{R}^n$
\Procedure{F}{$x$}
\State $y \gets (\begin{cases} 1 & x_i = 1 \\ 0 & \text{otherwise} \end{cases})_{i=1}^n$
\State \Assert $y_1 = \mathbb{1}[x_1 = 1] \lor x_1 < 0$
\State \Return $y$
\EndProcedure
"""


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_system_of_equations_is_solved_up_to_rounding(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(3)
    made = compile(_BY_ELEMENTS).load().Solve()
    matrices = (torch.rand(3, 7, 7, generator=generator).tril() + torch.eye(7)).to(dtype)
    right = torch.randn(3, 7, generator=generator).to(dtype)
    solved = torch.linalg.solve_triangular(matrices, right[..., None], upper=False)[..., 0]
    torch.testing.assert_close(made(matrices, right), solved, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"the condition does not hold: A x"):
        made(matrices + torch.ones(7, 7, dtype=dtype).triu(1), right)


@pytest.mark.parametrize("condition", ["y x = 1", r"y x = 1 \land 1 = y x", r"y x - 1 = 0", r"x > 100 \lor y x = 1"])
def test_an_equation_of_reals(condition: str) -> None:
    made = compile(_RECIPROCAL.replace("%", condition)).load().F()
    given = torch.tensor(49.0, dtype=torch.float64)
    assert 1 / given * given != 1
    assert made(given) == 1 / given


@pytest.mark.parametrize("condition", ["y x = 1.001", r"y x \neq 1", "x y = 2"])
def test_an_equation_that_does_not_hold(condition: str) -> None:
    with pytest.raises(ValueError, match="the condition does not hold"):
        compile(_RECIPROCAL.replace("%", condition)).load().F()(torch.tensor(2.0))


def test_what_chooses_a_value_is_exact() -> None:
    made = compile(_DIGITS).load().F()
    assert made(torch.tensor([1.0, 1.0 + 2e-7])).tolist() == [1.0, 0.0]
    assert "_close" in compile(_BY_ELEMENTS).source


def test_integers_are_equal_exactly() -> None:
    text = r"\Module{F}{k} \Assert k = 10^9 \\ \Return k \\ \EndModule \begin{where} k \in \mathbb{N} & \\ \end{where}"
    made = compile(text).load().F()
    assert made(torch.tensor(10**9)) == 10**9
    with pytest.raises(ValueError, match="the condition does not hold"):
        made(torch.tensor(10**9 + 1))
