r"""Calls of modules whose results have sizes that are the least of others, against torch and the equations."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import compile

LAST = r"""
\Module{Last}{x ; n}
  y_t \gets 2 x_t \quad (t = 1, \dots, S) \\
  \Return \cat{y_{\max(1, S - n + 1)}, \dots, y_S} \\
\EndModule
\begin{where} x_t \in \mathbb{R}, t = 1, \dots, S & \\ n \in \mathbb{N} & \\ \end{where}
"""
CALLER = r"""
\Module{Caller}{z, w ; p}
  \Return @ \\
\EndModule
\begin{where} z, w \in \mathbb{R}^{L} & \\ p \in \mathrm{Last}(3) & \\ \end{where}
"""
STATES = r"""
\Module{States}{x, h_0 ; n, W}
  h_t \gets \tanh(W h_{t-1} + x_t) \quad (t = 1, \dots, S) \\
  \Return \cat{h_{\max(1, S - n + 1)}, \dots, h_S} \\
\EndModule
\begin{where}
  x_t \in \mathbb{R}^{d}, t = 1, \dots, S & \\ h_0 \in \mathbb{R}^{d} & \\ n \in \mathbb{N} & \\ W \in \mathbb{R}^{d \times d} & \\
\end{where}
"""


def last(x: Tensor) -> Tensor:
    return 2 * x[..., -3:]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_two_results_of_one_size_are_added(length: int) -> None:
    text = LAST + CALLER.replace("@", "p(z) + p(p(w))")
    z, w = torch.randn(2, 4, length)
    torch.testing.assert_close(compile(text).load().Caller()(z, w), last(z) + last(last(w)))


@pytest.mark.parametrize("body", ["p(z) + w[0]", "p(z) || p(w)", r"p(z)^\top p(w)"])
def test_examples_of_their_own_length(body: str) -> None:
    assert check_text(LAST + CALLER.replace("@", body)) == 2


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (r"\Return p(z, h_0) + 1 \\", r"z \in \mathbb{R}^{L \times d} & \\ p \in \mathrm{States}(n, d) & \\"),
        (
            r"a_i \gets p(z_i, h_0) \quad (i = 1, \dots, B) \\ \Return a \\",
            r"z_i \in \mathbb{R}^{L \times d}, i = 1, \dots, B & \\ p \in \mathrm{States}(n, d) & \\",
        ),
        (
            r"a^{\ell} \gets p^{\ell}(z, h_0) \quad (\ell = 1, \dots, 2) \\ \Return a \\",
            r"z \in \mathbb{R}^{L \times d} & \\ p^{\ell} \in \mathrm{States}(n, d), \ell = 1, \dots, 2 & \\",
        ),
    ],
)
def test_a_recurrence_that_is_called(body: str, rows: str) -> None:
    caller = rf"\Module{{Caller}}{{z ; p, h_0}} {body} \EndModule \begin{{where}} {rows} h_0 \in \mathbb{{R}}^{{d}} & \\ \end{{where}}"
    assert check_text(STATES + caller) == 2


def test_the_size_is_shown_in_the_sizes_of_the_caller() -> None:
    result = compile(LAST + CALLER.replace("@", "a").replace(r"\Return", r"a \gets p(z) + p(w) \\ \Return"))
    shown = {row.python: (row.symbol, row.shape) for row in result.symbols if row.module == "Caller"}
    assert any(symbol == r"\min(L, 3)" for symbol, _ in shown.values())


@pytest.mark.parametrize(
    ("statements", "value"),
    [
        (r"\Return \softmax(z)[y] \\", lambda z, y: z.softmax(0)[y]),
        (r"\Return \softmax(z)_y^2 \\", lambda z, y: z.softmax(0)[y] ** 2),
        (r"\Return (W z)_y + (W z)[0] \\", lambda z, y: (2 * z)[y] + (2 * z)[0]),
        (r"f(x) \gets x / \lVert x \rVert \\ \Return f(z)[y] \\", lambda z, y: (z / z.norm())[y]),
        (r"\Return \sum_{k=0}^{n-1} \softmax(W z)[k] z_k \\", lambda z, y: (2 * z).softmax(0) @ z),
    ],
)
def test_an_index_behind_a_call_is_of_its_value(statements: str, value: Callable[[Tensor, Tensor], Tensor]) -> None:
    rows = r"z \in \mathbb{R}^{n} & \\ y \in \{0, \dots, n-1\} & \\ W \in \mathbb{R}^{n \times n} & \\"
    text = f"\\Module{{F}}{{z, y, W ; }}\n{statements}\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"
    z, y = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64), torch.tensor(2)
    torch.testing.assert_close(compile(text).load().F()(z, y, 2 * torch.eye(3, dtype=torch.float64)), value(z, y))


def test_an_index_behind_a_call_that_leaves_its_value_is_told_as_it_is_written() -> None:
    rows = r"\begin{where} x \in \mathbb{R}^{n} & \\ \end{where}"
    for written in (r"\tanh(x)[n+1]", "(2 x)_{n+1}"):
        found = compile(rf"\Module{{F}}{{x ; }} \Return {written} \\ \EndModule {rows}").diagnostics
        assert [d.code for d in found] == ["E0502"]
        assert "value" not in found[0].message
        assert written.removesuffix("[n+1]").removesuffix("_{n+1}") in found[0].message


def test_the_last_element_of_a_value_says_that_what_it_comes_of_counts_from_1() -> None:
    rows = r"\begin{where} x \in \mathbb{R}^{n} & \\ \end{where}"
    for written in (r"\tanh(x)[n]", r"\tanh(x[n])"):
        module = compile(rf"\Module{{F}}{{x ; }} \Return {written} \\ \EndModule {rows}").load().F()
        assert module(torch.tensor([1.0, 2.0, 3.0])) == torch.tensor(3.0).tanh()
