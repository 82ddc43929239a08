"""Words to token numbers: a vocabulary made from the training texts, and ragged batches of tensors."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from mathdsl.demo.corpus import Text

PADDING, UNKNOWN = 0, 1


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The number of each word that occurs more than once in training; 0 is padding, 1 any other word."""

    numbers: dict[str, int]

    @property
    def size(self) -> int:
        return len(self.numbers) + 2

    def encode(self, words: Sequence[str]) -> list[int]:
        """The numbers of some words."""
        return [self.numbers.get(word, UNKNOWN) for word in words]


def build_vocabulary(texts: Sequence[Text], largest: int = 20_000) -> Vocabulary:
    """The words of the texts, the most frequent first; words of equal frequency in alphabetical order."""
    counts = Counter(word for text in texts for word in text.words)
    ranked = sorted((-count, word) for word, count in counts.items() if count > 1)
    return Vocabulary({word: number for number, (_, word) in enumerate(ranked[:largest], start=2)})


@dataclass(frozen=True, slots=True)
class Batch:
    """`tokens` (B, longest), of which the first `lengths` (B) of each row count, and `topics` (B)."""

    tokens: Tensor
    lengths: Tensor
    topics: Tensor


def make_batch(texts: Sequence[Text], vocabulary: Vocabulary, device: torch.device) -> Batch:
    """The texts side by side, each filled up to the longest with padding."""
    rows = [torch.tensor(vocabulary.encode(text.words), dtype=torch.int64) for text in texts]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)
    lengths = torch.tensor([len(row) for row in rows])
    topics = torch.tensor([text.topic for text in texts])
    return Batch(tokens.to(device), lengths.to(device), topics.to(device))


def endless_batches(texts: Sequence[Text], size: int, seed: int) -> Iterator[list[Text]]:
    """Batches in random order for ever; texts of one batch are of similar length, so that little is padded."""
    shuffler = random.Random(seed)
    pool = 50 * size
    while True:
        order = shuffler.sample(range(len(texts)), len(texts))
        batches = []
        for start in range(0, len(order), pool):
            alike = sorted(order[start : start + pool], key=lambda index: len(texts[index].words))
            batches += [alike[i : i + size] for i in range(0, len(alike), size)]
        shuffler.shuffle(batches)
        for batch in batches:
            yield [texts[index] for index in batch]
