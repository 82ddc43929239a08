"""Characters of text that TeX cannot take as they stand: what sets them, in the fonts that every TeX has; the rest is named."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from mathdsl.render.prose.latex.commands import ACCENTS, LIGATURES, SYMBOLS
from mathdsl.render.tex_commands import COMMANDS
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

_OF_COMMANDS = {character: f"\\{name}{{}}" for name, character in reversed(tuple(SYMBOLS.items())) if name.isalpha()}
"""Characters that a command of running text stands for."""
_GREEK_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
"""Greek letters that look like Latin ones: TeX has no others."""
_SIGNS = {character: ligature for ligature, character in LIGATURES.items()} | {
    "ı": r"\i{}",
    "ȷ": r"\j{}",
    "đ": r"\mdslstroke{}",
    "Đ": r"\mdslStroke{}",
    "\N{DOUBLE LOW-9 QUOTATION MARK}": ",,",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{MIDDLE DOT}": r"\textperiodcentered{}",
    "\N{DAGGER}": r"\dag{}",
    "\N{DOUBLE DAGGER}": r"\ddag{}",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": r"\mbox{-}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{THIN SPACE}": r"\,",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{SOFT HYPHEN}": r"\-",
    "\N{FIGURE DASH}": "--",
    "\N{HORIZONTAL BAR}": "---",
    "\N{SINGLE LOW-9 QUOTATION MARK}": ",",
    "\N{CENT SIGN}": r"\textcent{}",
    "\N{CURRENCY SIGN}": r"\textcurrency{}",
    "\N{TRADE MARK SIGN}": r"\textsuperscript{TM}",
    "\N{NUMERO SIGN}": r"N\textsuperscript{o}",
    "\N{PER MILLE SIGN}": r"\textperthousand{}",
    "\N{BROKEN BAR}": r"\textbrokenbar{}",
    "\N{FEMININE ORDINAL INDICATOR}": r"\textsuperscript{a}",
    "\N{MASCULINE ORDINAL INDICATOR}": r"\textsuperscript{o}",
}
_FORMULAS = {
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\ll",
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\gg",
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}": "<",
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}": ">",
    "\N{LATIN SMALL LETTER H WITH STROKE}": r"\hbar",
    "\N{YEN SIGN}": r"\yen",
    "\N{REGISTERED SIGN}": r"\circledR",
    "\N{OHM SIGN}": r"\Omega",
    "\N{INCREMENT}": r"\Delta",
    "\N{DEGREE SIGN}": r"{}^\circ",
    "\N{COLON EQUALS}": ":=",
    "\N{MATHEMATICAL DOUBLE-STRUCK DIGIT ONE}": r"\mathbf{1}",
}
_SHOWN = {
    symbol.character: command
    for command, symbol in reversed(tuple(COMMANDS.items()))
    if not symbol.character.isascii() and len(symbol.character) == 1
}
"""Commands of formulas by their characters."""
_ACCENTS = {mark: command for command, mark in ACCENTS.items()} | {"\N{COMBINING COMMA BELOW}": "textcommabelow"}
_BELOW = frozenset("dckb") | {"textcommabelow"}
_ACCENTS_OF_FORMULAS = {
    ACCENTS[accent]: name for accent, name in zip("`'^~=u.\"v", "grave acute hat tilde bar breve dot ddot check".split(), strict=True)
}


@lru_cache(maxsize=4096)
def set_character(character: str) -> str:
    r"""The TeX of one character that is not ASCII, in text; `\mdslchar` names one that the fonts of the engine lack."""
    if character in _GREEK_CAPITALS:
        return _GREEK_CAPITALS[character]
    if character in _SIGNS:
        return _SIGNS[character]
    formula = _formula(character)
    if formula is not None:
        return " " if formula == " " else rf"\ensuremath{{{formula}}}"
    return _accented(character) or _OF_COMMANDS.get(character) or _joined_letters(character) or rf"\mdslchar{{{ord(character):04X}}}"


def _formula(character: str) -> str | None:
    """The TeX of a sign of mathematics, in a formula."""
    if character in _FORMULAS:
        return _FORMULAS[character]
    if _accented(character) is not None:
        return None
    spelling = find_spelling(character) or _SHOWN.get(character)
    if spelling is None:
        return _accented_greek(character)
    return "{}" + spelling if spelling[0] in "_^" else spelling


def name_missing(character: str) -> str:
    """What stands for a character that no font has: nothing of a text vanishes."""
    return f"[U+{ord(character):04X}]"


def _accented(character: str) -> str | None:
    """A letter with its accents; the accents of text do not stand on one another, those of formulas do."""
    first, *marks = list(unicodedata.normalize("NFD", character))
    letter = _GREEK_CAPITALS.get(first, first)
    if not (letter.isascii() and letter.isalpha() and marks and _ACCENTS.keys() >= set(marks)):
        return None
    below = [mark for mark in marks if _ACCENTS[mark] in _BELOW]
    above = [mark for mark in marks if mark not in below]
    base = f"\\{letter}" if letter in "ij" and above else letter
    match above:
        case []:
            written = base
        case [mark]:
            written = f"\\{_ACCENTS[mark]}{{{base}}}"
        case _ if not _ACCENTS_OF_FORMULAS.keys() >= set(above):
            return None
        case _:
            stacked = _in_formula(rf"\mathrm{{{letter}}}", above)
            written = rf"\ensuremath{{{stacked}}}"
    for mark in below:
        written = f"\\{_ACCENTS[mark]}{{{written}}}"
    return written


def _accented_greek(character: str) -> str | None:
    first, *marks = list(unicodedata.normalize("NFD", character))
    spelling = find_spelling(first)
    if spelling is None or not marks or not _ACCENTS_OF_FORMULAS.keys() >= set(marks):
        return None
    return _in_formula(spelling, marks)


def _in_formula(formula: str, marks: Sequence[str]) -> str:
    for mark in marks:
        formula = rf"\{_ACCENTS_OF_FORMULAS[mark]}{{{formula}}}"
    return formula


def _joined_letters(character: str) -> str | None:
    """What Unicode also has as one character: ligatures, wide letters, Roman numerals, fractions."""
    letters = unicodedata.normalize("NFKC", character)
    above, slash, below = letters.partition("\N{FRACTION SLASH}")
    if slash and above.isdecimal() and below.isdecimal():
        return rf"\ensuremath{{\frac{{{above}}}{{{below}}}}}"
    return letters if letters.isascii() and letters.isalnum() else None
