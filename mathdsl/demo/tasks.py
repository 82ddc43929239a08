"""What a task must say for the shared training: its batches, what the scores cost, and how good they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from mathdsl.dataclass import dataclass
from mathdsl.demo.corpus import Corpus, Text
from mathdsl.demo.outcomes import Outcome
from mathdsl.demo.tokens import Batch, Vocabulary

Loss = Callable[..., Tensor]
"""The document's `loss`: scores and targets of a batch to one cost a text."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A batch of held-out texts with the scores of the model and what they cost, one cost a text."""

    batch: Batch
    scores: Tensor
    costs: Tensor


class Task(Protocol):
    """One goal of the table of specs, put into work."""

    shortest: int
    """The words that a text must have, so that there is anything to learn from it."""

    def sizes(self, corpus: Corpus, vocabulary: Vocabulary) -> dict[str, int]:
        """The arguments of the module's constructor that depend on the texts."""

    def make_batch(self, texts: Sequence[Text], vocabulary: Vocabulary, device: torch.device) -> Batch:
        """The texts side by side, with what is to be said of them."""

    def costs(self, loss: Loss, scores: Tensor, batch: Batch) -> Tensor:
        """What the scores cost, one cost a text (B)."""

    def measure(self, judged: Iterable[Judged], corpus: Corpus, vocabulary: Vocabulary) -> Outcome:
        """How good the scores of all held-out texts are."""

    def describe(self, corpus: Corpus, vocabulary: Vocabulary) -> str:
        """A few words on what is learnt."""
