"""Inlines to LaTeX."""

from __future__ import annotations

from typing import assert_never

from mathdsl.render.document.model import (
    Code,
    Formula,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Math,
    Picture,
    Reference,
    Styled,
    Text,
    name_picture,
)
from mathdsl.render.tex_formulas import safe_tex
from mathdsl.render.write.latex.escaping import escape_code, escape_text, escape_web_address
from mathdsl.render.write.latex.expressions import write_expression
from mathdsl.render.write.latex.labels import NO_LABELS, Labels

_STYLES = {
    "emphasis": r"\emph",
    "strong": r"\textbf",
    "small-caps": r"\textsc",
    "superscript": r"\textsuperscript",
    "subscript": r"\textsubscript",
    "deleted": r"\mdsldeleted",
    "footnote": r"\footnote",
}
_COMMANDS = {"ref": r"\ref", "eqref": r"\eqref", "named": r"\ref"}


def write_inlines(inlines: Inlines, labels: Labels = NO_LABELS) -> str:
    """Inlines side by side."""
    return "".join(_write(inline, labels) for inline in inlines)


def write_heading(inlines: Inlines, labels: Labels) -> str:
    """Inlines of a heading, whose formulas and code are plain words in the outline of a PDF file."""
    return "".join(_write_in_heading(inline, labels) for inline in inlines)


def _write_in_heading(inline: Inline, labels: Labels) -> str:
    shown = _write(inline, labels)
    match inline:
        case Math(text) | Code(text):
            return rf"\texorpdfstring{{{shown}}}{{{escape_text(text)}}}"
        case Styled("footnote"):
            return rf"\texorpdfstring{{\protect{shown}}}{{}}"
        case _:
            return shown


def write_formula(latex: str) -> str:
    """A formula in a line; one that is not known to be harmless is shown as it was written."""
    formula = safe_tex(latex)
    return write_code(latex) if formula is None else f"${formula}$"


def write_cell(inlines: Inlines, labels: Labels = NO_LABELS) -> str:
    """Symbols and shapes in a narrow column, as the programs write them."""
    return "".join(in_cell(_write(inline, labels)) if isinstance(inline, Formula | Math) else _write(inline, labels) for inline in inlines)


def in_cell(formula: str) -> str:
    """A formula in a narrow column, whose lines may end after any comma."""
    return formula.replace(", ", r",\mdslbreak ")


def write_code(text: str) -> str:
    """Words in a typewriter font."""
    return rf"\texttt{{{escape_code(text)}}}"


def _write(inline: Inline, labels: Labels) -> str:
    match inline:
        case Text(text):
            return escape_text(text)
        case Math(latex):
            return write_formula(latex)
        case Formula(expression):
            return f"${write_expression(expression)}$"
        case Code(text):
            return write_code(text)
        case Styled(style, body):
            return f"{_STYLES[style]}{{{write_inlines(body, labels)}}}"
        case Link(target, body):
            return _link(target, write_inlines(body, labels), labels)
        case Reference(kind, names):
            return _reference(kind, names, labels)
        case LineBreak():
            return "\\leavevmode\\protect\\newline\n"
        case Picture():
            return write_inlines(name_picture(inline), labels)
        case _:
            assert_never(inline)


def _link(target: str, shown: str, labels: Labels) -> str:
    if target.startswith("#"):
        name = labels.get(target[1:])
        return shown if name is None else rf"\hyperref[{name}]{{{shown}}}"
    address = escape_web_address(target)
    return shown if address is None else rf"\href{{{address}}}{{{shown}}}"


def _reference(kind: str, names: tuple[str, ...], labels: Labels) -> str:
    """Numbers; what nothing in the document is labelled with is shown by its name."""
    if kind in _COMMANDS and all(name in labels for name in names):
        return ", ".join(f"{_COMMANDS[kind]}{{{labels[name]}}}" for name in names)
    return f"[{escape_text(', '.join(names))}]"
