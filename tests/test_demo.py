"""The parts of the demo: what it reads, how it splits, what it refuses, and that a short run learns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mathdsl.demo import docstrings
from mathdsl.demo.corpus import Corpus, Text, split_words
from mathdsl.demo.docstrings import read_docstrings
from mathdsl.demo.errors import MalformedData
from mathdsl.demo.reading import read_ag_news
from mathdsl.demo.tokens import build_vocabulary, endless_batches
from mathdsl.demo.topics import TopicTask

ROWS = '"3","Oil prices rise","Crude oil went up\\again on Monday."\n"4","A new chip","It is ""fast"", they say."\n'


def write_news(folder: Path, train: str = ROWS, test: str = ROWS) -> Path:
    (folder / "train.csv").write_text(train, encoding="utf-8")
    (folder / "test.csv").write_text(test, encoding="utf-8")
    return folder


def test_ag_news_rows_become_texts(tmp_path: Path) -> None:
    corpus = read_ag_news(write_news(tmp_path))
    assert [text.topic for text in corpus.train] == [2, 3]
    assert corpus.train[0].words == ("oil", "prices", "rise", "crude", "oil", "went", "up", "again", "on", "monday", ".")
    assert corpus.train[1].words[3:6] == ("it", "is", '"')


@pytest.mark.parametrize(
    ("row", "place"),
    [('"5","a","b"\n', "train.csv, line 3"), ('"1","only a title"\n', "train.csv, line 3"), ('"World","a","b"\n', "train.csv, line 3")],
)
def test_ag_news_names_the_line_that_is_wrong(tmp_path: Path, row: str, place: str) -> None:
    with pytest.raises(MalformedData, match=place):
        read_ag_news(write_news(tmp_path, train=ROWS + row))


def test_ag_news_names_the_file_that_is_missing(tmp_path: Path) -> None:
    write_news(tmp_path)
    (tmp_path / "test.csv").unlink()
    with pytest.raises(MalformedData, match=r"test\.csv"):
        read_ag_news(tmp_path)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_docstrings(per_library=600)


def test_docstrings_hold_no_sentence_twice_and_every_library(corpus: Corpus) -> None:
    texts = [*corpus.train, *corpus.test]
    assert len({text.words for text in texts}) == len(texts)
    for part in (corpus.train, corpus.test):
        assert {text.topic for text in part} == set(range(len(docstrings.LIBRARIES)))
    assert 0.25 <= corpus.majority() < 0.5


def test_docstrings_are_read_the_same_way_twice(corpus: Corpus) -> None:
    shares: list[float] = []
    assert read_docstrings(per_library=600, tell=shares.append) == corpus
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_the_split_is_by_module(monkeypatch: pytest.MonkeyPatch) -> None:
    owner: dict[tuple[str, ...], Path] = {}
    original = docstrings._sentences

    def remember(path: Path) -> list[tuple[str, ...]]:
        found = list(original(path))
        for words in found:
            owner.setdefault(words, path)
        return found

    monkeypatch.setattr(docstrings, "_sentences", remember)
    corpus = read_docstrings(per_library=600)
    modules = [{owner[text.words] for text in part} for part in (corpus.train, corpus.test)]
    assert modules[0].isdisjoint(modules[1])


def test_the_majority_is_the_held_out_texts_own() -> None:
    train = (Text(0, ("a",)), Text(0, ("b",)), Text(1, ("c",)))
    assert Corpus(("x", "y"), train, (Text(1, ("d",)), Text(1, ("e",)), Text(0, ("f",)))).majority() == pytest.approx(2 / 3)


def test_words_are_lower_case_and_marks_stand_alone() -> None:
    assert split_words("See `torch.Tensor`, 2x!", 7) == ("see", "`", "torch", ".", "tensor", "`", ",")


def test_batches_are_ragged_and_cover_every_text() -> None:
    texts = [Text(n % 4, ("the",) * (n % 7 + 1)) for n in range(130)]
    batches = endless_batches(texts, 32, seed=3)
    turn = [next(batches) for _ in range(5)]
    assert sum(len(batch) for batch in turn) == 130
    vocabulary = build_vocabulary(texts)
    batch = TopicTask().make_batch(turn[0], vocabulary, torch.device("cpu"))
    assert batch.tokens.shape[1] == batch.lengths.max()
    beyond = torch.arange(batch.tokens.shape[1]) >= batch.lengths[:, None]
    assert (batch.tokens[beyond] == 0).all()
    assert (batch.tokens[~beyond] == vocabulary.numbers["the"]).all()


def test_a_word_that_occurs_once_is_unknown() -> None:
    vocabulary = build_vocabulary([Text(0, ("a", "b", "a"))])
    assert vocabulary.encode(["a", "b", "c"]) == [2, 1, 1]


def run_demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mathdsl", "demo", *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_learns_from_ag_news_files(tmp_path: Path) -> None:
    words = ("election minister treaty", "match goal season", "market shares profit", "software robot galaxy")
    rows = [f'"{n % 4 + 1}","Report {n}","{" ".join([words[n % 4]] * (n % 3 + 1))}"' for n in range(400)]
    write_news(tmp_path, train="\n".join(rows), test="\n".join(rows[:80]))
    result = run_demo("--data", str(tmp_path), "--steps", "60")
    assert result.returncode == 0, result.stderr
    last = result.stdout.splitlines()[-1].split()
    assert last[0::2][:2] == ["accuracy", "majority"]
    assert float(last[1]) > 0.9
    assert float(last[-1]) >= 3


def test_the_command_fails_when_nothing_was_learnt(tmp_path: Path) -> None:
    rows = [f'"{n % 4 + 1}","Report","no difference at all"' for n in range(40)]
    write_news(tmp_path, train="\n".join(rows), test="\n".join(rows))
    result = run_demo("--data", str(tmp_path), "--steps", "3")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1].startswith("accuracy 0.2500 majority 0.2500 errors ratio 1.00")
