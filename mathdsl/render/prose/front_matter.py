"""Title, authors and date that a text names before it begins: lines `title: …` between two lines `---`."""

from __future__ import annotations

import re

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
