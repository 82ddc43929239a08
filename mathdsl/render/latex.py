r"""The AST to canonical LaTeX. The functions live with the syntax, whose later stages quote equations in messages."""

from __future__ import annotations

from mathdsl.syntax.latex import render_declaration, render_document, render_expression, render_statement

__all__ = ["render_declaration", "render_document", "render_expression", "render_statement"]
