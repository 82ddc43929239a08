r"""Where the formulas of a text end: `$`, `$$`, `\)`, `\]` and the ends of display environments, found in one pass."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from mathdsl.render.prose.latex.environments import DISPLAYS, INLINE
from mathdsl.source.latex_text import Interval

_NAMES = "|".join([*DISPLAYS, INLINE])
FORMULA_BEGIN = re.compile(rf"\\begin\s*\{{\s*(?P<name>(?:{_NAMES})\*?)\s*\}}")
_EVENT = re.compile(rf"\\end\s*\{{\s*(?P<name>(?:{_NAMES})\*?)\s*\}}|\\[\s\S]|[${{}}\0]|\n[^\S\n]*(?=\n)")


@dataclass(slots=True)
class FormulaEnds:
    """`dollars` with the number of braces open at each; `ends` of the others by what they are; what no formula goes across."""

    dollars: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: dict[str, list[Interval]] = field(default_factory=dict)
    blank_lines: list[int] = field(default_factory=list)
    regions: list[int] = field(default_factory=list)
    unclosed_until: int = 0

    def find_dollar(self, start: int) -> int | None:
        """The dollar that closes the formula whose inside begins at `start`: in the same paragraph, outside of braces opened in it."""
        if start < self.unclosed_until:
            return None
        barrier = self._barrier(start)
        opening = bisect_left(self.dollars, start) - 1
        for position in range(opening + 1, len(self.dollars)):
            if self.dollars[position] >= barrier:
                break
            if self.depths[position] <= self.depths[opening]:
                return self.dollars[position]
        self.unclosed_until = barrier
        return None

    def find_end(self, name: str, start: int) -> Interval | None:
        """What closes `\\(`, `\\[` and `$$`, in the same paragraph, or an environment of this name."""
        ends = self.ends.get(name, [])
        position = bisect_left(ends, (start, 0))
        barrier = _next(self.regions, start) if name.isidentifier() or name.endswith("*") else self._barrier(start)
        return ends[position] if position < len(ends) and ends[position][0] < barrier else None

    def has_region(self, start: int, end: int) -> bool:
        return _next(self.regions, start) < end

    def _barrier(self, start: int) -> int:
        return min(_next(self.blank_lines, start), _next(self.regions, start))


def _next(positions: list[int], start: int) -> int:
    """The first position from `start` on; far away where there is none."""
    at = bisect_left(positions, start)
    return positions[at] if at < len(positions) else 1 << 62


def find_formula_ends(text: str, verbatim: list[Interval]) -> FormulaEnds:
    """Of a whole text, but for what is verbatim in it."""
    found, depth = FormulaEnds(), 0
    hidden = iter([*verbatim, (1 << 62, 1 << 62)])
    skipped = next(hidden)
    for match in _EVENT.finditer(text):
        while skipped[1] <= match.start():
            skipped = next(hidden)
        if skipped[0] <= match.start():
            continue
        match match[0]:
            case "$":
                if found.dollars[-1:] == [match.start() - 1]:
                    found.ends.setdefault("$$", []).append((match.start() - 1, match.end()))
                found.dollars.append(match.start())
                found.depths.append(depth)
            case "{" | "}" as brace:
                depth += 1 if brace == "{" else -1
            case "\0":
                found.regions.append(match.start())
            case blank if blank[0] == "\n":
                found.blank_lines.append(match.start())
            case end:
                found.ends.setdefault(match["name"] or end, []).append(match.span())
    return found
