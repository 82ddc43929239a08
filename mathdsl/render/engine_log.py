"""What a TeX engine wrote in its log: its first error, and what it set outside of the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mathdsl.render.latex.preamble import MARGINS

TellLine = Callable[[int], str]
"""Says in words where a line of the LaTeX text is, and quotes it."""

_FIRST_ERROR = re.compile(r"^(?:(?P<file>[^\n:]*\.[A-Za-z]+):(?P<line>\d+): (?P<named>[^\n]+)|! (?P<error>[^\n]+))$", re.MULTILINE)
_LATER_LINE = re.compile(r"^l\.(\d+)", re.MULTILINE)
_CULPRIT = re.compile(r"\n[^\n]*?(\\[A-Za-z@]+) *\n")
_UNDEFINED = "Undefined control sequence"
_MISSING = re.compile(r"File `(?P<file>[^']+?)(?:\.\w+)?' not found")
_OUTSIDE = re.compile(
    r"^(?:Overfull \\(?P<box>[hv])box \((?P<points>[\d.]+)pt too (?:wide|high)\)[^\n]*?(?:at lines? (?P<line>\d+)[^\n]*)?"
    r"|LaTeX Warning: Float too large for page by (?P<float>[\d.]+)pt on input line (?P<float_line>\d+)[^\n]*)$",
    re.MULTILINE,
)
_MARGINS = re.compile(rf"^{re.escape(MARGINS)} (?P<right>-?[\d.]+)pt (?P<bottom>-?[\d.]+)pt$", re.MULTILINE)
_PAGE = re.compile(r"(?:^|\s)\[(\d+)(?=[\]{\s])")


@dataclass(frozen=True, slots=True)
class Log:
    """A log, the LaTeX text that it is of, and the name that the engine knows that by."""

    text: str
    tex: str
    name: str
    tell_line: TellLine

    def first_error(self) -> str | None:
        """The engine's own words, and where it stopped."""
        found = _FIRST_ERROR.search(self.text)
        if found is None:
            return None
        message = found["named"] or found["error"]
        if found["file"] and found["file"].rpartition("/")[2] != self.name:
            return f"{message} ({found['file'].removeprefix('./')}:{found['line']})"
        number = found["line"]
        if number is None and (later := _LATER_LINE.search(self.text, found.end())):
            number = later[1]
        line = 0 if number is None else int(number)
        culprit = _CULPRIT.match(self.text, found.end())
        if message.startswith(_UNDEFINED) and culprit:
            message = f"{message.rstrip('.')} {culprit[1]}"
            line = self._find_command(culprit[1], line)
        elif missing := _MISSING.search(message):
            line = self._find_file(missing["file"], line)
        return message + self._place(line)

    def outside(self) -> str | None:
        """The first thing that the page has no room for: it would be cut, or not be there at all."""
        margins = _MARGINS.search(self.text)
        if margins is None:
            return None
        for found in _OUTSIDE.finditer(self.text):
            is_wide = found["box"] == "h"
            points = float(found["points"] or found["float"]) - max(0.0, float(margins["right" if is_wide else "bottom"]))
            if points > 0:
                shape, edge = ("wide", "right") if is_wide else ("high", "lower")
                line = found["line"] or found["float_line"]
                place = self._place(int(line)) if line else self._page(found.end())
                return f"something is too {shape} for the page: {points:.0f}pt would be lost beyond its {edge} edge{place}"
        return None

    def _find_command(self, command: str, line: int) -> int:
        """The line where a command is written, which may be before the one that uses it: a title is set later."""
        use = re.compile(re.escape(command) + r"(?![A-Za-z@])")
        lines = self.tex.split("\n")
        if 0 < line <= len(lines) and use.search(lines[line - 1]):
            return line
        return next((number for number, text in enumerate(lines, start=1) if use.search(text)), line)

    def _find_file(self, file: str, line: int) -> int:
        """The line that names a file; the engine has already read on, to see whether the line asks for a version."""
        named = re.compile(rf"(?<![\w-]){re.escape(file)}(?![\w-])")
        before = self.tex.split("\n")[:line]
        return next((number for number in range(len(before), 0, -1) if named.search(before[number - 1])), line)

    def _place(self, line: int) -> str:
        return f" ({self.tell_line(line)})" if 0 < line <= self.tex.count("\n") + 1 else ""

    def _page(self, position: int) -> str:
        """The page that is finished after a position of the log."""
        page = _PAGE.search(self.text, position)
        return f" (page {page[1]})" if page else ""
