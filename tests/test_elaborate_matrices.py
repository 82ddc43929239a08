r"""Matrices by their algebra, against torch: the identity `I`, whose size its place gives, and integer powers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import compile

TWO_POWERS = "`f(A)^p` of a matrix can be the power of the matrix, or the powers of its elements"
ROWS = {"A": r"\mathbb{R}^{n \times n}", "B": r"\mathbb{R}^{m \times n}", "x": r"\mathbb{R}^{n}", r"\lambda": r"\mathbb{R}"}


def module(body: str) -> str:
    names = [name for name in ROWS if name in body]
    rows = " ".join(rf"{name} \in {ROWS[name]} & \\" for name in names)
    return rf"\Module{{F}}{{{', '.join(names)} ; }} \Return {body} \\ \EndModule \begin{{where}} {rows} \end{{where}}"


def errors(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in compile(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"(I - A) @ x", lambda A, x: x - A @ x),
        (r"I x", lambda _, x: x),
        (r"2 I + A", lambda A, _: A + 2 * torch.eye(3, dtype=A.dtype)),
        (r"\lVert A - I^\top \rVert_F", lambda A, _: (A - torch.eye(3, dtype=A.dtype)).norm()),
        (r"I I A", lambda A, _: A),
    ],
)
def test_the_identity_has_the_size_that_fits(body: str, expected: Callable[[Tensor, Tensor], Tensor]) -> None:
    text = module(body)
    assert check_text(text) == 1
    A, x = torch.randn(3, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    given = [value for name, value in (("A", A), ("x", x)) if name in body]
    torch.testing.assert_close(compile(text).load().F()(*given), expected(A, x))


@pytest.mark.parametrize("body", ["I", "1 - I", r"\lambda I"])
def test_an_identity_of_no_size_is_refused(body: str) -> None:
    assert errors(module(body)) == [("E0405", "nothing tells the size of this identity matrix")]


SQUARE = r"\begin{where} W \in \mathbb{R}^{d_x \times d_x} & \\ \end{where}"


def test_a_parameter_beside_the_identity_is_square() -> None:
    text = r"\algoProc{\mathrm{F}}\pa{x} \\ y \algoEq (I - W) \cdot x \\ \algoReturn y \\ \algoEndProc" + SQUARE
    made = compile(text).load().F(d_x=4)
    x = torch.randn(4)
    torch.testing.assert_close(made(x), x - made.W @ x)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"A^2", lambda A, _: A @ A),
        (r"A^3 x", lambda A, x: A @ (A @ (A @ x))),
        (r"A^7 - A ** 1", lambda A, _: torch.linalg.matrix_power(A, 7) - A),
        (r"(A^\top + I)^5", lambda A, _: torch.linalg.matrix_power(A.T + torch.eye(3, dtype=A.dtype), 5)),
        (r"\sum_{k=0}^{n-1} (A_{k,k} A)^3", lambda A, _: sum(torch.linalg.matrix_power(a * A, 3) for a in A.diagonal())),
        (r"x^2", lambda _, x: x**2),
    ],
)
def test_integer_powers(body: str, expected: Callable[[Tensor, Tensor], Tensor]) -> None:
    text = module(body)
    assert check_text(text) == 1
    A, x = torch.randn(3, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    given = [value for name, value in (("A", A), ("x", x)) if name in body]
    torch.testing.assert_close(compile(text).load().F()(*given), expected(A, x))


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("A^{-1}", "E0701", "the inverse of a matrix is not supported yet"),
        ("A^0", "E0701", "a power of a matrix that is no positive integer is not supported yet"),
        ("A^{0.5}", "E0701", "a power of a matrix that is no positive integer is not supported yet"),
        ("A^n", "E0701", "a power of a matrix that is no positive integer is not supported yet"),
        (r"\tanh^2(A)", "E0304", TWO_POWERS),
        (r"\tanh(A)^2", "E0304", TWO_POWERS),
        ("B^2", "E0401", "only a square matrix has a power, and this is m × n"),
    ],
)
def test_other_powers_of_matrices_are_refused(body: str, code: str, message: str) -> None:
    assert errors(module(body)) == [(code, message)]


def test_a_capital_letter_is_a_matrix_where_its_power_multiplies() -> None:
    text = r"\algoProc{\mathrm{F}}\pa{x} \\ y \algoEq W^2 \cdot x \\ \algoReturn y \\ \algoEndProc" + SQUARE
    made = compile(text).load().F(d_x=4)
    x = torch.randn(4)
    torch.testing.assert_close(made(x), made.W @ (made.W @ x))


@pytest.mark.parametrize(
    "matrix",
    ["(W + U)", "(2 W)", r"\frac{W}{2}", r"(W \odot U)", "(-W)", "(c W)", "(1 - W)", r"\tanh(W)", "(W + U)^2", r"W^\top \cdot (W + U)"],
)
def test_the_letter_rule_sees_through_what_keeps_a_shape(matrix: str) -> None:
    owned = ", ".join([*(name for name in "WU" if name in matrix), *([r"c \in \mathbb{R}"] if "c W" in matrix else [])])
    text = rf"\Module{{F}}{{x \in \mathbb{{R}}^{{d}} ; {owned}}} \Return {matrix} \cdot x \\ \EndModule"
    compiled = compile(text)
    shapes = {symbol.symbol: symbol.shape for symbol in compiled.symbols}
    assert shapes["W"].count("×") == 1, shapes
    told = [line for d in compiled.diagnostics if d.code == "N0301" for line in d.notes]
    assert any("`W`" in line and "capital" in line for line in told), told


@pytest.mark.parametrize("sum_", ["(W + b)", r"(W \odot b)"])
def test_capital_and_lower_case_letters_together_tell_nothing(sum_: str) -> None:
    text = rf"\Module{{F}}{{x \in \mathbb{{R}}^{{d}} ; W, b}} \Return {sum_} \cdot x \\ \EndModule"
    assert errors(text) == [("E0405", "the shapes of `W`, `b` stay open")]
