"""The networks: gates, attention, norms and graphs, each for one example."""

from __future__ import annotations

import torch
from gallery.case import Parameters, real, rows, varied, zeros
from readers.making import labels, positive, shares, some, text
from torch import Tensor, nn
from torch.nn import functional as F

D, H, K = 3, 4, 2
MACHINES = [{"T": 3, "N": 5}, {"T": 1, "N": 1}, {"T": 0, "N": 2}, {"T": 2, "N": 3}]
POINTERS = [{"n": 4, "m": 3}, {"n": 1, "m": 2}, {"n": 2, "m": 0}, {"n": 3, "m": 1}]


def mgu(p: Parameters, x: Tensor, h: Tensor | None = None) -> Tensor:
    h = zeros(H) if h is None else h
    for x_t in x:
        forget = torch.sigmoid(p["W_f"] @ torch.cat([h, x_t]) + p["b_f"])
        h = (1 - forget) * h + forget * torch.tanh(p["W_h"] @ torch.cat([forget * h, x_t]) + p["b_h"])
    return h


def squeeze_excitation(p: Parameters, x: Tensor) -> Tensor:
    return torch.sigmoid(p["W_2"] @ torch.relu(p["W_1"] @ x.mean(0))) * x


def head(
    memory: Tensor, key: Tensor, strength: Tensor, gate: Tensor, shift: Tensor, sharpening: Tensor, before: Tensor
) -> tuple[Tensor, Tensor]:
    """What a head of a neural Turing machine reads, and where."""
    content = torch.softmax(strength * F.cosine_similarity(memory, key[None], dim=1), 0)
    mixed = gate * content + (1 - gate) * before
    size = range(len(memory))
    moved = torch.stack([sum((mixed[j] * shift[(i - j) % len(memory)] for j in size), zeros()) for i in size])
    weights = moved**sharpening / (moved**sharpening).sum()
    return weights @ memory, weights


def ntm_read(p: Parameters, *inputs: Tensor) -> tuple[Tensor, Tensor]:
    return head(*inputs)


def ntm_sequence(p: Parameters, memory: Tensor, *inputs: Tensor) -> tuple[Tensor, Tensor]:
    *steered, weights = inputs
    reads = []
    for t in range(len(memory)):
        read, weights = head(memory[t], *(one[t] for one in steered), weights)
        reads.append(read)
    return rows(reads, 0, D), weights


def film_block(p: Parameters, x: Tensor, c: Tensor, prefix: str = "") -> Tensor:
    def affine(name: str, value: Tensor) -> Tensor:
        return p[f"{prefix}W_{name}"] @ value + p[f"{prefix}b_{name}"]

    return x + affine("2", torch.relu(affine("gamma", c) * affine("1", x) + affine("beta", c)))


def film_stack(p: Parameters, x: Tensor, c: Tensor) -> Tensor:
    for level in range(2):
        x = film_block(p, x, c, f"f.{level}.")
    return x


def swiglu(x: Tensor, W: Tensor, V: Tensor, W_2: Tensor) -> Tensor:
    return (F.silu(x @ W) * (x @ V)) @ W_2


def geglu(x: Tensor, W: Tensor, V: Tensor, W_2: Tensor) -> Tensor:
    return (F.gelu(x @ W) * (x @ V)) @ W_2


def pointer_network(p: Parameters, e: Tensor, x: Tensor, d: Tensor, c: Tensor) -> Tensor:
    pointers = []
    for x_i in x:
        forget, take, out, new = (p[f"W_{gate}"] @ torch.cat([d, x_i]) + p[f"b_{gate}"] for gate in "fioc")
        c = torch.sigmoid(forget) * c + torch.sigmoid(take) * torch.tanh(new)
        d = torch.sigmoid(out) * torch.tanh(c)
        pointers.append(torch.softmax(torch.tanh(e @ p["W_1"].T + p["W_2"] @ d) @ p["v"], 0))
    return rows(pointers, 0, len(e))


def lstm_language_model(p: Parameters, w: Tensor, h_0: Tensor | None = None, c_0: Tensor | None = None) -> Tensor:
    h = list(zeros(2, D) if h_0 is None else h_0)
    c = list(zeros(2, D) if c_0 is None else c_0)
    loss = zeros()
    for now, after in zip(w[:-1] - 1, w[1:] - 1):
        below = p["E"][:, now]
        for k in range(2):
            i, f, o, g = (p[f"W_{gate}"][k] @ below + p[f"U_{gate}"][k] @ h[k] + p[f"b_{gate}"][k] for gate in "ifog")
            c[k] = torch.sigmoid(f) * c[k] + torch.sigmoid(i) * torch.tanh(g)
            below = h[k] = torch.sigmoid(o) * torch.tanh(c[k])
        loss = loss - torch.log_softmax(p["V"] @ below + p["c"], 0)[after]
    return loss / (len(w) - 1)


def group_norm(p: Parameters, x: Tensor) -> Tensor:
    return F.group_norm(x[None], 3, p["gamma"], p["beta"], 1e-5)[0]


def gated_attention_unit(p: Parameters, x: Tensor) -> Tensor:
    normed = F.rms_norm(x, (D,), p["g"], 1e-5)
    u, v, z = (F.silu(normed @ p[f"W_{name}"]) for name in "uvz")
    q, k = (p["gamma"][j] * z + p["beta"][j] for j in range(2))
    return x + (u * (torch.relu(q @ k.T / len(x)) ** 2 @ v)) @ p["W_o"]


