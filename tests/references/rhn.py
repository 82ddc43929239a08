"""Recurrent highway networks as seed 002 computes them: one fused linear layer a depth, halves for proposal and gate.

The seed's code appends a tensor where it should keep a list once it is given a state; here the list of states is what
it was meant to be.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn


class RHNCell(nn.Module):
    """`s <- h * g + s * (1 - g)` for each depth, the input only at the first."""

    def __init__(self, input_size: int, hidden_size: int, depth: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.hidden_lin = nn.ModuleList(nn.Linear(hidden_size, 2 * hidden_size) for _ in range(depth))
        self.input_lin = nn.Linear(input_size, 2 * hidden_size, bias=False)

    def forward(self, x: Tensor, s: Tensor) -> Tensor:
        """`x` (B, input), `s` (B, hidden) to (B, hidden)."""
        for depth, layer in enumerate(self.hidden_lin):
            both = layer(s) + self.input_lin(x) if depth == 0 else layer(s)
            h, g = torch.tanh(both[:, : self.hidden_size]), torch.sigmoid(both[:, self.hidden_size :])
            s = h * g + s * (1 - g)
        return s


class RHN(nn.Module):
    """Layers of cells; time outside, layers inside."""

    def __init__(self, input_size: int, hidden_size: int, depth: int, n_layers: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.cells = nn.ModuleList(RHNCell(hidden_size if layer else input_size, hidden_size, depth) for layer in range(n_layers))

    def forward(self, x: Tensor, states: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        """`x` (T, B, input), a state (B, hidden) a layer, to (T, B, hidden) and the last states."""
        s = [x.new_zeros(x.size(1), self.hidden_size) for _ in self.cells] if states is None else list(states)
        out = []
        for step in x:
            below = step
            for layer, cell in enumerate(self.cells):
                below = s[layer] = cell(below, s[layer])
            out.append(below)
        return (torch.stack(out) if out else x.new_zeros(0, x.size(1), self.hidden_size)), s


class RHNLM(nn.Module):
    """An embedding below the network, a linear layer above it."""

    def __init__(self, V: int, d_emb: int, hidden_size: int, depth: int, n_layers: int) -> None:
        super().__init__()
        self.emb = nn.Embedding(V, d_emb)
        self.rhn = RHN(d_emb, hidden_size, depth, n_layers)
        self.out = nn.Linear(hidden_size, V)

    def forward(self, tokens: Tensor, states: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        """Tokens (B, S) to logits (B, S, V) and the last states."""
        out, last = self.rhn(self.emb(tokens).transpose(0, 1), states)
        return self.out(out.transpose(0, 1)), last


def cell_parts(reference: RHNCell, prefix: str = "") -> Iterator[Part]:
    """`W_h W_g`, and for each depth `R_h R_g b_h b_g`: the halves of the fused layers."""
    half = reference.hidden_size
    for name, rows in (("h", slice(None, half)), ("g", slice(half, None))):
        yield Part(f"{prefix}W_{name}", reference.input_lin.weight, rows)
        for depth, layer in enumerate(reference.hidden_lin):
            yield Part(f"{prefix}R_{name}", layer.weight, rows, at=depth)
            yield Part(f"{prefix}b_{name}", layer.bias, rows, at=depth)


def net_parts(reference: RHN, prefix: str = "") -> Iterator[Part]:
    """The stack `f`."""
    for number, cell in enumerate(reference.cells):
        yield from cell_parts(cell, f"{prefix}f.{number}.")


def model_parts(reference: RHNLM) -> Iterator[Part]:
    """The embedding, the network, the scores."""
    yield Part("E.weight", reference.emb.weight)
    yield from net_parts(reference.rhn, "f.")
    yield Part("Linear.weight", reference.out.weight)
    yield Part("Linear.bias", reference.out.bias)
