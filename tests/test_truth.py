r"""Conditions as values: `\True`, `\text{true}`, `\algoTrue`; numbers are none, and never a traceback.

Expected values are those of plain Python.
"""

from __future__ import annotations

import pytest
import torch

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile


def compiled(*lines: str) -> CompileResult:
    body = "\n".join(line if line.startswith((r"\For", r"\If", r"\Else", r"\End", r"\While")) else rf"\State {line}" for line in lines)
    text = f"\\begin{{algorithmic}}\n\\Require $x \\in \\mathbb{{R}}^n$\n{body}\n\\end{{algorithmic}}"
    return compile_files([SourceFile("-", text)])


TRUE = [r"\True", r"\TRUE", r"\algoTrue", r"\text{true}", r"\text{True}", r"\mathrm{true}", r"\textbf{true}"]
FALSE = [r"\False", r"\FALSE", r"\algoFalse", r"\text{false}", r"\text{False}", r"\mathrm{false}", r"\textbf{false}"]


@pytest.mark.parametrize(("yes", "no"), [*zip(TRUE, FALSE, strict=True)])
def test_a_flag(yes: str, no: str) -> None:
    """The first positive element is doubled, and no other."""
    loop = (r"\For{$i = 1, \dots, n$}", r"\If{$w$ and $x_i > 0$}", r"$x_i \gets 2 x_i$", rf"$w \gets {no}$", r"\EndIf", r"\EndFor")
    made = compiled(rf"$w \gets {yes}$", *loop, r"\Return $x$").load().Algorithm()
    torch.testing.assert_close(made(torch.tensor([-1.0, 2.0, 3.0])), torch.tensor([-1.0, 4.0, 3.0]))
    torch.testing.assert_close(made(torch.tensor([[1.0, 2.0], [-1.0, -2.0]])), torch.tensor([[2.0, 2.0], [-1.0, -2.0]]))


def test_a_flag_of_two_conditions() -> None:
    lines = (r"$a \gets x_1 > 1$", r"\If{$x_1 > 5$}", r"$c \gets a$", r"\Else", r"$c \gets \True$", r"\EndIf")
    made = compiled(*lines, r"\If{$c$}", r"$x \gets 2 x$", r"\EndIf", r"\Return $x$").load().Algorithm()
    torch.testing.assert_close(made(torch.tensor([7.0])), torch.tensor([14.0]))


@pytest.mark.parametrize(
    "lines",
    [
        (r"$f \gets 1$", r"\If{$f$}", r"$x \gets 2 x$", r"\EndIf"),
        (r"$f \gets 1$", r"\While{$f$}[3]", r"$x \gets 2 x$", r"$f \gets 0$", r"\EndWhile"),
        (r"$f \gets 1$", r"\While{$f$}[3]", r"$x \gets 2 x$", r"$f \gets f - 1$", r"\EndWhile"),
        (r"\If{$x_1$}", r"$x \gets 2 x$", r"\EndIf"),
    ],
)
def test_a_number_is_no_condition(lines: tuple[str, ...]) -> None:
    found = [d for d in compiled(*lines, r"\Return $x$").diagnostics if d.severity == "error"]
    assert found[0].code == "E0406"


def test_an_array_of_conditions_that_is_carried_through_loops() -> None:
    """The last positive element, times how many pairs are marked: a program that is executed, since turns may leave `u` as it was."""
    over = r"\For{$i = 1, \dots, n$}", r"\For{$j = 1, \dots, n$}"
    marks = (*over, r"$m_{i,j} \gets i < j \lor x_j > 0$", r"\EndFor", r"\EndFor")
    last = (over[0], r"\If{$x_i > 0$}", r"$u \gets x_i$", r"\EndIf", r"\EndFor", r"$s \gets 0$")
    lines = (*marks, *last, *over, r"\If{$m_{i,j}$}", r"$s \gets s + u$", r"\EndIf", r"\EndFor", r"\EndFor")
    made = compiled(*lines, r"\Return $s$").load().Algorithm()
    x = torch.tensor([1.0, -2.0, 3.0])
    torch.testing.assert_close(made(x), torch.tensor(3.0 * 7))
    torch.testing.assert_close(made(torch.stack([x, x.abs()])), torch.tensor([21.0, 27.0]))
