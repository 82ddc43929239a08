"""Definitions whose indices get their range from a table, held against the oracle."""

from __future__ import annotations

import pytest
from differential import check_text

TABLE = r"""
\begin{where}
  x_i \in \mathbb{R}, i = 1, \dots, S \\
  n \in \mathbb{N} \\
  s_{i,j} \in \mathbb{R}, i = 1, \dots, S, j = 1, \dots, S \\
  h_t \in \mathbb{R}, t = 1, \dots, S \\
  \hat{g}_t^k \in \mathbb{R}, t = 1, \dots, S, k = 0, \dots, n \\
\end{where}
"""


@pytest.mark.parametrize(
    "body",
    [
        r"s_{i,j} \gets x_i x_j \quad (j = 1, \dots, S) \\ \Return s \\",
        r"s_{i,j} \gets x_i x_j \\ \Return s \\",
        r"h_t \gets \begin{cases} x_1 & t = 1 \\ h_{t-1} x_t & \text{otherwise} \end{cases} \\ \Return h \\",
        r"\hat{g}_t^k \gets k x_t \quad (t = 1, \dots, S) \\ \Return \hat{g} \\",
    ],
)
def test_an_index_runs_over_its_declared_range(body: str) -> None:
    assert check_text(rf"\Module{{M}}{{x ; }} {body} \EndModule" + TABLE) == 1
