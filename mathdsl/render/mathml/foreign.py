"""Formulas outside our language: latex2mathml's MathML, of which only elements, attributes and values that we know are kept."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from mathdsl.render.mathml.elements import element, escape
from mathdsl.render.mathml.symbols import FONTS

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TOKENS = frozenset({"mi", "mn", "mo", "mtext"})
_ROWS = "mrow mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mspace mpadded mphantom mstyle"
ELEMENTS = _TOKENS | frozenset(_ROWS.split())
_ATTRIBUTES = frozenset(
    "accent accentunder depth displaystyle form height largeop linethickness lspace maxsize minsize movablelimits rspace scriptlevel "
    "stretchy symmetric voffset width".split()
)
_VALUE = re.compile(r"[+-]?[0-9.]+(?:em|ex|pt|px|%)?|true|false|prefix|infix|postfix")
_ALPHABETS: Mapping[str, str] = MappingProxyType(
    {"bold": "mathbf", "double-struck": "mathbb", "script": "mathcal", "bold-italic": "boldsymbol"}
)
"""Values of `mathvariant`, which MathML Core does not have: the letters themselves are exchanged."""

_OPERATORS = frozenset("±∓")  # the library gives them out as names, which have no space around them


class _NotUnderstood(Exception):
    """The result holds what the library did not read."""


def convert_foreign(latex: str) -> str | None:
    """A row of MathML for a formula that `safe_tex` let through; None where the library does not read it."""
    from latex2mathml.converter import convert_to_element

    try:
        tree = convert_to_element(latex.replace("{aligned}", "{split}").replace("{gathered}", "{split}"))
        return "".join(_kept(child) for child in tree)
    except _failures():
        return None


def _failures() -> tuple[type[Exception], ...]:
    """The library's own errors, which have no common base, and what it may stumble over."""
    from latex2mathml import exceptions

    own = (value for name, value in vars(exceptions).items() if name.endswith("Error"))
    return (_NotUnderstood, *own, LookupError, ValueError)


def _kept(node: Element) -> str:
    tag = node.tag
    if tag not in ELEMENTS:
        return element("mrow", *(_kept(child) for child in node))
    attributes = {name: value for name, value in node.attrib.items() if name in _ATTRIBUTES and _VALUE.fullmatch(value)}
    if tag not in _TOKENS:
        if tag == "mtd" and node.get("columnalign") in ("left", "right"):
            attributes["style"] = f"text-align:{node.get('columnalign')}"
        return element(tag, *(_kept(child) for child in node), **attributes)
    text = html.unescape(node.text or "")
    if text == "&" or text.startswith("\\"):
        raise _NotUnderstood
    if text in _OPERATORS:
        tag = "mo"
    variant = node.get("mathvariant", "")
    if variant == "normal" and tag == "mi":
        attributes["mathvariant"] = variant
    letters = FONTS.get(_ALPHABETS.get(variant, ""), {})
    return element(tag, escape("".join(letters.get(letter, letter) for letter in text)), **attributes)
