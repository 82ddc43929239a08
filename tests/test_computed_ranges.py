r"""Sums whose ends are computed: `\sum_{j=1}^{n_i} x_{i,j}` and `\sum_{j=\max(1, i-k)}^{\min(n, i+k)} x_j`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile

ROWS = (r"x_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, k", r"n_i \in \mathbb{Z}, i = 1, \dots, m")
WINDOW = (r"x_i \in \mathbb{R}, i = 1, \dots, n", r"k \in \mathbb{N}")
OVER = r" \quad (i = 1, \dots, m)"


def module(header: str, line: str, rows: tuple[str, ...], over: str) -> str:
    table = " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{F}}{{{header}}} {line}{over} \\ \Return y \\ \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(arguments: str, line: str, rows: tuple[str, ...], size: str) -> str:
    required = ", ".join(f"${row}$" for row in rows)
    loop = f"\\For{{$i = 1, \\dots, {size}$}}\n\\State ${line}$\n\\EndFor"
    return f"\\Require {required}\n\\Procedure{{F}}{{${arguments}$}}\n{loop}\n\\State \\Return $y$\n\\EndProcedure"


def made(text: str, **given: Any) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    return result.load().F(**given).double()


def first(values: Tensor, counts: Tensor, fold: Callable[[Tensor], Tensor]) -> Tensor:
    return torch.stack([fold(row[: int(count)]) for row, count in zip(values, counts, strict=True)])


LINES: list[tuple[str, Callable[[Tensor], Tensor]]] = [
    (r"y_i \gets \sum_{j=1}^{n_i} x_{i,j}", torch.sum),
    (r"y_i \gets \frac{1}{n_i} \sum_{1 \leq j \leq n_i} x_{i,j}", torch.mean),
    (r"y_i \gets \max_{j \in \{1, \dots, n_i\}} x_{i,j}", torch.amax),
    (r"y_i \gets \operatorname{mean}_{j = 1, \dots, n_i} x_{i,j}", torch.mean),
    (r"y_i \gets \prod_{j=\max(1, n_i - 1)}^{n_i} x_{i,j}", lambda row: row[max(len(row) - 2, 0) :].prod()),
]


@pytest.mark.parametrize(("line", "fold"), LINES, ids=[line for line, _ in LINES])
@pytest.mark.parametrize("notation", ["module", "algorithm"])
def test_an_end_that_is_data(notation: str, line: str, fold: Callable[[Tensor], Tensor]) -> None:
    text = module("x, n", line, ROWS, OVER) if notation == "module" else algorithm("x, n", line, ROWS, "m")
    subject = made(text)
    x = torch.rand(2, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    n = torch.tensor([[2, 4, 1], [1, 3, 3]])
    wanted = torch.stack([first(row, counts, fold) for row, counts in zip(x, n, strict=True)])
    torch.testing.assert_close(subject(x, n), wanted)
    torch.testing.assert_close(subject(x[1], n[1]), wanted[1])
    ours, right = (torch.autograd.grad(value.sin().sum(), x)[0] for value in (subject(x, n), wanted))
    torch.testing.assert_close(ours, right)
    ragged = subject(torch.cat([x[:, :2], torch.full_like(x[:, :1], torch.nan)], 1), n.clamp(max=4), lengths=torch.tensor([2, 2]))
    torch.testing.assert_close(ragged[:, :2], wanted[:, :2])


@pytest.mark.parametrize("notation", ["module", "algorithm"])
def test_an_end_beyond_the_axis_is_told(notation: str) -> None:
    line = LINES[0][0]
    subject = made(module("x, n", line, ROWS, OVER) if notation == "module" else algorithm("x, n", line, ROWS, "m"))
    with pytest.raises(ValueError, match="n_i lies on the axis of j"):
        subject(torch.ones(3, 4, dtype=torch.float64), torch.tensor([2, 5, 1]))
    assert subject(torch.ones(3, 4, dtype=torch.float64), torch.tensor([2, 0, 4])).tolist() == [2.0, 0.0, 4.0]


def windows(x: Tensor, k: int, fold: Callable[[Tensor], Tensor] = torch.sum) -> Tensor:
    return torch.stack([fold(x[max(0, i - k) : i + k + 1]) for i in range(len(x))])


@pytest.mark.parametrize("notation", ["module", "algorithm"])
@pytest.mark.parametrize(
    ("value", "fold"),
    [
        (r"\sum_{j=\max(1, i - k)}^{\min(n, i + k)} x_j", torch.sum),
        (r"\max_{j=\max(i - k, 1), \dots, \min(i + k, n)} x_j", torch.amax),
        (r"\sum_{j=\max\{1, i - k\}}^{\min\{n, i + k\}} x_j^2", lambda part: part.square().sum()),
    ],
)
def test_a_window_within_sizes(notation: str, value: str, fold: Callable[[Tensor], Tensor]) -> None:
    line = rf"y_i \gets {value}"
    over = r" \quad (i = 1, \dots, n)"
    text = module("x ; k", line, WINDOW, over) if notation == "module" else algorithm("x", line, WINDOW, "n")
    subject = made(text, k=1)
    x = torch.rand(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).requires_grad_()
    wanted = torch.stack([windows(row, 1, fold) for row in x])
    torch.testing.assert_close(subject(x), wanted)
    torch.testing.assert_close(subject(x[0]), wanted[0])
    ours, right = (torch.autograd.grad(value.sin().sum(), x)[0] for value in (subject(x), wanted))
    torch.testing.assert_close(ours, right)
    padded = torch.cat([x[:, :3], torch.full_like(x[:, :2], torch.nan)], 1)
    ragged = subject(padded, lengths=torch.tensor([3, 3]))
    torch.testing.assert_close(ragged[:, :3], torch.stack([windows(row[:3], 1, fold) for row in x]))


@pytest.mark.parametrize(
    ("first", "last", "meaning"),
    [
        (r"\max(1, i - 1)", r"\min(i, n - 1)", lambda i, n: (max(1, i - 1), min(i, n - 1))),
        (r"\max(1, i - 2)", r"\min(i + 1, n)", lambda i, n: (max(1, i - 2), min(i + 1, n))),
        ("i", r"\min(i + 1, n)", lambda i, n: (i, min(i + 1, n))),
    ],
)
def test_an_end_by_name_leaves_the_first_index_as_it_is(first: str, last: str, meaning: Callable[[int, int], tuple[int, int]]) -> None:
    """A condition on an outer letter too is no reason to count an axis from 0."""
    lines = rf"h \gets {last}$" + "\n\\State $" + rf"y_i \gets \sum_{{k={first}}}^{{h}} x_k"
    subject = made(algorithm("x", lines, (r"x \in \mathbb{R}^{n}",), "n"))
    x = torch.rand(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    for n in (5, 3, 1):
        ends = [meaning(i, n) for i in range(1, n + 1)]
        wanted = torch.stack([x[:, low - 1 : high].sum(-1) for low, high in ends], -1)
        torch.testing.assert_close(subject(x[:, :n]), wanted)
        padded = torch.cat([x[:, :n], torch.full((2, 2), torch.nan, dtype=torch.float64)], 1)
        torch.testing.assert_close(subject(padded, lengths=torch.tensor([n, n]))[:, :n], wanted)


def test_half_a_size_away() -> None:
    r"""The window of `local_response_norm` of torch, from 0, where the size of the window is a setting."""
    rows = (r"a \in \mathbb{R}^{N}", r"y_c \in \mathbb{R}, c = 0, \dots, N - 1", r"n \in \mathbb{N}")
    subject = made(module("a ; n", r"y_c \gets \sum_{c'=\max(0, c-n/2)}^{\min(N-1, c+n/2)} a_{c'}^2", rows, ""), n=4)
    a = torch.rand(7, dtype=torch.float64)
    torch.testing.assert_close(subject(a), windows(a, 2, lambda part: part.square().sum()))


def test_the_first_index_is_asked_about_where_nothing_tells_it() -> None:
    rows = (r"x \in \mathbb{R}^{m \times k}", r"n_i \in \mathbb{Z}, i = 1, \dots, m")
    assert compile(module("x, n", LINES[0][0], rows, OVER)).diagnostics[0].code == "E0502"
