"""Which characters of a spliced text are the author's own, and for what the others were made."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters from `start` to the next stretch: copied from `written` on, or made for what stands there."""

    start: int
    written: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class Spliced:
    """A LaTeX text; its stretches are sorted by start and cover it."""

    text: str
    stretches: tuple[Stretch, ...]

    def find_line(self, number: int) -> tuple[int, bool]:
        """Where in the author's text the first word of a line comes from, and whether it is the author's own."""
        lines = self.text.split("\n")
        line = lines[number - 1]
        position = sum(len(before) + 1 for before in lines[: number - 1]) + len(line) - len(line.lstrip())
        stretch = self.stretches[max(0, bisect_right(self.stretches, position, key=_start_of) - 1)]
        return (stretch.written + position - stretch.start if stretch.is_own else stretch.written), stretch.is_own


def _start_of(stretch: Stretch) -> int:
    return stretch.start
