"""What a reader of one kind of file finds: texts in which regions are program text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mathdsl.source.model import MappedText


@dataclass(frozen=True, slots=True)
class Region:
    """Characters `start .. end` of a text are program text; see `Chunk` for the rest."""

    kind: Literal["program", "where"]
    start: int
    end: int
    directly_after: bool = False


@dataclass(frozen=True, slots=True)
class ContainerText:
    """A text whose comments, definitions and container tags are blanked out; regions in order.

    `prose`: rows of a table that the words around a region come to, by the region's number.
    """

    text: MappedText
    regions: tuple[Region, ...]
    prose: tuple[tuple[int, tuple[MappedText, ...]], ...] = ()
