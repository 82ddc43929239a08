"""A document as one page of HTML that needs no network, no script and no other file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from mathdsl.render.html.anchors import find_anchors
from mathdsl.render.html.code import CodePages, make_pages
from mathdsl.render.html.context import Context
from mathdsl.render.html.environment import fill
from mathdsl.render.html.inlines import unlinked, write_inlines
from mathdsl.render.html.layout import find_listings, write_rest, write_rows
from mathdsl.render.html.plain_text import plain_text
from mathdsl.render.html.styles import SCOPE, pair_rules, style_sheet
from mathdsl.render.model import Block, Heading, Typeset
from mathdsl.render.pictures import MOST_TOGETHER, Pictures

_SHORT = 3  # headings; a document with fewer needs no table of contents
_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_NO_TEXT = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010fffd]")


def write_html(document: Typeset, folder: Path | None = None) -> str:
    """The whole page; the same document gives the same text. `folder`: where its pictures are looked for."""
    anchors = find_anchors(document.blocks)
    listings = find_listings(document.blocks)
    code = make_pages(document.source, listings, anchors) if document.source.strip() else None
    context = Context(anchors, code, pictures=Pictures(folder))
    title = write_inlines(document.title, context)
    authors = write_inlines(document.authors, context)
    date = write_inlines(document.date, context)
    rows = write_rows(document.blocks, context)
    page = fill(
        "page.html.j2",
        plain_title=plain_text(document.title) or "A document of mathdsl",
        styles=Markup(f"{style_sheet('document', 'page')}\n{pair_rules(equation_pairs(code), SCOPE)}"),
        coded=any(row.panes for row in rows),
        pictured=context.pictures.room < MOST_TOGETHER,
        title=title,
        authors=authors,
        date=date,
        contents=_contents(document.blocks, context),
        rows=rows,
        rest=() if code is None else write_rest(code),
        notes=write_notes(context),
    )
    return clean(f"{page}\n")


def write_notes(context: Context) -> Markup:
    """The footnotes that were met."""
    return fill("notes.html.j2", notes=context.notes, prefix=context.anchors.prefix) if context.notes else Markup()


def equation_pairs(code: CodePages | None) -> Iterator[tuple[str, str]]:
    """The identifiers of an equation and of a statement that computes it."""
    if code is None:
        return
    for statement in code.statements.values():
        for number in range(statement.start, statement.line):
            equation = code.anchors.equations.get(number)
            if equation is not None:
                yield equation, code.anchors.code(statement.line)


def clean(text: str) -> str:
    """Characters that a page must not hold, marked as such; those that would turn the order of others round are named."""
    named = _UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", named)


def _contents(blocks: Sequence[Block], context: Context) -> list[tuple[str, str, Markup]]:
    """The sections of a document that has several: identifier, number, words."""
    anchors = context.anchors
    found = [
        (anchors.block((position,)), block.number, write_inlines(unlinked(block.body, anchors), context))
        for position, block in enumerate(blocks)
        if isinstance(block, Heading) and block.level == 1
    ]
    return found if len(found) >= _SHORT else []
