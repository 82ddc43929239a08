"""The task of a classifier: say after the last word which topic a text has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from mathdsl.demo.corpus import Corpus, Text
from mathdsl.demo.outcomes import Accuracy
from mathdsl.demo.tasks import Judged, Loss
from mathdsl.demo.tokens import Batch, Vocabulary, pad_rows


class TopicTask:
    """Scores (B, C) for the topics (B) of the texts."""

    shortest = 1

    def sizes(self, corpus: Corpus, vocabulary: Vocabulary) -> dict[str, int]:
        return {"V": vocabulary.size, "C": len(corpus.topics)}

    def make_batch(self, texts: Sequence[Text], vocabulary: Vocabulary, device: torch.device) -> Batch:
        tokens, lengths = pad_rows([vocabulary.encode(text.words) for text in texts], device)
        return Batch(tokens, lengths, torch.tensor([text.topic for text in texts]).to(device))

    def costs(self, loss: Loss, scores: Tensor, batch: Batch) -> Tensor:
        return loss(scores, batch.targets)

    def measure(self, judged: Iterable[Judged], corpus: Corpus, vocabulary: Vocabulary) -> Accuracy:
        right, cost = 0, 0.0
        for some in judged:
            right += int((some.scores.argmax(-1) == some.batch.targets).sum())
            cost += float(some.costs.sum())
        count = len(corpus.test)
        return Accuracy(right / count, corpus.majority(), count, cost / count, _cost_of_shares(corpus))

    def describe(self, corpus: Corpus, vocabulary: Vocabulary) -> str:
        return f"topics: {', '.join(corpus.topics)}"


def _cost_of_shares(corpus: Corpus) -> float:
    """The mean cost of the held-out topics where each has the probability of its share among the training texts.

    Every topic is counted once more, so that none is impossible.
    """
    counts = Counter(text.topic for text in corpus.train)
    total = counts.total() + len(corpus.topics)
    return -math.fsum(math.log((counts[text.topic] + 1) / total) for text in corpus.test) / len(corpus.test)
