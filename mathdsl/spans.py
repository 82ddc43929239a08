"""Where text came from: a span is a range of characters of a file that the author wrote."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start .. end`` (code points, end exclusive) of the file called `file`.

    `definition` is set on text that a macro produced: the span itself is then the author's call,
    and `definition` is where the macro was defined.
    """

    file: str
    start: int
    end: int
    definition: Span | None = None

    def to(self, other: Span) -> Span:
        """The smallest span that covers both; of two files, the first one's span."""
        if other.file != self.file:
            return self
        return replace(self, start=min(self.start, other.start), end=max(self.end, other.end))

    def contains(self, other: Span) -> bool:
        """Whether all of another span lies within."""
        return self.file == other.file and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text as the author gave it; `name` is a path, ``-`` for standard input; `part` the class of a Python file that is meant."""

    name: str
    text: str
    part: str = ""

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1, columns in code points."""
        before = self.text[:offset]
        line = before.count("\n") + 1
        return line, offset - (before.rfind("\n") + 1) + 1


NOWHERE = Span("", 0, 0)
