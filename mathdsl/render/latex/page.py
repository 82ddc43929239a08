"""What the blocks of a document have in common: the names of its labels, and how long a line is."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.render.latex.labels import Labels

COLUMN = 25.0
NARROW = 38.0
WIDE = 49.0
"""Ems of small print on a line: of a page in two columns, of a class with wide margins, of our own."""


@dataclass(frozen=True, slots=True)
class Page:
    """`line`: ems of small print on a line."""

    labels: Labels
    line: float
