"""Definitions whose indices get their range from a table, held against the oracle."""

from __future__ import annotations

import pytest
from differential import check_text


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
