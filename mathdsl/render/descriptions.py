r"""Descriptions and comments: the author's LaTeX beside a formula, read as text with formulas in it."""

from __future__ import annotations

import re

from mathdsl.render.model import Inline, Inlines, Math, Text

_FORMULA = re.compile(r"\$((?:[^$\\]|\\.)+)\$|\\\(((?:[^\\]|\\[^)])+)\\\)", re.DOTALL)
_ESCAPED = re.compile(r"\\([%&#_{}$ ])")


def read_description(latex: str) -> Inlines:
    r"""`the state after $t$ positions, 5\% of it`: text and formulas; whatever else stands there is text."""
    found: list[Inline] = []
    position = 0
    for formula in _FORMULA.finditer(latex):
        _add_text(found, latex[position : formula.start()])
        found.append(Math((formula[1] or formula[2]).strip()))
        position = formula.end()
    _add_text(found, latex[position:])
    return tuple(found)


def _add_text(found: list[Inline], text: str) -> None:
    if text:
        found.append(Text(_ESCAPED.sub(r"\1", text).replace("~", "\u00a0").replace("---", "—").replace("--", "–")))
