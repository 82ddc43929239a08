"""Diagnostics as text for a terminal: the source line, carets under the place, second places, notes and help."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.excerpts import Excerpt, ShownLine, make_excerpts, show_name, visible
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.diagnostics.presenting import arrange, list_remarks
from mathdsl.spans import SourceFile

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m", "frame": "\x1b[1;34m", "bold": "\x1b[1m"}
_RESET = "\x1b[0m"


def draw_all(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile], color: bool) -> str:
    """All diagnostics in the document's order, a blank line after each; '' if there is none."""
    return "".join(draw(diagnostic, files, color) + "\n" for diagnostic in arrange(diagnostics, files))


def draw(diagnostic: Diagnostic, files: Sequence[SourceFile], color: bool) -> str:
    """One diagnostic, ending in a line break."""
    return _Drawing(diagnostic.severity, color).draw(diagnostic, make_excerpts(diagnostic, files))


@dataclass(frozen=True, slots=True)
class _Drawing:
    severity: str
    color: bool

    def draw(self, diagnostic: Diagnostic, excerpts: Sequence[Excerpt]) -> str:
        last = max((line.number for excerpt in excerpts for line in excerpt.lines), default=1)
        gutter = " " * len(str(last))
        title = self._paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
        lines = [title + self._paint(": " + visible(diagnostic.message), "bold")]
        for number, excerpt in enumerate(excerpts):
            lines += self._draw_excerpt(excerpt, gutter, "-->" if number == 0 else ":::")
        if diagnostic.span.file and diagnostic.span.file not in {excerpt.file for excerpt in excerpts}:
            lines.append(f"{gutter}{self._paint('-->', 'frame')} {visible(diagnostic.span.file)}")
        remarks = list_remarks(diagnostic)
        if remarks and excerpts:
            lines.append(f"{gutter} {self._paint('|', 'frame')}")
        for kind, text in remarks:
            first, *rest = visible(text).split("\n")
            lines.append(f"{gutter} {self._paint('=', 'frame')} {self._paint(kind, 'bold')}: {first}")
            lines += [f"{gutter}   {' ' * len(kind)}  {line}".rstrip() for line in rest]
        return "\n".join(lines) + "\n"

    def _draw_excerpt(self, excerpt: Excerpt, gutter: str, arrow: str) -> list[str]:
        place = f"{show_name(excerpt.file)}:{excerpt.line}:{excerpt.column}"
        lines = [f"{gutter}{self._paint(arrow, 'frame')} {place}", f"{gutter} {self._paint('|', 'frame')}"]
        for line in excerpt.lines:
            lines += self._draw_line(line, gutter)
        return lines

    def _draw_line(self, line: ShownLine, gutter: str) -> list[str]:
        bar = self._paint("|", "frame")
        lines = [self._paint("...", "frame")] * line.follows_gap
        lines.append(f"{self._paint(str(line.number).rjust(len(gutter)), 'frame')} {bar} {line.text}".rstrip())
        for mark in line.underlines:
            carets = ("^" if mark.is_primary else "-") * (mark.last_column - mark.first_column)
            text = f"{' ' * mark.first_column}{carets} {mark.text}".rstrip()
            lines.append(f"{gutter} {bar} {self._paint(text, self.severity if mark.is_primary else 'frame')}")
        return lines

    def _paint(self, text: str, role: str) -> str:
        return f"{_COLORS[role]}{text}{_RESET}" if self.color else text
