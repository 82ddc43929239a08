r"""Sums that end at an index around them read nothing where they are empty: `\sum_{j=1}^{i-1} y_i x_j` reads no `y_1`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.by_hand import agree, algorithm, module

X = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"


def pairs(x: Tensor, term: Callable[[int, int], Tensor], first: int = 1) -> Tensor:
    """The sum of a term of `i` and `j` for `first <= j < i <= n`."""
    zero = x.sum() * 0
    return sum((term(i, j) for i in range(1, len(x) + 1) for j in range(first, i)), start=zero)


# what defines `y` and over which range, the result, and what it is by hand; indices count from 1
CASES: dict[str, tuple[str, str, str, Callable[[Tensor], Tensor]]] = {
    "from the second": (
        r"y_i \gets x_i^2",
        "2 n",
        r"\sum_{i=1}^n \sum_{j=1}^{i-1} y_i x_j",
        lambda x: pairs(x, lambda i, j: x[i - 1] ** 2 * x[j - 1]),
    ),
    "from the third": (
        r"y_i \gets x_i^2",
        "3 n",
        r"\sum_{i=1}^n \sum_{j=1}^{i-2} y_i x_j",
        lambda x: pairs(x, lambda i, j: x[i - 1] ** 2 * x[j - 1] if j < i - 1 else x[0] * 0),
    ),
    "to the last but one": (
        r"y_i \gets x_i^2",
        "1 n-1",
        r"\sum_{i=1}^n \sum_{j=i+1}^n y_i x_j",
        lambda x: pairs(x, lambda i, j: x[j - 1] ** 2 * x[i - 1]),
    ),
    "at both": (
        r"y_i \gets x_i^2",
        "2 n",
        r"\sum_{i=1}^n \sum_{j=1}^{i-1} y_{i-j+1} x_i",
        lambda x: pairs(x, lambda i, j: x[i - j] ** 2 * x[i - 1]),
    ),
    "the greatest": (
        r"y_i \gets x_i^2",
        "2 n",
        r"\sum_{i=2}^n \max_{j=1}^{i-1} y_i x_j",
        lambda x: sum((x[i] ** 2 * x[:i].max() for i in range(1, len(x))), start=x.sum() * 0),
    ),
}


@pytest.mark.parametrize(("line", "ends", "result", "by_hand"), CASES.values(), ids=CASES)
def test_a_sum_that_is_empty_reads_nothing(line: str, ends: str, result: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    first, last = ends.split()
    of_module = rf"{line} \quad (i = {first}, \dots, {last}) \\ \Return {result} \\"
    of_algorithm = f"\\algoFor{{i \\in \\set{{{first}, \\dots, {last}}}}}\n{line}\n\\algoEndFor\n\\algoReturn {result}".replace(
        r"\gets", r"\algoEq"
    )
    for subject in (module(of_module, X), algorithm(of_algorithm, X)):
        agree(subject, by_hand, [4, 2, 3, 5])


def test_a_value_for_each_index() -> None:
    text = r"y_i \gets x_i^2 \quad (i = 2, \dots, n) \\ z_i \gets x_i + \sum_{j=1}^{i-1} y_i x_j \quad (i = 1, \dots, n) \\ \Return z \\"

    def by_hand(x: Tensor) -> Tensor:
        return torch.stack([x[i] + (x[i] ** 2 * x[:i]).sum() for i in range(len(x))])

    agree(module(text, X), by_hand, [4, 1, 2, 3])
