"""Headings of marked-up texts: the one that is a title, and levels that begin at 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.render.model import Block, Heading, Inlines
from mathdsl.render.prose.inlines import plain_text


def lift_title(blocks: Sequence[Block], named: Inlines) -> tuple[Inlines, tuple[Block, ...]]:
    """The title that a text names, or else the heading that everything stands under, and the blocks without it."""
    if named:
        first = blocks[0] if blocks else None
        is_title = isinstance(first, Heading) and plain_text(first.body) == plain_text(named)
        return named, _from_one(blocks[1:] if is_title else blocks)
    levels = [block.level for block in blocks if isinstance(block, Heading)]
    if levels and isinstance(first := blocks[0], Heading) and all(level > first.level for level in levels[1:]):
        return first.body, _from_one(blocks[1:])
    return (), _from_one(blocks)


def _from_one(blocks: Sequence[Block]) -> tuple[Block, ...]:
    lowest = min((block.level for block in blocks if isinstance(block, Heading)), default=1)
    return tuple(replace(block, level=block.level - lowest + 1) if isinstance(block, Heading) else block for block in blocks)
