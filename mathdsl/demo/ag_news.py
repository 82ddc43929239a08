"""The corpus AG_NEWS: `train.csv` and `test.csv` with class, title and description of a news article."""

from __future__ import annotations

import csv
from pathlib import Path

from mathdsl.demo.corpus import Corpus, Text, split_words
from mathdsl.demo.errors import MalformedData

TOPICS = ("World", "Sports", "Business", "Sci/Tech")
LONGEST = 40  # words of an article that are read


def read_ag_news(folder: Path) -> Corpus:
    """The articles of a folder; `MalformedData` names the file and the line of the first row that is none."""
    return Corpus(TOPICS, train=_articles(folder / "train.csv"), test=_articles(folder / "test.csv"))


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
    if len(row) != 3 or row[0] not in {str(number + 1) for number in range(len(TOPICS))}:
        raise MalformedData(f"{path}, line {line}: expected a class from 1 to {len(TOPICS)}, a title and a description")
    title_and_description = f"{row[1]} {row[2]}".replace("\\", " ")  # the files write line breaks as backslashes
    words = split_words(title_and_description, LONGEST)
    return Text(int(row[0]) - 1, words)
