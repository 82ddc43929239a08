r"""Names in a formula, by standard commands: a bare word is slanted, what `\mathrm` holds and functions stand upright."""

from __future__ import annotations

import re

from mathdsl.render.write.latex.characters import SPECIALS
from mathdsl.render.write.latex.escaping import WORD_BREAK
from mathdsl.syntax.commands import is_known_name
from mathdsl.syntax.display.tree import Name
from mathdsl.vocabulary import VOCABULARY, of_kinds

OPERATORS = frozenset(row.spelling for row in of_kinds("function", "limit") if row.terminal)
"""Functions that LaTeX itself sets upright."""

_LETTERS = frozenset(row.spelling for row in of_kinds("letter", "sign") if row.terminal == "NAME")
_CAPITALS_ONLY = {"mathbb": "mathbf", "mathcal": "mathit"}
_LONG_WORD = 24
_WORD_FONTS = {"text": "mathrm", "mathrm": "mathrm", "mathit": "mathit", "operatorname": "operatorname"}


def name(node: Name) -> str:
    """A name without its primes."""
    text, font = node.text, node.font
    if font in _CAPITALS_ONLY and not re.fullmatch("[A-Z]+", text):
        font = _CAPITALS_ONLY[font]
    if font in _WORD_FONTS:
        return word(text.removeprefix("\\"), _WORD_FONTS[font])
    if font:
        inner = command(text) if text.startswith("\\") else _plain(text)
        return f"\\{'boldsymbol' if text.startswith(chr(92)) and font == 'mathbf' else font}{{{inner}}}"
    if text.startswith("\\"):
        return command(text)
    return text if len(text) == 1 and text.isalpha() else word(text, "mathit")


def command(text: str) -> str:
    """A command that stands for a name: a letter, a function, or a word."""
    if text in VOCABULARY and VOCABULARY[text].tex:
        return VOCABULARY[text].tex
    if text in _LETTERS or text in OPERATORS:
        return text
    return word(text[1:], "operatorname" if is_known_name(text) else "mathrm")


def word(text: str, font: str) -> str:
    """Letters that belong together; a line may end in a word that is nearly as long as a line."""
    if len(text) <= _LONG_WORD:
        return f"\\{font}{{{_plain(text)}}}"
    upright = "mathrm" if font == "operatorname" else font
    parts = (text[start : start + WORD_BREAK] for start in range(0, len(text), WORD_BREAK))
    return r"\allowbreak ".join(f"\\{upright}{{{_plain(part)}}}" for part in parts)


def _plain(text: str) -> str:
    return "".join(SPECIALS.get(character, character) for character in text)
