r"""Bold and plain letters: `\mathbf{y}` and `y_j` are two arrays, and each is declared."""

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


X, Y = numbers(N), numbers(N, seed=1)


@pytest.mark.parametrize("letter", [r"\mathbf{x}", r"\boldsymbol{x}", r"\bm{x}", r"\vec{x}"])
def test_elements_of_a_bold_letter_are_bold(letter: str) -> None:
    row = rf"{letter} \in \mathbb{{R}}^n"
    for element, is_right in ((rf"{letter}_i", True), ("x_i", False)):
        value = rf"\sum_{{i=1}}^{{n}} i {element}^2"
        for text in (
            module(letter, (row,), rf"\Return {value}"),
            docstring(letter, (row,), rf"\algoReturn {value}"),
            algorithm(letter, f"${row}$", rf"\Return ${value}$"),
        ):
            if is_right:
                check(text, (X,), lambda x: (torch.arange(1, N + 1) * x**2).sum())
            else:
                assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == ["E0301"]


def test_elements_in_a_plain_letter_are_not_assigned() -> None:
    for element, is_right in ((r"\mathbf{w}", True), ("w", False)):
        loop = (r"\For{$i = 2, \dots, n$}", rf"${element}_i \gets {element}_i + {element}_{{i-1}}$", r"\EndFor", r"\Return $\mathbf{w}$")
        text = algorithm(r"\mathbf{w}", r"$\mathbf{w} \in \mathbb{R}^{n}$", *loop)
        if is_right:
            check(text, (X,), lambda w: w.cumsum(0))
        else:
            assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == ["E0503"]  # `w_1`


def test_both_declared_are_two_arrays() -> None:
    text = module(r"\mathbf{x}, x", (r"\mathbf{x}, x \in \mathbb{R}^n",), r"\Return \sum_{i=1}^{n} x_i + \sum_{i=1}^{n} \mathbf{x}_i^2")
    check(text, (X, Y), lambda bold, plain: plain.sum() + (bold**2).sum())
    lines = (r"x_i \gets 2 \mathbf{x}_i \quad (i = 1, \dots, n)", r"\Return \sum_{i=1}^{n} x_i + \mathbf{x}^\top \mathbf{x}")
    check(module(r"\mathbf{x}", (r"\mathbf{x} \in \mathbb{R}^n",), *lines), (X,), lambda x: (2 * x).sum() + x @ x)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (r"\Return x", "E0301"),  # plain
        (r"\Return \sum_{i=1}^{n} x_i + x", "E0301"),
        (r"\Return \mathbf{x} + x_{\mathrm{in}}", "E0301"),  # a name
    ],
)
def test_what_is_no_plain_element_is_not_declared(body: str, code: str) -> None:
    found = [d for d in compile(module(r"\mathbf{x} ; ", (r"\mathbf{x} \in \mathbb{R}^n",), body)).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == [code]
