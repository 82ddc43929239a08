"""The docutils tree of a text: nothing is read from files, nothing is written anywhere, and no text stops it."""

from __future__ import annotations

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser, roles
from docutils.utils import new_document

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
