r"""Formulas of prose, of descriptions and of tables, which are LaTeX: read by our own grammar, and shown whatever they hold."""

from __future__ import annotations

import re

from mathdsl.render.mathml import render_items_row, wrap_mathml
from mathdsl.render.mathml.elements import element, escape
from mathdsl.render.mathml.foreign import convert_foreign
from mathdsl.render.tex_commands import ARGUMENTS, SYMBOLS
from mathdsl.render.tex_formulas import safe_tex
from mathdsl.syntax.commands import COMMANDS, is_known_name
from mathdsl.syntax.inline import parse_formula
from mathdsl.syntax.nodes import Expression

__all__ = ["formula_mathml", "read_formula", "safe_tex"]

_FONTS = frozenset({r"\mathrm", r"\mathit"})
"""Fonts whose words are names of our language; the others are commands of it."""

_COMMAND = re.compile(r"\\[A-Za-z]+")


def read_formula(latex: str) -> tuple[Expression, ...] | None:
    r"""The expression of a formula, or those of a comma list such as `t = 1, \dots, S`; None for what is none of our language."""
    if any(_is_foreign(command) for command in set(_COMMAND.findall(latex))):
        return None
    return parse_formula(latex)


def _is_foreign(command: str) -> bool:
    r"""`\approx`: TeX's, not ours; our grammar would take it for a name."""
    if command in COMMANDS or command in _FONTS or is_known_name(command):
        return False
    return command in SYMBOLS or command in ARGUMENTS


def formula_mathml(latex: str, *, display: bool) -> str:
    """A formula as MathML, from our own AST where it reads, from latex2mathml where TeX would set it, otherwise its source as code."""
    items = read_formula(latex)
    if items is not None:
        return wrap_mathml(render_items_row(items), display=display)
    tex = safe_tex(latex)
    row = None if tex is None else convert_foreign(tex)
    if row is None:
        return element("code", escape(latex))
    return wrap_mathml(row, display=display)
