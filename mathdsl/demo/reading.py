"""The texts of the demo: the docstrings that every install has, or the articles of a folder."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from mathdsl.demo.corpus import Corpus, Text, split_words
from mathdsl.demo.docstrings import PER_LIBRARY, read_docstrings
from mathdsl.demo.errors import MalformedData

_TOPICS = ("World", "Sports", "Business", "Sci/Tech")
_LONGEST = 40  # words of an article that are read


def read_texts(folder: Path | None = None, *, per_library: int = PER_LIBRARY, tell: Callable[[float], object] = float) -> Corpus:
    """Texts to learn from and texts that are held out: `per_library` sentences at most of each of four libraries, or a
    folder's AG_NEWS files. `Unusable` says what is wrong with a file, or which library is missing; `tell` is told which share is read."""
    return read_docstrings(per_library, tell) if folder is None else read_ag_news(folder)


def read_ag_news(folder: Path) -> Corpus:
    """The articles of a folder; `MalformedData` names the file and the line of the first row that is none."""
    return Corpus(_TOPICS, train=_articles(folder / "train.csv"), test=_articles(folder / "test.csv"))


def _articles(path: Path) -> tuple[Text, ...]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            articles = tuple(_article(row, path, reader.line_num) for row in reader if row)
    except OSError as error:
        raise MalformedData(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise MalformedData(f"{path}: not UTF-8") from error
    if not articles:
        raise MalformedData(f"{path}: no articles")
    return articles


def _article(row: list[str], path: Path, line: int) -> Text:
    if len(row) != 3 or row[0] not in {str(number + 1) for number in range(len(_TOPICS))}:
        raise MalformedData(f"{path}, line {line}: expected a class from 1 to {len(_TOPICS)}, a title and a description")
    title_and_description = f"{row[1]} {row[2]}".replace("\\", " ")  # the files write line breaks as backslashes
    words = split_words(title_and_description, _LONGEST)
    return Text(int(row[0]) - 1, words)
