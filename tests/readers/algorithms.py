"""The algorithms: alignments by recursion, probabilities as sums over all walks, updates as plain loops."""

from __future__ import annotations

import itertools
import math
from functools import cache

import torch
from gallery.case import Parameters, real, varied, zeros
from readers.making import labels, positive, shares, signs, text
from torch import Tensor

D, K = 3, 4
TABLES = [{"n": 8, "m": 9}, {"n": 1, "m": 2}, {"n": 3, "m": 0}, {"n": 0, "m": 1}, {"n": 5, "m": 9}, {"n": 9, "m": 4}]


def fits() -> Tensor:
    """Scores that make alignments short where gaps are dear, and long gaps worth their costs where they are cheap."""
    return (5 * torch.eye(K, dtype=torch.float64) - 2 - positive(K, K).detach()).requires_grad_()


def scaled(factor: float) -> Tensor:
    return (factor * positive().detach()).requires_grad_()


def best_alignment(a: Tensor, b: Tensor, s: Tensor, opened: Tensor, extended: Tensor) -> Tensor:
    """Gaps of one table each: a gap costs `opened` at its first position, `extended` at each further one."""
    never = torch.tensor(-math.inf, dtype=torch.float64)

    @cache
    def gap(i: int, j: int, down: int, right: int) -> Tensor:
        if i == 0 or j == 0:
            return never
        return torch.stack([score(i - down, j - right) - opened, gap(i - down, j - right, down, right) - extended]).max()

    @cache
    def score(i: int, j: int) -> Tensor:
        if i == 0 or j == 0:
            return zeros()
        matched = score(i - 1, j - 1) + s[a[i - 1] - 1, b[j - 1] - 1]
        return torch.stack([zeros(), matched, gap(i, j, 1, 0), gap(i, j, 0, 1)]).max()

    return torch.stack([score(i, j) for i in range(len(a) + 1) for j in range(len(b) + 1)]).max()


def smith_waterman(p: Parameters, a: Tensor, b: Tensor, s: Tensor, d: Tensor) -> Tensor:
    return best_alignment(a, b, s, d, d)


def affine_gaps(p: Parameters, x: Tensor, y: Tensor, s: Tensor, d: Tensor, e: Tensor) -> Tensor:
    return best_alignment(x, y, s, d, e)


def forward_backward(p: Parameters, seen: Tensor, start: Tensor, step: Tensor, emit: Tensor) -> Tensor:
    """What share of the probability of all walks passes each state at each moment."""
    symbols = seen - 1
    passed = [[zeros() for _ in range(D)] for _ in symbols]
    for walk in itertools.product(range(D), repeat=len(symbols)):
        weight = start[walk[0]] * emit[walk[0], symbols[0]]
        for t in range(1, len(walk)):
            weight = weight * step[walk[t - 1], walk[t]] * emit[walk[t], symbols[t]]
        for t, state in enumerate(walk):
            passed[t][state] = passed[t][state] + weight
    table = torch.stack([torch.stack(moment) for moment in passed])
    return table / table.sum(1, keepdim=True)


def rmsprop(p: Parameters, eta: Tensor, rho: Tensor, alpha: Tensor, epsilon: Tensor, theta: Tensor, g: Tensor) -> Tensor:
    squares, velocity = torch.zeros_like(theta), torch.zeros_like(theta)
    for gradient in g:
        squares = rho * squares + (1 - rho) * gradient**2
        velocity = alpha * velocity - eta / torch.sqrt(squares + epsilon) * gradient
        theta = theta + velocity
    return theta


def perceptron(p: Parameters, x: Tensor, y: Tensor, eta: Tensor, gamma: Tensor, epochs: int) -> tuple[Tensor, Tensor]:
    """An epoch without an update is followed by more such epochs only, so that to stop there changes nothing."""
    w, b = zeros(D), zeros()
    for _ in range(epochs):
        for x_i, y_i in zip(x, y):
            if y_i * (w @ x_i + b) <= gamma:
                w, b = w + eta * y_i * x_i, b + eta * y_i
    return w, b


CASES = [
    text(
        "smith_waterman",
        "SmithWaterman",
        lambda n, m: (labels(K, n), labels(K, m), fits(), scaled(3)),
        smith_waterman,
        lengths=TABLES,
    ),
    text(
        "affine_gaps",
        "Gotoh",
        lambda n, m: (labels(K, n), labels(K, m), fits(), positive(), scaled(0.1)),
        affine_gaps,
        lengths=TABLES,
    ),
    text(
        "affine_gaps",
        "Gotoh",
        lambda n, m: (labels(K, n), labels(K, m), fits(), scaled(9), scaled(9)),
        affine_gaps,
        lengths=TABLES,
    ),
    text(
        "forward_backward",
        "ForwardBackward",
        lambda T: (labels(K, T), shares(D), shares(D, D), shares(D, K)),
        forward_backward,
        lengths=varied("T", 1),
    ),
    text(
        "rmsprop",
        "RMSPropWithMomentum",
        lambda n, T: (positive(), positive(), positive(), positive(), real(n), real(T, n)),
        rmsprop,
        lengths=[{"n": 3, "T": 4}, {"n": 2, "T": 0}, {"n": 4, "T": 1}],
    ),
    text(
        "perceptron",
        "PerceptronWithMargin",
        lambda n: (real(n, D), signs(n), positive(), positive(), 4),
        perceptron,
        lengths=varied("n"),
    ),
    *(
        text(
            "perceptron_until",
            "Perceptron",
            lambda n, most=most: (real(n, D), signs(n), positive(), positive(), most),
            perceptron,
            lengths=varied("n"),
        )
        for most in (1, 2, 40)
    ),
]
