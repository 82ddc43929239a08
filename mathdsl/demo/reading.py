"""The texts of the demo: the docstrings that every install has, or the articles of a folder."""

from __future__ import annotations

from pathlib import Path

from mathdsl.demo.ag_news import read_ag_news
from mathdsl.demo.corpus import Corpus
from mathdsl.demo.docstrings import PER_LIBRARY, read_docstrings


def read_texts(folder: Path | None = None, *, per_library: int = PER_LIBRARY) -> Corpus:
    """Texts to learn from and texts that are held out: `per_library` sentences at most of each of four libraries, or a
    folder's AG_NEWS files. `Unusable` says what is wrong with a file, or which library is missing."""
    return read_docstrings(per_library) if folder is None else read_ag_news(folder)
