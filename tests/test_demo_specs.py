"""What the demo learns and how it counts: every row of its table on a few texts, perplexities against sums by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mathdsl.demo import SPECS, Accuracy, Corpus, Perplexity, Text, load_spec, start_run
from mathdsl.demo.errors import NothingToLearn, UnknownDevice, UnknownSpec
from mathdsl.demo.next_word import NextWordTask, Unigram
from mathdsl.demo.plot import running_mean, save_plot
from mathdsl.demo.run import forget_words
from mathdsl.demo.specs import Goal
from mathdsl.demo.tokens import PADDING, build_vocabulary
from mathdsl.demo.topics import TopicTask

CPU = torch.device("cpu")
LANGUAGE_MODELS = [name for name, spec in SPECS.items() if spec.goal is Goal.NEXT_WORD]


def sing(topic: int, words: str, start: int, count: int) -> Text:
    """`count` words of a song that starts again after its last one."""
    song = words.split()
    return Text(topic, tuple(song[(start + place) % len(song)] for place in range(count)))


def songs(counts: range) -> tuple[Text, ...]:
    lines = ("one two three four five six", "red green blue")
    return tuple(sing(topic, line, count, count) for topic, line in enumerate(lines) for count in counts)


CORPUS = Corpus(("numbers", "colours"), train=songs(range(2, 14)), test=songs(range(4, 9)))


def test_the_unigram_is_what_a_hand_computes() -> None:
    unigram = Unigram(Counter({2: 3, 3: 1}), size=4)  # (3 + 1) / 8, (1 + 1) / 8, and 1 / 8 for each of the two others
    assert [math.exp(-unigram.cost(token)) for token in range(4)] == pytest.approx([1 / 8, 1 / 8, 1 / 2, 1 / 4])
    assert math.exp(unigram.mean_cost([2, 2, 3, 1])) == pytest.approx((2 * 2 * 4 * 8) ** (1 / 4))


def test_a_language_model_reads_all_but_the_last_word_and_names_all_but_the_first() -> None:
    texts = [Text(0, ("a", "b", "a")), Text(0, ("b", "a"))]
    vocabulary = build_vocabulary(texts)
    a, b = vocabulary.encode(["a", "b"])
    batch = NextWordTask().make_batch(texts, vocabulary, CPU)
    assert batch.lengths.tolist() == [2, 1]
    assert batch.tokens.tolist() == [[a, b], [b, PADDING]]
    assert batch.targets.tolist() == [[b, a], [a, PADDING]]


def test_a_classifier_reads_every_word() -> None:
    texts = [Text(1, ("a",)), Text(0, ("a", "a"))]
    vocabulary = build_vocabulary(texts)
    [a] = vocabulary.encode(["a"])
    batch = TopicTask().make_batch(texts, vocabulary, CPU)
    assert (batch.tokens.tolist(), batch.lengths.tolist(), batch.targets.tolist()) == ([[a, PADDING], [a, a]], [1, 2], [1, 0])


@pytest.mark.parametrize("name", SPECS)
def test_every_spec_learns(name: str) -> None:
    run = start_run(replace(load_spec(name), learning_rate=1e-2, forgotten_words=0.0), CORPUS, seed=1)
    costs = list(run.train(40))
    assert len(costs) == 40
    assert costs[-1] < 0.5 * costs[0]
    outcome = run.measure()
    assert outcome.succeeded
    assert outcome.cost < 0.5 * outcome.baseline_cost


@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_the_perplexity_is_that_of_each_text_read_alone(name: str) -> None:
    run = start_run(load_spec(name), CORPUS)
    outcome = run.measure()
    assert isinstance(outcome, Perplexity)
    costs = []
    for text in CORPUS.test:  # one at a time, so that nothing is padded
        numbers = torch.tensor(run.vocabulary.encode(text.words))
        scores = run.model(numbers[None, :-1])[0][0]
        costs += torch.nn.functional.cross_entropy(scores, numbers[1:], reduction="none").tolist()
    assert outcome.perplexity == pytest.approx(math.exp(sum(costs) / len(costs)), rel=1e-4)


def test_the_unigram_names_the_same_words_as_the_model() -> None:
    outcome = start_run(load_spec("elman"), CORPUS).measure()
    counts = Counter(word for text in CORPUS.train for word in text.words[1:])
    total, size = counts.total(), len(counts) + 2
    costs = [math.log((total + size) / (counts[word] + 1)) for text in CORPUS.test for word in text.words[1:]]
    assert isinstance(outcome, Perplexity)
    assert outcome.unigram == pytest.approx(math.exp(sum(costs) / len(costs)))


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    first, same, other = (list(start_run(load_spec("elman"), CORPUS, seed=seed).train(3)) for seed in (5, 5, 6))
    assert first == same != other


def test_texts_of_one_word_are_nothing_to_a_language_model() -> None:
    short = Text(0, ("one",))
    run = start_run(load_spec("rhn"), replace(CORPUS, train=(*CORPUS.train, short)))
    assert run.corpus.train == CORPUS.train
    for corpus in (replace(CORPUS, train=(short,)), replace(CORPUS, test=(short,))):
        with pytest.raises(NothingToLearn):
            start_run(load_spec("rhn"), corpus)


def test_forgetting_spares_padding() -> None:
    tokens = torch.tensor([[5, 6, PADDING]])
    assert forget_words(tokens, 1.0).tolist() == [[1, 1, PADDING]]
    assert forget_words(tokens, 0.0) is tokens


def test_errors_are_counted_against_the_majority() -> None:
    def outcome(accuracy: float) -> Accuracy:
        return Accuracy(accuracy, majority=0.4, texts=100, cost=1.0, baseline_cost=2.0)

    assert outcome(0.8).ratio == pytest.approx(3)
    assert not outcome(0.79).succeeded
    assert outcome(1.0).ratio == pytest.approx(120), "no error counts as half of one"
    assert outcome(0.8).words.startswith("The model names the right topic of 80.0% of ")
    assert outcome(0.8).words.endswith("and errs 3.00 times as often.")


def test_a_model_must_be_better_than_the_unigram() -> None:
    assert not Perplexity(cost=2.0, baseline_cost=2.0).succeeded
    for astray in (math.nan, 1e6, math.inf):
        assert not Perplexity(cost=astray, baseline_cost=2.0).succeeded
    better = Perplexity(cost=math.log(61.3), baseline_cost=math.log(210.9))
    assert better.succeeded
    assert better.summary == "perplexity 61.3 unigram 210.9 ratio 3.44"
    assert "among 61.3 equally likely ones" in better.words
    assert "among 210.9, 3.44 times as many." in better.words


def test_a_training_that_went_astray_can_be_drawn(tmp_path: Path) -> None:
    for astray in (math.nan, math.inf):
        save_plot(tmp_path / "a.png", [5.0, astray], Perplexity(cost=astray, baseline_cost=2.0), "astray")


def test_what_there_is_not_is_named() -> None:
    with pytest.raises(UnknownSpec, match="elman, lstm1997, rhn, transformer, lstm_topic"):
        load_spec("gru")
    with pytest.raises(UnknownDevice, match="abacus"):
        start_run(load_spec("elman"), CORPUS, device="abacus")


def test_the_running_mean_looks_back() -> None:
    assert running_mean([4.0, 2.0, 0.0, 4.0], window=2) == [4.0, 3.0, 1.0, 2.0]
