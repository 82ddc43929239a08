"""Training of a topic classifier with ragged batches, and its accuracy on held-out texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from mathdsl.demo.corpus import Text
from mathdsl.demo.tokens import PADDING, UNKNOWN, Batch, Vocabulary, endless_batches, make_batch

BATCH = 128
LEARNING_RATE = 8e-3
FORGOTTEN_WORDS = 0.4  # share of the words that a training step replaces by the unknown word
LARGEST_GRADIENT = 1.0


class Loss(Protocol):
    """The document's `loss`: one value a text."""

    def __call__(self, y_hat: Tensor, y: Tensor, /) -> Tensor:
        """Scores (B, C) and right topics (B) to costs (B)."""


@dataclass(frozen=True, slots=True)
class Task:
    """A model with everything that it is trained and tested with."""

    model: nn.Module
    loss: Loss
    vocabulary: Vocabulary
    device: torch.device
    seed: int

    def scores(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Tokens (B, longest), of which the first `lengths` (B) count, to scores (B, C)."""
        scores: Tensor = self.model(tokens, lengths=lengths)
        return scores


def train(task: Task, texts: Sequence[Text], steps: int) -> Iterator[float]:
    """Train for `steps` steps; yields the mean cost of each step's batch."""
    optimizer = torch.optim.Adam(task.model.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    batches = endless_batches(texts, BATCH, task.seed)
    task.model.train()
    for _ in range(steps):
        batch = make_batch(next(batches), task.vocabulary, task.device)
        cost = task.loss(task.scores(_forget_words(batch.tokens), batch.lengths), batch.topics).mean()
        optimizer.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(task.model.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        yield cost.item()


def _forget_words(tokens: Tensor) -> Tensor:
    forgotten = (torch.rand(tokens.shape, device=tokens.device) < FORGOTTEN_WORDS) & (tokens != PADDING)
    return torch.where(forgotten, UNKNOWN, tokens)


@torch.no_grad()
def measure_accuracy(task: Task, texts: Sequence[Text]) -> float:
    """The share of texts whose right topic has the highest score."""
    task.model.eval()
    right = 0
    by_length = sorted(texts, key=lambda text: len(text.words))
    for start in range(0, len(by_length), 2 * BATCH):
        some = by_length[start : start + 2 * BATCH]
        batch: Batch = make_batch(some, task.vocabulary, task.device)
        right += int((task.scores(batch.tokens, batch.lengths).argmax(-1) == batch.topics).sum())
    return right / len(texts)
