"""Text, code and addresses as TeX in plain ASCII: no character of a text is markup."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from mathdsl.render.write.latex.characters import CODE_SPECIALS, SPECIALS, name_missing, set_character

WORD_BREAK = 8  # letters of a long word, after which a line may end
LONG_WORD = 40  # letters of a word of text that TeX would rather hyphenate
_LIGATURES = "-'`,"  # two of these side by side become another character, in LuaTeX across an empty group too
_NOT_IN_CODE = (r"\.", r"\H")  # accents that the typewriter font lacks
_RUNS = re.compile(r"[ \t\n\r\f]+")
_LONG = re.compile(rf"[^ ]{{{LONG_WORD},}}")
_BEFORE_OPENING = " ([{/-\N{EN DASH}\N{EM DASH}\N{LEFT SINGLE QUOTATION MARK}\N{LEFT DOUBLE QUOTATION MARK}\N{NO-BREAK SPACE}"


def escape_text(text: str) -> str:
    """Characters as they are read; a word that is longer than a line may be broken anywhere."""
    pieces: list[str] = []
    before = ""
    folded = _RUNS.sub(" ", unicodedata.normalize("NFC", text))
    breaks = {at for word in _LONG.finditer(folded) for at in range(word.start() + WORD_BREAK, word.end(), WORD_BREAK)}
    for position, character in enumerate(folded):
        if position in breaks:
            pieces.append(r"\allowbreak{}")
        elif (character == before and character in _LIGATURES) or (character == "`" and before in "!?" and before):
            pieces.append(r"\mbox{}")
        opens = character == '"' and _opens(before, folded[position + 1 : position + 2])
        pieces.append("``" if opens else _text_character(character))
        before = character
    return "".join(pieces)


def _opens(before: str, after: str) -> bool:
    """Whether a straight quotation mark opens; text in another style may stand before and after it."""
    return before in _BEFORE_OPENING if before else after.isalnum() or not after


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
        case _ if character.isascii() and character.isprintable():
            return character
        case _:
            written = _text_character(character)
            return rf"\textrm{{{written}}}" if written[:2] in _NOT_IN_CODE else written


def escape_web_address(target: str) -> str | None:
    r"""An address for `\href`, all but its plainest characters in percent signs; None for one that is none."""
    scheme = re.match(r"(?:https?://|mailto:)", target)
    if scheme is None:
        return None
    encoded = quote(target, safe="/:?=&#@+,;!*().~-%", errors="surrogatepass")
    return re.sub(r"([%#&~])", r"\\\1", encoded)
