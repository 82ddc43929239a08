"""The recurrent specs: torch's own layers where it has them, loops over positions elsewhere."""

from __future__ import annotations

import torch
from gallery.case import Case, Parameters, below, real, rows, varied, zeros
from torch import Tensor, nn

X, H = 3, 4


def gru(p: Parameters, x: Tensor, h: Tensor) -> Tensor:
    states = []
    for x_t in x:
        r = torch.sigmoid(p["W_r"] @ x_t + p["U_r"] @ h)
        z = torch.sigmoid(p["W_z"] @ x_t + p["U_z"] @ h)
        h = z * h + (1 - z) * torch.tanh(p["W"] @ x_t + p["U"] @ (r * h))
        states.append(h)
    return rows(states, 0, H)


def peephole_lstm(p: Parameters, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    def gate(name: str, memory: Tensor) -> Tensor:
        return torch.sigmoid(p[f"W_x{name}"] @ x_t + p[f"W_h{name}"] @ h + p[f"w_c{name}"] * memory + p[f"b_{name}"])

    states, memories = [], []
    for x_t in x:
        i, f = gate("i", c), gate("f", c)
        c = f * c + i * torch.tanh(p["W_xc"] @ x_t + p["W_hc"] @ h + p["b_c"])
        h = gate("o", c) * torch.tanh(c)
        states.append(h)
        memories.append(c)
    return rows(states, 0, H), rows(memories, 0, H)


def run(layer: nn.Module, weights: Parameters, x: Tensor) -> Tensor:
    """A recurrent layer of torch with these weights; it takes no empty sequence."""
    if not len(x):
        return zeros(0, layer.hidden_size * (2 if layer.bidirectional else 1)) + 0 * x.sum()
    return torch.func.functional_call(layer.double(), dict(weights), (x,))[0]


def bidirectional(p: Parameters, x: Tensor) -> Tensor:
    weights = {}
    for suffix, arrow in (("", "right"), ("_reverse", "left")):
        for theirs, ours in (("weight_ih", "W"), ("weight_hh", "U"), ("bias_ih", "b")):
            weights[f"{theirs}_l0{suffix}"] = p[f"over{arrow}arrow_{ours}"]
        weights[f"bias_hh_l0{suffix}"] = zeros(H)
    return run(nn.RNN(X, H, bidirectional=True), weights, x)


def stacked_gru(p: Parameters, x: Tensor) -> Tensor:
    weights = {}
    for k in range(2):
        weights[f"weight_ih_l{k}"] = torch.cat([p[f"f.{k}.W_{gate}"] for gate in "rzn"])
        weights[f"weight_hh_l{k}"] = torch.cat([p[f"f.{k}.U_{gate}"] for gate in "rzn"])
        weights[f"bias_ih_l{k}"] = torch.cat([p[f"f.{k}.b_{gate}"] for gate in "rzn"])
        weights[f"bias_hh_l{k}"] = torch.cat([zeros(2 * H), p[f"f.{k}.c_n"]])
    return run(nn.GRU(X, H, 2), weights, x)


def seq2seq_attention(p: Parameters, x: Tensor, y: Tensor) -> Tensor:
    state, notes, scores = zeros(H), [], []
    for word in x:
        state = torch.tanh(p["W"] @ p["E_x.weight"][word] + p["U"] @ state + p["b"])
        notes.append(state)
    for word in y:
        fits = torch.stack([p["v_a"] @ torch.tanh(p["W_a"] @ state + p["U_a"] @ note) for note in notes])
        context = sum(share * note for share, note in zip(torch.softmax(fits, 0), notes))
        state = torch.tanh(p["W_s"] @ p["E_y.weight"][word] + p["U_s"] @ state + p["C_s"] @ context + p["b_s"])
        scores.append(p["W_o"] @ state + p["C_o"] @ context + p["b_o"])
    return rows(scores, 0, 6)


def gated_linear_recurrence(p: Parameters, x: Tensor) -> Tensor:
    h, states = zeros(H), []
    for x_t in x:
        a = torch.sigmoid(p["Lambda"]) ** (8 * torch.sigmoid(p["W_a"] @ x_t + p["b_a"]))
        h = a * h + torch.sqrt(1 - a * a) * torch.sigmoid(p["W_x"] @ x_t + p["b_x"]) * x_t
        states.append(h)
    return rows(states, 0, H)


def diagonal_ssm(p: Parameters, u: Tensor) -> Tensor:
    outputs = []
    for i in range(X):
        decay, step = torch.diag(-torch.exp(p["A_prime"][i])), torch.exp(p["delta"][i])
        kept = torch.linalg.matrix_exp(step * decay)
        taken = torch.linalg.solve(decay, (kept - torch.eye(H, dtype=torch.float64)) @ p["B"][i])
        h, channel = zeros(H), []
        for t in range(len(u)):
            h = kept @ h + taken * u[t, i]
            channel.append(p["C"][i] @ h + p["D"][i] * u[t, i])
        outputs.append(rows(channel, 0))
    return torch.stack(outputs, 1)


def rwkv(p: Parameters, x: Tensor) -> Tensor:
    """The weighted mean over the whole past, anew at each position."""
    keys, values, outputs = [], [], []
    for t, x_t in enumerate(x):
        before = x[t - 1] if t else zeros(H)
        r, k, v = (p[f"W_{name}"] @ (p[f"mu_{name}"] * x_t + (1 - p[f"mu_{name}"]) * before) for name in "rkv")
        keys.append(k)
        values.append(v)
        weights = [torch.exp(key - (t - 1 - s) * p["w"]) for s, key in enumerate(keys[:-1])] + [torch.exp(p["u"] + k)]
        mean = sum(weight * value for weight, value in zip(weights, values)) / sum(weights)
        outputs.append(p["W_o"] @ (torch.sigmoid(r) * mean))
    return rows(outputs, 0, H)


def mamba(p: Parameters, x: Tensor) -> Tensor:
    h, outputs = zeros(X, H), []
    for x_t in x:
        step = torch.log1p(torch.exp(p["W_Delta"] @ x_t + p["b_Delta"]))
        kept = torch.exp(torch.diag(step) @ -torch.exp(p["A_prime"]))
        h = kept * h + torch.outer(step * x_t, p["W_B"] @ x_t)
        outputs.append(h @ (p["W_C"] @ x_t) + p["D"] * x_t)
    return rows(outputs, 0, X)


def neural_ode(p: Parameters, h: Tensor) -> Tensor:
    def slope(state: Tensor) -> Tensor:
        return p["f.V"] @ torch.tanh(p["f.W"] @ state + p["f.b"]) + p["f.c"]

    for _ in range(3):
        slopes = [slope(h)]
        for part in (0.5, 0.5, 1.0):
            slopes.append(slope(h + 0.2 * part * slopes[-1]))
        h = h + 0.2 * sum(weight * one for weight, one in zip((1 / 6, 1 / 3, 1 / 3, 1 / 6), slopes))
    return h


CASES = [
    Case("recurrent/gru", "GRU", lambda S: (real(S, X), real(H)), gru, {"d_x": X, "d_h": H}, varied("S")),
    Case(
        "recurrent/peephole_lstm",
        "PeepholeLSTM",
        lambda T: (real(T, X), real(H), real(H)),
        peephole_lstm,
        {"d_x": X, "d_h": H},
        varied("T"),
    ),
    Case("recurrent/bidirectional", "BidirectionalRNN", lambda T: (real(T, X),), bidirectional, {"d_x": X, "d_h": H}, varied("T")),
    Case("recurrent/stacked_gru", "StackedGRU", lambda T: (real(T, X),), stacked_gru, {"d_x": X, "d_h": H, "L": 2}, varied("T")),
    Case(
        "recurrent/seq2seq_attention",
        "Seq2Seq",
        lambda T_x, T_y: (below(5, T_x), below(6, T_y)),
        seq2seq_attention,
        {"K_x": 5, "K_y": 6, "d_e": X, "d_h": H, "d_a": 2},
        [{"T_x": 4, "T_y": 3}, {"T_x": 1, "T_y": 4}, {"T_x": 2, "T_y": 0}],
    ),
    Case("recurrent/gated_linear_recurrence", "RGLRU", lambda T: (real(T, H),), gated_linear_recurrence, {"d": H}, varied("T")),
    Case("recurrent/diagonal_ssm", "DiagonalSSM", lambda T: (real(T, X),), diagonal_ssm, {"d": X, "N": H}, varied("T")),
    Case("recurrent/rwkv", "TimeMixing", lambda T: (real(T, H),), rwkv, {"d": H}, varied("T")),
    Case("recurrent/mamba", "SelectiveSSM", lambda T: (real(T, X),), mamba, {"d": X, "N": H}, varied("T")),
    Case("recurrent/neural_ode", "NeuralODE", lambda: (real(H),), neural_ode, {"H": H, "M": 5, "N": 3, "Delta": 0.2}),
]
