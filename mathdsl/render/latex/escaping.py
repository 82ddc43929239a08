"""Text, code and addresses as TeX in plain ASCII: no character of a text is markup."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from mathdsl.render.latex.characters import CODE_SPECIALS, SPECIALS, name_missing, set_character

WORD_BREAK = 8  # letters of a long word of code, after which a line may end
_LIGATURES = "-'`,"  # two of these side by side become another character
_RUNS = re.compile(r"[ \t\n\r\f]+")


def escape_text(text: str) -> str:
    """Characters as they are read."""
    pieces: list[str] = []
    before = ""
    for character in _RUNS.sub(" ", unicodedata.normalize("NFC", text)):
        if (character == before and character in _LIGATURES) or (character == "`" and before in "!?" and before):
            pieces.append("{}")
        pieces.append(_text_character(character))
        before = character
    return "".join(pieces)


def _text_character(character: str) -> str:
    if character in SPECIALS:
        return SPECIALS[character]
    if character.isascii():
        return character if character.isprintable() else name_missing(character)
    return set_character(character)


def escape_code(text: str) -> str:
    """Characters for a typewriter font; a line may end after a sign and inside of a long word."""
    pieces: list[str] = []
    letters = 0
    for character in unicodedata.normalize("NFC", text):
        letters = letters + 1 if character.isalnum() else 0
        pieces.append(_code_character(character))
        if not (character.isalnum() or character.isspace()) or letters == WORD_BREAK:
            pieces.append(r"\allowbreak{}")
            letters = 0
    return "".join(pieces)


def _code_character(character: str) -> str:
    match character:
        case " ":
            return r"\ "
        case "'" | "`" | "?" | "!" | "-" | ",":
            return character + "{}"
        case _ if character in CODE_SPECIALS:
            return CODE_SPECIALS[character]
        case _:
            return _text_character(character) if not character.isascii() or not character.isprintable() else character


def escape_web_address(target: str) -> str | None:
    r"""An address for `\href`, all but its plainest characters in percent signs; None for one that is none."""
    scheme = re.match(r"(?:https?://|mailto:)", target)
    if scheme is None:
        return None
    encoded = quote(target, safe="/:?=&#@+,;!*().~-%")
    return re.sub(r"([%#&~])", r"\\\1", encoded)
