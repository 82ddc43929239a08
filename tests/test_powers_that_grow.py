r"""Powers and products of integers beside reals are computed as reals: `x / 2^d` is right where `2^d` is no integer that torch has."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from mathdsl import compile

VALUES: dict[str, tuple[str, Callable[[int], float], int]] = {
    "a power of ten": (r"s \cdot 10^{20 d}", lambda d: d * 10.0 ** (20 * d), 3),
    "a denominator": (r"\frac{s}{2^{d} + 1}", lambda d: d / (2**d + 1), 70),
    "a sum": (r"s \sum_{i=0}^{d-1} 2^i", lambda d: d * (2.0**d - 1), 70),
    "a difference": (r"s (2^{d} - 3^{d})", lambda d: d * float(2**d - 3**d), 50),
    "signs": (r"\sum_{i=1}^d (-1)^{i} \frac{x_i}{2^i}", lambda d: sum((-1) ** i / 2**i for i in range(1, d + 1)), 80),
    "of an index": (r"s \sum_{i=1}^d i^8", lambda d: d * float(sum(i**8 for i in range(1, d + 1))), 500),
    "a product": (r"\frac{s}{\prod_{i=1}^{d} i}", lambda d: d / math.factorial(d), 30),
    "a negative exponent": (r"s d^{-d}", lambda d: d / d**d, 4),
    "a base below zero": (r"s (d - 5)^{d}", lambda d: d * float((d - 5) ** d), 3),
    "in a branch": (r"s \begin{cases} 2^{d} & d > 3 \\ 1 & \text{otherwise} \end{cases}", lambda d: d * 2.0**d, 70),
}


@pytest.mark.parametrize("is_module", [True, False])
@pytest.mark.parametrize("name", VALUES)
def test_alone_and_in_batches_of_lengths(name: str, is_module: bool) -> None:
    value, by_hand, d = VALUES[name]
    if is_module:
        text = rf"\Module{{F}}{{x ; }} s \gets \sum_j x_j \\ \Return {value} \\ \EndModule "
        text += r"\begin{where} x_j \in \mathbb{R}, j = 1, \dots, d \\ \end{where}"
    else:
        text = r"\Require $x_j \in \mathbb{R}, j = 1, \dots, d$ \Procedure{F}{$x$} \State $s \gets \sum_j x_j$ "
        text += rf"\State \Return ${value}$ \EndProcedure"
    subject = compile(text).load().F()
    x = torch.ones(d, dtype=torch.float64)
    torch.testing.assert_close(float(subject(x)), by_hand(d), rtol=1e-12, atol=0.0)
    padded = torch.stack([x, torch.cat([x[:-1], x[:1] * math.nan])]).requires_grad_()
    found = subject(padded, lengths=torch.tensor([d, d - 1]))
    wanted = [by_hand(d), by_hand(d - 1)]
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64), rtol=1e-12, atol=0.0)
    (slopes,) = torch.autograd.grad(found.sum(), padded)
    assert slopes.isfinite().all()
    assert slopes[1, -1] == 0
    if "x_i" not in value:
        torch.testing.assert_close(slopes[0], torch.full_like(x, by_hand(d) / d), rtol=1e-12, atol=0.0)


def test_indices_stay_integers() -> None:
    text = r"\Module{F}{x ; } \Return \sum_{i=1}^{3} x_{2^i} \\ \EndModule \begin{where} x_j \in \mathbb{R}, j = 1, \dots, d \\ \end{where}"
    subject = compile(text).load().F()
    assert float(subject(torch.arange(1.0, 10.0))) == 14.0
