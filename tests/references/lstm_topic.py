"""The topic classifier as seed 003 computes it: four affine maps, an embedding, a loop, a linear layer on the last state."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn


class T(nn.Module):
    """`W_h h + W_x x + b`."""

    def __init__(self, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.x = nn.Linear(embed_size, hidden_size)
        self.h = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """`x` (B, embed), `h` (B, hidden) to (B, hidden)."""
        return self.h(h) + self.x(x)


class LSTM(nn.Module):
    """Token 0 goes in front of the text; position `t` of the padded text meets state `t - 1`."""

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, label_size: int) -> None:
        super().__init__()
        self.T_s = nn.ModuleList(T(embed_size, hidden_size) for _ in range(4))
        self.linear = nn.Linear(hidden_size, label_size)
        self.D = nn.Embedding(vocab_size, embed_size)
        self.c_0: Tensor
        self.h_0: Tensor
        self.register_buffer("c_0", torch.zeros(hidden_size))
        self.register_buffer("h_0", torch.zeros(hidden_size))

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (B, L) to logits (B, labels)."""
        padded = torch.cat([tokens.new_zeros(tokens.size(0), 1), tokens], dim=1)
        x = self.D(padded)
        forget, write, show, propose = self.T_s
        c, h = (start.expand(tokens.size(0), -1) for start in (self.c_0, self.h_0))
        for t in range(1, padded.size(1)):
            f, i, o = (torch.sigmoid(gate(x[:, t], h)) for gate in (forget, write, show))
            c = f * c + i * torch.tanh(propose(x[:, t], h))
            h = o * torch.tanh(c)
        return self.linear(h)


def map_parts(reference: T, prefix: str = "") -> Iterator[Part]:
    """`W_x W_h b`."""
    yield Part(prefix + "W_x", reference.x.weight)
    yield Part(prefix + "W_h", reference.h.weight)
    yield Part(prefix + "b", reference.x.bias)


def model_parts(reference: LSTM) -> Iterator[Part]:
    """The embedding, the four maps in the order of the unpacking, the scores, the buffers."""
    yield Part("D.weight", reference.D.weight)
    for name, gate in zip("fioc", reference.T_s, strict=True):
        yield from map_parts(gate, f"T_{name}.")
    yield Part("Linear.weight", reference.linear.weight)
    yield Part("Linear.bias", reference.linear.bias)
    yield Part("c_0", reference.c_0)
    yield Part("h_0", reference.h_0)
