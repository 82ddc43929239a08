r"""Elements in another case than an array that statements assign, `u_{kk}` beside `U \gets A`, are asked about; no assignment is lost."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from mathdsl.diagnostics.model import Diagnostic
from tests.algorithms_by_hand import NOTATIONS
from tests.algorithms_by_hand import text_of as text_in

ROWS = [r"A \in \mathbb{R}^{n \times n}"]


def text_of(lines: str, notation: str = "algorithmic") -> str:
    """A procedure of a square matrix."""
    return text_in(notation, ROWS, "A", lines)


def finding_of(text: str) -> Diagnostic:
    found = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert len(found) == 1, [(d.code, d.message) for d in found]
    return found[0]


def value_of(lines: str, given: Tensor) -> Tensor:
    result = compile(text_of(lines))
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    value = result.load().F()(given)
    assert isinstance(value, Tensor)
    return value


@pytest.mark.parametrize("start", ["U <- A", r"for i = 1..n; for j = 1..n; U_{ij} <- A_{ij}; end; end"])
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("small", ["u_{kk}", "u_{k,k}"])
def test_an_assignment_that_no_result_needs_is_asked_about(start: str, small: str, notation: str) -> None:
    lines = rf"{start}; for k = 1..n; {small} <- 1; end; return U"
    found = finding_of(text_of(lines, notation))
    assert found.code == "E0301"
    assert found.message.replace(", k", ",k") == f"`{small}`, beside `U`, can be an element of `U`, or one of an array of its own"
    assert "write `U_{k, k}` for the element" in found.help
    given = torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True)
    eye = torch.eye(3, dtype=torch.float64)
    value = value_of(lines.replace(small, "U_{k, k}"), given)
    torch.testing.assert_close(value, given * (1 - eye) + eye)
    (slope,) = torch.autograd.grad(value.sum(), given)
    torch.testing.assert_close(slope, (1 - eye).expand(2, 3, 3))
    own = value_of(lines.replace(small, "v_{k}").replace(r"<- 1", r"<- A_{kk}").replace(r"return U", r"return U v"), given)
    torch.testing.assert_close(own, (given @ given.diagonal(dim1=-2, dim2=-1)[..., None])[..., 0])


def test_the_elements_of_a_factor_that_is_assigned_whole_are_asked_about() -> None:
    lines = (
        r"U <- A; L <- I_n; for k = 1..n-1; for j = k+1..n; \ell_{jk} <- U_{jk} / U_{kk};"
        r" for m = k..n; U_{jm} <- U_{jm} - \ell_{jk} U_{km}; end; end; end; return L U"
    )
    found = finding_of(text_of(lines))
    assert (found.code, found.help[:37]) == ("E0301", "write `L_{j, k}` for the element, or ")
    given = torch.randn(2, 4, 4, dtype=torch.float64)
    torch.testing.assert_close(value_of(lines.replace(r"\ell_{jk}", "L_{j, k}"), given), given)


@pytest.mark.parametrize("read", ["u_{kk}", "u_{1,1}", "u_{1,n}"])
def test_an_element_that_is_read_beside_an_assigned_matrix_is_no_parameter(read: str) -> None:
    lines = rf"U <- 2 A; for k = 1..n; s_k <- {read}; end; return s"
    found = finding_of(text_of(lines))
    assert found.code == "E0301"
    assert "can be an element of `U`, or one of an array of its own" in found.message
    value = value_of(rf"U <- 2 A; for k = 1..n; s_k <- {read.replace('u', 'U')}; end; return s", torch.ones(2, 2))
    assert value.tolist() in ([2.0, 2.0], [4.0, 4.0])


def test_a_row_that_is_read_beside_an_assigned_matrix_is_no_parameter() -> None:
    text = text_of(r"Q <- 2 A; for i = 1..n; s_i <- q_i^\top A_i; end; return s")
    assert "write `Q_{i}` for the element, or declare `q` for an array of its own" in finding_of(text).help
    assert compile(text.replace("\n\\Proc", "\n\\Require $q_i \\in \\mathbb{R}^{n}, i = 1, \\dots, n$\n\\Proc")).ok


def test_what_is_read_before_it_is_assigned_may_be_the_element_of_the_other_letter() -> None:
    inner = r"for m = k..n; u_{jm} <- u_{jm} - s_{jk} u_{km}; end"
    found = finding_of(text_of(rf"U <- A; for k = 1..n-1; for j = k+1..n; s_{{jk}} <- u_{{jk}} / u_{{kk}}; {inner}; end; end; return U"))
    assert found.code in ("E0509", "E0510")
    assert found.help.endswith("an element of `U` is written with that letter, `U`")


def test_an_element_of_an_array_that_nothing_declares_may_be_one_of_the_other_letter() -> None:
    found = finding_of(text_of(r"U <- A; for k = 2..n; s_k <- u_{k,1}; end; return s"))
    assert found.code == "E0302"
    assert found.help == "declare `u` with its range; an element of `U` is written with that letter, `U`"


def test_an_element_by_its_digits_is_asked_about() -> None:
    found = finding_of(text_of(r"U <- A; u_{11} <- 1; return U"))
    assert found.code == "E0301"
    assert "write `U_{1, 1}` for the element" in found.help
    assert value_of(r"U <- A; U_{1, 1} <- 1; return U", torch.zeros(2, 2)).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    "lines",
    [
        r"U <- A; for k = 1..n; u_k <- A_{kk}; end; return U u",
        r"S <- \sum_{i,j} A_{ij}; for k = 1..n; s_k <- A_{kk}; end; r <- \sum_{k=1}^{n} s_k; return S + r",
        r"U <- A; for i = 1..n; for j = 1..n; u_{ij} <- U_{ij}^2; end; end; r <- \sum_{i,j} u_{ij}; return U + r",
        r"for k = 1..n; H_k <- A_{kk}; h_k <- 2 H_k; end; return h",
    ],
)
def test_arrays_of_their_own_are_read(lines: str) -> None:
    assert compile(text_of(lines)).ok, finding_of(text_of(lines))