def message_passing(p: Parameters, x: Tensor, e: Tensor, neighbours: Tensor) -> Tensor:
    h = x
    for _ in range(3):
        m = torch.einsum("vw,vwl,lij,wj->vi", neighbours.double(), e, p["Theta"], h)
        z = torch.sigmoid(m @ p["W_z"].T + h @ p["U_z"].T)
        r = torch.sigmoid(m @ p["W_r"].T + h @ p["U_r"].T)
        h = (1 - z) * h + z * torch.tanh(m @ p["W"].T + (r * h) @ p["U"].T)
    gates = torch.sigmoid(F.linear(torch.cat([h, x], 1), p["i.weight"], p["i.bias"]))
    return (gates * F.linear(h, p["j.weight"], p["j.bias"])).sum(0)


def edge_labels(p: Parameters, x: Tensor, e: Tensor, neighbours: Tensor) -> Tensor:
    h = x
    for _ in range(3):
        m = torch.einsum("vw,vwij,wj->vi", neighbours.double(), p["A"][e - 1], h)
        h = torch.tanh(torch.cat([h, m], 1) @ p["U"].T)
    return F.linear(h.sum(0), p["R.weight"], p["R.bias"])


class Message(nn.Module):
    """Of a neighbour's state and of an edge."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(D + K, D)

    def forward(self, h: Tensor, e: Tensor) -> Tensor:
        return self.layer(torch.cat([h, e], -1))


class Cell(nn.Module):
    """A cell of torch over any batch axes."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(D, D)

    def forward(self, h: Tensor, m: Tensor) -> Tensor:
        return self.cell(m.reshape(-1, D), h.reshape(-1, D)).reshape(h.shape)


def opaque_messages(p: Parameters, x: Tensor, e: Tensor, neighbours: Tensor) -> Tensor:
    n, h = len(x), x
    cell = {name.removeprefix("GRU.cell."): value for name, value in p.items() if name.startswith("GRU.")}
    for _ in range(3):
        pairs = torch.cat([h[None].expand(n, n, D), e], 2)
        messages = F.linear(pairs, p["f.layer.weight"], p["f.layer.bias"])
        m = torch.einsum("vw,vwi->vi", neighbours.double(), messages)
        h = torch.func.functional_call(nn.GRUCell(D, D).double(), cell, (m, h))
    return h.sum(0)


GATED = {"d": D, "m": H}
CASES = [
    text("mgu", "MGU", lambda T: (real(T, D), real(H)), mgu, {"d": D, "n": H}, varied("T")),
    text("mgu", "MGU", lambda T: (real(T, D),), mgu, {"d": D, "n": H}, varied("T")),
    text("squeeze_excitation", "SqueezeExcite", lambda T: (real(T, 4),), squeeze_excitation, {"C": 4, "r": 2}, varied("T", 1)),
    text(
        "ntm_read",
        "NTMRead",
        lambda N: (real(N, D), real(D), positive(), positive(), shares(N), positive(), shares(N)),
        ntm_read,
        lengths=varied("N", 1),
    ),
    text(
        "ntm_sequence",
        "NTMRead",
        lambda T, N: (real(T, N, D), real(T, D), positive(T), positive(T), shares(T, N), positive(T), shares(N)),
        ntm_sequence,
        lengths=MACHINES,
    ),
    text("film", "FiLMBlock", lambda: (real(D), real(K)), film_block, {"d": D, "k": K, "m": H}),
    text("film", "FiLMStack", lambda: (real(D), real(K)), film_stack, {"d": D, "k": K, "m": H, "L": 2}),
    text("gated_units", "SwiGLU", lambda T: (real(T, D),), lambda p, x: swiglu(x, p["W"], p["V"], p["W_2"]), GATED, varied("T")),
    text("gated_units", "GEGLU", lambda T: (real(T, D),), lambda p, x: geglu(x, p["W"], p["V"], p["W_2"]), GATED, varied("T")),
    text(
        "gated_units",
        "FFN_SwiGLU",
        lambda: (real(D), real(D, H), real(D, H), real(H, D)),
        lambda p, *inputs: swiglu(*inputs),
    ),
    text(
        "gated_units",
        "FFN_GEGLU",
        lambda T: (real(T, D), real(D, H), real(D, H), real(H, D)),
        lambda p, *inputs: geglu(*inputs),
        lengths=varied("T"),
    ),
    text(
        "pointer_network",
        "PointerNetwork",
        lambda n, m: (real(n, D), real(m, K), real(D), real(D)),
        pointer_network,
        {"h": D, "k": K, "a": H},
        POINTERS,
    ),
    text("lstm_language_model", "LanguageModel", lambda T: (labels(5, T),), lstm_language_model, {"N": 5, "d": D}, varied("T", 2)),
    text(
        "lstm_language_model",
        "LanguageModel",
        lambda T: (labels(5, T), real(2, D), real(2, D)),
        lstm_language_model,
        {"N": 5, "d": D},
        varied("T", 2),
    ),
    text("group_norm_and_gau", "GroupNorm", lambda P: (real(6, P),), group_norm, {"C": 6, "G": 3}, varied("P", 1)),
    text(
        "group_norm_and_gau",
        "GatedAttentionUnit",
        lambda n: (real(n, D),),
        gated_attention_unit,
        {"d": D, "e": H, "s": K},
        varied("n"),
    ),
    text(
        "message_passing",
        "MPNN",
        lambda n: (real(n, D), real(n, n, K), some(n, n)),
        message_passing,
        {"d": D, "k": K, "c": H},
        varied("n"),
    ),
    text("edge_labels", "MPNN", lambda n: (real(n, D), labels(K, n, n), some(n, n)), edge_labels, {"d": D, "k": K, "c": H}, varied("n")),
    text(
        "opaque_messages",
        "MPNN",
        lambda n: (real(n, D), real(n, n, K), some(n, n)),
        opaque_messages,
        {"f": Message(), "GRU": Cell()},
        varied("n", 1),
    ),
]
