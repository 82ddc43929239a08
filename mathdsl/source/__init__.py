"""Source: documents to program texts, every character with the place where the author wrote it."""

from __future__ import annotations

from mathdsl.source.documents import Reading, read_chunks, read_document
from mathdsl.source.model import Chunk, MappedText, Run
from mathdsl.source.python_files import NoModule, find_module, find_source, split_class
from mathdsl.source.read import decode

__all__ = [
    "Chunk",
    "MappedText",
    "NoModule",
    "Reading",
    "Run",
    "decode",
    "find_module",
    "find_source",
    "read_chunks",
    "read_document",
    "split_class",
]
