"""Floats that hold algorithms, and the names that their captions give to programs."""

from __future__ import annotations

import re

from mathdsl.source.groups import Groups

FLOATS = ("algorithm", "algorithm*", "algorithm2e", "algorithm2e*")

_CAPTION = re.compile(r"\\caption\s*\{")
_LABEL = re.compile(r"\\label\s*\{(?:[a-z]+:)?")
_NO_WORDS = re.compile(r"\$[^$]*\$|\\[A-Za-z]+|['’]s?\b|[.,:;(].*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9]+")


def name_of_caption(groups: Groups, start: int, end: int) -> str:
    """The first words of a float's caption, or else of its label, as the name of a class: `PowerIteration`; `""` without any."""
    for pattern in (_CAPTION, _LABEL):
        match = pattern.search(groups.text, start, end)
        close = None if match is None else groups.find_close(groups.text.index("{", match.start()))
        if match is not None and close is not None:
            words = _WORD.findall(_NO_WORDS.sub(" ", groups.text[match.end() : close]))
            name = "".join(word[0].upper() + word[1:] for word in words)
            if name[:1].isalpha():
                return name
    return ""
