r"""Formulas between dollar signs, in the part of TeX that MathJax, KaTeX and GitHub share and that Markdown does not touch.

`\{`, `\\`, `\,` lose their backslash where Markdown is read first; `<`, `|`, `*` are markup there; GitHub refuses `\operatorname`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from mathdsl.render.tex_formulas import safe_tex
from mathdsl.render.write.latex.expressions import piece
from mathdsl.render.write.latex.statements import dollars
from mathdsl.render.write.markdown.escaping import code_block, code_span, escape_text
from mathdsl.syntax.nodes import Expression

_SPELLINGS = MappingProxyType(
    {
        r"\{": r"\lbrace",
        r"\}": r"\rbrace",
        r"\|": r"\Vert",
        r"\\": r"\cr",
        r"\,": r"\thinspace",
        r"\:": r"\medspace",
        r"\;": r"\thickspace",
        r"\!": r"\negthinspace",
        "|": r"\vert",
        "<": r"\lt",
        ">": r"\gt",
        "*": r"\ast",
        "~": r"\ ",
        r"\bmod": r"\mathbin{\mathrm{mod}}",
    }
)
_OPERATOR = re.compile(r"\\operatorname(\*?)\s*\{([^{}]*)\}(?=\s*([_^]?))")
_TOKEN = re.compile(r"\\begin\{array\}\{[lcr|]*\}|\\[A-Za-z]+|\\[\s\S]|[\s\S]")
_TAG = re.compile(r"(?:[^\W_]|[ .,:;'()/+′∗⋆†‡-])*")
_ESCAPED = re.compile(r"\\([#%&_$])")


def mathjax(latex: str) -> str:
    """A formula of ours, spelled so that Markdown leaves it alone."""
    parts: list[str] = []
    for token in _TOKEN.findall(_OPERATOR.sub(_operator, latex)):
        if token in _SPELLINGS:
            parts.append(_SPELLINGS[token])
        elif _ESCAPED.fullmatch(token):
            parts.append(rf"\text{{\{token}}}" if token[1] == "$" else token)
        else:
            if token[0].isalnum() and parts and parts[-1] in _SPELLINGS.values():
                parts.append(" ")
            parts.append(token)
    return "".join(parts).replace("\n", " ").strip()


def _operator(match: re.Match[str]) -> str:
    """Only the starred one has its limits below it in a display."""
    return rf"\mathop{{\mathrm{{{match[2]}}}}}" + (r"\nolimits" if match[3] and not match[1] else "")


def inline_formula(latex: str, *, in_table: bool = False) -> str:
    """A formula of prose; one that is not known to be harmless is shown as it was written."""
    formula = safe_tex(latex, "mathjax")
    if formula is None or (in_table and r"\begin{array}" in formula):
        return code_span(latex, in_table=in_table)
    return f"${mathjax(formula)}$"


def display_formula(latex: str, number: str = "") -> str:
    """A formula on a line of its own."""
    formula = safe_tex(latex, "mathjax")
    tag = _tag(number)
    if formula is None or tag is None:
        shown = code_block(latex, "latex") if formula is None else f"$$\n{mathjax(formula)}\n$$"
        return f"{shown}\n\n({escape_text(number)})" if number else shown
    return f"$$\n{mathjax(formula)}{tag}\n$$"


def display_rows(rows: Sequence[tuple[Sequence[str], str, str]]) -> str:
    """Cells below each other, from rows of cells, of the same as one formula, and of a number; rows that cannot be set so stand alone."""
    lines: list[str] = []
    for cells, _, number in rows:
        formulas, tag = [safe_tex(cell, "mathjax") if cell else "" for cell in cells], _tag(number)
        if tag is None or any(formula is None for formula in formulas):
            return "\n\n".join(display_formula(whole, number) for _, whole, number in rows)
        lines.append(" & ".join(mathjax(formula or "") for formula in formulas) + tag)
    return "\n".join(["$$", r"\begin{align*} " + r" \cr ".join(lines) + r" \end{align*}", "$$"])


def _tag(number: str) -> str | None:
    """The command that says a number, '' where there is none; None for one that Markdown or TeX would not take."""
    shown = number.replace("*", "\N{ASTERISK OPERATOR}")
    return None if not _TAG.fullmatch(shown) else rf" \tag{{{shown}}}" if shown else ""


def expression(node: Expression) -> str:
    """An expression of a program in a line."""
    return f"${mathjax(dollars(piece(node))[1:-1])}$"
