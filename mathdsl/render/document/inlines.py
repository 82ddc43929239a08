"""Inlines put in order: neighbours joined, white space folded, and what they say as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from mathdsl.render.document.model import (
    Code,
    Formula,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Math,
    Picture,
    Reference,
    Styled,
    Text,
    name_picture,
)
from mathdsl.syntax.latex import render_expression

_SPACE = re.compile(r"[ \t\n\r\f\v]+")
OUTSIDE = ("http://", "https://", "mailto:")
"""How an address begins that a document may link to."""


def tidy(inlines: Iterable[Inline]) -> Inlines:
    """The same with each run of text in one piece, single spaces, and none at the ends or beside a line's end."""
    parts: list[Inline] = []
    for is_text, run in groupby(inlines, key=lambda inline: isinstance(inline, Text)):
        pieces = list(run)
        parts += [Text(plain_text(pieces))] if is_text else pieces
    while parts and _is_blank(parts[-1]):
        parts.pop()
    kept: list[Inline] = []
    for position, part in enumerate(parts):
        if isinstance(part, Text):
            text = _SPACE.sub(" ", part.text)
            if not kept or isinstance(kept[-1], LineBreak):
                text = text.lstrip(" ")
            if position + 1 == len(parts) or isinstance(parts[position + 1], LineBreak):
                text = text.rstrip(" ")
            if text:
                kept.append(Text(text))
        elif kept or not isinstance(part, LineBreak):
            kept.append(part)
    return tuple(kept)


def _is_blank(inline: Inline) -> bool:
    return isinstance(inline, LineBreak) or (isinstance(inline, Text) and not inline.text.strip(" \t\n\r\f\v"))


def plain_text(inlines: Sequence[Inline]) -> str:
    """What the inlines say, without any style; formulas as LaTeX."""
    return "".join(_plain(inline) for inline in inlines)


def _plain(inline: Inline) -> str:
    match inline:
        case Text(text) | Code(text):
            return text
        case Math(latex):
            return latex
        case Formula(expression):
            return render_expression(expression)
        case Styled(body=body) | Link(body=body):
            return plain_text(body)
        case Reference(labels=labels):
            return ", ".join(labels)
        case LineBreak():
            return " "
        case Picture():
            return plain_text(name_picture(inline))
        case _:
            assert_never(inline)


def words_alone(inlines: Inlines) -> str:
    """The words on one line, for the title of a page and for what a label of a heading is called."""
    return " ".join(plain_text(without_notes(inlines)).split())


def without_notes(inlines: Inlines) -> Inlines:
    """The same without its footnotes."""
    kept = (inline for inline in inlines if not (isinstance(inline, Styled) and inline.style == "footnote"))
    return tuple(replace(inline, body=without_notes(inline.body)) if isinstance(inline, Styled | Link) else inline for inline in kept)


def link(target: str, body: Inlines) -> Inlines:
    """A link where its address is one that a document may point to, else what it says alone; an address without words says itself."""
    said = body or (Text(target),)
    if target.lower().startswith(OUTSIDE) or (target.startswith("#") and len(target) > 1):
        return (Link(target, said),)
    return said
