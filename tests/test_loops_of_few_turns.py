"""Outer loops of a number of turns: branches on the turn, and turns that read all those before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.test_inner_loops_but_their_first_turn import check_by_hand, two_loops


@pytest.mark.parametrize(
    ("turns", "condition", "holds"),
    [
        (2, "k > 1", lambda k: k > 1),
        (2, "k = 1", lambda k: k == 1),
        (3, "k > 1", lambda k: k > 1),
        (3, "k > 2", lambda k: k > 2),
        (3, "k = 2", lambda k: k == 2),
        (4, r"k \neq 2", lambda k: k != 2),
    ],
)
def test_branches_on_the_turn(turns: int, condition: str, holds: Callable[[int], bool]) -> None:
    def by_hand(x: Tensor) -> Tensor:
        d = x[0]
        for k in range(1, turns + 1):
            for i in range(1, len(x) + 1):
                if holds(k):
                    d = d * x[i - 1] + k
        return d

    body = rf"\If{{${condition}$}} \State $d \gets d x_i + k$ \EndIf"
    check_by_hand(two_loops(r"\State $d \gets x_1$", r"1, \dots, n", body, rf"1, \dots, {turns}"), by_hand)


@pytest.mark.parametrize("turns", [2, 3])
def test_turns_that_read_all_turns_before(turns: int) -> None:
    def by_hand(x: Tensor) -> Tensor:
        q = [x[0]]
        for k in range(1, turns + 1):
            w = q[-1] * x[-1]
            for j in range(1, k + 1):
                w = w - q[j - 1] * x[0]
            q.append(w)
        return q[-1]

    body = r"\State $w \gets w - q_j x_1$ \EndFor \State $q_{k + 1} \gets w$ @"
    source = two_loops(r"\State $q_1 \gets x_1$", "@", body, rf"1, \dots, {turns}", result=f"q_{turns + 1}")
    source = source.replace(r"\For{$i = @$}", r"\State $w \gets q_k x_n$ \For{$j = 1, \dots, k$}").replace(r"@ \EndFor \EndFor", r"\EndFor")
    check_by_hand(source, by_hand)


@pytest.mark.parametrize("turns", [2, 3])
def test_arnoldi(turns: int) -> None:
    module = mathdsl.load(
        r"\begin{algorithmic} \Require $A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$ \State $q_1 \gets b$ "
        rf"\For{{$k = 1, \dots, {turns}$}} \State $w \gets A q_k$ \For{{$j = 1, \dots, k$}} \State $H_{{j,k}} \gets q_j^\top w$ "
        r"\State $w \gets w - H_{j,k} q_j$ \EndFor \State $H_{k+1,k} \gets \lVert w \rVert$ \State $q_{k+1} \gets w / H_{k+1,k}$ \EndFor "
        rf"\State \Return $q_{turns + 1}$ \end{{algorithmic}}"
    )
    made = next(value for value in vars(module).values() if isinstance(value, type) and issubclass(value, torch.nn.Module))().double()

    def by_hand(A: Tensor, b: Tensor) -> Tensor:
        q = [b]
        for _ in range(turns):
            w = A @ q[-1]
            for one in list(q):
                w = w - (one @ w) * one
            q.append(w / torch.linalg.vector_norm(w))
        return q[-1]

    torch.manual_seed(0)
    A, b = torch.randn(3, 5, 5, dtype=torch.float64, requires_grad=True), torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    expected, found = torch.stack([by_hand(*one) for one in zip(A, b, strict=True)]), made(A, b)
    torch.testing.assert_close(found, expected)
    weights = torch.randn(3, 5, dtype=torch.float64)
    wanted = torch.autograd.grad((expected * weights).sum(), (A, b))
    torch.testing.assert_close(torch.autograd.grad((found * weights).sum(), (A, b)), wanted)
