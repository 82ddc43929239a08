r"""Matrices by their algebra, against torch: the identity `I`, whose size its place gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import compile

ROWS = {"A": r"\mathbb{R}^{n \times n}", "x": r"\mathbb{R}^{n}", r"\lambda": r"\mathbb{R}"}


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


def test_a_parameter_beside_the_identity_is_square() -> None:
    text = r"\algoProc{\mathrm{F}}\pa{x} \\ y \algoEq (I - W) \cdot x \\ \algoReturn y \\ \algoEndProc"
    made = compile(text).load().F(d_x=4)
    x = torch.randn(4)
    torch.testing.assert_close(made(x), x - made.W @ x)
