"""What the demo learns from: texts as words, each with the number of its topic, split into two parts."""

from __future__ import annotations

import re
from collections import Counter

from mathdsl.dataclass import dataclass

_WORD = re.compile(r"[a-z_]+|\d+|[^\sa-z_\d]")


@dataclass(frozen=True, slots=True)
class Text:
    """A text: its words, and the number of its topic in `Corpus.topics`."""

    topic: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts to learn from, and texts that are held out."""

    topics: tuple[str, ...]
    train: tuple[Text, ...]
    test: tuple[Text, ...]

    def majority(self) -> float:
        """The share of the most frequent topic among the held-out texts: the accuracy of always naming it."""
        [(_, count)] = Counter(text.topic for text in self.test).most_common(1)
        return count / len(self.test)


def split_words(text: str, longest: int) -> tuple[str, ...]:
    """The first `longest` words of a text: lower-case words, numbers, and each punctuation mark on its own."""
    return tuple(_WORD.findall(text.lower())[:longest])
