"""Elman's network as seed 000 computes it: its layers, its order, its embedding whose padding row is looked up without gradient."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn

PADDING = 0


class ElmanLayer(nn.Module):
    """`h_t = tanh(fc_x2h(x_t) + fc_h2h(h_{t-1}))`; one bias, which the input's layer holds."""

    def __init__(self, *, in_feat: int, out_feat: int) -> None:
        super().__init__()
        self.fc_x2h = nn.Linear(in_feat, out_feat)
        self.fc_h2h = nn.Linear(out_feat, out_feat, bias=False)
        self.h_0: Tensor
        self.register_buffer("h_0", torch.zeros(1, out_feat), persistent=False)

    def forward(self, x: Tensor, h_0: Tensor | None = None) -> Tensor:
        """`x` (B, S, in), `h_0` (B, out) to (B, S, out)."""
        state = self.h_0.expand(x.size(0), -1) if h_0 is None else h_0
        from_input = self.fc_x2h(x)
        states = []
        for t in range(x.size(1)):
            state = torch.tanh(from_input[:, t] + self.fc_h2h(state))
            states.append(state)
        return torch.stack(states, dim=1) if states else x.new_zeros(x.size(0), 0, state.size(-1))


class ElmanNet(nn.Module):
    """Embedding, affine map and tanh, layers with dropout between, affine map and tanh, product with the embedding."""

    def __init__(self, *, V: int, d_emb: int, d_hid: int, n_lyr: int, p_emb: float = 0.0, p_hid: float = 0.0) -> None:
        super().__init__()
        self.emb = nn.Embedding(V, d_emb, padding_idx=PADDING)
        self.fc_e2h = nn.Sequential(nn.Dropout(p_emb), nn.Linear(d_emb, d_hid), nn.Tanh(), nn.Dropout(p_hid))
        self.layers = nn.ModuleList(ElmanLayer(in_feat=d_hid, out_feat=d_hid) for _ in range(n_lyr))
        self.dropout = nn.Dropout(p_hid)
        self.fc_h2e = nn.Sequential(nn.Linear(d_hid, d_emb), nn.Tanh(), nn.Dropout(p_hid))

    def forward(self, tokens: Tensor, states: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        """Tokens (B, S), a state (B, d_hid) a layer, to logits (B, S, V) and the last states; these keep their gradient."""
        below = self.fc_e2h(self.emb(tokens))
        if states is None:
            states = [below.new_zeros(tokens.size(0), layer.h_0.size(-1)) for layer in self.layers]
        last = []
        for layer, h_0 in zip(self.layers, states, strict=True):
            out = layer(below, h_0)
            last.append(out[:, -1] if out.size(1) else h_0)
            below = self.dropout(out)
        return self.fc_h2e(below) @ self.emb.weight.transpose(0, 1), last


def layer_parts(reference: ElmanLayer, prefix: str = "") -> Iterator[Part]:
    """`W U b` of a layer."""
    yield Part(prefix + "W", reference.fc_x2h.weight)
    yield Part(prefix + "U", reference.fc_h2h.weight)
    yield Part(prefix + "b", reference.fc_x2h.bias)


def net_parts(reference: ElmanNet) -> Iterator[Part]:
    """`E W_h b_h W_z b_z` and the stack `f`."""
    yield Part("E", reference.emb.weight)
    yield Part("W_h", reference.fc_e2h[1].weight)
    yield Part("b_h", reference.fc_e2h[1].bias)
    yield Part("W_z", reference.fc_h2e[0].weight)
    yield Part("b_z", reference.fc_h2e[0].bias)
    for number, layer in enumerate(reference.layers):
        yield from layer_parts(layer, f"f.{number}.")
