r"""Loops that define `g_t` and `w_{t+1}` in one turn: what a turn needs alone moves with the others, what is kept has a loop of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import mathdsl


def program(required: str, body: str) -> str:
    return rf"\begin{{algorithmic}} \Require {required} {body} \end{{algorithmic}}"


def check(text: str, by_hand: Callable[..., Tensor], *inputs: Tensor, more: tuple[int, ...] = ()) -> None:
    """The value and the gradients of each example of a batch, and of the batch."""
    module = mathdsl.load(text).Algorithm()
    inputs = tuple(value.requires_grad_() for value in inputs)
    wanted = torch.stack([by_hand(*(value[k] for value in inputs), *more) for k in range(len(inputs[0]))])
    found = module(*inputs, *more)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(module(*(value[1] for value in inputs), *more), wanted[1])
    slopes = (torch.autograd.grad(side.sin().sum(), inputs, materialize_grads=True) for side in (found, wanted))
    for one, other in zip(*slopes, strict=True):
        torch.testing.assert_close(one, other)


def random(*shape: int) -> Tensor:
    return torch.randn(2, *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))


DESCENT = r"""
\For{$t = 0, \dots, T - 1$}
  \State $g_t \gets \frac{2}{n} X^\top (X w_t - y)$
  \State $w_{t+1} \gets w_t - \eta g_t$
\EndFor
\Return $RESULT$"""
DATA = r"$X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$, $\eta > 0$, $w_0 \in \mathbb{R}^d$, $T \in \mathbb{N}$"


def slope(x: Tensor, y: Tensor, w: Tensor) -> Tensor:
    return 2 / len(y) * x.mT @ (x @ w - y)


def descent(x: Tensor, y: Tensor, eta: Tensor, w: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        w = w - eta * slope(x, y, w)
    return w


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_gradient_descent(steps: int) -> None:
    inputs = random(5, 3), random(5), torch.tensor([0.1, 0.05], dtype=torch.float64), random(3)
    check(program(DATA, DESCENT.replace("RESULT", "w_T")), descent, *inputs, more=(steps,))


def test_what_is_kept_of_each_turn_has_a_loop_of_its_own() -> None:
    inputs = random(5, 3), random(5), torch.tensor([0.1, 0.05], dtype=torch.float64), random(3)
    text = program(DATA, DESCENT.replace("RESULT", r"w_T + \sum_{t=0}^{T-1} g_t"))

    def by_hand(x: Tensor, y: Tensor, eta: Tensor, w: Tensor, steps: int) -> Tensor:
        slopes = [slope(x, y, descent(x, y, eta, w, k)) for k in range(steps)]
        return descent(x, y, eta, w, steps) + sum(slopes)

    check(text, by_hand, *inputs, more=(3,))


CONJUGATE = r"""
\State $x_0 \gets 0$ \State $r_0 \gets b - A x_0$ \State $p_0 \gets r_0$
\For{$k = 0, 1, \dots, K-1$}
  \State $\alpha_k \gets \frac{r_k^\top r_k}{p_k^\top A p_k}$
  \State $x_{k+1} \gets x_k + \alpha_k p_k$
  \State $r_{k+1} \gets r_k - \alpha_k A p_k$
  \State $\beta_k \gets \frac{r_{k+1}^\top r_{k+1}}{r_k^\top r_k}$
  \State $p_{k+1} \gets r_{k+1} + \beta_k p_k$
\EndFor
\Return $RESULT$"""


@pytest.mark.parametrize(("result", "adds"), [("x_K", False), (r"x_K + \alpha_0", True)])
def test_conjugate_gradients(result: str, adds: bool) -> None:
    half, b = random(4, 4), random(4)
    a = half @ half.mT + torch.eye(4, dtype=torch.float64)

    def by_hand(a: Tensor, b: Tensor, steps: int) -> Tensor:
        x, r, p = torch.zeros_like(b), b, b
        for _ in range(steps):
            alpha = (r @ r) / (p @ a @ p)
            x, old, r = x + alpha * p, r, r - alpha * (a @ p)
            p = r + (r @ r) / (old @ old) * p
        return x + adds * (b @ b) / (b @ a @ b)

    text = program(r"$A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$, $K \in \mathbb{N}$", CONJUGATE.replace("RESULT", result))
    check(text, by_hand, a, b, more=(3,))


def test_states_and_outputs_of_a_decoder_with_lengths() -> None:
    body = r"""
    \State $s_1 \gets y_1$
    \For{$t = 1, \dots, S-1$}
      \State $o_t \gets V s_t$
      \State $s_{t+1} \gets U s_t + y_{t+1}$
    \EndFor
    \Return $\sum_{t=1}^{S-1} o_t$"""
    text = program(r"$y \in \mathbb{R}^{S \times d}$, $U \in \mathbb{R}^{d \times d}$, $V \in \mathbb{R}^{d \times d}$", body)

    def by_hand(y: Tensor, u: Tensor, v: Tensor) -> Tensor:
        s, total = y[0], torch.zeros_like(y[0])
        for value in y[1:]:
            total, s = total + v @ s, u @ s + value
        return total

    y, u, v = random(4, 3), random(3, 3), random(3, 3)
    check(text, by_hand, y, u, v)
    short = mathdsl.load(text).Algorithm()(y, u, v, lengths={"S": torch.tensor([4, 2])})
    torch.testing.assert_close(short, torch.stack([by_hand(y[0], u[0], v[0]), by_hand(y[1, :2], u[1], v[1])]))


def test_backwards() -> None:
    body = r"""
    \State $G_n \gets 0$
    \For{$t = n - 1$ \textbf{downto} $0$}
      \State $d_{t+1} \gets r_{t+1} + G_{t+1}$
      \State $G_t \gets \gamma d_{t+1}$
    \EndFor
    \Return $G_0 + d_n$"""

    def by_hand(r: Tensor, gamma: Tensor) -> Tensor:
        total = torch.zeros(())
        for value in r.flip(0):
            total = gamma * (value + total)
        return total + r[-1]

    text = program(r"$r_t \in \mathbb{R}, t = 1, \dots, n$, $\gamma \in \mathbb{R}$", body)
    check(text, by_hand, random(4), torch.tensor([0.5, 0.9], dtype=torch.float64))


@pytest.mark.parametrize(
    "turn",
    [
        r"\State $a_t \gets b_{t+1}$ \State $b_t \gets x_t$",  # of a later turn
        r"\State $a_t \gets b_{t+2}$ \State $b_{t+1} \gets x_t$",
    ],
)
def test_what_no_turn_has_defined_yet_is_not_read(turn: str) -> None:
    text = program(r"$x \in \mathbb{R}^n$", rf"\For{{$t = 1, \dots, n$}} {turn} \EndFor \Return $\sum_{{t=1}}^n a_t$")
    assert [d.severity for d in mathdsl.compile(text).diagnostics][:1] == ["error"]


def test_values_of_before_are_updated_in_the_order_of_execution() -> None:
    """`w` has values before the loop, so that nothing is parted: each turn reads what the one before has changed."""
    body = r"""
    \For{$t = 1, \dots, n - 1$}
      \State $g_t \gets 2 w_t$
      \State $w_{t+1} \gets w_{t+1} - g_t$
    \EndFor
    \Return $\sum_{t=1}^n w_t$"""

    def by_hand(w: Tensor) -> Tensor:
        w = list(w)
        for t in range(len(w) - 1):
            w[t + 1] = w[t + 1] - 2 * w[t]
        return torch.stack(w).sum()

    check(program(r"$w \in \mathbb{R}^n$", body), by_hand, random(4))
