"""A gated recurrent unit, batched by hand: one product with the input for all steps, two products a step."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn


class GRULayer(nn.Module):
    """`h_t = (1 - z_t) h_{t-1} + z_t tanh(W_c x_t + U_c (r_t h_{t-1}) + b_c)`; the gates `z` and `r` share one product."""

    def __init__(self, *, in_feat: int, out_feat: int) -> None:
        super().__init__()
        self.width = out_feat
        self.fc_x = nn.Linear(in_feat, 3 * out_feat)
        self.fc_gates = nn.Linear(out_feat, 2 * out_feat, bias=False)
        self.fc_candidate = nn.Linear(out_feat, out_feat, bias=False)

    def forward(self, x: Tensor, h_0: Tensor) -> Tensor:
        """`x` (B, S, in), `h_0` (B, out) to (B, S, out)."""
        state, states = h_0, []
        for from_input in self.fc_x(x).unbind(1):
            gates, candidate = from_input.split([2 * self.width, self.width], -1)
            z, r = torch.sigmoid(gates + self.fc_gates(state)).chunk(2, -1)
            state = torch.lerp(state, torch.tanh(candidate + self.fc_candidate(r * state)), z)
            states.append(state)
        return torch.stack(states, dim=1)


def layer_parts(reference: GRULayer) -> Iterator[Part]:
    """`W_z U_z b_z`, `W_r U_r b_r`, `W_c U_c b_c`."""
    for number, gate in enumerate("zrc"):
        rows = slice(number * reference.width, (number + 1) * reference.width)
        yield Part(f"W_{gate}", reference.fc_x.weight, rows)
        yield Part(f"b_{gate}", reference.fc_x.bias, rows)
        if gate == "c":
            yield Part("U_c", reference.fc_candidate.weight)
        else:
            yield Part(f"U_{gate}", reference.fc_gates.weight, rows)
