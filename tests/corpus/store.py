"""The corpus on disk: the documents, frozen, and the outcome of each, both as compressed lines of JSON."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
DOCUMENTS = FOLDER / "documents.jsonl.xz"
OUTCOMES = FOLDER / "outcomes.jsonl.xz"


@dataclass(frozen=True)
class Document:
    """A document of the corpus: `texts` are (suffix, text) of its files, `test` compiled it first."""

    key: str
    test: str
    texts: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        return {"key": self.key, "test": self.test, "texts": [list(text) for text in self.texts]}

    @staticmethod
    def from_json(entry: dict[str, Any]) -> Document:
        return Document(entry["key"], entry["test"], tuple((suffix, text) for suffix, text in entry["texts"]))


def key_of(texts: Sequence[tuple[str, str]]) -> str:
    """A key from the content alone, so that it stays the same wherever the document is compiled."""
    return hashlib.sha256(json.dumps(list(map(list, texts))).encode()).hexdigest()[:12]


def read_lines(packed: bytes) -> list[dict[str, Any]]:
    text = lzma.decompress(packed) if packed.startswith(b"\xfd7zXZ") else packed
    return [json.loads(line) for line in text.decode().splitlines()]


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    text = "".join(json.dumps(entry, ensure_ascii=True, sort_keys=True) + "\n" for entry in entries)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def read_documents(path: Path = DOCUMENTS) -> list[Document]:
    return [Document.from_json(entry) for entry in read_lines(path.read_bytes())]
