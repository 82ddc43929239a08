"""What `source` hands to `syntax`: program text after macro expansion, every character with its origin."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of a `MappedText` from `start` to the next run's start.

    Verbatim: character `start + k` is character `origin.start + k` of the file. Otherwise a macro (or an equal
    spelling) made them all, and each stands for the whole of `origin`, the author's call.
    """

    start: int
    origin: Span
    verbatim: bool


@dataclass(frozen=True, slots=True)
class MappedText:
    """Expanded text; `runs` are sorted by start and cover it."""

    text: str
    runs: tuple[Run, ...]

    def span(self, start: int, end: int) -> Span:
        """Where characters `start .. end` of the expanded text were written."""
        first = self._point(start)
        return first if end <= start else first.to(self._point(end - 1))

    def place(self, offset: int) -> str:
        """The file that a character was written in, and its line there: `parts/model.tex:4`."""
        file = self._point(offset).file
        ends = (*(run.start for run in self.runs[1:]), len(self.text))
        lines = sum(
            self.text.count("\n", run.start, min(end, offset))
            for run, end in zip(self.runs, ends, strict=True)
            if run.origin.file == file and run.start < offset
        )
        return f"{file}:{lines + 1}"

    def _point(self, offset: int) -> Span:
        run = self.runs[max(0, bisect_right(self.runs, offset, key=lambda run: run.start) - 1)]
        if not run.verbatim:
            return run.origin
        at = run.origin.start + offset - run.start
        return Span(run.origin.file, at, at + 1, run.origin.definition)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of program text of a document.

    `program`: text in module or docstring notation (procedures, definitions, `where` tables inside).
    `where`: the rows of a `where` environment that stands on its own; `directly_after` says that only white space
    separates it from the chunk before.
    `prose`: rows, a line each, that the words around the program before come to; a line that is no row is left out.
    """

    kind: Literal["program", "where", "prose"]
    text: MappedText
    directly_after: bool = False
