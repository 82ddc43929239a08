"""What a trained model achieves on held-out texts, beside what somebody achieves who has read none of them."""

from __future__ import annotations

import math

from mathdsl.dataclass import dataclass

ERRORS_RATIO = 3.0  # how many times fewer errors than the majority class a classifier must make to succeed
_LARGEST_EXPONENT = 700.0  # beyond it there is no floating-point number; a training that went astray may get there


@dataclass(frozen=True, slots=True)
class Labels:
    """What a plot of costs says: their unit, and what the two costs on held-out texts amount to."""

    unit: str
    model: str
    baseline: str


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right topics, beside that of always naming the most frequent one."""

    accuracy: float
    majority: float
    texts: int
    cost: float  # nats a text
    baseline_cost: float  # of naming each topic with the share that it has among the training texts

    @property
    def ratio(self) -> float:
        """How many times more errors the majority makes; no error at all counts as half of one."""
        return (1 - self.majority) / max(1 - self.accuracy, 0.5 / self.texts)

    @property
    def succeeded(self) -> bool:
        return self.ratio >= ERRORS_RATIO

    @property
    def goal(self) -> str:
        return f"an errors ratio of {ERRORS_RATIO:g} (how many times more errors always naming the most frequent topic makes)"

    @property
    def labels(self) -> Labels:
        return Labels("nats a text", f"held out:\naccuracy {self.accuracy:.3f}", f"majority:\naccuracy {self.majority:.3f}")

    @property
    def summary(self) -> str:
        return f"accuracy {self.accuracy:.4f} majority {self.majority:.4f} errors ratio {self.ratio:.2f}"

    @property
    def words(self) -> str:
        known = f"The model names the right topic of {self.accuracy:.1%} of {self.texts} held-out texts"
        return f"{known}; always naming the most frequent one is right for {self.majority:.1%}, and errs {self.ratio:.2f} times as often."


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The exponential of the mean cost of a word, beside that of the words' frequencies alone."""

    cost: float  # nats a word
    baseline_cost: float  # of the unigram model

    @property
    def perplexity(self) -> float:
        return math.inf if self.cost > _LARGEST_EXPONENT else math.exp(self.cost)

    @property
    def unigram(self) -> float:
        return math.exp(self.baseline_cost)

    @property
    def ratio(self) -> float:
        return self.unigram / self.perplexity

    @property
    def succeeded(self) -> bool:
        return self.perplexity < self.unigram

    @property
    def goal(self) -> str:
        return "a perplexity below that of the unigram model, which knows the words' frequencies alone"

    @property
    def labels(self) -> Labels:
        return Labels("nats a word", f"held out:\nperplexity {self.perplexity:.1f}", f"unigram:\nperplexity {self.unigram:.1f}")

    @property
    def summary(self) -> str:
        return f"perplexity {self.perplexity:.1f} unigram {self.unigram:.1f} ratio {self.ratio:.2f}"

    @property
    def words(self) -> str:
        choice = f"The model is as unsure of each next word as among {self.perplexity:.1f} equally likely ones"
        return f"{choice}; who knows the words' frequencies alone is as unsure as among {self.unigram:.1f}, {self.ratio:.2f} times as many."


Outcome = Accuracy | Perplexity
