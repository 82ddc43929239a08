"""Making mapped texts: pieces of files and of macro bodies, joined so that every character keeps its origin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from string import ascii_letters

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.presenting import list_definitions
from mathdsl.source.model import MappedText, Run
from mathdsl.spans import SourceFile, Span


def map_file(file: SourceFile) -> MappedText:
    """The whole text of a file, verbatim."""
    return MappedText(file.text, (Run(0, Span(file.name, 0, len(file.text)), True),))


def cut(mapped: MappedText, start: int, end: int) -> MappedText:
    """Characters `start .. end` as a text of their own."""
    builder = TextBuilder()
    builder.add_slice(mapped, start, end)
    return builder.build()


def run_at(mapped: MappedText, position: int) -> Run:
    """The run that a character lies in."""
    return mapped.runs[max(0, bisect_right(mapped.runs, position, key=_start_of) - 1)]


def span_of(mapped: MappedText, start: int, end: int) -> Span:
    """As `mapped.span`, quick where the characters lie in one verbatim run."""
    run = run_at(mapped, start)
    at = run.origin.start + start - run.start
    if not run.verbatim or at + end - start > run.origin.end:
        return mapped.span(start, end)
    return Span(run.origin.file, at, at + end - start, run.origin.definition)


def _start_of(run: Run) -> int:
    return run.start


def with_definition(span: Span, definition: Span) -> Span:
    """The span with one more definition, the innermost."""
    result = Span(definition.file, definition.start, definition.end)
    for outer in reversed(list_definitions(span)):
        result = Span(outer.file, outer.start, outer.end, result)
    return Span(span.file, span.start, span.end, result)


def slice_runs(mapped: MappedText, start: int, end: int) -> Iterator[tuple[int, int, Run]]:
    """The pieces of `start .. end` that lie in one run each."""
    index = max(0, bisect_right(mapped.runs, start, key=_start_of) - 1)
    while start < end:
        run = mapped.runs[index]
        index += 1
        stop = min(end, mapped.runs[index].start) if index < len(mapped.runs) else end
        if stop > start:
            yield start, stop, run
            start = stop


@dataclass(slots=True)
class TextBuilder:
    """Collects pieces; `build` joins them.

    Where a piece that ends in a command meets one that begins with a letter, a space keeps them apart: TeX joins
    tokens, not characters.
    """

    parts: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    length: int = 0
    ends_in_command: bool = False

    def add(self, text: str, origin: Span) -> None:
        """Characters that all stand for the whole of `origin`."""
        if text:
            self._keep_apart(text, origin)
            self._append(text, Run(self.length, origin, False))

    def add_slice(self, mapped: MappedText, start: int, end: int) -> None:
        """Characters `start .. end` of a mapped text, with their origins."""
        for first, stop, run in slice_runs(mapped, start, end):
            text = mapped.text[first:stop]
            if not run.verbatim:
                self.add(text, run.origin)
                continue
            at = run.origin.start + first - run.start
            origin = Span(run.origin.file, at, at + stop - first, run.origin.definition)
            self._keep_apart(text, origin)
            self._append(text, Run(self.length, origin, True))

    def copy(self, file: SourceFile, start: int, end: int) -> None:
        """Characters of a file as they are, without a look at what stands before."""
        if start < end:
            self._append(file.text[start:end], Run(self.length, Span(file.name, start, end), True))

    def add_exactly(self, text: str, origin: Span) -> None:
        """As `add`, without a look at what stands before."""
        if text:
            self._append(text, Run(self.length, origin, False))

    def build(self) -> MappedText:
        return MappedText("".join(self.parts), tuple(self.runs))

    def _keep_apart(self, text: str, origin: Span) -> None:
        if self.ends_in_command and text[0].isascii() and text[0].isalpha():
            self._append(" ", Run(self.length, Span(origin.file, origin.start, origin.start + 1, origin.definition), False))

    def _append(self, text: str, run: Run) -> None:
        self.parts.append(text)
        self.runs.append(run)
        self.length += len(text)
        before = text.rstrip(ascii_letters)
        self.ends_in_command = before != text and (len(before) - len(before.rstrip("\\"))) % 2 == 1


def blank(text: str, intervals: list[tuple[int, int]]) -> str:
    """The text with the given sorted, disjoint intervals turned into spaces; line breaks and length stay."""
    if not intervals:
        return text
    parts, position = list[str](), 0
    for start, end in intervals:
        parts.append(text[position:start])
        parts.append("".join("\n" if character == "\n" else " " for character in text[start:end]))
        position = end
    parts.append(text[position:])
    return "".join(parts)
