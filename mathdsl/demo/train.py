"""Training with ragged batches: the same steps for every spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn

from mathdsl.demo.tokens import PADDING, UNKNOWN, Batch

LARGEST_GRADIENT = 1.0


def train_steps(model: nn.Module, costs: Callable[[Batch], Tensor], batches: Iterable[Batch], steps: int, rate: float) -> Iterator[float]:
    """One step a batch with a rate that falls to zero after `steps` of them; yields the mean cost of each batch's texts."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / max(1, steps))
    model.train()
    for _, batch in zip(range(steps), batches, strict=False):
        cost = costs(batch).mean()
        optimizer.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        yield cost.item()


def forget_words(tokens: Tensor, share: float) -> Tensor:
    """The tokens, of which a random share is replaced by the unknown word."""
    if share == 0:
        return tokens
    forgotten = (torch.rand(tokens.shape, device=tokens.device) < share) & (tokens != PADDING)
    return torch.where(forgotten, UNKNOWN, tokens)
