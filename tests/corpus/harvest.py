"""Harvest of the documents that the tests compile: a pytest plugin, `python -m pytest -p tests.corpus.harvest`.

Each worker writes what it read to a file of its own in the folder `MATHDSL_HARVEST`; `python -m tests.corpus --freeze` joins them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from mathdsl.source import documents
from mathdsl.source.documents import Reading
from tests.corpus.store import Document, key_of

LONGEST = 20_000  # characters; what is longer tests limits, not the language


class Harvest:
    """The documents of one worker, each with the first test that compiled it."""

    def __init__(self, folder: Path) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self.path = folder / f"{worker}.jsonl"
        self.seen: set[str] = set()
        self.read_document = documents.read_document
        documents.read_document = self._read

    def _read(self, files: Sequence[documents.SourceFile], *rest: object) -> Reading:
        self._keep(files)
        return self.read_document(files, *rest)  # type: ignore[arg-type]

    def _keep(self, files: Sequence[documents.SourceFile]) -> None:
        texts = [(Path(file.name).suffix, file.text) for file in files]
        if sum(len(text) for _, text in texts) > LONGEST:
            return
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0].split("[")[0]
        document = Document(key_of(texts), test, tuple(texts))
        if document.key not in self.seen:
            self.seen.add(document.key)
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps(document.as_json(), ensure_ascii=True), file=file)


def pytest_configure(config: pytest.Config) -> None:
    folder = Path(os.environ["MATHDSL_HARVEST"])
    folder.mkdir(parents=True, exist_ok=True)
    Harvest(folder)
