"""Attention and the transformers: each query, key and head by itself, or torch's own encoder."""

from __future__ import annotations

import math

import torch
from gallery.case import Case, Parameters, below, real, rows, varied, zeros
from torch import Tensor, nn
from torch.nn import functional as F

D, HEADS, K = 6, 2, 3
HEADED = {"d": D, "h": HEADS, "d_k": K}


def mixture(scores: list[Tensor], values: list[Tensor]) -> Tensor:
    return sum(share * value for share, value in zip(torch.softmax(torch.stack(scores), 0), values))


def multi_head(p: Parameters, Q: Tensor, K_: Tensor, V: Tensor) -> Tensor:
    layer = nn.MultiheadAttention(D, HEADS, bias=False, dtype=torch.float64)
    weights = {"in_proj_weight": torch.cat([torch.cat(list(p[f"W_{name}"]), 1).T for name in "QKV"]), "out_proj.weight": p["W_O"].T}
    if not len(Q):
        return zeros(0, D) + 0 * K_.sum()
    return torch.func.functional_call(layer, weights, (Q, K_, V), {"need_weights": False})[0]


def cross_attention(p: Parameters, x: Tensor, z: Tensor, mask: Tensor) -> Tensor:
    found = []
    for i in range(len(x)):
        seen = [z[j] for j in range(len(z)) if mask[i, j]]
        scores = [(p["W_q"] @ x[i] + p["b_q"]) @ (p["W_k"] @ z_j + p["b_k"]) / math.sqrt(K) for z_j in seen]
        found.append(mixture(scores, [p["W_v"] @ z_j + p["b_v"] for z_j in seen]))
    return rows(found, 0, 2)


def some_mask(n: int, m: int) -> Tensor:
    return (torch.rand(n, m) < 0.5) | (torch.arange(m) == 0)


