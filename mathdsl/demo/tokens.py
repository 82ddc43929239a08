"""Words to token numbers: a vocabulary made from the training texts, and ragged rows of tensors."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from mathdsl.dataclass import dataclass
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
    """`tokens` (B, longest), of which the first `lengths` (B) of each row count, and what is to be said of them."""

    tokens: Tensor
    lengths: Tensor
    targets: Tensor


def pad_rows(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows of token numbers side by side, each filled up to the longest with padding, and their lengths."""
    tensors = [torch.tensor(row, dtype=torch.int64) for row in rows]
    tokens = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PADDING)
    return tokens.to(device), torch.tensor([len(row) for row in rows]).to(device)


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


def batches_by_length(texts: Sequence[Text], size: int) -> Iterator[list[Text]]:
    """All texts once, the shortest first."""
    by_length = sorted(texts, key=lambda text: len(text.words))
    for start in range(0, len(by_length), size):
        yield by_length[start : start + size]
