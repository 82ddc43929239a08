"""The signs of the notation: the Unicode character of each command, and what kind of sign it is."""

from __future__ import annotations

import string
from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.vocabulary import VOCABULARY, of_kinds, of_terminals

_SIGNS = r"""
    +=+ -=− \cdot=⋅ \odot=⊙ *=∗ \circ=∘ \times=× \otimes=⊗ \land=∧ \lor=∨ ;=;
    \neq=≠ <=< >=> \leq=≤ \geq=≥ \in=∈ \notin=∉ \sim=∼ \to=→ \gets=←
"""


def _table(rows: str) -> dict[str, str]:
    return dict(row.rsplit("=", 1) for row in rows.split())


ITALIC_LETTERS: Mapping[str, str] = MappingProxyType(
    {row.name: row.shown for row in of_kinds("letter")} | {"omicron": VOCABULARY[r"\omicron"].shown}
)
"""Commands (without backslash) of letters that are slanted like Latin ones."""

UPRIGHT_LETTERS: Mapping[str, str] = MappingProxyType(
    {row.name: row.shown for row in of_kinds("sign", "language") if row.terminal == "NAME" and row.name not in ("omicron", "prime")}
)
"""Commands of letters and signs that stand upright."""

_NO_GAP, _BINARY_GAP, _RELATION_GAP, _WORD_GAP = ({"lspace": gap, "rspace": gap} for gap in ("0", "0.2222em", "0.2778em", "0.3em"))
SIGNS: Mapping[str, tuple[str, Mapping[str, str]]] = MappingProxyType(
    {
        **{command: (sign, {}) for command, sign in _table(_SIGNS).items()},
        **{sign: (sign, _NO_GAP) for sign in (":", ".", "/")},
        "=": ("=", {}),
        "@": ("@", _BINARY_GAP),
        "||": ("∥", _BINARY_GAP),
        r"\mid": ("∣", _RELATION_GAP),
        r"\bmod": ("mod", _WORD_GAP),
        r"\algoIs": ("is", _WORD_GAP),
    }
)
"""Operators, relations and marks in their canonical spelling: the character, and the spaces that differ from the operator dictionary's."""

LARGE_OPERATORS: Mapping[str, str] = MappingProxyType({row.name: row.shown for row in of_terminals("REDUCTION")})

ACCENTS: Mapping[str, str] = MappingProxyType({row.name: row.shown for row in of_kinds("accent")})
"""Accents of the size of a letter: the sign above."""

WIDE_ACCENTS: Mapping[str, str] = MappingProxyType({row.name: row.shown for row in of_kinds("wide")})
"""Accents that are as wide as what they stand on, where the font has such a sign."""

PRIMES = ("", "′", "″", "‴", "⁗")

_HOLES = {
    "mathcal": "B=ℬ E=ℰ F=ℱ H=ℋ I=ℐ L=ℒ M=ℳ R=ℛ e=ℯ g=ℊ o=ℴ",
    "mathbb": "C=ℂ H=ℍ N=ℕ P=ℙ Q=ℚ R=ℝ Z=ℤ",
    "mathfrak": "C=ℭ H=ℌ I=ℑ R=ℜ Z=ℨ",
}
_ALPHABETS = {  # the first capital, the first small letter, the first digit, the first capital and small Greek letter; 0: none
    "mathcal": (0x1D49C, 0x1D4B6, 0, 0, 0),
    "mathbb": (0x1D538, 0x1D552, 0x1D7D8, 0, 0),
    "mathbf": (0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2),
    "boldsymbol": (0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736),
    "mathsf": (0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0),
    "mathtt": (0x1D670, 0x1D68A, 0x1D7F6, 0, 0),
    "mathfrak": (0x1D504, 0x1D51E, 0, 0, 0),
}
_GREEK_CAPITALS = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇"
_GREEK_SMALL = "αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"


def _alphabet(font: str) -> dict[str, str]:
    runs = (string.ascii_uppercase, string.ascii_lowercase, string.digits, _GREEK_CAPITALS, _GREEK_SMALL)
    letters = {
        letter: chr(first + place) for run, first in zip(runs, _ALPHABETS[font], strict=True) if first for place, letter in enumerate(run)
    }
    return letters | _table(_HOLES.get(font, ""))


FONTS: Mapping[str, Mapping[str, str]] = MappingProxyType({font: MappingProxyType(_alphabet(font)) for font in _ALPHABETS})
"""The mathematical alphabets: of each font, the character that stands for a letter."""
