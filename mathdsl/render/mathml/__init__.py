"""MathML Core made from the AST: what browsers typeset without a script, a style sheet or a font of ours."""

from __future__ import annotations

from mathdsl.render.mathml.elements import element, space, words
from mathdsl.render.mathml.expressions import piece, sign
from mathdsl.render.mathml.parts import render_parts
from mathdsl.render.mathml.statements import (
    render_declaration_row,
    render_definition_row,
    render_items_row,
    render_range_row,
    render_sampling_row,
)
from mathdsl.render.mathml.style import MATHML_STYLE
from mathdsl.syntax.nodes import Expression

__all__ = [
    "MATHML_STYLE",
    "render_declaration_row",
    "render_definition_row",
    "render_items_row",
    "render_mathml",
    "render_mathml_row",
    "render_parts",
    "render_range_row",
    "render_sampling_row",
    "sign",
    "space",
    "words",
    "wrap_mathml",
]


def render_mathml(expression: Expression, *, display: bool) -> str:
    """A `<math>` element; `display`: on a line of its own, with limits under and over large operators."""
    return wrap_mathml(render_mathml_row(expression), display=display)


def render_mathml_row(expression: Expression) -> str:
    """Elements side by side, to be composed with others and put into `wrap_mathml`."""
    return piece(expression).markup


def wrap_mathml(row: str, *, display: bool) -> str:
    """A row as a `<math>` element."""
    return element("math", row, display="block") if display else element("math", row)
