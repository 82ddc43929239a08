"""Probabilities, dynamic programs and optimisers: every walk by itself, or torch's own functions and optimisers."""

from __future__ import annotations

import itertools
import warnings

import torch
from gallery.case import Case, Parameters, below, real, rows, varied
from torch import Tensor
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal
from torch.nn import functional as F

TABLES = [{"n": 4, "m": 3}, {"n": 1, "m": 2}, {"n": 3, "m": 5}, {"n": 2, "m": 1}]
STEPS = [{"d": 3, "T": 4}, {"d": 2, "T": 0}, {"d": 4, "T": 1}]


def mixture_density(p: Parameters, x: Tensor, t: Tensor) -> Tensor:
    h = torch.tanh(p["W"] @ x + p["b"])
    centres = torch.stack([W @ h + b for W, b in zip(p["W_mu"], p["b_mu"])])
    widths = torch.exp(p["W_sigma"] @ h + p["b_sigma"])[:, None].expand_as(centres)
    parts = Independent(Normal(centres, widths), 1)
    return -MixtureSameFamily(Categorical(logits=p["W_pi"] @ h + p["b_pi"]), parts).log_prob(t)


def walks(states: int, length: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(states), repeat=length))


def score(walk: tuple[int, ...], start: Tensor, step: Tensor, seen: Tensor) -> Tensor:
    """The log-probability of a walk, of whose moments `seen` has a row each."""
    total = start[walk[0]] + seen[0, walk[0]]
    for t in range(1, len(walk)):
        total = total + step[walk[t - 1], walk[t]] + seen[t, walk[t]]
    return total


def hmm_forward(p: Parameters, symbols: Tensor) -> Tensor:
    start, step, emit = (torch.log_softmax(p[name], -1) for name in ("p", "A", "B"))
    seen = emit[:, symbols].T
    return torch.logsumexp(torch.stack([score(walk, start, step, seen) for walk in walks(3, len(symbols))]), 0)


def viterbi(p: Parameters, start: Tensor, step: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    best = max(walks(3, len(seen)), key=lambda walk: score(walk, start, step, seen).item())
    return torch.tensor(best) + 1, score(best, start, step, seen)


def edit_distance(p: Parameters, a: Tensor, b: Tensor) -> Tensor:
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        return min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + int(a[i - 1] != b[j - 1]))

    return torch.tensor(distance(len(a), len(b)))


