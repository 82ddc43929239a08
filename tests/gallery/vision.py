"""Graphs, convolutions, generative models and losses: node by node and place by place, or torch's own functions."""

from __future__ import annotations

import torch
from gallery.case import Case, Parameters, below, real, rows, varied, zeros
from torch import Tensor
from torch.distributions import Bernoulli, Normal, kl_divergence
from torch.nn import functional as F

PLACES = [{"n": 4, "m": 3}, {"n": 1, "m": 2}, {"n": 2, "m": 4}]
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


def deep_sets(p: Parameters, x: Tensor) -> Tensor:
    described = zeros(3)
    for element in x:
        described = described + p["W_2"] @ torch.relu(p["W_1"] @ element + p["b_1"]) + p["b_2"]
    return p["W_4"] @ torch.relu(p["W_3"] @ described + p["b_3"]) + p["b_4"]


def pagerank(p: Parameters, links: Tensor) -> Tensor:
    """Powers of one matrix, from which the walk begins anywhere."""
    count = len(links)
    walk = 0.8 * links / links.sum(0) + 0.2 / count
    return torch.linalg.matrix_power(walk, 3) @ (zeros(count) + 1 / count)


def real_nvp(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    """The density of normal noise, times the determinant of the whole map, found by differentiation."""

    def flow(data: Tensor) -> Tensor:
        still, moved = data[:2], data[2:]
        for k in range(2):
            net = {key.removeprefix(f"f.{k}."): value for key, value in p.items()}
            h = torch.tanh(net["W"] @ still + net["b"])
            scale = torch.exp(torch.tanh(net["W_s"] @ h + net["b_s"]))
            still, moved = moved * scale + net["W_t"] @ h + net["b_t"], still
        return torch.cat([still, moved])

    data = torch.cat([x, y])
    jacobian = torch.autograd.functional.jacobian(flow, data, create_graph=True)
    return Normal(zeros(4), zeros(4) + 1).log_prob(flow(data)).sum() + torch.linalg.slogdet(jacobian).logabsdet


def wavenet(p: Parameters, x: Tensor) -> Tensor:
    def convolve(windows: Tensor) -> Tensor:
        weight = windows.flip(0).permute(1, 2, 0)  # the last of torch's window is the present
        return F.conv1d(F.pad(x.T, (4, 0)), weight, dilation=2).T

    return x + (torch.tanh(convolve(p["W_f"])) * torch.sigmoid(convolve(p["W_g"]))) @ p["W_o"].T if len(x) else x + 0


def ppo(p: Parameters, z: Tensor, actions: Tensor, old: Tensor, advantages: Tensor) -> Tensor:
    total = zeros()
    for scores, action, before, advantage in zip(z, actions, old, advantages):
        ratio = torch.softmax(scores, 0)[action - 1] / torch.exp(before)
        total = total + torch.minimum(ratio * advantage, ratio.clip(0.7, 1.3) * advantage)
    return -total / len(z)


def triplet(p: Parameters, a: Tensor, near: Tensor, far: Tensor) -> Tensor:
    costs = [((x - y) ** 2).sum() - ((x - z) ** 2).sum() + 0.5 for x, y, z in zip(a, near, far)]
    return sum((F.relu(cost) for cost in costs), zeros())


def dice(p: Parameters, x: Tensor, g: Tensor) -> Tensor:
    chance = torch.sigmoid(x)
    return 1 - (2 * (chance * g).sum() + 0.5) / ((chance * chance).sum() + (g * g).sum() + 0.5)


def sinkhorn(p: Parameters, M: Tensor, r: Tensor, c: Tensor) -> Tensor:
    """On the plan itself: its columns are scaled, then its rows."""
    plan = torch.exp(-2.0 * M)
    for _ in range(4):
        plan = plan * (c / plan.sum(0))
        plan = plan * (r / plan.sum(1))[:, None]
    return (plan * M).sum()


def heap(count: int) -> Tensor:
    return torch.softmax(torch.randn(count, dtype=torch.float64), 0).requires_grad_()


def positive(*shape: int) -> Tensor:
    return (torch.rand(shape, dtype=torch.float64) + 0.1).requires_grad_()


def residual_block(p: Parameters, x: Tensor) -> Tensor:
    u = F.relu(F.conv2d(x[None], p["W"], p["b"], padding=1))
    return F.relu(x + F.conv2d(u, p["V"], p["c"], padding=1)[0])


def dqn(p: Parameters, s: Tensor, actions: Tensor, rewards: Tensor, after: Tensor, over: Tensor) -> Tensor:
    total = zeros()
    for state, action, reward, following, ended in zip(s, actions, rewards, after, over):
        best = (p["Q_prime.weight"] @ following + p["Q_prime.bias"]).detach().max()
        value = (p["Q.weight"] @ state + p["Q.bias"])[action - 1]
        total = total + (reward + (0 if ended else 0.9 * best) - value) ** 2
    return total / len(s)


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
    Case("graph/deep_sets", "DeepSets", lambda N: (real(N, 2),), deep_sets, {"d": 2, "H": 4, "d_s": 3, "d_y": 2}, varied("N")),
    Case("graph/pagerank", "PageRank", lambda N: (positive(N, N),), pagerank, {"n": 3, "d": 0.8}, varied("N", at_least=1)),
    Case("generative/real_nvp", "RealNVP", lambda: (real(2), real(2)), real_nvp, {"d": 2, "H": 3, "L": 2}),
    Case("convolution/wavenet", "WaveNetLayer", lambda T: (real(T, 3),), wavenet, {"d": 3, "K": 3, "delta": 2}, varied("T")),
    Case(
        "loss/ppo",
        "PPO",
        lambda T: (real(T, 4), 1 + below(4, T), real(T), real(T)),
        ppo,
        {"epsilon": 0.3},
        varied("T", at_least=1),
    ),
    Case("loss/triplet", "TripletLoss", lambda N: (real(N, 3), real(N, 3), real(N, 3)), triplet, {"alpha": 0.5}, varied("N")),
    Case("loss/dice", "DiceLoss", lambda n, m: (real(m, n), positive(m, n)), dice, {"epsilon": 0.5}, PLACES),
    Case(
        "loss/sinkhorn",
        "Sinkhorn",
        lambda n, m: (positive(m, n), heap(m), heap(n)),
        sinkhorn,
        {"L": 4, "lambda_": 2.0},
        PLACES,
    ),
    Case(
        "convolution/residual_block",
        "ResidualBlock",
        lambda n, m: (real(2, m, n),),
        residual_block,
        {"C": 2},
        PLACES,
    ),
    Case(
        "loss/dqn",
        "DQNLoss",
        lambda N: (real(N, 3), 1 + below(4, N), real(N), real(N, 3), torch.rand(N) < 0.5),
        dqn,
        {"d": 3, "K": 4, "gamma": 0.9},
        varied("N", at_least=1),
    ),
]
