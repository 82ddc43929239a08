r"""Sums without anything below them, `\sum (x_i - m)(y_i - k)`: the one letter that indexes in them is their index."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import mathdsl

Tensor = torch.Tensor
VECTORS = r"x, y \in \mathbb{R}^n & \\"
MEANS = r"\bar{x} \gets \frac{1}{n} \sum x_i \\ \bar{y} \gets \frac{1}{n} \sum y_i \\ "
PEARSON = r"\frac{\sum (x_i - \bar x)(y_i - \bar y)}{\sqrt{\sum (x_i - \bar x)^2 \sum (y_i - \bar y)^2}}"


def correlation(x: Tensor, y: Tensor) -> Tensor:
    x, y = x - x.mean(-1, keepdim=True), y - y.mean(-1, keepdim=True)
    return (x * y).sum(-1) / ((x * x).sum(-1) * (y * y).sum(-1)).sqrt()


READ: list[tuple[str, Callable[[Tensor, Tensor], Tensor]]] = [
    (rf"{MEANS} \Return {PEARSON}", correlation),
    (r"\Return \sum x_i y_i", lambda x, y: (x * y).sum(-1)),
    (r"\Return \prod x_k + \sum_i y_i", lambda x, y: x.prod(-1) + y.sum(-1)),
    (r"\Return \sum x_i \cdot \sum y_i", lambda x, y: x.sum(-1) * y.sum(-1)),
    (r"\Return \sum \sum_j x_i y_j x_j", lambda x, y: x.sum(-1) * (x * y).sum(-1)),
    (r"\Return \frac{\sum w_i y_i}{\sum w_i} \\ w_i \gets y_i^2 \quad (i = 1, \dots, n)", lambda x, y: (y**3).sum(-1) / (y**2).sum(-1)),
    (r"z_i \gets x_i \sum y_j \quad (i = 1, \dots, n) \\ \Return z", lambda x, y: x * y.sum(-1, keepdim=True)),
    (r"\Return \sum x", lambda x, y: x.sum(-1)),
    (r"\Return \frac{2}{n} \sum_1^n |x_i - y_i|", lambda x, y: 2 * (x - y).abs().mean(-1)),
    (r"\Return \sum_2^n x_i y_i", lambda x, y: (x[..., 1:] * y[..., 1:]).sum(-1)),
    (r"\Return \sum_{1}^{n} x_i \sum_1^n y_i", lambda x, y: x.sum(-1) * y.sum(-1)),
    (r"\Return \prod_2^n x_k + \sum^n_1 y_k", lambda x, y: x[..., 1:].prod(-1) + y.sum(-1)),
]


@pytest.mark.parametrize(("body", "by_hand"), READ, ids=[body for body, _ in READ])
def test_the_index_is_the_letter_that_indexes(body: str, by_hand: Callable[[Tensor, Tensor], Tensor]) -> None:
    module = mathdsl.load(rf"\Module{{F}}{{x, y}} {body} \\ \EndModule \begin{{where}} {VECTORS} \end{{where}}").F()
    torch.manual_seed(0)
    x, y = (torch.rand(2, 4, dtype=torch.float64, requires_grad=True) for _ in "xy")
    wanted = by_hand(x, y)
    torch.testing.assert_close(module(x, y), wanted)
    torch.testing.assert_close(module(x[1], y[1]), wanted[1])
    for found, hand in zip(*[torch.autograd.grad(side.sum(), [x, y], allow_unused=True) for side in (module(x, y), wanted)], strict=True):
        assert (found is None or not found.any()) if hand is None else torch.allclose(found, hand)
    if wanted.dim() == 1:
        ragged = module(x, y, lengths=torch.tensor([3, 4]))
        torch.testing.assert_close(ragged, torch.stack([by_hand(x[0, :3], y[0, :3]), wanted[1]]))


def test_an_algorithm_reads_them_too() -> None:
    text = rf"\Require ${VECTORS[:-5]}$ \Procedure{{F}}{{$x, y$}} \State \Return $\sum x_i y_i$ \EndProcedure"
    assert mathdsl.load(text).F()(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])).item() == 11.0


REFUSED = [
    (r"\Return \sum x_i y_j", VECTORS),  # two letters
    (r"\Return \sum x_n", VECTORS),  # a size
    (r"z_i \gets x_i \sum y_i \quad (i = 1, \dots, n) \\ \Return z", VECTORS),  # an index of what is defined
    (r"\Return \prod x_i \prod y_i", VECTORS),  # a product of products, or a power
    (r"\Return \sum_1^n x_i y_j", VECTORS),  # ends, and two letters
    (r"\Return \sum_1^n x", VECTORS),  # ends, and no letter
    (r"z_i \gets \sum_1^n x_i \quad (i = 1, \dots, n) \\ \Return z", VECTORS),  # ends, and an index of what is defined
]


@pytest.mark.parametrize(("body", "rows"), REFUSED)
def test_what_leaves_the_index_open_is_refused(body: str, rows: str) -> None:
    assert not mathdsl.compile(rf"\Module{{F}}{{x, y}} {body} \\ \EndModule \begin{{where}} {rows} \end{{where}}").ok


def test_a_letter_that_is_a_label_elsewhere_is_one_in_a_sum() -> None:
    text = r"\Require $x \in \mathbb{R}^n$, $W_i \in \mathbb{R}^{m \times n}$ "
    text += r"\Procedure{F}{$x$} \State $g \gets W_i x$ \State \Return $\sum W_i x + \sum g$ \EndProcedure"
    made = mathdsl.load(text).F(n=2, m=3)
    assert [*made.state_dict()] == ["W_i"]
    x = torch.rand(2)
    torch.testing.assert_close(made(x), 2 * (made.W_i @ x).sum())


def test_a_symbol_with_a_label_is_summed_itself() -> None:
    text = r"\Module{F}{x_d} \Return \sum x_d \\ \EndModule \begin{where} x_d \in \mathbb{R}^n & \\ \end{where}"
    assert mathdsl.load(text).F()(torch.tensor([1.0, 2.0])).item() == 3.0
