"""The losses: torch's own cross entropies and divergences, and matrices of covariances."""

from __future__ import annotations

import torch
from gallery.case import Parameters, below, real, varied
from readers.making import labels, positive, text
from torch import Tensor
from torch.distributions import Normal, kl_divergence
from torch.nn import functional as F

D, K = 3, 4
PAIRS = [{"n": 5}, {"n": 2}, {"n": 3}]  # a sample variance takes two


def logistic_regression(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(x @ p["w"] + p["b"], y.double()) + 0.15 * (p["w"] ** 2).sum()


def softmax_regression(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(x @ p["theta"].T, y - 1) + 0.15 * (p["theta"] ** 2).sum()


def hypothesis_function(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    penalty = 0.35 / len(x) * (p["theta"] ** 2).sum()
    return F.binary_cross_entropy_with_logits(x @ p["theta"], y.double()) + penalty


def label_matrix(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(x @ p["W"] + p["b"], y - 1) + 0.15 * (p["W"] ** 2).sum()


def divergence(p: Parameters, m: Tensor, s: Tensor, n: Tensor, t: Tensor) -> Tensor:
    return kl_divergence(Normal(m, s), Normal(n, t)).sum()


def likelihood(p: Parameters, x: Tensor, m: Tensor, s: Tensor) -> Tensor:
    return Normal(m, s).log_prob(x).sum()


def off_diagonal(matrix: Tensor) -> Tensor:
    """The sum of the squares beside the diagonal."""
    return (matrix**2).sum() - (matrix.diagonal() ** 2).sum()


def vicreg(p: Parameters, one: Tensor, other: Tensor, mu: float = 25.0, nu: float = 1.0, gamma: float = 1.0) -> Tensor:
    loss = 25 * ((one - other) ** 2).sum() / len(one)
    for z in (one, other):
        centred = z - z.mean(0)
        covariance = off_diagonal(centred.T @ centred / (len(z) - 1)) / D
        loss = loss + mu * torch.relu(gamma - torch.sqrt(z.var(0) + 1e-4)).mean() + nu * covariance
    return loss


def vicreg_of_settings(p: Parameters, one: Tensor, other: Tensor) -> Tensor:
    return vicreg(p, one, other, mu=3.0, nu=2.0, gamma=0.5)


def barlow_twins(p: Parameters, one: Tensor, other: Tensor) -> Tensor:
    correlations = (one / one.norm(dim=0)).T @ (other / other.norm(dim=0))
    return ((1 - correlations.diagonal()) ** 2).sum() + 0.005 * off_diagonal(correlations)


CASES = [
    text(
        "regressions",
        "LogisticRegression",
        lambda n: (real(n, D), below(2, n)),
        logistic_regression,
        {"d": D, "lambda_": 0.3},
        varied("n", 1),
    ),
    text(
        "regressions",
        "SoftmaxRegression",
        lambda m: (real(m, D), labels(K, m)),
        softmax_regression,
        {"n": D, "k": K, "lambda_": 0.3},
        varied("m", 1),
    ),
    text("hypothesis_function", "L", lambda m: (real(m, D), below(2, m)), hypothesis_function, {"n": D, "lambda_": 0.7}, varied("m", 1)),
    text("label_matrix", "L", lambda n: (real(n, D), labels(K, n)), label_matrix, {"d": D, "C": K, "lambda_": 0.3}, varied("n", 1)),
    text("vicreg", "KL", lambda d: (real(d), positive(d), real(d), positive(d)), divergence, lengths=varied("d")),
    text("vicreg", "LogLik", lambda d: (real(d), real(d), positive(d)), likelihood, lengths=varied("d")),
    text("vicreg", "VICReg", lambda n: (real(n, D), real(n, D)), vicreg, lengths=PAIRS),
    text("vicreg", "VICReg", lambda n: (real(n, D), real(n, D)), vicreg_of_settings, {"mu": 3.0, "nu": 2.0, "gamma": 0.5}, PAIRS),
    text("barlow_twins", "BT", lambda n: (real(n, D), real(n, D)), barlow_twins, lengths=varied("n", 1)),
]
