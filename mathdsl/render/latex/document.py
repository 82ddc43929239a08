"""A whole document as a standalone article."""

from __future__ import annotations

from mathdsl.render.latex.blocks import write_blocks
from mathdsl.render.latex.inlines import write_inlines
from mathdsl.render.latex.labels import label_once, name_labels
from mathdsl.render.latex.preamble import COMMANDS, PACKAGES
from mathdsl.render.model import Typeset


def write_latex(document: Typeset) -> str:
    """LaTeX that needs only standard packages."""
    blocks = label_once(document.blocks)
    labels = name_labels(blocks)
    title = ""
    if document.title:
        authors = rf"\parbox{{.95\linewidth}}{{\centering {write_inlines(document.authors, labels)}}}" if document.authors else ""
        date = write_inlines(document.date, labels)
        title = f"\\title{{{write_inlines(document.title, labels)}}}\n\\author{{{authors}}}\n\\date{{{date}}}\n"
    opening = "\\begin{document}\n" + ("\\maketitle\n" if title else "")
    body = write_blocks(blocks, labels)
    return f"\\documentclass{{article}}\n{PACKAGES}{COMMANDS}{title}{opening}\n{body}\n\n\\end{{document}}\n"
