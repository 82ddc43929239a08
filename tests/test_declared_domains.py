"""Definitions whose indices get their range from a table, held against the oracle."""

from __future__ import annotations

import pytest
import torch
from differential import check_text

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile


@pytest.mark.parametrize(
    ("body", "row"),
    [
        (r"s_{i,j} \gets x_i x_j \quad (j = 1, \dots, S) \\ \Return s \\", r"s_{i,j} \in \mathbb{R}, i = 1, \dots, S, j = 1, \dots, S"),
        (r"s_{i,j} \gets x_i x_j \\ \Return s \\", r"s_{i,j} \in \mathbb{R}, i = 1, \dots, S, j = 1, \dots, S"),
        (
            r"h_t \gets \begin{cases} x_1 & t = 1 \\ h_{t-1} x_t & \text{otherwise} \end{cases} \\ \Return h \\",
            r"h_t \in \mathbb{R}, t = 1, \dots, S",
        ),
        (
            r"\hat{g}_t^k \gets k x_t \quad (t = 1, \dots, S) \\ \Return \hat{g} \\",
            r"\hat{g}_t^k \in \mathbb{R}, t = 1, \dots, S, k = 0, \dots, n",
        ),
    ],
)
def test_an_index_runs_over_its_declared_range(body: str, row: str) -> None:
    table = rf"\begin{{where}} x_i \in \mathbb{{R}}, i = 1, \dots, S \\ n \in \mathbb{{N}} \\ {row} \\ \end{{where}}"
    assert check_text(rf"\Module{{M}}{{x ; }} {body} \EndModule {table}") == 1


@pytest.mark.parametrize(
    "lines",
    [
        r"\State $h_t \gets x_t h_{t-1}$ \State \Return $h$",
        r"\For{$k = 0, \dots, n$} \State $h_{t,k} \gets k x_t$ \EndFor \State \Return $h$",
        r"\For{$t = 2, \dots, S$} \State $x_t \gets x_t x_{t-1}$ \EndFor \State $h_t \gets 2 x_t$ \State \Return $h$",
    ],
)
def test_a_letter_that_no_loop_binds_has_its_declared_range_in_algorithms(lines: str) -> None:
    table = r"\begin{where} x_t \in \mathbb{R}, t = 1, \dots, S \\ n \in \mathbb{N} \\ h_0 \in \mathbb{R} \\ \end{where}"
    head = "x, h_0" if "h_{t-1}" in lines else "x"
    program = rf"\begin{{algorithmic}} \Procedure{{F}}{{${head}$}} {lines} \EndProcedure \end{{algorithmic}} "
    assert check_text(program + (table if "h_0" in head else table.replace(r"h_0 \in \mathbb{R} \\ ", ""))) == 1


# ---- rows of elements without a range ---------------------------------------------------------------

ROWS = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 0.25]], dtype=torch.float64)


def _procedure(head: str, rows: str, *lines: str) -> str:
    body = "\n".join(lines)
    return (
        "\\begin{algorithmic}\n\\Procedure{F}{$" + head + "$}\n\\Require $" + rows + "$\n" + body + "\n\\EndProcedure\n\\end{algorithmic}\n"
    )


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (_procedure("x", r"x_i \in \mathbb{R}^d", r"\State \Return $\sum_{i=1}^{n} x_i$"), ROWS.sum(0)),
        (_procedure("x", r"x_i \in \mathbb{R}^d", r"\State \Return $x_n + \sum_{i=0}^{n-1} 2 x_i$"), ROWS[2] + 2 * ROWS[:2].sum(0)),
        (
            _procedure(
                "x",
                r"x_i \in \mathbb{R}^d",
                r"\State $p \gets x_n$",
                r"\For{$i = n-1, \dots, 0$} \State $p \gets p / 2 + x_i$ \EndFor",
                r"\State \Return $p$",
            ),
            ROWS[0] + ROWS[1] / 2 + ROWS[2] / 4,
        ),
        (
            _procedure(
                "x", r"x_i, y_i \in \mathbb{R}^d", r"\For{$i = 1, \dots, n$} \State $y_i \gets 2 x_i$ \EndFor", r"\State \Return $y$"
            ),
            2 * ROWS,
        ),
        (
            r"\Module{F}{x ; } \Return \sum_{t=0}^{S-1} t x_t \\ \begin{where} x_t \in \mathbb{R}^d & rows \\ \end{where} \EndModule",
            ROWS[1] + 2 * ROWS[2],
        ),
    ],
)
def test_a_row_of_elements_declares_the_array(program: str, expected: torch.Tensor) -> None:
    made = compile_files([SourceFile("-", program)]).load().F()
    torch.testing.assert_close(made(ROWS), expected)
    assert check_text(program) == 1


def test_a_parameter_of_elements_has_the_size_of_what_it_multiplies() -> None:
    program = (
        r"\Module{F}{x ; w} \Return \sum_{i=1}^{n} w_i x_i \\ \begin{where} x_i, w_i \in \mathbb{R} & numbers \\ \end{where} \EndModule"
    )
    made = compile_files([SourceFile("-", program)]).load().F(n=2).double()
    torch.testing.assert_close(made(ROWS), ROWS @ made.w)


def test_a_row_of_what_no_header_names_is_an_array_or_a_name() -> None:
    found = compile_files([SourceFile("-", _procedure("x", r"w_i \in \mathbb{R}", r"\State \Return $\sum_{i=1}^{n} w_i x_i$"))])
    (error,) = found.diagnostics
    assert (error.code, error.message) == ("E0505", "`w_i` is read where `i` runs, and this row gives `i` no range")
    ranged = _procedure("x", r"w_i \in \mathbb{R}, i = 1, \dots, n", r"\State \Return $\sum_{i=1}^{n} w_i x_i$")
    made = compile_files([SourceFile("-", ranged)]).load().F(n=2).double()
    torch.testing.assert_close(made(ROWS), ROWS @ made.w)
    named = _procedure("x", r"w_c \in \mathbb{R}", r"\State \Return $\sum_{i=1}^{n} w_c x_i$")
    scaled = compile_files([SourceFile("-", named)]).load().F().double()
    torch.testing.assert_close(scaled(ROWS[0]), scaled.w_c * ROWS[0].sum())
