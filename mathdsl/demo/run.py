"""A run: compile and load a spec's document, build its model, train it, measure it on held-out texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import assert_never

import torch
from torch import Tensor, nn

import mathdsl
from mathdsl.dataclass import dataclass
from mathdsl.demo.corpus import Corpus, Text
from mathdsl.demo.errors import NothingToLearn, UnknownDevice
from mathdsl.demo.next_word import NextWordTask
from mathdsl.demo.outcomes import Outcome
from mathdsl.demo.specs import Goal, Spec
from mathdsl.demo.tasks import Judged, Task
from mathdsl.demo.tokens import PADDING, UNKNOWN, Batch, Vocabulary, batches_by_length, build_vocabulary, endless_batches
from mathdsl.demo.topics import TopicTask
from mathdsl.reference.gallery import example_path

LARGEST_GRADIENT = 1.0


@dataclass(frozen=True, slots=True)
class Run:
    """A model of a compiled document with the texts that it learns from, and those that it is measured on."""

    spec: Spec
    corpus: Corpus
    task: Task
    document: ModuleType
    model: nn.Module
    vocabulary: Vocabulary
    device: torch.device
    seed: int

    def train(self, steps: int | None = None) -> Iterator[float]:
        """Train for `steps` steps, by default the spec's; yields the mean cost of each step's batch, in nats."""
        texts = endless_batches(self.corpus.train, self.spec.batch, self.seed)
        whole, forgotten = (self.make_batch(some) for some in texts), self.spec.forgotten_words
        batches = (replace(batch, tokens=forget_words(batch.tokens, forgotten)) for batch in whole)
        count = self.spec.steps if steps is None else steps
        return train_steps(self.model, self.costs, batches, count, self.spec.learning_rate)

    def make_batch(self, texts: Sequence[Text]) -> Batch:
        """The texts side by side, as tensors on the model's device."""
        return self.task.make_batch(texts, self.vocabulary, self.device)

    def scores(self, batch: Batch) -> Tensor:
        """What the model says of a batch."""
        results = self.model(batch.tokens, lengths=batch.lengths)
        scores: Tensor = results if self.spec.scores is None else results[self.spec.scores]
        return scores

    def costs(self, batch: Batch) -> Tensor:
        """What the model's scores of a batch cost, one cost a text."""
        return self.task.costs(self.document.loss, self.scores(batch), batch)

    def measure(self) -> Outcome:
        """How good the model is on the held-out texts, and how good the baseline."""
        return self.task.measure(self._judge(), self.corpus, self.vocabulary)

    def describe(self) -> str:
        """What is learnt from how much."""
        what = self.task.describe(self.corpus, self.vocabulary)
        return f"{len(self.corpus.train)} texts to learn from, {len(self.corpus.test)} held out; {what}"

    @torch.no_grad()
    def _judge(self) -> Iterator[Judged]:
        self.model.eval()
        for some in batches_by_length(self.corpus.test, 2 * self.spec.batch):
            batch = self.make_batch(some)
            scores = self.scores(batch)
            yield Judged(batch, scores, self.task.costs(self.document.loss, scores, batch))


def start_run(spec: Spec, corpus: Corpus, *, seed: int = 0, device: str = "cpu") -> Run:
    """Compile the spec's document and build its model for the texts.

    `NothingToLearn` where no text is long enough, `UnknownDevice` where torch cannot compute on the device.
    """
    where = find_device(device)
    task = _task(spec.goal)
    usable = _usable(corpus, task)
    document = mathdsl.load(example_path(spec.document))
    torch.manual_seed(seed)
    vocabulary = build_vocabulary(usable.train, spec.vocabulary)
    model = getattr(document, spec.module)(**spec.sizes, **task.sizes(usable, vocabulary)).to(where)
    return Run(spec, usable, task, document, model, vocabulary, where, seed)


def find_device(name: str) -> torch.device:
    """A device that computes; `UnknownDevice` where torch has none of that name, or cannot reach it."""
    try:
        device = torch.device(name)
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as problem:
        reason = str(problem).strip().partition("\n")[0]
        raise UnknownDevice(f"cannot compute on the device {name!r}: {reason}") from problem
    return device


def _task(goal: Goal) -> Task:
    match goal:
        case Goal.TOPIC:
            return TopicTask()
        case Goal.NEXT_WORD:
            return NextWordTask()
        case _:
            assert_never(goal)


def _usable(corpus: Corpus, task: Task) -> Corpus:
    """The corpus without the texts that are too short."""
    train, test = (tuple(text for text in part if len(text.words) >= task.shortest) for part in (corpus.train, corpus.test))
    for part, name in ((train, "text to learn from"), (test, "held-out text")):
        if not part:
            raise NothingToLearn(f"no {name} is long enough; words needed: {task.shortest}")
    return replace(corpus, train=train, test=test)


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
