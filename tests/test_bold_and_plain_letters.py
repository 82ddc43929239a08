r"""Bold vectors with plain elements: `\mathbf{y}` and `y_j` are one array where only one of them is declared, two where both are."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import check

N = 3


def module(header: str, rows: tuple[str, ...], *lines: str) -> str:
    body, table = " ".join(rf"{line} \\" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(arguments: str, required: str, *lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    return f"\\begin{{algorithmic}}\n\\Require {required}\n\\Procedure{{F}}{{${arguments}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def docstring(arguments: str, rows: tuple[str, ...], *lines: str) -> str:
    body, table = "".join(rf"& {line} \\" + "\n" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\algoProc{{\F}}\pa{{{arguments}}} \\" + f"\n{body}" + rf"\algoEndProc \\ \begin{{where}} {table} \end{{where}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


X, Y, A = numbers(N), numbers(N, seed=1), numbers(2, N, seed=2)


@pytest.mark.parametrize("letter", [r"\mathbf{x}", r"\boldsymbol{x}", r"\bm{x}", r"\vec{x}", r"\vec{\mathbf{x}}"])
def test_elements_of_a_bold_letter_are_plain(letter: str) -> None:
    row = rf"{letter} \in \mathbb{{R}}^n"
    check(module(letter, (row,), r"\Return \sum_{i=1}^{n} i x_i^2"), (X,), lambda x: (torch.arange(1, N + 1) * x**2).sum())
    check(docstring(letter, (row,), r"\algoReturn \sum_{i=1}^{n} x_i x_1"), (X,), lambda x: x.sum() * x[0])
    check(algorithm(letter, f"${row}$", r"\Return $\sum_{i=1}^{n} x_i x_n$"), (X,), lambda x: x.sum() * x[-1])


def test_a_value_and_a_parameter() -> None:
    rows = (r"\mathbf{x} \in \mathbb{R}^n", r"\boldsymbol{\theta} \in \mathbb{R}^n")
    lines = (r"\mathbf{z} \gets 2 \mathbf{x}", r"\Return \sum_{i=1}^{n} z_i \theta_i")
    check(module(r"\mathbf{x} ; \boldsymbol{\theta}", rows, *lines), (X,), lambda x: 2 * x @ Y, {"theta": Y}, n=N)


def test_the_whole_of_plain_elements_is_bold() -> None:
    rows = (r"x_i \in \mathbb{R}, i = 1, \dots, n", r"A \in \mathbb{R}^{m \times n}")
    lines = (r"y_i \gets 2 x_i \quad (i = 1, \dots, n)", r"\Return A (\mathbf{x} + \mathbf{y})")
    for header in ("x ; A", r"\mathbf{x} ; A"):
        check(module(header, rows, *lines), (X,), lambda x: A @ (3 * x), {"A": A}, n=N, m=2)


def test_rows_of_a_bold_family_have_plain_elements() -> None:
    rows = (r"\mathbf{x}_k \in \mathbb{R}^n, k = 1, \dots, K",)
    text = module(r"\mathbf{x}", rows, r"\Return \sum_{k=1}^{K} \mathbf{x}_k^\top \mathbf{x}_k + \sum_{k=1}^{K} \sum_{i=1}^{n} i x_{k,i}")
    check(text, (A,), lambda x: x.square().sum() + (torch.arange(1, N + 1) * x).sum())


def test_elements_are_assigned_in_order() -> None:
    loop = (r"\For{$i = 2, \dots, n$}", r"$w_i \gets w_i + w_{i-1}$", r"\EndFor", r"\Return $\mathbf{w}$")
    check(algorithm(r"\mathbf{w}", r"$\mathbf{w} \in \mathbb{R}^{n}$", *loop), (X,), lambda w: w.cumsum(0))


def test_an_argument_is_bold() -> None:
    kernel = r"k(\mathbf{x}, \mathbf{x'}) \gets \exp(-\sum_{i=1}^{d} (x_i - x_i')^2) \\ "
    rows = r"\begin{where} \mathbf{x}, \mathbf{x'} \in \mathbb{R}^d & \\ \end{where} "
    text = kernel + rows + module("a, b", (r"a, b \in \mathbb{R}^n",), r"\Return k(a, b)")
    check(text, (X, Y), lambda a, b: (-((a - b) ** 2).sum()).exp())


def test_both_declared_are_two_arrays() -> None:
    text = module(r"\mathbf{x}, x", (r"\mathbf{x}, x \in \mathbb{R}^n",), r"\Return \sum_{i=1}^{n} x_i + \sum_{i=1}^{n} \mathbf{x}_i^2")
    check(text, (X, Y), lambda bold, plain: plain.sum() + (bold**2).sum())
    lines = (r"x_i \gets 2 \mathbf{x}_i \quad (i = 1, \dots, n)", r"\Return \sum_{i=1}^{n} x_i + \mathbf{x}^\top \mathbf{x}")
    check(module(r"\mathbf{x}", (r"\mathbf{x} \in \mathbb{R}^n",), *lines), (X,), lambda x: (2 * x).sum() + x @ x)


def test_comments_are_in_the_letters_of_the_author() -> None:
    result = compile(module(r"\mathbf{x}", (r"\mathbf{x} \in \mathbb{R}^n",), r"\Return \sum_{i=1}^{n} x_i"))
    assert r"# \Return \sum_{i = 1}^n x_i" in result.source


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (r"\Return x", "E0301"),  # plain and whole
        (r"\Return \sum_{i=1}^{n} x_i + x", "E0301"),
        (r"\Return \sum_{i=1}^{n} x_i + \sum_{i=1}^{n} \mathbf{x}_i", "E0301"),  # both have the index
        (r"\Return \mathbf{x} + x_{\mathrm{in}}", "E0301"),  # a name
    ],
)
def test_what_is_no_plain_element_is_not_declared(body: str, code: str) -> None:
    found = [d for d in compile(module(r"\mathbf{x} ; ", (r"\mathbf{x} \in \mathbb{R}^n",), body)).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == [code]
