"""The transformer encoder as seed 004 computes it: fused heads reshaped and transposed, a mask filled with -1e9, torch's layer norm.

The seed lays the rows of the keys' weight out by coordinate first and head second, those of queries and values by head first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from references.parts import Part
from torch import Tensor, nn

PADDING = 0


class MultiHeadAttnLayer(nn.Module):
    """Softmax of scaled inner products; where the mask is true, the score is -1e9."""

    def __init__(self, *, d_model: int, n_head: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.n_head, self.d_k, self.d_v = n_head, d_k, d_v
        self.fc_ff_q2hq = nn.Linear(d_model, n_head * d_k, bias=False)
        self.fc_ff_k2hk = nn.Linear(d_model, n_head * d_k, bias=False)
        self.fc_ff_v2hv = nn.Linear(d_model, n_head * d_v, bias=False)
        self.fc_ff_f2o = nn.Linear(n_head * d_v, d_model, bias=False)

    def forward(self, k: Tensor, mask: Tensor, q: Tensor, v: Tensor) -> Tensor:
        """`k`, `v` (B, S_k, d_model), `mask` (B, S_q, S_k), `q` (B, S_q, d_model) to (B, S_q, d_model)."""
        batch, queries, keys = q.size(0), q.size(1), k.size(1)
        head_q = self.fc_ff_q2hq(q).reshape(batch, queries, self.n_head, self.d_k).transpose(1, 2)
        head_k = self.fc_ff_k2hk(k).reshape(batch, keys, self.d_k, self.n_head).transpose(1, 3)
        head_v = self.fc_ff_v2hv(v).reshape(batch, keys, self.n_head, self.d_v).transpose(1, 2)
        sim = (head_q @ head_k / math.sqrt(self.d_k)).masked_fill(mask.unsqueeze(1), -1e9)
        seen = torch.softmax(sim, dim=3) @ head_v
        return self.fc_ff_f2o(seen.transpose(1, 2).reshape(batch, queries, self.n_head * self.d_v))


class PosEncLayer(nn.Module):
    """Sines and cosines of positions from 0, in a table."""

    def __init__(self, *, max_seq_len: int, d_emb: int) -> None:
        super().__init__()
        pos = torch.arange(0, max_seq_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_emb, 2, dtype=torch.float64) * (-math.log(10000) / d_emb))
        pe = torch.zeros((max_seq_len, d_emb), dtype=torch.float64)
        pe[:, 0::2] = torch.sin(pos * div_term)
        pe[:, 1::2] = torch.cos(pos * div_term)
        self.pe: Tensor
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)

    def forward(self, seq_len: int) -> Tensor:
        """(1, seq_len, d_emb)."""
        assert seq_len <= self.pe.size(1)
        return self.pe[:, :seq_len]


class TransEncLayer(nn.Module):
    """Attention and two affine maps, each added to what goes in and normalised."""

    def __init__(self, *, d_model: int, d_ff: int, n_head: int, d_k: int, d_v: int, p: float = 0.0) -> None:
        super().__init__()
        self.mha = MultiHeadAttnLayer(d_model=d_model, n_head=n_head, d_k=d_k, d_v=d_v)
        self.mha_dp = nn.Dropout(p)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model), nn.Dropout(p))
        self.ln_1 = nn.LayerNorm([d_model])
        self.ln_2 = nn.LayerNorm([d_model])

    def forward(self, mask: Tensor, x: Tensor) -> Tensor:
        """`mask` (B, S, S), `x` (B, S, d_model) to (B, S, d_model)."""
        x = self.ln_1(x + self.mha_dp(self.mha(k=x, mask=mask, q=x, v=x)))
        return self.ln_2(x + self.ffn(x))


class TransEnc(nn.Module):
    """Embedding and positions, layers, product with the embedding; nobody looks ahead, nor at or from padding."""

    def __init__(self, *, V: int, d_model: int, d_ff: int, n_head: int, d_k: int, d_v: int, n_lyr: int, S_max: int, p: float = 0.0) -> None:
        super().__init__()
        self.max_seq_len = S_max
        self.emb = nn.Embedding(V, d_model, padding_idx=PADDING)
        self.pos_enc = PosEncLayer(max_seq_len=S_max, d_emb=d_model)
        self.input_dp = nn.Dropout(p)
        self.layers = nn.ModuleList(TransEncLayer(d_model=d_model, d_ff=d_ff, n_head=n_head, d_k=d_k, d_v=d_v, p=p) for _ in range(n_lyr))

    def create_mask(self, tokens: Tensor) -> Tensor:
        """(B, S, S): true above the diagonal, and in rows and columns of padding."""
        count = tokens.size(1)
        ahead = torch.triu(torch.ones((tokens.size(0), count, count), dtype=torch.bool), diagonal=1)
        padding = torch.stack([tokens == PADDING] * count, dim=1) if count else ahead
        return ahead | padding | padding.transpose(1, 2)

    def forward(self, tokens: Tensor, context: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Tokens (B, S) and those before them (B, C) to logits (B, S, V) and the tokens to give next time."""
        x = tokens if context is None else torch.hstack([context, tokens])
        h = self.input_dp(self.emb(x) + self.pos_enc(x.size(1)))
        mask = self.create_mask(x)
        for layer in self.layers:
            h = layer(mask=mask, x=h)
        sim = h @ self.emb.weight.transpose(0, 1)
        return sim[:, sim.size(1) - tokens.size(1) :], x[:, -self.max_seq_len + 1 :]


def attention_parts(reference: MultiHeadAttnLayer, prefix: str = "") -> Iterator[Part]:
    """`W_Q W_K W_V` of each head, `W_O`."""
    for head in range(reference.n_head):
        own_keys, own_values = (slice(head * d, (head + 1) * d) for d in (reference.d_k, reference.d_v))
        yield Part(prefix + "W_Q", reference.fc_ff_q2hq.weight, own_keys, at=head)
        yield Part(prefix + "W_K", reference.fc_ff_k2hk.weight, slice(head, None, reference.n_head), at=head)
        yield Part(prefix + "W_V", reference.fc_ff_v2hv.weight, own_values, at=head)
    yield Part(prefix + "W_O", reference.fc_ff_f2o.weight)


def layer_parts(reference: TransEncLayer, prefix: str = "") -> Iterator[Part]:
    """The attention, the affine maps, the norms."""
    yield from attention_parts(reference.mha, prefix + "multi_head_attn.")
    for number, place in ((1, 0), (2, 2)):
        yield Part(f"{prefix}W_{number}", reference.ffn[place].weight)
        yield Part(f"{prefix}b_{number}", reference.ffn[place].bias)
    for name, norm in (("layer_norm", reference.ln_1), ("layer_norm_2", reference.ln_2)):
        yield Part(f"{prefix}{name}.weight", norm.weight)
        yield Part(f"{prefix}{name}.bias", norm.bias)


def net_parts(reference: TransEnc) -> Iterator[Part]:
    """`E` and the stack `f`."""
    yield Part("E", reference.emb.weight)
    for number, layer in enumerate(reference.layers):
        yield from layer_parts(layer, f"f.{number}.")
