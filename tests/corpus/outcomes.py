"""Outcome of one document: the equations it becomes, or the codes and places of what refuses it."""

from __future__ import annotations

import contextlib
import hashlib
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from types import FrameType

from mathdsl.api import compile_files
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.corpus.store import Document

SECONDS = 20  # for one document; all of them take less than 4 today
WORKERS = 2


class OverTimeError(Exception):
    """A document that did not end."""


def files_of(document: Document) -> list[SourceFile]:
    """The files of a document, under names that say nothing: `document0.tex`; `-` is standard input."""
    return [SourceFile(f"document{number}{suffix}" if suffix else "-", text) for number, (suffix, text) in enumerate(document.texts)]


def outcome(document: Document) -> str:
    """`ir 1a2b3c4d` and the places of notes and warnings; `E0301@3:5` for each error and the like; or `crash ValueError`."""
    try:
        with limited(SECONDS):
            result = compile_files(files_of(document), emit="ir")
    except OverTimeError:
        return "crash OverTime"
    except Exception as error:
        return f"crash {type(error).__name__}"
    told = sorted(place(item, result) for item in result.diagnostics)
    if result.ok:
        told.insert(0, f"ir {hashlib.sha256(result.source.encode()).hexdigest()[:8]}")
    return " ".join(told)


def place(item: Diagnostic, result: CompileResult) -> str:
    """The code with line and column, `E0301@3:5`; the code alone where it is of no place."""
    file = next((file for file in result.files if file.name == item.span.file), None)
    return item.code if file is None else "{}@{}:{}".format(item.code, *file.line_column(item.span.start))


def outcomes(documents: Iterable[Document]) -> list[str]:
    """The outcomes of all, in order, on two cores."""
    with ProcessPoolExecutor(WORKERS) as pool:
        return list(pool.map(outcome, documents, chunksize=25))


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise OverTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
