r"""Arrays of which one definition is a row and another a triangle: `f_{i,0} \gets y_i`, then `f_{i,j}` for `i = 1, \dots, n - j`."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.algorithms_by_hand import same
from tests.by_hand import made

INPUTS = r"x \in \mathbb{R}^{n}, y \in \mathbb{R}^{n}, z \in \mathbb{R} ; "
FRACTION = r"\frac{f_{i+1,j-1} - f_{i,j-1}}{x_{i+j} - x_i}"


def table(x: Tensor, y: Tensor) -> dict[tuple[int, int], Tensor]:
    n = len(x)
    found = {(i, 0): y[i - 1] for i in range(1, n + 1)}
    for j in range(1, n):
        for i in range(1, n - j + 1):
            found[i, j] = (found[i + 1, j - 1] - found[i, j - 1]) / (x[i + j - 1] - x[i - 1])
    return found


def newton(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    found, total, factor = table(x, y), torch.zeros_like(z), torch.ones_like(z)
    for j in range(len(x)):
        total, factor = total + found[1, j] * factor, factor * (z - x[j])
    return total


def last(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    return z * table(x, y)[1, len(x) - 1]


BODIES = {
    "rows by the first index": (
        r"f_{0,i} \gets y_i \quad (i = 1, \dots, n) \\ "
        r"f_{j,i} \gets \frac{f_{j-1,i+1} - f_{j-1,i}}{x_{i+j} - x_i} \quad (j = 1, \dots, n - 1, i = 1, \dots, n - j) \\ "
        r"\Return \sum_{j=0}^{n-1} f_{j,1} \prod_{k=1}^{j} (z - x_k) \\",
        newton,
    ),
    "rows by the second index": (
        rf"f_{{i,j}} \gets {FRACTION} \quad (j = 1, \dots, n - 1, i = 1, \dots, n - j) \\ "
        r"f_{i,0} \gets y_i \quad (i = 1, \dots, n) \\ \Return z f_{1,n-1} \\",
        last,
    ),
    "other letters": (
        r"f_{k,1} \gets y_k \quad (k = 1, \dots, n) \\ "
        r"f_{i,j} \gets \frac{f_{i+1,j-1} - f_{i,j-1}}{x_{i+j-1} - x_i} \quad (j = 2, \dots, n, i = 1, \dots, n - j + 1) \\ "
        r"\Return z f_{1,n} \\",
        last,
    ),
    "backwards": (
        r"f_{i,0} \gets y_i \quad (i = 1, \dots, n) \\ "
        r"f_{i,j} \gets \frac{f_{i,j-1} - f_{i-1,j-1}}{x_i - x_{i-j}} \quad (i = 2, \dots, n, j = 1, \dots, i - 1) \\ "
        r"\Return \sum_{j=1}^{n} f_{j,j-1} \prod_{k=1}^{j-1} (z - x_k) \\",
        newton,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_divided_differences(name: str) -> None:
    body, by_hand = BODIES[name]
    subject = made(rf"\Module{{F}}{{{INPUTS}}} {body} \EndModule").double()
    torch.manual_seed(0)
    lengths = [5, 1, 3, 2]
    x, y, z = torch.rand(4, 5).double() + torch.arange(5), torch.rand(4, 5).double(), torch.rand(4).double()
    for k, n in enumerate(lengths):
        x[k, n:], y[k, n:] = torch.nan, torch.nan
    leaves = [value.clone().requires_grad_() for value in (x, y, z)]
    together = subject(*leaves, lengths=torch.tensor(lengths))
    slopes = torch.autograd.grad(together.square().sum(), leaves)
    for k, n in enumerate(lengths):
        own = [value.clone().requires_grad_() for value in (x[k, :n], y[k, :n], z[k])]
        wanted = by_hand(*own)
        same(subject(*own), wanted)
        same(together[k], wanted)
        right = torch.autograd.grad(wanted.square(), own, allow_unused=True)
        for ours, slope, value in zip((slopes[0][k, :n], slopes[1][k, :n], slopes[2][k]), right, own, strict=True):
            same(ours, torch.zeros_like(value) if slope is None else slope)
