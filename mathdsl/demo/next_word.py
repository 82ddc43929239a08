"""The task of a language model: say at each position of a text which word comes next.

The model reads all words but the last, the targets are all words but the first: position `t` sees words 1 to `t` and is to
name word `t + 1`. Padding stands beyond a text's own length only, where `lengths` keep it out of scores and costs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor

from mathdsl.dataclass import dataclass
from mathdsl.demo.corpus import Corpus, Text
from mathdsl.demo.outcomes import Perplexity
from mathdsl.demo.tasks import Judged, Loss
from mathdsl.demo.tokens import Batch, Vocabulary, pad_rows


class NextWordTask:
    """Scores (B, longest, V) for the words (B, longest) that come next."""

    shortest = 2

    def sizes(self, corpus: Corpus, vocabulary: Vocabulary) -> dict[str, int]:
        return {"V": vocabulary.size}

    def make_batch(self, texts: Sequence[Text], vocabulary: Vocabulary, device: torch.device) -> Batch:
        rows = [vocabulary.encode(text.words) for text in texts]
        tokens, lengths = pad_rows([row[:-1] for row in rows], device)
        targets, _ = pad_rows([row[1:] for row in rows], device)
        return Batch(tokens, lengths, targets)

    def costs(self, loss: Loss, scores: Tensor, batch: Batch) -> Tensor:
        return loss(scores, batch.targets, lengths=batch.lengths)

    def measure(self, judged: Iterable[Judged], corpus: Corpus, vocabulary: Vocabulary) -> Perplexity:
        cost, words = 0.0, 0
        for some in judged:  # the cost of a text is the mean over its words
            cost += float((some.costs * some.batch.lengths).sum())
            words += int(some.batch.lengths.sum())
        unigram = Unigram(Counter(_targets(corpus.train, vocabulary)), vocabulary.size)
        return Perplexity(cost / words, unigram.mean_cost(_targets(corpus.test, vocabulary)))

    def describe(self, corpus: Corpus, vocabulary: Vocabulary) -> str:
        return f"{vocabulary.size} different words"


def _targets(texts: Iterable[Text], vocabulary: Vocabulary) -> Iterator[int]:
    """The words that a language model is to name, and no others: a fair baseline names the same."""
    return (token for text in texts for token in vocabulary.encode(text.words[1:]))


@dataclass(frozen=True, slots=True)
class Unigram:
    """How often each of `size` tokens occurred; every token is counted once more, so that none is impossible."""

    counts: Counter[int]
    size: int

    def cost(self, token: int) -> float:
        """The negative logarithm of (count + 1) / (all counts + size), in nats."""
        return math.log(self.counts.total() + self.size) - math.log(self.counts[token] + 1)

    def mean_cost(self, tokens: Iterable[int]) -> float:
        """The mean cost of some tokens, of which there is at least one."""
        found = Counter(tokens)
        return math.fsum(count * self.cost(token) for token, count in found.items()) / found.total()
