"""The mathematical alphabets of Unicode: of each font, the character that stands for a letter."""

from __future__ import annotations

import string
from collections.abc import Mapping
from types import MappingProxyType

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
    return letters | dict(hole.split("=") for hole in _HOLES.get(font, "").split())


ALPHABETS: Mapping[str, Mapping[str, str]] = MappingProxyType({font: MappingProxyType(_alphabet(font)) for font in _ALPHABETS})


def in_font(text: str, font: str) -> str:
    """The letters of an alphabet; what it does not have stays."""
    alphabet = ALPHABETS.get(font, {})
    return "".join(alphabet.get(letter, letter) for letter in text)
