r"""The table of equal spellings: Unicode characters that stand for a LaTeX spelling of the language.

A spelling that ends in a command is followed by a space where a letter would otherwise lengthen it (`θx` is `\theta x`).
Whatever is not here is refused in program text, above all the letters that look like others.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from mathdsl.vocabulary import VOCABULARY

_OTHERS = {
    "ℝ": r"\mathbb{R}",
    "ℕ": r"\mathbb{N}",
    "ℤ": r"\mathbb{Z}",
    "𝔹": r"\mathbb{B}",
    "𝟙": r"\mathbb{1}",
    "𝟎": r"\mathbf{0}",
    "𝟏": r"\mathbf{1}",
    "𝒩": r"\mathcal{N}",
    "𝒰": r"\mathcal{U}",
    "−": "-",
    "∗": "*",
    "∕": "/",
    "∶": ":",
    "′": "'",
    "″": "''",
    "‴": "'''",
}

EQUAL_SPELLINGS = {character: row.spelling for row in VOCABULARY.values() for character in row.typed} | _OTHERS
"""One character, its LaTeX."""

_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx")) | {
    "ᵦ": r"\beta",
    "ᵧ": r"\gamma",
    "ᵨ": r"\rho",
    "ᵩ": r"\varphi",
    "ᵪ": r"\chi",
}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "0123456789+-=()abcdefghijklmnoprstuvwxyz")) | {
    "ᵀ": r"\top",
    "ᵝ": r"\beta",
    "ᵞ": r"\gamma",
    "ᵟ": r"\delta",
    "ᶿ": r"\theta",
    "ᵠ": r"\varphi",
    "ᵡ": r"\chi",
}
SCRIPTS = {"_": _SUBSCRIPTS, "^": _SUPERSCRIPTS}
"""Characters that are scripts by themselves; a run of them is one braced script (`h₍ₜ₋₁₎`, `x₁₂` is `x_{12}`)."""

COMBINING_ACCENTS = {
    "\N{COMBINING CIRCUMFLEX ACCENT}": "hat",
    "\N{COMBINING TILDE}": "tilde",
    "\N{COMBINING MACRON}": "bar",
    "\N{COMBINING OVERLINE}": "overline",
    "\N{COMBINING DOT ABOVE}": "dot",
    "\N{COMBINING RIGHT ARROW ABOVE}": "vec",
}
"""Marks that follow their letter, also those inside a precomposed letter (`ŷ`)."""


@lru_cache(maxsize=1024)
def find_spelling(run: str) -> str | None:
    """The LaTeX of a symbol, of a letter with its accents, of a run of sub- or superscripts, or of a space; None for anything else."""
    if run in EQUAL_SPELLINGS:
        return EQUAL_SPELLINGS[run]
    for mark, table in SCRIPTS.items():
        if all(character in table for character in run):
            return mark + "{" + _join([table[character] for character in run]) + "}"
    if len(run) == 1 and unicodedata.category(run) == "Zs":
        return " "
    return _find_accented(run)


def _find_accented(run: str) -> str | None:
    decomposed = unicodedata.normalize("NFD", run)
    letter, marks = decomposed[0], decomposed[1:]
    spelling = EQUAL_SPELLINGS.get(letter, letter if letter.isascii() and letter.isalpha() else None)
    if spelling is None or not marks or any(mark not in COMBINING_ACCENTS for mark in marks):
        return None
    for mark in marks:
        spelling = f"\\{COMBINING_ACCENTS[mark]}{{{spelling}}}"
    return spelling


def _join(spellings: list[str]) -> str:
    r"""Side by side, with a space between a command and a letter (`\beta x`)."""
    text = ""
    for spelling in spellings:
        gap = " " if text[-1:].isalpha() and "\\" in text[text.rfind(" ") + 1 :] and spelling[0].isalpha() else ""
        text += gap + spelling
    return text
