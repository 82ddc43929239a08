"""What a reader of prose hands over."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.render.model import Block, Inlines


@dataclass(frozen=True, slots=True)
class Prose:
    """The title, the authors and the date that a text names, `()` where it names none, and its blocks."""

    title: Inlines
    authors: Inlines
    blocks: tuple[Block, ...]
    date: Inlines = ()
