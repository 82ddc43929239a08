r"""Sums as texts print them: several conditions below one, indices above arrays, tables that are looked up from their second element on.

Expected values are those of plain torch.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile
from tests.by_hand import check

VECTOR = (r"x \in \mathbb{R}^n",)


def program(header: str, rows: tuple[str, ...], *lines: str) -> str:
    body, table = " ".join(rf"{line} \\" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


@pytest.mark.parametrize(
    "below",
    [
        r"p \neq i : y_p = y_i",
        r"p \neq i, y_p = y_i",
        r"y_p = y_i, p \neq i",
        r"p : p \neq i, y_p = y_i",
        r"p \neq i \land y_p = y_i",
        r"\substack{p \neq i \\ y_p = y_i}",
        r"p \in \{1, \dots, n\} : p \neq i \land y_p = y_i",
    ],
)
def test_all_conditions_below_a_sum_hold(below: str) -> None:
    rows = (*VECTOR, r"y \in \{1, \dots, 2\}^n")
    line = rf"z_i \gets \sum_{{{below}}} x_i x_p \quad (i = 1, \dots, n)"
    made = compile_files([SourceFile("-", program("x, y", rows, line, r"\Return z"))]).load().F()
    x, y = torch.tensor([1.0, 2.0, 3.0, 5.0], dtype=torch.float64), torch.tensor([1, 2, 1, 2])
    torch.testing.assert_close(made(x, y), torch.tensor([3.0, 10.0, 3.0, 10.0], dtype=torch.float64))
    torch.testing.assert_close(made(x.expand(2, 4), torch.stack([y, y * 0 + 1]))[1], x * (11 - x))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((r"h^{(l)} \gets l x \quad (l = 1, \dots, 3)", r"\Return \sum_l h^{(l)}"), lambda x: 6 * x),
        ((r"h^{(0)} \gets x", r"h^{(l)} \gets l h^{(l-1)} \quad (l = 1, \dots, 3)", r"\Return \sum_l h^{(l)}"), lambda x: 10 * x),
        (
            (r"c_i^k \gets k x_i \quad (i = 1, \dots, n, k = 1, \dots, 2)", r"\Return \sum_i c_i^2 + x_1^2"),
            lambda x: 2 * x.sum() + x[0] ** 2,
        ),
        ((r"c_i^{(k)} \gets k x_i \quad (i = 1, \dots, n, k = 1, \dots, 2)", r"\Return \max_k c_2^{(k)}"), lambda x: 2 * x[1]),
        ((r"\Return \sum_i x_i^2",), lambda x: (x**2).sum()),
    ],
)
def test_a_sum_takes_its_range_from_an_index_above(lines: tuple[str, ...], expected: Callable[[Tensor], Tensor]) -> None:
    check(program("x", VECTOR, *lines), (numbers(4),), expected)


@pytest.mark.parametrize(
    "lines",
    [
        (r"V_0 \gets 0", r"V_i \gets V_{i-1} + x_i \quad (i = 1, \dots, n)", r"\Return V_t"),
        (r"y \gets V_t", r"V_0 \gets 0", r"V_i \gets V_{i-1} + x_i \quad (i = 1, \dots, n)", r"\Return y"),
        (r"V_0 \gets 0", r"V_i \gets V_{i-1} + x_i \quad (i = 1, \dots, n)", r"\Return V_{t-1} + x_t"),
    ],
)
def test_a_table_is_looked_up_from_its_second_element_on(lines: tuple[str, ...]) -> None:
    rows = (*VECTOR, r"t \in \{1, \dots, n\}")
    made = compile_files([SourceFile("-", program("x, t", rows, *lines))]).load().F()
    x = numbers(4)
    for t in range(1, 5):
        torch.testing.assert_close(made(x, torch.tensor(t)), x[:t].sum())


@pytest.mark.parametrize(
    "rows",
    [
        (r"V_i \in \mathbb{R}, i = 1, \dots, n", r"s \in \{0, \dots, n - 1\}"),
        (r"V \in \mathbb{R}^n", r"s \in \{0, \dots, n - 1\}", r"t \in \{1, \dots, n\}"),
    ],
)
def test_a_table_that_begins_later_is_none_of_an_index(rows: tuple[str, ...]) -> None:
    text = program("V, s, t" if len(rows) > 2 else "V, s", rows, r"\Return V_s" + (" + V_t" if len(rows) > 2 else ""))
    assert [d.code for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"] == ["E0504"]
