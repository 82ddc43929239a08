"""Formulas and programs kept out of the way of a reader of markup: each is one word of private characters until the text is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mathdsl.render.model import Block, DisplayMath, Inline, Inlines, Math, Paragraph, Place, Reference, Text, Verbatim
from mathdsl.render.prose.inlines import tidy

Piece: TypeAlias = Text | Math | Reference | DisplayMath | Place
Loose: TypeAlias = Inline | DisplayMath | Place
"""What stands in running text before it is known where its paragraphs end."""

_OPEN, _CLOSE, _FILL = "\U00100000", "\U00100001", "\U00100002"
_FIRST, _MOST = 0x100100, 60_000
_PRIVATE = re.compile("[\U00100000-\U0010ffff]")
_WORD = re.compile(rf"{_OPEN}([\U00100100-\U0010ffff]){_FILL}*{_CLOSE}")


@dataclass(slots=True)
class Protected:
    """The pieces that were taken out of a text, with what was written for them."""

    pieces: list[tuple[Piece, str]] = field(default_factory=list)

    def protect(self, piece: Piece, written: str) -> str:
        """A word that stands for the piece, as wide as what was written if that is longer: tables keep their columns."""
        if len(self.pieces) >= _MOST:
            return written
        self.pieces.append((piece, written))
        return f"{_OPEN}{chr(_FIRST + len(self.pieces) - 1)}{_FILL * (len(written) - 3 if written.isprintable() else 0)}{_CLOSE}"

    def restore(self, text: str) -> str:
        """The text as it was written, for where nothing is anything but text."""
        return _WORD.sub(lambda match: self._find(match)[1], text)

    def split(self, text: str) -> list[Loose]:
        """Text and the pieces in it."""
        parts: list[Loose] = []
        position = 0
        for match in _WORD.finditer(text):
            if match.start() > position:
                parts.append(Text(text[position : match.start()]))
            parts.append(self._find(match)[0])
            position = match.end()
        if position < len(text):
            parts.append(Text(text[position:]))
        return parts

    def split_places(self, text: str) -> list[str | Place]:
        """Text as it was written, and the places in it."""
        parts: list[str | Place] = []
        position = 0
        for match in _WORD.finditer(text):
            piece, _ = self._find(match)
            if isinstance(piece, Place):
                parts += [self.restore(text[position : match.start()]), piece]
                position = match.end()
        return [*parts, self.restore(text[position:])]

    def _find(self, match: re.Match[str]) -> tuple[Piece, str]:
        number = ord(match[1]) - _FIRST
        return self.pieces[number] if number < len(self.pieces) else (Math(""), "")


def without_private(text: str) -> str:
    """The text without characters that could be taken for ours."""
    return _PRIVATE.sub("\ufffd", text)


def as_listing(parts: Sequence[str | Place], language: str) -> list[Block]:
    """Lines of code, with the places between them."""
    blocks: list[Block] = []
    for part in parts:
        if isinstance(part, Place):
            blocks.append(part)
        elif part.strip():
            blocks.append(Verbatim(part.strip("\n").rstrip(), language))
    return blocks


def as_line(parts: Sequence[Loose]) -> Inlines:
    """What can stand in a line: displays become formulas of it; a place is left to `settle_places`."""
    line: list[Inline] = []
    for part in parts:
        match part:
            case DisplayMath(latex):
                line.append(Math(latex))
            case Place():
                continue
            case _:
                line.append(part)
    return tidy(line)


def as_blocks(parts: Sequence[Loose]) -> list[Block]:
    """Paragraphs, with the displays and places between them."""
    blocks: list[Block] = []
    line: list[Inline] = []
    for part in parts:
        match part:
            case DisplayMath() | Place():
                blocks += _paragraph(line)
                line = []
                blocks.append(part)
            case _:
                line.append(part)
    return blocks + _paragraph(line)


def _paragraph(line: list[Inline]) -> list[Block]:
    body = tidy(line)
    return [Paragraph(body)] if body else []
