"""What the blocks of a document have in common: the names of its labels, and how long a line is."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.render.latex.labels import Labels

NARROW = 38.0
WIDE = 49.0


@dataclass(frozen=True, slots=True)
class Page:
    """`line`: ems of small print on a line; where an author's class decides, those of a narrow page."""

    labels: Labels
    line: float = NARROW
