"""The docutils tree of a text: nothing is read from files, nothing is written anywhere, and no text stops it."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser, roles
from docutils.utils import new_document

from mathdsl.render.document.model import Text
from mathdsl.render.prose.protecting import Protected

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 6,
    "report_level": 5,
    "warning_stream": False,
    "syntax_highlight": "none",
    "line_length_limit": 1 << 40,
    "character_level_inline_markup": False,
    "traceback": True,
}
_FAILURES = (RecursionError, AssertionError, LookupError, TypeError, AttributeError, ValueError)
"""What docutils may end in: the first is known to come of deep nesting, the others must not end a document that compiles."""
_START = re.compile(r"(?<!\w)[*`|](?!\s)")
_SIGN = re.compile(r"[*`|]")
_BLANK_LINES = re.compile(r"(\n(?:[ \t]*\n)+)")
_MOST_STEPS = 40_000_000
"""Characters that may be searched in a text: for each sign that may begin markup, as many as its paragraph has."""


def parse_rest(text: str) -> nodes.document | None:
    """The tree as it is parsed, without transforms; None where docutils fails."""
    settings = get_default_settings(Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = new_document("", settings)
    registered: dict[str, object] = vars(roles)["_roles"]  # where `.. role::` of one text would be left to the next
    known = dict(registered)
    try:
        Parser().parse(text, document)
    except _FAILURES:
        return None
    finally:
        registered.clear()
        registered.update(known)
    return document


def calm(text: str, protected: Protected) -> str:
    """The text, read in time linear in its length; no document that was written to be read is changed.

    In paragraphs full of markup that never ends, which docutils would search again and again, the signs of markup are characters.
    """
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
