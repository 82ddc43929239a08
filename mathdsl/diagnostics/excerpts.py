"""The places of a diagnostic as lines of the author's text with underlines: what every drawing of it shows."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Diagnostic, Label
from mathdsl.diagnostics.presenting import second_places
from mathdsl.spans import SourceFile

TAB = 4
WIDEST = 110
"""Columns of a source line that are shown; a longer line is cut to a window around the place."""


@dataclass(frozen=True, slots=True)
class Underline:
    """Characters `start .. end` of a shown line, in columns `first_column .. last_column` of a terminal, with a text at the end."""

    start: int
    end: int
    first_column: int
    last_column: int
    text: str
    is_primary: bool


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line (from 1) as it can be shown; underlines the primary one first."""

    number: int
    text: str
    underlines: tuple[Underline, ...]
    follows_gap: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file; `line` and `column` (from 1) are those of its first place."""

    file: str
    line: int
    column: int
    lines: tuple[ShownLine, ...]


def make_excerpts(diagnostic: Diagnostic, files: Sequence[SourceFile]) -> tuple[Excerpt, ...]:
    """An excerpt of each file in which the diagnostic has a place, the one with its main place first."""
    known = {file.name: file for file in files}
    by_file: dict[str, list[_Mark]] = {}
    for number, place in enumerate((Label(diagnostic.span, diagnostic.label), *second_places(diagnostic))):
        if place.span.file in known:
            by_file.setdefault(place.span.file, []).extend(_find_marks(known[place.span.file], place, number == 0))
    return tuple(_make_excerpt(known[name], marks) for name, marks in by_file.items())


def visible(text: str) -> str:
    """Control characters and invisible ones by their code points, so that no text can move the cursor or reverse a line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or c.isprintable() else f"<U+{ord(c):04X}>" for c in text)


def show_name(name: str) -> str:
    """A file's name as it can be shown."""
    return "<standard input>" if name == "-" else visible(name)


# ---- places ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mark:
    """Characters `start .. end` of one line (from 0) that are underlined, with a text at the end."""

    line: int
    start: int
    end: int
    text: str
    is_primary: bool


@lru_cache(maxsize=8)
def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (at := text.find("\n", starts[-1])) >= 0:
        starts.append(at + 1)
    return starts


def _line(file: SourceFile, number: int) -> str:
    starts = _line_starts(file.text)
    end = starts[number + 1] - 1 if number + 1 < len(starts) else len(file.text)
    return file.text[starts[number] : end].removesuffix("\r")


def _find_marks(file: SourceFile, place: Label, is_primary: bool) -> list[_Mark]:
    """One mark, or two where a place goes over several lines: its first line to the end, and its last line."""
    first, first_column = _locate(file, place.span.start)
    last, last_column = _locate(file, max(place.span.start, place.span.end - 1))
    if first == last:
        return [
            _Mark(first, first_column, max(first_column + 1, last_column + (place.span.end > place.span.start)), place.text, is_primary)
        ]
    end_line = _line(file, last)
    indent = len(end_line) - len(end_line.lstrip())
    return [
        _Mark(first, first_column, max(first_column + 1, len(_line(file, first).rstrip())), "from here …", is_primary),
        _Mark(last, min(indent, last_column), last_column + 1, f"… to here{': ' * bool(place.text)}{place.text}", is_primary),
    ]


def _locate(file: SourceFile, offset: int) -> tuple[int, int]:
    starts = _line_starts(file.text)
    line = bisect_right(starts, min(offset, len(file.text))) - 1
    return line, min(offset, len(file.text)) - starts[line]


# ---- lines -----------------------------------------------------------------------------------------


def _make_excerpt(file: SourceFile, marks: list[_Mark]) -> Excerpt:
    lines: list[ShownLine] = []
    previous: int | None = None
    for number in sorted({mark.line for mark in marks}):
        follows_gap = previous is not None and number > previous + 1
        previous = number
        for shown in _show_line(_line(file, number), [mark for mark in marks if mark.line == number]):
            lines.append(ShownLine(number + 1, *shown, follows_gap))
            follows_gap = False
    return Excerpt(file.name, marks[0].line + 1, marks[0].start + 1, tuple(lines))


def _show_line(line: str, marks: list[_Mark]) -> Iterator[tuple[str, tuple[Underline, ...]]]:
    """The line with its underlines; a long line once for each mark, cut to a window around it."""
    if len(line) <= WIDEST and len(_cells(line)[0]) <= WIDEST:
        yield _underline(line, marks, 0, len(line))
        return
    for mark in marks:
        start = max(0, min(mark.start - WIDEST // 3, len(line) - WIDEST))
        yield _underline(line, [mark], start, min(len(line), start + WIDEST))


def _underline(line: str, marks: list[_Mark], start: int, end: int) -> tuple[str, tuple[Underline, ...]]:
    shown, places, columns = _cells(line[start:end])
    before, after = "… " * (start > 0), " …" * (end < len(line))
    underlines = []
    for mark in sorted(marks, key=lambda mark: not mark.is_primary):
        first, last = (min(max(at - start, 0), end - start) for at in (mark.start, mark.end))
        column = len(before) + columns[first]
        underlines.append(
            Underline(
                len(before) + places[first],
                len(before) + places[last],
                column,
                column + max(1, columns[last] - columns[first]),
                visible(mark.text),
                mark.is_primary,
            )
        )
    return before + shown + after, tuple(underlines)


def _cells(text: str) -> tuple[str, list[int], list[int]]:
    """The text as a terminal can show it, and the place and the column at which each character begins (and the last one ends)."""
    shown, places, columns, width, length = [], [0], [0], 0, 0
    for character in text:
        if character == "\t":
            cell, cells = " " * (TAB - width % TAB), TAB - width % TAB
        else:
            cell = visible(character)
            cells = len(cell) if len(cell) > 1 else _width(character)
        shown.append(cell)
        width += cells
        length += len(cell)
        places.append(length)
        columns.append(width)
    return "".join(shown), places, columns


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
