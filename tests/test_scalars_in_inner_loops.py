"""A scalar that each turn of an inner loop assigns anew has the value of the last turn, and that of before where there is none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import torch
from torch import Tensor

import mathdsl


def program(outer: str, inner: str, value: str, last: str = "") -> str:
    turns = rf"\For{{$i = {outer}$}} \For{{$j = {inner}$}} \State $s \gets {value}$ \EndFor {last} \EndFor"
    result = "q" if last else "s"
    start = r"\State $s \gets 0$ \State $q \gets 0$"
    return rf"\begin{{algorithmic}} \Require $x \in \mathbb{{R}}^n$ {start} {turns} \State \Return ${result}$ \end{{algorithmic}}"


def up(n: int) -> Iterable[int]:
    return range(1, n + 1)


def down(n: int) -> Iterable[int]:
    return range(n, 0, -1)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize(
    ("outer", "inner", "outer_range", "inner_range"),
    [
        (r"1, \dots, n", r"n, n-1, \dots, 1", up, down),
        (r"1, \dots, n", r"1, \dots, n", up, up),
        (r"n, n-1, \dots, 1", r"1, \dots, n", down, up),
        (r"1, \dots, n - 1", r"2, \dots, n", lambda n: range(1, n), lambda n: range(2, n + 1)),
        (r"1, \dots, n", r"1, \dots, n - 1", up, lambda n: range(1, n)),
    ],
)
def test_the_last_turn_counts(outer: str, inner: str, outer_range: object, inner_range: object, sums: bool, count: int) -> None:
    assert callable(outer_range)
    assert callable(inner_range)

    def by_hand(x: Tensor) -> Tensor:
        s = q = torch.zeros((), dtype=x.dtype)
        for i in outer_range(len(x)):
            for j in inner_range(len(x)):
                s = x[j - 1] - 2 * x[i - 1]
            q = q + s
        return q if sums else s

    last = r"\State $q \gets q + s$" if sums else ""
    module = mathdsl.load(program(outer, inner, "x_j - 2 x_i", last)).Algorithm()
    x = torch.randn(3, count, dtype=torch.float64, generator=torch.Generator().manual_seed(count)).requires_grad_()
    wanted, found = torch.stack([by_hand(row) for row in x]), module(x)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(module(x[1]), wanted[1])
    if wanted.requires_grad:
        slopes = (torch.autograd.grad(side.sin().sum(), x, materialize_grads=True)[0] for side in (found, wanted))
        torch.testing.assert_close(*slopes)
