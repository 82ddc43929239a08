r"""Axes of written types: at the top of an exponent `\times` parts axes, looser than the signs in the sizes between."""

from __future__ import annotations

import pytest
import torch

from tests.differential import check_text
from tests.test_found_by_the_net import make, module_of, numbers, procedure_of, same


@pytest.mark.parametrize(
    ("axes", "wanted"),
    [
        (r"m+1 \times k", (7, 4)),
        (r"m \times k+1", (6, 5)),
        (r"m-1 \times k+1", (5, 5)),
        (r"m \times m/2", (6, 3)),
        (r"m/3 \times k/2", (2, 2)),
        (r"m \times k \times m/3", (6, 4, 2)),
        (r"m + k/2 \times k", (8, 4)),
        (r"\frac{m}{2} - 1 \times 2k - 1 \times k", (2, 7, 4)),
        (r"2 \cdot m \times k", (12, 4)),
        (r"m \times (k \times 3)", (6, 12)),
        (r"(m + 1) \times 2 k", (7, 8)),
    ],
)
def test_signs_stay_within_an_axis(axes: str, wanted: tuple[int, ...]) -> None:
    sizes = {name: value for name, value in {"m": 6, "k": 4}.items() if name in axes.replace("times", "")}
    made = make(module_of(r"\Return 2 E", header="; E", rows=(rf"E \in \mathbb{{R}}^{{{axes}}}",)), **sizes)
    assert made.E.shape == wanted
    same(made(), 2 * made.E)


ROWS = (r"x_t \in \{0, \dots, V\}, t = 1, \dots, S", r"E \in \mathbb{R}^{V+1 \times d}")


@pytest.mark.parametrize(
    "text",
    [
        module_of(r"h_t \gets E[x_t] \quad (t = 1, \dots, S)", r"\Return h", header="x ; E", rows=ROWS),
        procedure_of(r"\For{$t = 1, \dots, S$}", r"h_t \gets E[x_t]", r"\EndFor", r"\Return h", header="x ; E", rows=ROWS),
    ],
)
def test_a_table_with_a_row_more(text: str) -> None:
    assert check_text(text) == 1
    made = make(text, V=3, d=2)
    x = torch.tensor([3, 0, 1])
    same(made(x), made.E[x])


def test_half_of_the_channels_is_an_axis() -> None:
    rows = (r"z \in \mathbb{R}^C", r"W_1 \in \mathbb{R}^{C/r \times C}", r"W_2 \in \mathbb{R}^{C \times C/r}")
    text = module_of(r"\Return \sigma(W_2 \ReLU(W_1 z)) \odot z", header="z ; W_1, W_2", rows=rows)
    made, z = make(text, C=6, r=2), numbers(3, 6)
    wanted = torch.sigmoid(torch.relu(z @ made.W_1.T) @ made.W_2.T) * z
    same(made(z), wanted)
    same(made(z[0]), wanted[0])


def test_a_column_more_is_an_axis_of_an_input() -> None:
    rows = (r"X \in \mathbb{R}^{n \times k}", r"B \in \mathbb{R}^{n \times k+1}")
    text = module_of(r"\Return \sum_{i=1}^{n} \sum_{j=1}^{k} X_{i,j} B_{i,j+1}", header="X, B ;", rows=rows)
    assert check_text(text) == 1
    x, b = numbers(3, 2), numbers(3, 3)
    same(make(text)(x, b), (x * b[:, 1:]).sum())


def test_an_update_reaches_all_of_such_an_axis() -> None:
    lines = (r"\For{$i = 1, \dots, n+1$}", r"x_{i,1} \gets 2 x_{i,2}", r"\EndFor", r"\Return x")
    text = procedure_of(*lines, header="x", rows=(r"x \in \mathbb{R}^{n+1 \times 2}",))
    assert check_text(text) == 1
    x = numbers(4, 2)
    same(make(text)(x), torch.stack([2 * x[:, 1], x[:, 1]], 1))
