"""Names of a program that a function of the document has too: what the program declares, and indices, go first."""

from __future__ import annotations

import re

import pytest
from differential import check_text

import mathdsl

STACK = r"""
\Module{A}{x \in \mathbb{R}^{d} ; W \in \mathbb{R}^{d \times d}} \Return W @ x \\ \EndModule
\Module{M}{x ; f}
  h^0 \gets x \\
  h^{\ell} \gets f^{\ell}(h^{\ell-1}) \quad (\ell = 1, \dots, n) \\
  \Return h^n \\
\EndModule
\begin{where}
  n \in \mathbb{N} \\ d \in \mathbb{N} \\ x \in \mathbb{R}^d \\ f^{\ell} \in \mathrm{A}(d), \ell = 1, \dots, n \\
\end{where}
"""
INDEX = r"""
\Module{M}{x ; } @ \\ \EndModule
\begin{where} x_t \in \mathbb{R}, t = 1, \dots, S \end{where}
"""


@pytest.mark.parametrize(
    ("function", "program"),
    [
        (r"f(x) \gets 2 x \\", STACK),
        (r"d(x) \gets 2 x \\", STACK),
        (r"t(x) \gets 2 x \\", INDEX.replace("@", r"\Return \sum_t x_t (t + 1)")),
        (r"t(x) \gets 2 x \\", INDEX.replace("@", r"y_t \gets x_t (t + 1) \quad (t = 1, \dots, S) \\ \Return (y, t(x_1))")),
        (r"x(y) \gets 2 y \\", INDEX.replace("@", r"\Return \operatorname{softmax}_t(x_t)")),
    ],
)
def test_a_program_s_own_names_go_before_functions(function: str, program: str) -> None:
    assert check_text(function + program) == program.count(r"\Module") + 1


CLASSES = r"""
T(x) \gets x \\
\Module{A}{x \in \mathbb{R}^{d} ; W \in \mathbb{R}^{d \times d}} \Return W @ x \\ \EndModule
\Module{M}{x, T ; f} h \gets T + x \\ \Return f(h) \\ \EndModule
\begin{where} x, T \in \mathbb{R}^{d} \\ f \in \mathrm{A}(d) \end{where}
\Module{N}{x, h ; f} A \gets x + h \\ \Return f(A) \\ \EndModule
\begin{where} x, h \in \mathbb{R}^{d} \\ f \in \mathrm{A}(d) \end{where}
\Module{P}{x, math ; f} h \gets x + math \\ \Return f(h) \\ \EndModule
\begin{where} x, math \in \mathbb{R}^{A} \\ f \in \mathrm{A}(A) \end{where}
"""


def test_a_name_is_the_same_in_tables_and_in_code() -> None:
    assert check_text(CLASSES) == 5
    result = mathdsl.compile(CLASSES)
    python = {(row.module, row.symbol): row.python for row in result.symbols}
    names = [python["M", "T"], python["N", "A"], python["P", "A"], python["P", "math"]]
    assert names == ["T", "A", "A", "math_"]
    signatures = re.findall(r"def (?:forward|__init__)\(self, (.*)\)", result.source)
    assert signatures[2:] == [
        "*, d: int",
        "x: torch.Tensor, T: torch.Tensor",
        "*, d: int",
        "x: torch.Tensor, h: torch.Tensor",
        "*, A: int",
        "x: torch.Tensor, math_: torch.Tensor",
    ]


def _rows(text: str) -> dict[str, tuple[str, str]]:
    result = mathdsl.compile(text)
    return {f"{row.module}.{row.symbol}": (row.shape, row.description) for row in result.symbols}


def test_a_header_shadows_the_tables_of_the_document() -> None:
    rows = _rows(
        r"""
\begin{where} x, y \in \mathbb{R}^{d} & a point \\ k \in \mathbb{N} & a count \\ V_t \in \mathbb{R}, t = 1, \dots, S & a row \\ \end{where}
\Module{A}{x \in \mathbb{R}^{n}, y \in \mathbb{R}^{d} ; k \in \mathbb{R}^{n}, V \in \mathbb{R}^{d \times n}}
  \Return V (x + k) + y \\ \EndModule
\Module{B}{x ; } \Return x + 1 \\ \EndModule
"""
    )
    assert [rows["A.x"], rows["A.k"], rows["A.V"]] == [("n", ""), ("n", ""), ("d × n", "")]
    assert [rows["A.y"], rows["B.x"]] == [("d", "a point"), ("d", "a point")]


@pytest.mark.parametrize("header", [r"x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{n \times n}", "x ; W"])
def test_a_declaration_may_be_repeated_for_its_description(header: str) -> None:
    table = r"x \in \mathbb{R}^{n} & the point \\ W \in \mathbb{R}^{n \times n} & the weights \\"
    plain = r"x \in \mathbb{R}^{n} \\ W \in \mathbb{R}^{n \times n} \\"
    module = rf"\Module{{A}}{{{header}}} \Return W x \\ \EndModule \begin{{where}} {plain} {table} \end{{where}}"
    rows = _rows(module)
    assert (rows["A.x"][1], rows["A.W"][1]) == ("the point", "the weights")
    rows = _rows(rf"\begin{{where}} {table} \end{{where}} \Module{{Z}}{{}} \Return 1 \\ \EndModule" + module.replace(table, ""))
    assert (rows["A.x"][1], rows["A.W"][1]) == ("the point", "the weights")
