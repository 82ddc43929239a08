"""The LSTM of 1997 as seed 001 computes it: one linear layer for the cells of all blocks, reshaped to blocks and back."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn

PADDING = 0
States = list[Tensor]


class LSTM1997Layer(nn.Module):
    """`c_t = c_{t-1} + i_t g_t`, `h_t = o_t tanh(c_t)`; a gate a block, biases in the input's layers."""

    def __init__(self, *, in_feat: int, n_blk: int, d_blk: int) -> None:
        super().__init__()
        self.n_blk, self.d_blk, self.d_hid = n_blk, d_blk, n_blk * d_blk
        self.fc_x2ig = nn.Linear(in_feat, n_blk)
        self.fc_x2og = nn.Linear(in_feat, n_blk)
        self.fc_h2ig = nn.Linear(self.d_hid, n_blk, bias=False)
        self.fc_h2og = nn.Linear(self.d_hid, n_blk, bias=False)
        self.fc_x2mc_in = nn.Linear(in_feat, self.d_hid)
        self.fc_h2mc_in = nn.Linear(self.d_hid, self.d_hid, bias=False)
        self.h_0: Tensor
        self.c_0: Tensor
        self.register_buffer("h_0", torch.zeros(1, self.d_hid), persistent=False)
        self.register_buffer("c_0", torch.zeros(1, n_blk, d_blk), persistent=False)

    def forward(self, x: Tensor, c_0: Tensor | None = None, h_0: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """`x` (B, S, in), `c_0` (B, n_blk, d_blk), `h_0` (B, d_hid) to (B, S, n_blk, d_blk) and (B, S, d_hid)."""
        c = self.c_0.expand(x.size(0), -1, -1) if c_0 is None else c_0
        h = self.h_0.expand(x.size(0), -1) if h_0 is None else h_0
        x2ig, x2og, x2mc_in = self.fc_x2ig(x), self.fc_x2og(x), self.fc_x2mc_in(x)
        cells, states = [], []
        for t in range(x.size(1)):
            i = torch.sigmoid(x2ig[:, t] + self.fc_h2ig(h)).unsqueeze(-1)
            o = torch.sigmoid(x2og[:, t] + self.fc_h2og(h)).unsqueeze(-1)
            g = torch.tanh(x2mc_in[:, t] + self.fc_h2mc_in(h)).reshape(-1, self.n_blk, self.d_blk)
            c = c + i * g
            h = (o * torch.tanh(c)).reshape(-1, self.d_hid)
            cells.append(c)
            states.append(h)
        if not states:
            return x.new_zeros(x.size(0), 0, self.n_blk, self.d_blk), x.new_zeros(x.size(0), 0, self.d_hid)
        return torch.stack(cells, dim=1), torch.stack(states, dim=1)


class LSTM1997(nn.Module):
    """Embedding, affine map and tanh, layers with dropout between, affine map and tanh, product with the embedding."""

    def __init__(self, *, V: int, d_emb: int, n_blk: int, d_blk: int, n_lyr: int, p_emb: float = 0.0, p_hid: float = 0.0) -> None:
        super().__init__()
        d_hid = n_blk * d_blk
        self.emb = nn.Embedding(V, d_emb, padding_idx=PADDING)
        self.fc_e2h = nn.Sequential(nn.Dropout(p_emb), nn.Linear(d_emb, d_hid), nn.Tanh(), nn.Dropout(p_hid))
        self.layers = nn.ModuleList(LSTM1997Layer(in_feat=d_hid, n_blk=n_blk, d_blk=d_blk) for _ in range(n_lyr))
        self.dropout = nn.Dropout(p_hid)
        self.fc_h2e = nn.Sequential(nn.Linear(d_hid, d_emb), nn.Tanh(), nn.Dropout(p_hid))

    def forward(self, tokens: Tensor, c_0: States | None = None, h_0: States | None = None) -> tuple[Tensor, States, States]:
        """Tokens (B, S), memory and state a layer, to logits (B, S, V), last memories and last states; these keep their gradient."""
        below = self.fc_e2h(self.emb(tokens))
        count = tokens.size(0)
        if c_0 is None:
            c_0 = [layer.c_0.expand(count, -1, -1) for layer in self.layers]
        if h_0 is None:
            h_0 = [layer.h_0.expand(count, -1) for layer in self.layers]
        memories, states = [], []
        for layer, c_first, h_first in zip(self.layers, c_0, h_0, strict=True):
            c, h = layer(below, c_first, h_first)
            memories.append(c[:, -1] if c.size(1) else c_first)
            states.append(h[:, -1] if h.size(1) else h_first)
            below = self.dropout(h)
        return self.fc_h2e(below) @ self.emb.weight.transpose(0, 1), memories, states


def layer_parts(reference: LSTM1997Layer, prefix: str = "") -> Iterator[Part]:
    """The gates' `W U b`, and for each block the rows of the fused layers."""
    for gate, from_input, from_state in (
        ("i", reference.fc_x2ig, reference.fc_h2ig),
        ("o", reference.fc_x2og, reference.fc_h2og),
    ):
        yield Part(f"{prefix}W_{gate}", from_input.weight)
        yield Part(f"{prefix}U_{gate}", from_state.weight)
        yield Part(f"{prefix}b_{gate}", from_input.bias)
    for block in range(reference.n_blk):
        rows = slice(block * reference.d_blk, (block + 1) * reference.d_blk)
        yield Part(prefix + "W", reference.fc_x2mc_in.weight, rows, at=block)
        yield Part(prefix + "U", reference.fc_h2mc_in.weight, rows, at=block)
        yield Part(prefix + "b", reference.fc_x2mc_in.bias, rows, at=block)


def net_parts(reference: LSTM1997) -> Iterator[Part]:
    """`E W_h b_h W_z b_z` and the stack `f`."""
    yield Part("E", reference.emb.weight)
    yield Part("W_h", reference.fc_e2h[1].weight)
    yield Part("b_h", reference.fc_e2h[1].bias)
    yield Part("W_z", reference.fc_h2e[0].weight)
    yield Part("b_z", reference.fc_h2e[0].bias)
    for number, layer in enumerate(reference.layers):
        yield from layer_parts(layer, f"f.{number}.")
