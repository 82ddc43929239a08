"""The unigram model: each word with the probability of its frequency, whatever stands before it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


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
