"""Which run-time sizes may differ between the examples of a batch: those that something runs along, not numbers of features."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from mathdsl.analysis.raggedness import given_lengths
from mathdsl.passes import run_passes
from tests.by_hand import agree, algorithm, module
from tests.differential import check_text, equations


def text(header: str, rows: str, *body: str) -> str:
    lines = "".join(rf"{line} \\" for line in body)
    return rf"\Module{{M}}{{{header} ; }} {lines} \EndModule \begin{{where}} {rows} \end{{where}}"


HALF = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"
TWICE = r"x_i \in \mathbb{R}, i = 1, \dots, 2n & \\"
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
    "twice a size": ("z", r"z_i \in \mathbb{R}^d, i = 1, \dots, 2N & \\", (r"\Return \sum_{i=1}^{2N} z_i^\top z_i",), {"N"}),
    "all of twice a size": ("x", TWICE, (r"y_i \gets 2 x_i \quad (i = 1, \dots, 2n)", r"\Return y"), {"n"}),
    "pairs of twice a size": ("x", TWICE, (r"y_i \gets x_{2i-1} - x_{2i} \quad (i = 1, \dots, n)", r"\Return y"), {"n"}),
    "both parts of twice a size": ("x", TWICE, (r"\Return \sum_{i=1}^{n} x_i x_{n+i}",), {"n"}),
    "the whole of twice a size": ("x", TWICE, (r"\Return \softmax(x)",), {"n"}),
    "a recurrence along twice a size": (
        "x",
        TWICE,
        (r"h_0 \gets 1", r"h_i \gets 1.5 h_{i-1} x_i + x_i \quad (i = 1, \dots, 2n)", r"\Return (h, h_{2n})"),
        {"n"},
    ),
    "backwards along twice a size": (
        "x",
        TWICE,
        (r"h_{2n+1} \gets 0", r"h_i \gets \tanh(h_{i+1} + x_i) \quad (i = 1, \dots, 2n)", r"\Return (h_1, h)"),
        {"n"},
    ),
    "twice a size, from 0": ("x", r"x_i \in \mathbb{R}, i = 0, \dots, 2n & \\", (r"\Return \sum_{i=1}^{n} x_i - x_{2n}",), {"n"}),
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


HALF_AN_INPUT = [4, 0, 6, 2]


def _last_pair(x: Tensor) -> Tensor:
    s = x.new_zeros(())
    for k in range(len(x) // 2):
        s = s * x[2 * k + 1] + x[2 * k]
    return s


def _mirrored(x: Tensor) -> Tensor:
    return torch.cat([x[len(x) // 2 :].flip(0), 2 * x[: len(x) // 2].flip(0)])


@pytest.mark.parametrize(
    ("body", "by_hand"),
    [
        (r"y_i \gets x_{2i-1} - x_{2i} \quad (i = 1, \dots, n/2) \\ \Return y \\", lambda x: x[::2] - x[1::2]),
        (r"\Return \sum_{i=1}^{n/2} x_i \\", lambda x: x[: len(x) // 2].sum()),
        (r"\Return \sum_{i=1}^{n/2} x_i x_{n/2+i} \\", lambda x: x[: len(x) // 2] @ x[len(x) // 2 :]),
        (r"\Return \softmax(x_{1:n/2}) \\", lambda x: x[: len(x) // 2].softmax(0)),
        (r"\Return x_{1:n/2} || x_{1:n/2} \\", lambda x: torch.cat(2 * [x[: len(x) // 2]])),
        (r"y_i \gets \sum_{j=i}^{n/2} x_{2j} \quad (i = 1, \dots, n/2) \\ \Return y \\", lambda x: x[1::2].flip(0).cumsum(0).flip(0)),
    ],
)
def test_lengths_of_which_halves_are_taken(body: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    agree(module(body, HALF), by_hand, HALF_AN_INPUT)


@pytest.mark.parametrize(
    ("body", "by_hand"),
    [
        ("s \\gets 0\n\\algoFor{k = 1, \\dots, n/2}\ns \\gets s x_{2k} + x_{2k-1}\n\\algoEndFor\n\\Return s", _last_pair),
        ("\\algoFor{k = 1, \\dots, n/2}\ns \\gets x_k\nx_k \\gets x_{n-k+1}\nx_{n-k+1} \\gets 2 s\n\\algoEndFor\n\\Return x", _mirrored),
    ],
)
def test_loops_over_half_of_a_length(body: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    agree(algorithm(body, HALF), by_hand, HALF_AN_INPUT)


def test_a_length_without_halves_is_refused() -> None:
    made = module(r"\Return \sum_{i=1}^{n/2} x_i \\", HALF)
    with pytest.raises(ValueError, match=r"2 \\mid n"):
        made(torch.ones(2, 6), lengths=torch.tensor([3, 4]))


def test_an_input_that_begins_some_elements_before_1_has_lengths() -> None:
    """A causal filter: the elements before the first one are there in each example."""
    rows = r"x_i \in \mathbb{R}, i = 1 - K, \dots, n & \\ w_k \in \mathbb{R}, k = 0, \dots, K & \\"
    written = text("x ; w", rows, r"y_t \gets \sum_{k=0}^{K} w_k x_{t-k} \quad (t = 1, \dots, n)", r"\Return y").replace("w ; ", "w")
    assert check_text(written) == 1
    made = compile(written).load().M(K=2).double()
    x = torch.arange(14.0, dtype=torch.float64).reshape(2, 7) ** 2
    x[1, 5:] = torch.nan
    wanted = torch.stack(
        [torch.nn.functional.pad(x[k, : n + 2].unfold(0, 3, 1) @ made.w.flip(0), (0, 5 - n)) for k, n in enumerate([5, 3])]
    )
    torch.testing.assert_close(made(x, lengths=torch.tensor([5, 3])), wanted)
