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

    `tables`: rows of a table that what stands around a region says about its program, by the region's number.
    """

    text: MappedText
    regions: tuple[Region, ...]
    tables: tuple[tuple[int, MappedText], ...] = ()
