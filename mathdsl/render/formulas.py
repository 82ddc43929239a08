r"""Formulas of prose, of descriptions and of tables, which are LaTeX: shown as they were written, whatever they hold."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from mathdsl.render.mathml import render_items_row, wrap_mathml
from mathdsl.render.mathml.elements import element, escape
from mathdsl.render.mathml.prose import convert_prose
from mathdsl.render.tex_commands import ARGUMENTS, NOTATION, OTHER_COMMANDS, REPLACED, SYMBOLS
from mathdsl.render.tex_formulas import safe_tex
from mathdsl.render.tex_reading import TOKEN, read_tex
from mathdsl.render.tex_symbols import Atom
from mathdsl.source.characters import CHARACTERS
from mathdsl.source.equal_spellings import find_spelling
from mathdsl.syntax.commands import COMMANDS, is_known_name
from mathdsl.syntax.display.tex import render_items
from mathdsl.syntax.inline import parse_formula
from mathdsl.syntax.nodes import Expression

__all__ = ["formula_mathml", "read_formula", "safe_tex"]

KEPT = 2048
"""How many formulas are remembered: a document says the same ones again and again."""

_FONTS = frozenset({r"\mathrm", r"\mathit"})
"""Fonts whose words are names of our language; the others are commands of it."""

_COMMAND = re.compile(r"\\[A-Za-z]+")
_CHARACTER = re.compile(CHARACTERS)
_PASSED_OVER = frozenset({"{", "}", r"\left", r"\right"})
_SYNONYMS: Mapping[str, str] = MappingProxyType(
    dict(
        pair.split("=", 1)
        for pair in (
            r"\le=\leq \ge=\geq \ne=\neq \rightarrow=\to \leftarrow=\gets \wedge=\land \vee=\lor \neg=\lnot \lbrace=\{ \rbrace=\} "
            r"\lbrack=[ \rbrack=] \ldots=\dots \dotsc=\dots \vert=| \lvert=| \rvert=| \Vert=\| \lVert=\| \rVert=\|"
        ).split()
    )
)
"""Commands that TeX sets alike."""

_BRACKETS = frozenset("()[]{}|‖,;:")
_MARKUP = frozenset("\\$")  # words with formulas or escaped characters in them, which our language leaves as they are


@lru_cache(maxsize=KEPT)
def read_formula(latex: str) -> tuple[Expression, ...] | None:
    r"""The expression of a formula, or those of a comma list such as `t = 1, \dots, S`; None for what is none of our language.

    Written again, it has to be what it was: our language takes some signs for others, `:=` for an arrow, `\mid` for a semicolon.
    """
    if any(_is_foreign(command) for command in set(_COMMAND.findall(latex))):
        return None
    items = parse_formula(latex)
    return items if items is not None and _tokens(render_items(items)) == _tokens(latex) else None


def _is_foreign(command: str) -> bool:
    r"""`\approx`: TeX's, not ours; our grammar would take it for a name."""
    if command in COMMANDS or command in _FONTS or is_known_name(command):
        return False
    return command in SYMBOLS or command in ARGUMENTS or command in OTHER_COMMANDS


def _tokens(latex: str) -> list[str]:
    """What is seen of a formula, apart from how it is grouped."""
    spelled = _CHARACTER.sub(lambda match: f"{find_spelling(match[0]) or match[0]} ", latex)
    parts = (part for token in TOKEN.findall(spelled) for part in TOKEN.findall(REPLACED.get(token, token)))
    return [_SYNONYMS.get(token, token).removesuffix("*") or token for token in parts if not token.isspace() and token not in _PASSED_OVER]


@lru_cache(maxsize=KEPT)
def formula_mathml(latex: str, *, display: bool) -> str:
    """A formula as MathML, from our own AST where that shows what was written, from TeX's reading of it, otherwise its source as code."""
    items = read_formula(latex)
    row = None if items is None else render_items_row(items)
    if row is not None and _shows_only(row, latex):
        return wrap_mathml(row, display=display)
    body = read_tex(latex)
    if body is not None:
        return wrap_mathml(convert_prose(body, display=display), display=display)
    return element("code", escape(latex)) if row is None else wrap_mathml(row, display=display)


def cell_mathml(latex: str, *, is_right: bool) -> str:
    """A cell of an equation, set as in a display; one at the right goes on after that at its left."""
    body = read_tex(latex)
    if body is None:
        return formula_mathml(latex, display=False)
    row = convert_prose(body, display=True, before=Atom.ORD if is_right else None)
    return element("math", row, displaystyle="true")


def _shows_only(row: str, latex: str) -> bool:
    """Whether the row has the brackets and commas that the author wrote, apart from those of our notation, and no markup."""
    if any(command in NOTATION or command == r"\Call" for command in _COMMAND.findall(latex)):
        return True
    shown = Counter(html.unescape(re.sub(r"<[^>]*>", "", row)))
    written = Counter(sign for token in _tokens(latex) for sign in (r"‖" if token == r"\|" else token.lstrip("\\")))
    written["{"], written["}"] = (len(re.findall(rf"\\{side}", latex)) for side in (r"(?:\{|lbrace)", r"(?:\}|rbrace)"))
    return not shown.keys() & _MARKUP and all(shown[sign] == written[sign] for sign in _BRACKETS)
