"""Paragraphs full of markup that never ends, which docutils would search again and again: there the signs of markup are characters."""

from __future__ import annotations

import re

from mathdsl.render.model import Text
from mathdsl.render.prose.protecting import Protected

_START = re.compile(r"(?<!\w)[*`|](?!\s)")
_SIGN = re.compile(r"[*`|]")
_BLANK_LINES = re.compile(r"(\n(?:[ \t]*\n)+)")
_MOST_STEPS = 40_000_000
"""Characters that may be searched in a text: for each sign that may begin markup, as many as its paragraph has."""


def calm(text: str, protected: Protected) -> str:
    """The text, read in time linear in its length; no document that was written to be read is changed."""
    pieces = _BLANK_LINES.split(text)
    steps = 0
    for number, piece in enumerate(pieces):
        cost = len(piece) * sum(1 for _ in _START.finditer(piece))
        steps += cost
        if steps > _MOST_STEPS:
            steps -= cost
            words: dict[str, str | int | None] = {sign: protected.protect(Text(sign), sign) for sign in sorted(set(_SIGN.findall(piece)))}
            pieces[number] = piece.translate(str.maketrans(words))
    return "".join(pieces)
