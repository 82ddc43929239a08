"""The title of a marked-up text: a line `title: …` between two lines `---` before it begins, or the heading that all of it stands under."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.render.document.inlines import plain_text
from mathdsl.render.document.model import Block, Heading, Inlines

_FRONT = re.compile(r"\s*---[ \t]*\n(?P<lines>(?:(?!---)[^\n]*\n)*)---[ \t]*(?:\n|\Z)")
_ENTRY = re.compile(r"^[ \t]*(?P<key>[A-Za-z]\w*)[ \t]*:[ \t]*(?P<value>[^\n]*)$", re.MULTILINE)


def read_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The entries, by their names in lower case, and the text behind them."""
    match = _FRONT.match(text)
    if match is None or not _ENTRY.search(match["lines"]):
        return {}, text
    entries = {entry["key"].lower(): _unquote(entry["value"].strip()) for entry in _ENTRY.finditer(match["lines"])}
    return entries, text[match.end() :]


def _unquote(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value.strip("[]")


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
