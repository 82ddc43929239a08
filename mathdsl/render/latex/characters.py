"""Characters of text that TeX cannot take as they stand: what sets them, in the fonts that every TeX has; the rest is named."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from mathdsl.source.equal_spellings import find_spelling

SPECIALS: Mapping[str, str] = MappingProxyType(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
    }
)
"""Characters of ASCII that mean something to TeX, or that its oldest fonts lack."""

CODE_SPECIALS: Mapping[str, str] = MappingProxyType({character: f"\\char{ord(character)} " for character in '\\{}$&#%_^~"'})
"""The same in a typewriter font, which has all of ASCII in its place."""

_LETTERS = {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ȷ": "j"}
_SIGNS = {
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{DOUBLE LOW-9 QUOTATION MARK}": ",,",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{BULLET}": r"\textbullet{}",
    "\N{MIDDLE DOT}": r"\textperiodcentered{}",
    "\N{DAGGER}": r"\dag{}",
    "\N{DOUBLE DAGGER}": r"\ddag{}",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{PILCROW SIGN}": r"\P{}",
    "\N{COPYRIGHT SIGN}": r"\copyright{}",
    "\N{POUND SIGN}": r"\pounds{}",
    "\N{INVERTED EXCLAMATION MARK}": "!`",
    "\N{INVERTED QUESTION MARK}": "?`",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": r"\mbox{-}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{THIN SPACE}": r"\,",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{SOFT HYPHEN}": r"\-",
}
_FORMULAS = {
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\ll",
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\gg",
    "\N{DEGREE SIGN}": r"{}^\circ",
    "\N{COLON EQUALS}": ":=",
    "\N{MATHEMATICAL DOUBLE-STRUCK DIGIT ONE}": r"\mathbf{1}",
    "\N{RIGHTWARDS DOUBLE ARROW}": r"\Rightarrow",
    "\N{LEFTWARDS DOUBLE ARROW}": r"\Leftarrow",
    "\N{LEFT RIGHT DOUBLE ARROW}": r"\Leftrightarrow",
    "\N{LEFT RIGHT ARROW}": r"\leftrightarrow",
    "\N{UPWARDS ARROW}": r"\uparrow",
    "\N{DOWNWARDS ARROW}": r"\downarrow",
    "\N{CHECK MARK}": r"\checkmark",
    "\N{SQUARE ROOT}": r"\surd",
}
_ACCENTS = {
    "\N{COMBINING GRAVE ACCENT}": "`",
    "\N{COMBINING ACUTE ACCENT}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING MACRON}": "=",
    "\N{COMBINING BREVE}": "u",
    "\N{COMBINING DOT ABOVE}": ".",
    "\N{COMBINING DIAERESIS}": '"',
    "\N{COMBINING RING ABOVE}": "r",
    "\N{COMBINING DOUBLE ACUTE ACCENT}": "H",
    "\N{COMBINING CARON}": "v",
    "\N{COMBINING DOT BELOW}": "d",
    "\N{COMBINING CEDILLA}": "c",
}


@lru_cache(maxsize=4096)
def set_character(character: str) -> str:
    """The TeX of one character that is not ASCII, in text; `[U+4E2D]` for one that the standard fonts lack."""
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}{{}}"
    if character in _SIGNS:
        return _SIGNS[character]
    formula = _formula(character)
    if formula is not None:
        return " " if formula == " " else rf"\ensuremath{{{formula}}}"
    return _accented(character) or name_missing(character)


def _formula(character: str) -> str | None:
    """The TeX of a sign of mathematics, in a formula."""
    if character in _FORMULAS:
        return _FORMULAS[character]
    if _accented(character) is not None:
        return None
    spelling = find_spelling(character)
    return None if spelling is None else "{}" + spelling if spelling[0] in "_^" else spelling


def name_missing(character: str) -> str:
    """What stands for a character that cannot be set: nothing of a text vanishes."""
    return f"[U+{ord(character):04X}]"


def _accented(character: str) -> str | None:
    letters = unicodedata.normalize("NFD", character)
    if len(letters) != 2 or not (letters[0].isascii() and letters[0].isalpha()) or letters[1] not in _ACCENTS:
        return None
    base = f"\\{letters[0]}" if letters[0] in "ij" and letters[1] not in "\N{COMBINING DOT BELOW}\N{COMBINING CEDILLA}" else letters[0]
    return f"\\{_ACCENTS[letters[1]]}{{{base}}}"