def soft_dtw(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    """The soft minimum over all walks of the sum of the distances that they pass."""

    def costs(i: int, j: int) -> list[Tensor]:
        before = [(a, b) for a, b in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if a >= 0 and b >= 0]
        here = ((x[i] - y[j]) ** 2).sum()
        return [here + cost for a, b in before for cost in costs(a, b)] or [here]

    return -0.5 * torch.logsumexp(-torch.stack(costs(len(x) - 1, len(y) - 1)) / 0.5, 0)


def gae(p: Parameters, r: Tensor, V: Tensor) -> Tensor:
    surprises = [r[t] + 0.9 * V[t + 1] - V[t] for t in range(len(r))]
    return rows([sum((0.9 * 0.8) ** (k - t) * surprises[k] for k in range(t, len(r))) for t in range(len(r))], 0)


def ctc(p: Parameters, z: Tensor, text: Tensor) -> Tensor:
    sizes = torch.tensor(len(z)), torch.tensor(len(text))
    return F.ctc_loss(torch.log_softmax(z, 1), text, *sizes, reduction="none")


def adam(p: Parameters, start: Tensor, gradients: Tensor) -> Tensor:
    """torch's own, so called that gradients pass through its steps."""
    value = start.clone()
    made = torch.optim.Adam([value], lr=0.1, betas=(0.8, 0.9), differentiable=True)
    torch.set_default_dtype(torch.float64)  # of the count of steps
    try:
        with warnings.catch_warnings(action="ignore"):  # the gradient of what is no leaf is read
            for gradient in gradients:
                value.grad = gradient
                made.step()
    finally:
        torch.set_default_dtype(torch.float32)
    return value


def sgd_momentum(p: Parameters, start: Tensor, gradients: Tensor) -> Tensor:
    value, velocity = start, 0 * start
    for gradient in gradients:
        velocity = 0.8 * velocity + gradient
        value = value - 0.1 * (gradient + 0.8 * velocity)
    return value


def adamw(p: Parameters, start: Tensor, gradients: Tensor, eta: Tensor) -> Tensor:
    value, first, second = start, 0 * start, 0 * start
    for t, gradient in enumerate(gradients, 1):
        first, second = 0.8 * first + 0.2 * gradient, 0.9 * second + 0.1 * gradient**2
        step = 0.1 * first / (1 - 0.8**t) / ((second / (1 - 0.9**t)).sqrt() + 1e-8)
        value = value - eta[t - 1] * (step + 0.3 * value)
    return value


def lion(p: Parameters, start: Tensor, gradients: Tensor) -> Tensor:
    value, average = start, 0 * start
    for gradient in gradients:
        value = value - 0.1 * (torch.sign(0.9 * average + 0.1 * gradient) + 0.3 * value)
        average = 0.99 * average + 0.01 * gradient
    return value


def steps(d: int, T: int) -> tuple[Tensor, Tensor]:
    return real(d), real(T, d)


ADAM = {"alpha": 0.1, "beta_1": 0.8, "beta_2": 0.9}


def crf(p: Parameters, fits: Tensor, labels: Tensor) -> Tensor:
    scores = torch.stack([score(walk, p["b"], p["A"], fits) for walk in walks(3, len(fits))])
    return torch.logsumexp(scores, 0) - score(tuple((labels - 1).tolist()), p["b"], p["A"], fits)


def kalman_filter(p: Parameters, z: Tensor, mean: Tensor, covariance: Tensor) -> Tensor:
    """The conditional mean of the state, of a joint normal distribution of state and sight."""
    means = []
    for seen in z:
        mean, covariance = p["F"] @ mean, p["F"] @ covariance @ p["F"].T + p["Q"]
        joint = torch.cat([torch.eye(len(mean), dtype=torch.float64), p["h"][None]])
        spread = joint @ covariance @ joint.T
        variance = spread[-1, -1] + 2.0
        mean = mean + spread[:-1, -1] * (seen - (joint @ mean)[-1]) / variance
        covariance = spread[:-1, :-1] - torch.outer(spread[:-1, -1], spread[-1, :-1]) / variance
        means.append(mean)
    return rows(means, 0, 3)


def value_iteration(p: Parameters, R: Tensor, P: Tensor) -> Tensor:
    def value(state: int, turns: int) -> Tensor:
        if not turns:
            return 0 * R.sum()
        worths = [
            reward + 0.8 * sum(chance * value(after, turns - 1) for after, chance in enumerate(chances))
            for reward, chances in zip(R[state], P[state])
        ]
        return torch.stack(worths).max()

    return rows([value(state, 3) for state in range(len(R))], 0)


def conjugate_gradient(p: Parameters, A: Tensor, b: Tensor) -> Tensor:
    """As many steps as unknowns solve the system."""
    return torch.linalg.solve(A, b)


def definite(count: int) -> Tensor:
    """Symmetric, which a single element of it is not free to leave: nothing is differentiated by it."""
    root = torch.randn(count, count, dtype=torch.float64)
    return root @ root.T + count * torch.eye(count, dtype=torch.float64)


def k_means(p: Parameters, x: Tensor, centres: Tensor) -> Tensor:
    for _ in range(3):
        nearest = torch.cdist(x, centres).argmin(1)
        heaps = [x[nearest == k] for k in range(len(centres))]
        centres = torch.stack([heap.mean(0) if len(heap) else centre for heap, centre in zip(heaps, centres)])
    return centres


def needleman_wunsch(p: Parameters, a: Tensor, b: Tensor) -> Tensor:
    if not len(a) or not len(b):
        return -0.3 * (len(a) + len(b)) + 0 * p["S"].sum()
    pair = needleman_wunsch(p, a[:-1], b[:-1]) + p["S"][a[-1], b[-1]]
    return torch.stack([pair, needleman_wunsch(p, a[:-1], b) - 0.3, needleman_wunsch(p, a, b[:-1]) - 0.3]).max()


CASES = [
    Case(
        "probabilistic/mixture_density",
        "MDN",
        lambda: (real(3), real(2)),
        mixture_density,
        {"d": 3, "c": 2, "n": 4, "m": 3},
    ),
    Case(
        "probabilistic/hmm_forward",
        "HMM",
        lambda T: (below(4, T),),
        hmm_forward,
        {"N": 3, "M": 4},
        varied("T", at_least=1),
    ),
    Case(
        "dynamic_programming/viterbi",
        "Viterbi",
        lambda T: (real(3), real(3, 3), real(T, 3)),
        viterbi,
        lengths=varied("T", at_least=1),
    ),
    Case("dynamic_programming/edit_distance", "EditDistance", lambda n, m: (below(3, m), below(3, n)), edit_distance, {}, TABLES),
    Case("dynamic_programming/soft_dtw", "SoftDTW", lambda n, m: (real(n, 2), real(m, 2)), soft_dtw, {"gamma": 0.5}, TABLES),
    Case(
        "dynamic_programming/gae",
        "GAE",
        lambda T: (real(T), real(T + 1)),
        gae,
        {"gamma": 0.9, "lambda_": 0.8},
        varied("T"),
    ),
    Case(
        "dynamic_programming/ctc",
        "CTC",
        lambda T, U: (real(T, 4), 1 + below(3, U)),
        ctc,
        lengths=[{"T": 7, "U": 3}, {"T": 2, "U": 1}, {"T": 5, "U": 2}],
    ),
    Case("optimiser/adam", "Adam", steps, adam, ADAM, STEPS),
    Case("optimiser/adamw", "AdamW", lambda d, T: (*steps(d, T), real(T)), adamw, {**ADAM, "lambda_": 0.3}, STEPS),
    Case("optimiser/lion", "Lion", steps, lion, {"eta": 0.1, "lambda_": 0.3}, STEPS),
    Case("optimiser/sgd_momentum", "SGD", steps, sgd_momentum, {"gamma": 0.1, "mu": 0.8}, STEPS),
    Case("probabilistic/crf", "CRF", lambda T: (real(T, 3), 1 + below(3, T)), crf, {"K": 3}, varied("T", at_least=1)),
    Case(
        "probabilistic/kalman_filter",
        "KalmanFilter",
        lambda T: (real(T), real(3), real(3, 3)),
        kalman_filter,
        {"n": 3, "rho": 2.0},
        varied("T"),
    ),
    Case(
        "dynamic_programming/value_iteration",
        "ValueIteration",
        lambda S: (real(S, 2), real(S, 2, S)),
        value_iteration,
        {"n": 3, "gamma": 0.8},
        [{"S": 3}, {"S": 0}, {"S": 1}],
    ),
    Case("probabilistic/k_means", "KMeans", lambda N: (real(N, 2), real(3, 2)), k_means, {"n": 3}, varied("N")),
    Case(
        "dynamic_programming/needleman_wunsch",
        "NeedlemanWunsch",
        lambda n, m: (below(5, m), below(5, n)),
        needleman_wunsch,
        {"K": 5, "gamma": 0.3},
        TABLES,
    ),
    Case("optimiser/conjugate_gradient", "ConjugateGradient", lambda: (definite(4), real(4)), conjugate_gradient, {"m": 4}),
]
