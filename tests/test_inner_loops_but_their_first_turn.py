"""A branch that leaves out only the first turn of an inner loop: what it carries is what the turns before gave it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import mathdsl

Step = Callable[[Tensor, int, int, Tensor], Tensor]  # the value of a turn: of x, the outer index, the inner one, and the value before

DIFFERENCE: tuple[str, Step] = (r"x_i - x_{i - 1}", lambda x, k, i, d: x[i - 1] - x[i - 2])
SQUARE: tuple[str, Step] = (r"x_i^2 k", lambda x, k, i, d: x[i - 1] ** 2 * k)


def check_by_hand(source: str, by_hand: Callable[[Tensor], Tensor], least: int = 1) -> None:
    """Values, gradients, a batch, and examples of their own lengths, whose padding means nothing."""
    made = mathdsl.load(source)
    module = next(value for value in vars(made).values() if isinstance(value, type) and issubclass(value, torch.nn.Module))().double()
    torch.manual_seed(0)
    for count in (1, 2, 3, 5):
        if count < least:
            continue
        x = torch.randn(count, dtype=torch.float64, requires_grad=True)
        expected, found = by_hand(x), module(x)
        torch.testing.assert_close(found, expected)
        weights = torch.randn(expected.shape, dtype=torch.float64)
        wanted = torch.autograd.grad((expected * weights).sum() + 0 * x.sum(), x)[0]
        torch.testing.assert_close(torch.autograd.grad((found * weights).sum() + 0 * x.sum(), x)[0], wanted)
        batch = torch.randn(3, count, dtype=torch.float64)
        torch.testing.assert_close(module(batch), torch.stack([by_hand(one) for one in batch]))
    padded = torch.full((4, 5), float("nan"), dtype=torch.float64)
    lengths = torch.tensor([5, 2, least, 3])
    for row, length in enumerate(lengths.tolist()):
        padded[row, :length] = torch.randn(length, dtype=torch.float64)
    ragged = module(padded, lengths=lengths)
    for row, length in enumerate(lengths.tolist()):
        wanted_row = by_hand(padded[row, :length])
        torch.testing.assert_close(ragged[row][: len(wanted_row)] if wanted_row.dim() else ragged[row], wanted_row)


def two_loops(start: str, inner: str, body: str, outer: str = r"1, \dots, 3", result: str = "d") -> str:
    return (
        r"\begin{algorithmic} \Require $x \in \mathbb{R}^n$ "
        + rf"{start} \For{{$k = {outer}$}} \For{{$i = {inner}$}} {body} \EndFor \EndFor \State \Return ${result}$ \end{{algorithmic}}"
    )


@pytest.mark.parametrize(("outer", "turns"), [(r"1, \dots, 3", lambda n: 3), (r"1, \dots, n", lambda n: n)])
@pytest.mark.parametrize(("start", "first"), [("0", 0.0), ("5", 5.0)])
@pytest.mark.parametrize(("value", "step"), [DIFFERENCE, SQUARE])
@pytest.mark.parametrize(
    "branch",
    [
        r"\If{{$i > 2$}} \State $d \gets {value}$ \EndIf",
        r"\If{{$i \geq 3$}} \State $d \gets {value}$ \EndIf",
        r"\If{{$i \neq 2$}} \State $d \gets {value}$ \EndIf",
        r"\If{{$\lnot (i \leq 2)$}} \State $d \gets {value}$ \EndIf",
        r"\If{{$i = 2$}} \State $q \gets 1$ \Else \State $d \gets {value}$ \EndIf",
        r"\State $d \gets \begin{{cases}} {value} & i > 2 \\ d & \text{{otherwise}} \end{{cases}}$",
    ],
)
def test_all_turns_but_the_first_assign(
    branch: str, value: str, step: Step, start: str, first: float, outer: str, turns: Callable[[int], int]
) -> None:
    def by_hand(x: Tensor) -> Tensor:
        d = x.new_tensor(first)
        for k in range(1, turns(len(x)) + 1):
            for i in range(3, len(x) + 1):
                d = step(x, k, i, d)
        return d

    check_by_hand(two_loops(rf"\State $d \gets {start}$ \State $q \gets 0$", r"2, \dots, n", branch.format(value=value), outer), by_hand)


def test_loops_that_end_one_before() -> None:
    def by_hand(x: Tensor) -> Tensor:
        d = x[0]
        for _ in range(3):
            for i in range(2, len(x)):
                d = x[i - 1] * x[i]
        return d

    body = r"\If{$i > 1$} \State $d \gets x_i x_{i + 1}$ \EndIf"
    check_by_hand(two_loops(r"\State $d \gets x_1$", r"1, \dots, n - 1", body), by_hand)


def test_what_is_carried_is_read_in_the_same_turn() -> None:
    def by_hand(x: Tensor) -> Tensor:
        d, s = x.new_tensor(5.0), x.new_tensor(0.0)
        for _ in range(3):
            for i in range(2, len(x) + 1):
                d = x[i - 1] if i > 2 else d
                s = s + d * i
        return s

    body = r"\If{$i > 2$} \State $d \gets x_i$ \EndIf \State $s \gets s + d i$"
    check_by_hand(two_loops(r"\State $d \gets 5$ \State $s \gets 0$", r"2, \dots, n", body, result="s"), by_hand)


def test_three_loops() -> None:
    def by_hand(x: Tensor) -> Tensor:
        d = x.new_tensor(5.0)
        for k in range(1, 4):
            for j in range(1, len(x) + 1):
                for i in range(3, len(x) + 1):
                    d = x[i - 1] * x[j - 1] * k
        return d

    body = r"\For{$i = 2, \dots, n$} \If{$i > 2$} \State $d \gets x_i x_j k$ \EndIf \EndFor"
    source = two_loops(r"\State $d \gets 5$", "@", body).replace("$i = @$", r"$j = 1, \dots, n$")
    check_by_hand(source, by_hand)


def test_vectors() -> None:
    def by_hand(x: Tensor) -> Tensor:
        v = x
        for k in range(1, 4):
            for i in range(3, len(x) + 1):
                v = x[i - 1] * x * k
        return v

    body = r"\If{$i > 2$} \State $v \gets x_i x k$ \EndIf"
    check_by_hand(two_loops(r"\State $v \gets x$", r"2, \dots, n", body, result="v"), by_hand)


def test_modules() -> None:
    source = r"""
    \begin{mathdsl} \Module{P}{x} b_0 \gets 5 \\ a_{i,1} \gets b_{i-1} \quad (i = 1, \dots, n) \\
    a_{i,j} \gets \begin{cases} x_j & j \geq 3 \\ a_{i,j-1} & \text{otherwise} \end{cases} \quad (i = 1, \dots, n, j = 2, \dots, n) \\
    b_i \gets a_{i,n} \quad (i = 1, \dots, n) \\ \Return b_n \\ \EndModule
    \begin{where} x \in \mathbb{R}^n & in \\ \end{where} \end{mathdsl}
    """
    check_by_hand(source, lambda x: x[-1] if len(x) > 2 else x.new_tensor(5.0))
