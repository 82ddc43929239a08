"""Graphs, convolutions, generative models and losses: node by node and place by place, or torch's own functions."""

from __future__ import annotations

import torch
from gallery.case import Case, Parameters, below, real, rows, varied, zeros
from torch import Tensor
from torch.distributions import Bernoulli, Normal, kl_divergence
from torch.nn import functional as F

NODES = [{"N": 4}, {"N": 0}, {"N": 1}, {"N": 3}]


def gcn(p: Parameters, X: Tensor, A: Tensor) -> Tensor:
    edges = A + torch.eye(len(A), dtype=torch.float64)
    scale = torch.diag(edges.sum(1) ** -0.5)
    hat = scale @ edges @ scale
    return torch.softmax(hat @ torch.relu(hat @ X @ p["W_0"]) @ p["W_1"], 1)


def some_edges(count: int) -> Tensor:
    return (torch.rand(count, count, dtype=torch.float64) * (torch.rand(count, count) < 0.5)).requires_grad_()


def graph_attention(p: Parameters, h: Tensor, neighbours: Tensor) -> Tensor:
    new = []
    for i in range(len(h)):
        heads = []
        for W, a in zip(p["W"], torch.cat([p["a"], p["a_prime"]], 1)):
            seen = [h[j] for j in range(len(h)) if neighbours[i, j]]
            scores = [F.leaky_relu(a @ torch.cat([W @ h[i], W @ h_j]), 0.2) for h_j in seen]
            shares = torch.softmax(torch.stack(scores), 0)
            heads.append(F.elu(sum(share * (W @ h_j) for share, h_j in zip(shares, seen))))
        new.append(torch.cat(heads))
    return rows(new, 0, 6)


def some_neighbours(count: int) -> Tensor:
    return (torch.rand(count, count) < 0.5) | torch.eye(count, dtype=torch.bool)


def lenet(p: Parameters, x: Tensor) -> Tensor:
    u = F.avg_pool2d(torch.tanh(F.conv2d(x[None, None], p["W"][:, None], p["b"])), 2)
    v = F.avg_pool2d(torch.tanh(F.conv2d(u, p["V"], p["c"])), 2)
    f = torch.tanh(F.conv2d(v, p["U"], p["a"]))[0, :, 0, 0]
    return p["Y"] @ torch.tanh(p["G"] @ f + p["b_g"]) + p["b_y"]


def vae(p: Parameters, x: Tensor, noise: Tensor) -> Tensor:
    h = torch.tanh(p["W_3"] @ x + p["b_3"])
    guess = Normal(p["W_4"] @ h + p["b_4"], torch.exp((p["W_5"] @ h + p["b_5"]) / 2))
    units = torch.tanh(p["W_1"] @ (guess.loc + guess.scale * noise) + p["b_1"])
    pixels = Bernoulli(logits=p["W_2"] @ units + p["b_2"], validate_args=False)
    return pixels.log_prob(x).sum() - kl_divergence(guess, Normal(zeros(2), zeros(2) + 1)).sum()


def ddpm(p: Parameters, x: Tensor, t: Tensor, noise: Tensor) -> Tensor:
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 6, dtype=torch.float64), 0)[t - 1]
    net = {key.removeprefix("epsilon_theta."): value for key, value in p.items()}
    units = F.silu(net["W_1"] @ (kept.sqrt() * x + (1 - kept).sqrt() * noise) + net["E"][t - 1] + net["b_1"])
    return ((noise - net["W_2"] @ units - net["b_2"]) ** 2).sum()


def contrastive(p: Parameters, q: Tensor, k: Tensor) -> Tensor:
    scores = torch.stack([torch.stack([F.cosine_similarity(q_i, k_j, dim=0) / 0.5 for k_j in k]) for q_i in q])
    return F.cross_entropy(scores, torch.arange(len(q)))


def focal(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    total = 0 * x.sum()
    for score, label in zip(x, y):
        right = torch.sigmoid(score if label else -score)
        total = total - (0.3 if label else 0.7) * (1 - right) ** 1.5 * torch.log(right)
    return total


CASES = [
    Case("graph/gcn", "GCN", lambda N: (real(N, 3), some_edges(N)), gcn, {"C": 3, "H": 4, "F": 2}, NODES),
    Case(
        "graph/graph_attention",
        "GAT",
        lambda N: (real(N, 4), some_neighbours(N)),
        graph_attention,
        {"F": 4, "F_prime": 3, "K": 2},
        NODES,
    ),
    Case("convolution/lenet", "LeNet", lambda: (real(32, 32),), lenet),
    Case(
        "generative/vae",
        "VAE",
        lambda: (torch.rand(5, dtype=torch.float64).requires_grad_(), real(2)),
        vae,
        {"D": 5, "J": 2, "H": 4},
    ),
    Case(
        "generative/ddpm",
        "DDPM",
        lambda: (real(3), 1 + below(6), real(3)),
        ddpm,
        {"d": 3, "d_h": 4, "T": 6},
    ),
    Case(
        "loss/contrastive",
        "InfoNCE",
        lambda N: (real(N, 3), real(N, 3)),
        contrastive,
        {"tau": 0.5},
        [{"N": 4}, {"N": 1}, {"N": 3}],
    ),
    Case(
        "loss/focal",
        "FocalLoss",
        lambda n: (real(n), below(2, n)),
        focal,
        {"alpha": 0.3, "gamma": 1.5},
        varied("n"),
    ),
    Case(
        "loss/label_smoothing",
        "LabelSmoothing",
        lambda: (real(6), 1 + below(6)),
        lambda p, z, y: F.cross_entropy(z, y - 1, label_smoothing=0.2),
        {"epsilon": 0.2},
    ),
]
