"""Diagnostics as text for a terminal: the source line, carets under the place, second places, notes and help."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mathdsl.diagnostics.model import Diagnostic, Label
from mathdsl.diagnostics.presenting import arrange, second_places
from mathdsl.spans import SourceFile

TAB = 4
WIDEST = 110
"""Columns of a source line that are shown; a longer line is cut to a window around the place."""

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m", "frame": "\x1b[1;34m", "bold": "\x1b[1m"}
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Mark:
    """Characters `start .. end` of one line (from 0) that are underlined, with a text at the end."""

    line: int
    start: int
    end: int
    text: str
    is_primary: bool


def draw_all(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile], color: bool) -> str:
    """All diagnostics in the document's order, a blank line after each; '' if there is none."""
    return "".join(draw(diagnostic, files, color) + "\n" for diagnostic in arrange(diagnostics, files))


def draw(diagnostic: Diagnostic, files: Sequence[SourceFile], color: bool) -> str:
    """One diagnostic, ending in a line break."""
    return _Drawing({file.name: file for file in files}, diagnostic.severity, color).draw(diagnostic)


@dataclass(frozen=True, slots=True)
class _Drawing:
    files: dict[str, SourceFile]
    severity: str
    color: bool

    def draw(self, diagnostic: Diagnostic) -> str:
        places = [Label(diagnostic.span, diagnostic.label), *second_places(diagnostic)]
        by_file: dict[str, list[_Mark]] = {}
        for number, place in enumerate(places):
            if place.span.file in self.files:
                by_file.setdefault(place.span.file, []).extend(_find_marks(self.files[place.span.file], place, number == 0))
        last = max((mark.line for marks in by_file.values() for mark in marks), default=0)
        gutter = " " * len(str(last + 1))
        title = self._paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
        lines = [title + self._paint(": " + _visible(diagnostic.message), "bold")]
        for number, (name, marks) in enumerate(by_file.items()):
            lines += self._draw_file(self.files[name], marks, gutter, "-->" if number == 0 else ":::")
        if diagnostic.span.file and diagnostic.span.file not in self.files:
            lines.append(f"{gutter}{self._paint('-->', 'frame')} {_visible(diagnostic.span.file)}")
        remarks = [("note", text) for text in diagnostic.notes] + [("help", diagnostic.help)] * bool(diagnostic.help)
        if remarks and by_file:
            lines.append(f"{gutter} {self._paint('|', 'frame')}")
        for kind, text in remarks:
            first, *rest = _visible(text).split("\n")
            lines.append(f"{gutter} {self._paint('=', 'frame')} {self._paint(kind, 'bold')}: {first}")
            lines += [f"{gutter}   {' ' * len(kind)}  {line}".rstrip() for line in rest]
        return "\n".join(lines) + "\n"

    def _draw_file(self, file: SourceFile, marks: list[_Mark], gutter: str, arrow: str) -> list[str]:
        bar = self._paint("|", "frame")
        head = marks[0]
        name = "<standard input>" if file.name == "-" else _visible(file.name)
        lines = [f"{gutter}{self._paint(arrow, 'frame')} {name}:{head.line + 1}:{head.start + 1}", f"{gutter} {bar}"]
        previous: int | None = None
        for number in sorted({mark.line for mark in marks}):
            if previous is not None and number > previous + 1:
                lines.append(self._paint("...", "frame"))
            previous = number
            for shown, underlines in _draw_line(_line(file, number), [mark for mark in marks if mark.line == number]):
                lines.append(f"{self._paint(str(number + 1).rjust(len(gutter)), 'frame')} {bar} {shown}".rstrip())
                lines += [
                    f"{gutter} {bar} {self._paint(text, self.severity if is_primary else 'frame')}" for text, is_primary in underlines
                ]
        return lines

    def _paint(self, text: str, role: str) -> str:
        return f"{_COLORS[role]}{text}{_RESET}" if self.color else text


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


def _draw_line(line: str, marks: list[_Mark]) -> list[tuple[str, list[tuple[str, bool]]]]:
    """The line with its underlines below it; a long line once for each mark, cut to a window around it."""
    if len(line) <= WIDEST and len(_cells(line)[0]) <= WIDEST:
        return [_underline(line, marks, 0, len(line))]
    drawn = []
    for mark in marks:
        start = max(0, min(mark.start - WIDEST // 3, len(line) - WIDEST))
        drawn.append(_underline(line, [mark], start, min(len(line), start + WIDEST)))
    return drawn


def _underline(line: str, marks: list[_Mark], start: int, end: int) -> tuple[str, list[tuple[str, bool]]]:
    shown, columns = _cells(line[start:end])
    before, after = "… " * (start > 0), " …" * (end < len(line))
    underlines = []
    for mark in sorted(marks, key=lambda mark: not mark.is_primary):
        first = columns[min(max(mark.start - start, 0), end - start)]
        last = columns[min(max(mark.end - start, 0), end - start)]
        carets = ("^" if mark.is_primary else "-") * max(1, last - first)
        underlines.append((f"{' ' * (len(before) + first)}{carets} {_visible(mark.text)}".rstrip(), mark.is_primary))
    return before + shown + after, underlines


def _cells(text: str) -> tuple[str, list[int]]:
    """The text as a terminal can show it, and the column at which each character begins (and the last one ends)."""
    shown, columns, width = [], [0], 0
    for character in text:
        if character == "\t":
            cell, cells = " " * (TAB - width % TAB), TAB - width % TAB
        else:
            cell = _visible(character)
            cells = len(cell) if len(cell) > 1 else _width(character)
        shown.append(cell)
        width += cells
        columns.append(width)
    return "".join(shown), columns


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _visible(text: str) -> str:
    """Control characters and invisible ones by their code points, so that no text can move the cursor or reverse a line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or c.isprintable() else f"<U+{ord(c):04X}>" for c in text)