def rotary(p: Parameters, x: Tensor) -> Tensor:
    """A pair is a complex number, and turning it a product."""

    def turned(name: str, t: int) -> Tensor:
        pairs = torch.view_as_complex((p[name] @ x[t]).contiguous())
        angles = torch.tensor([(t + 1) * 10000 ** (-2 * i / D) for i in range(D // 2)], dtype=torch.float64)
        return pairs * torch.exp(1j * angles)

    scores = [[(turned("W_q", t) * turned("W_k", r).conj()).sum().real / math.sqrt(D) for r in range(len(x))] for t in range(len(x))]
    return rows([mixture(row, [p["W_v"] @ x_r for x_r in x]) for row in scores], 0, D)


def causal(p: Parameters, x: Tensor, names: str, slope: float = 0.0) -> Tensor:
    """All heads of attention to the past; head h of H lowers scores by its distance times 2 ** (-slope h / H)."""
    query, key, value, out = (p[name] for name in names.split())
    found = []
    for t in range(len(x)):
        heads = []
        for h in range(HEADS):
            steep = 2 ** (-slope * (h + 1) / HEADS) if slope else 0.0
            scores = [(query[h] @ x[t]) @ (key[h] @ x[r]) / math.sqrt(K) - steep * (t - r) for r in range(t + 1)]
            heads.append(mixture(scores, [value[h] @ x[r] for r in range(t + 1)]))
        found.append(out @ torch.cat(heads))
    return rows(found, 0, D)


def linear_attention(p: Parameters, x: Tensor) -> Tensor:
    found = []
    for t in range(len(x)):
        query = F.elu(p["W_Q"] @ x[t]) + 1
        shares = [query @ (F.elu(p["W_K"] @ x[r]) + 1) for r in range(t + 1)]
        found.append(sum(share / sum(shares) * (p["W_V"] @ x[r]) for r, share in enumerate(shares)))
    return rows(found, 0, 2)


def pre_norm_encoder(p: Parameters, x: Tensor) -> Tensor:
    layer = nn.TransformerEncoderLayer(D, HEADS, 5, dropout=0.0, norm_first=True, batch_first=True)
    stack = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(D), enable_nested_tensor=False).double()
    weights = {"norm.weight": p["N.weight"], "norm.bias": p["N.bias"]}
    for k in range(2):
        ours = {key.removeprefix(f"f.{k}."): value for key, value in p.items()}
        theirs = {
            "self_attn.in_proj_weight": torch.cat([torch.cat(list(ours[f"A.W_{name}"]), 1).T for name in "QKV"]),
            "self_attn.in_proj_bias": zeros(3 * D),
            "self_attn.out_proj.weight": ours["A.W_O"].T,
            "self_attn.out_proj.bias": zeros(D),
        }
        for j in "12":
            theirs |= {f"linear{j}.weight": ours[f"W_{j}"], f"linear{j}.bias": ours[f"b_{j}"]}
            theirs |= {f"norm{j}.{kind}": ours[f"N_{j}.{kind}"] for kind in ("weight", "bias")}
        weights |= {f"layers.{k}.{key}": value for key, value in theirs.items()}
    return torch.func.functional_call(stack, weights, (x[None],))[0] if len(x) else zeros(0, D) + 0 * x.sum()


def decoder_only(p: Parameters, x: Tensor) -> Tensor:
    def norm(name: str, value: Tensor) -> Tensor:
        return F.layer_norm(value, (D,), p[f"{name}.weight"], p[f"{name}.bias"])

    h = p["E"][x] + p["P"][: len(x)]
    for k in range(2):
        attention = {key.rpartition(".")[2]: value for key, value in p.items() if key.startswith(f"f.{k}.causal")}
        h = h + causal(attention, norm(f"f.{k}.layer_norm", h), "W_q W_k W_v W_o")
        hidden = F.gelu(norm(f"f.{k}.layer_norm_2", h) @ p[f"f.{k}.W_1"].T + p[f"f.{k}.b_1"])
        h = h + hidden @ p[f"f.{k}.W_2"].T + p[f"f.{k}.b_2"]
    return norm("layer_norm", h) @ p["E"].T


def hopfield(p: Parameters, X: Tensor, state: Tensor) -> Tensor:
    for _ in range(3):
        state = mixture([2.0 * (pattern @ state) for pattern in X], list(X))
    return state


def expert(p: Parameters, k: int, x: Tensor) -> Tensor:
    return p[f"E.{k}.W_2"] @ torch.relu(p[f"E.{k}.W_1"] @ x + p[f"E.{k}.b_1"]) + p[f"E.{k}.b_2"]


def mixture_of_experts(p: Parameters, x: Tensor) -> Tensor:
    return rows([mixture(list(p["W_g"] @ x_t), [expert(p, k, x_t) for k in range(3)]) for x_t in x], 0, D)


def mlp_mixer(p: Parameters, x: Tensor) -> Tensor:
    def norm(name: str, table: Tensor) -> Tensor:
        return F.layer_norm(table, (3,), p[f"{name}.weight"], p[f"{name}.bias"])

    u = x + p["W_2"] @ F.gelu(p["W_1"] @ norm("N_1", x))
    return u + (p["W_4"] @ F.gelu(p["W_3"] @ norm("N_2", u).T)).T


CASES = [
    Case(
        "attention/multi_head",
        "MultiHead",
        lambda n, m: (real(n, D), real(m, D), real(m, D)),
        multi_head,
        {"d_model": D, "h": HEADS, "d_k": K, "d_v": K},
        [{"n": 3, "m": 4}, {"n": 5, "m": 1}, {"n": 0, "m": 2}],
    ),
    Case(
        "attention/cross_attention",
        "CrossAttention",
        lambda n, m: (real(n, 4), real(m, 5), some_mask(n, m)),
        cross_attention,
        {"d_x": 4, "d_z": 5, "d_k": K, "d_v": 2},
        [{"n": 3, "m": 4}, {"n": 5, "m": 1}, {"n": 0, "m": 2}],
    ),
    Case("attention/rotary", "RotaryAttention", lambda T: (real(T, 4),), rotary, {"d_x": 4, "d": D}, varied("T")),
    Case(
        "attention/alibi",
        "ALiBi",
        lambda T: (real(T, D),),
        lambda p, x: causal(p, x, "W_Q W_K W_V W_O", 8.0),
        {"d": D, "H": HEADS, "d_k": K},
        varied("T"),
    ),
    Case(
        "attention/linear_attention",
        "LinearAttention",
        lambda T: (real(T, D),),
        linear_attention,
        {"d": D, "d_k": K, "d_v": 2},
        varied("T"),
    ),
    Case(
        "transformer/pre_norm_encoder",
        "PreNormEncoder",
        lambda T: (real(T, D),),
        pre_norm_encoder,
        {**HEADED, "d_f": 5, "L": 2},
        varied("T"),
    ),
    Case(
        "transformer/decoder_only",
        "DecoderOnly",
        lambda T: (below(7, T),),
        decoder_only,
        {"V": 7, "d": D, "H": HEADS, "d_k": K, "d_f": 5, "L": 2, "T_max": 8},
        varied("T"),
    ),
    Case("transformer/decoder_only", "loss", lambda: (real(4, 7), below(7, 4)), lambda p, z, y: F.cross_entropy(z, y)),
    Case(
        "attention/hopfield",
        "Hopfield",
        lambda N, d: (real(N, d), real(d)),
        hopfield,
        {"n": 3, "beta": 2.0},
        [{"N": 4, "d": 3}, {"N": 1, "d": 4}, {"N": 2, "d": 1}],
    ),
    Case("transformer/mixture_of_experts", "MoE", lambda T: (real(T, D),), mixture_of_experts, {"d": D, "d_f": 4, "n": 3}, varied("T")),
    Case("transformer/mlp_mixer", "MixerLayer", lambda: (real(4, 3),), mlp_mixer, {"S": 4, "C": 3, "D_S": 5, "D_C": 6}),
]
