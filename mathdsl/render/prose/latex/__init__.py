"""Prose in LaTeX: a small reader of our own, for what the text around programs is made of."""

from __future__ import annotations

from mathdsl.render.prose.latex.document import read_latex_prose as read_latex_prose
