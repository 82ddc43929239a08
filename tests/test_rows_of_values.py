r"""A row of values, `x = (x_1, \dots, x_n)`: where it declares it says what axis `x` has; as a value it is the array."""

from __future__ import annotations

import pytest
import torch

import mathdsl

Tensor = torch.Tensor
MODULE = r"""
\Module{F}{HEADER}
  y_i \gets x_i^2 \quad (i = 1, \dots, n) \\
  \Return x_1 + 10 x_n + y_n \\
\EndModule
TABLE
"""
ALGORITHM = r"""
\begin{algorithmic}
\Require $TABLE$
\Procedure{F}{$HEADER$}
\For{$i = 1$ to $n$} \State $y_i \gets x_i^2$ \EndFor
\State \Return $x_1 + 10 x_n + y_n$
\EndProcedure
\end{algorithmic}
"""
ROW = r"x = (x_1, \dots, x_n)"
SAID = [
    (MODULE, ROW, ""),
    (MODULE, r"x_1, \dots, x_n", ""),
    (MODULE, r"x_1, x_2, \dots, x_n \in \mathbb{R}", ""),
    (MODULE, r"x = (x_1, \dots, x_n), x_i \in \mathbb{R}", ""),
    (MODULE, r"x_i \in \mathbb{R}, i = 1, \dots, n", ""),
    (MODULE, "x", rf"\begin{{where}} {ROW} & the data \\ \end{{where}}"),
    (MODULE, "x", rf"\begin{{where}} {ROW}, x_t \in \mathbb{{R}} & \\ \end{{where}}"),
    (MODULE, "x", rf"\begin{{where}} {ROW} & the data \\ x_k \in \mathbb{{R}} & \\ \end{{where}}"),
    (MODULE, "x", rf"\begin{{where}} {ROW}^\top \in \mathbb{{R}}^n & the data \\ \end{{where}}"),
    (MODULE, rf"{ROW} \in \mathbb{{R}}^n", ""),
    (ALGORITHM, "x", rf"{ROW} \in \mathbb{{R}}^n"),
    (ALGORITHM, rf"{ROW}^\top", "n > 0"),
    (ALGORITHM, "x", ROW),
    (ALGORITHM, ROW, "n > 0"),
    (ALGORITHM, "x", r"x_1, \dots, x_n \in \mathbb{R}"),
]


@pytest.mark.parametrize(("text", "header", "table"), SAID)
def test_a_row_of_elements_says_what_axis_an_array_has(text: str, header: str, table: str) -> None:
    module = mathdsl.load(text.replace("HEADER", header).replace("TABLE", table)).F()
    x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], dtype=torch.float64, requires_grad=True)
    wanted = x[:, 0] + 10 * x[:, 2] + x[:, 2] ** 2
    torch.testing.assert_close(module(x), wanted)
    torch.testing.assert_close(module(x[0]), wanted[0])
    torch.testing.assert_close(*[torch.autograd.grad(side.sum(), x)[0] for side in (module(x), wanted)])
    ragged = module(x, lengths=torch.tensor([2, 3]))
    torch.testing.assert_close(ragged, torch.stack([module(x[0, :2]), module(x[1])]))


VALUES = [
    (r"\Return 2 (x_1, \dots, x_n) + x \\", lambda x: 3 * x),
    (r"\Return (x_1, \dots, x_n)^\top (x_1, \dots, x_n) \\", lambda x: (x * x).sum(-1)),
    (r"\Return (x_1, \dots, x_n) \\", lambda x: x),
    (r"\Return (x_1^2, \dots, x_n^2) \\", lambda x: x**2),
    (r"\Return (x_2, \dots, x_n) \\", lambda x: x[..., 1:]),
    (
        r"y_i \gets 2 x_i \quad (i = 1, \dots, n) \\ y = (y_1, \dots, y_n) \\ \Return \sum_{i=1}^{n} y_i + \max_i y_i \\",
        lambda x: 2 * x.sum(-1) + 2 * x.max(-1).values,
    ),
    (r"z = (3 x_1, \dots, 3 x_{n-1}) \\ \Return z \\", lambda x: 3 * x[..., :-1]),
    (r"\Return \operatorname{softmax}((x_1, \dots, x_n)) \\", lambda x: x.softmax(-1)),
    (r"m(v) \gets \sum_{k=1}^{n} v_k \\ \Return m((x_1, x_2, \dots, x_n)) \\", lambda x: x.sum(-1)),
]


@pytest.mark.parametrize(("body", "by_hand"), VALUES)
def test_a_row_of_values_is_the_array_of_them(body: str, by_hand: object) -> None:
    text = rf"\Module{{F}}{{x}} {body} \EndModule \begin{{where}} x_i \in \mathbb{{R}}, i = 1, \dots, n & \\ \end{{where}}"
    module = mathdsl.load(text).F()
    x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], dtype=torch.float64, requires_grad=True)
    assert callable(by_hand)
    wanted = by_hand(x)
    torch.testing.assert_close(module(x), wanted)
    torch.testing.assert_close(module(x[1]), wanted[1])
    torch.testing.assert_close(*[torch.autograd.grad(side.pow(2).sum(), x)[0] for side in (module(x), wanted)])


def test_a_declared_type_that_has_no_such_axis_is_refused() -> None:
    text = rf"\Module{{F}}{{x}} \Return x \\ \EndModule \begin{{where}} {ROW} & \\ x \in \mathbb{{R}} & \\ \end{{where}}"
    assert [d.code for d in mathdsl.compile(text).diagnostics if d.severity == "error"] == ["E0401"]


def test_the_axes_behind_that_of_the_elements_are_theirs() -> None:
    row = rf"{ROW} \in \mathbb{{R}}^{{n \times k \times d}}"
    text = rf"\Module{{F}}{{x}} \Return x_1 + x_n \\ \EndModule \begin{{where}} {row} & \\ \end{{where}}"
    x = torch.rand(5, 2, 3)
    torch.testing.assert_close(mathdsl.load(text).F()(x), x[0] + x[4])


@pytest.mark.parametrize(
    "row", [r"x = (x_1, \dots, x_n) \in \mathbb{R}^m", r"x = (x_1, \dots, y_n)", r"x = (y_1, \dots, y_n)", r"x = (x_1, y_2, \dots, x_n)"]
)
def test_a_row_of_other_elements_declares_nothing(row: str) -> None:
    text = rf"\Module{{F}}{{x}} \Return x_1 \\ \EndModule \begin{{where}} {row} & \\ \end{{where}}"
    assert not mathdsl.compile(text).ok
