"""Which run-time sizes may differ between the examples of a batch: those that something runs along, not numbers of features."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile
from mathdsl.analysis.raggedness import given_lengths
from mathdsl.passes import run_passes
from tests.differential import check_text, equations


def text(header: str, rows: str, *body: str) -> str:
    lines = "".join(rf"{line} \\" for line in body)
    return rf"\Module{{M}}{{{header} ; }} {lines} \EndModule \begin{{where}} {rows} \end{{where}}"


CASES = {
    "the only axis of a vector": ("x", r"x \in \mathbb{R}^n & \\", (r"\Return 2 x",), {"n"}),
    "features of elements": ("x", r"x_t \in \mathbb{R}^p, t = 1, \dots, T & \\", (r"\Return \sum_{t=1}^T x_t",), {"T"}),
    "columns of a matrix": ("Q", r"Q \in \mathbb{R}^{n \times d} & \\", (r"\Return \sum_{i,j} Q_{ij}^2",), {"n"}),
    "columns that a vector has": ("Q, k", r"Q \in \mathbb{R}^{n \times d} & \\ k \in \mathbb{R}^d & \\", (r"\Return Q k",), {"n", "d"}),
    "columns that a definition runs over": (
        "Q",
        r"Q \in \mathbb{R}^{n \times d} & \\",
        (r"s_j \gets \sum_{i=1}^n Q_{i,j} \quad j = 1, \dots, d", r"\Return s"),
        {"n", "d"},
    ),
    "keys": (
        "Q, K",
        r"Q \in \mathbb{R}^{n \times d} & \\ K \in \mathbb{R}^{m \times d} & \\",
        (r"\Return \softmax(Q K^\top) K",),
        {"n", "m"},
    ),
    "beside a size that cannot": ("z", r"z_i \in \mathbb{R}^d, i = 1, \dots, 2N & \\", (r"\Return \sum_{i=1}^{2N} z_i^\top z_i",), set()),
    "from 0": (
        "x",
        r"x_t \in \mathbb{R}^d, t = 0, \dots, S & \\",
        (r"\Return \sum_{t=1}^{S} \lVert x_t - x_{t-1} \rVert^2",),
        {"S"},
    ),
    "a polynomial": (
        "c, z",
        r"c_i \in \mathbb{R}, i = 0, \dots, n & \\ z \in \mathbb{R} & \\",
        (r"\Return \sum_{i=0}^{n} c_i z^i",),
        {"n"},
    ),
    "backwards": (
        "c, z",
        r"c_i \in \mathbb{R}, i = 0, \dots, n & \\ z \in \mathbb{R} & \\",
        (r"b_n \gets c_n", r"b_i \gets c_i + z b_{i+1} \quad (i = 0, \dots, n - 1)", r"\Return b_0"),
        {"n"},
    ),
    "two ends": (
        "f, h",
        r"f_i \in \mathbb{R}, i = 0, \dots, n & \\ h \in \mathbb{R} & \\",
        (r"\Return h (\frac{f_0 + f_n}{2} + \sum_{i=1}^{n-1} f_i)",),
        {"n"},
    ),
    "classes": ("y, x", r"y \in \{1, \dots, K\} & \\ x \in \mathbb{R}^K & \\", (r"\Return x_y",), set()),
}


@pytest.mark.parametrize(("header", "rows", "body", "sizes"), CASES.values(), ids=CASES)
def test_sizes_that_have_lengths(header: str, rows: str, body: tuple[str, ...], sizes: set[str]) -> None:
    written = text(header, rows, *body)
    assert set(given_lengths(run_passes(equations(written)).module("M"))) == sizes
    assert check_text(written) == 1


def test_one_tensor_of_lengths_is_that_of_the_rows() -> None:
    header, rows, body, _ = CASES["features of elements"]
    x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [torch.nan, torch.nan]]])
    found = compile(text(header, rows, *body)).load().M()(x, lengths=torch.tensor([2, 1]))
    torch.testing.assert_close(found, torch.tensor([[4.0, 6.0], [5.0, 6.0]]))


def test_lengths_of_what_counts_from_0_are_those_of_its_last_index() -> None:
    header, rows, body, _ = CASES["from 0"]
    x = torch.arange(24.0).reshape(2, 4, 3) ** 2
    x[1, 2:] = torch.nan
    found = compile(text(header, rows, *body)).load().M()(x, lengths=torch.tensor([3, 1]))
    torch.testing.assert_close(found, torch.tensor([x[0].diff(dim=0).square().sum(), (x[1, 1] - x[1, 0]).square().sum()]))
