"""Blocks to LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from mathdsl.render.document.model import (
    Block,
    DisplayMath,
    Equations,
    Float,
    Grid,
    Heading,
    Inlines,
    ItemList,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Typeset,
    Verbatim,
    quote_title,
)
from mathdsl.render.tex_formulas import safe_tex
from mathdsl.render.write.latex.escaping import escape_code, escape_text
from mathdsl.render.write.latex.inlines import write_heading, write_inlines
from mathdsl.render.write.latex.labels import Labels, label_once, name_labels
from mathdsl.render.write.latex.listings import write_listing
from mathdsl.render.write.latex.preamble import COMMANDS, PACKAGES
from mathdsl.render.write.latex.tables import write_grid, write_notation, write_symbols
from mathdsl.render.write.latex.widths import inlines_width

_SECTIONS = ("section", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_LISTS = {"bullets": "itemize", "numbers": "enumerate", "terms": "description"}
_DEEPEST = 4  # lists in lists that LaTeX takes
_LONG_TERM = 25.0  # ems of a term that LaTeX would not break over lines


def write_blocks(blocks: Sequence[Block], labels: Labels, depth: int = 0) -> str:
    """Blocks, a blank line between them; `depth` lists stand around them."""
    return "\n\n".join(filter(None, (write_block(block, labels, depth) for block in blocks)))


def write_block(block: Block, labels: Labels, depth: int = 0) -> str:
    match block:
        case Heading(level, body, label, is_numbered, begins_appendix):
            command = _SECTIONS[min(level, len(_SECTIONS) - 1)] + ("" if is_numbered else "*")
            appendix = "\\appendix\n" if begins_appendix else ""
            return f"{appendix}\\{command}{{{write_heading(body, labels)}}}" + _anchor(label, labels)
        case Paragraph(body):
            return write_inlines(body, labels)
        case ItemList(kind, items):
            return _list(kind, items, labels, depth)
        case Quote():
            return _quote(block, labels, depth)
        case Float():
            return _float(block, labels, depth)
        case Verbatim(text):
            return _verbatim(text)
        case DisplayMath():
            return _display(block, labels)
        case Equations(rows):
            return _equations(rows, labels)
        case Grid():
            return write_grid(block, labels)
        case Listing(tables=tables):
            return "\n\n".join(filter(None, (write_listing(block, labels), write_symbols(tables, labels))))
        case Notation():
            return write_notation(block, labels)
        case Place():
            return ""
        case _:
            assert_never(block)


def _anchor(label: str, labels: Labels) -> str:
    return rf"\label{{{labels[label]}}}" if label in labels else ""


def _quote(quote: Quote, labels: Labels, depth: int) -> str:
    title = quote_title(quote)
    head = rf"\textbf{{{escape_text(title)}}}{_own_number(quote, labels)}\par " if title else ""
    if depth >= _DEEPEST:
        return head + write_blocks(quote.body, labels, depth)
    return f"\\begin{{quote}}\n{head}{write_blocks(quote.body, labels, depth + 1)}\n\\end{{quote}}"


def _float(block: Float, labels: Labels, depth: int) -> str:
    """It stays where it stands; a caption is above a table, below anything else."""
    words = rf"\textbf{{{block.kind.capitalize()} {block.number}}}: {write_inlines(block.caption, labels)}"
    said = f"\\begin{{center}}{_own_number(block, labels)}\n{words}\n\\end{{center}}"
    body = write_blocks(block.body, labels, depth)
    return "\n\n".join((said, body) if block.kind == "table" else (body, said))


def _own_number(block: Quote | Float, labels: Labels) -> str:
    """What its label says: the number that the document has given to it."""
    return rf"\mdslanchor{{{escape_text(block.number)}}}{{}}{_anchor(block.label, labels)}" if block.label else ""


def _list(kind: str, items: Sequence[tuple[Inlines, tuple[Block, ...]]], labels: Labels, depth: int) -> str:
    if depth >= _DEEPEST:
        return "\n\n".join(f"{write_inlines(term, labels)} {write_blocks(body, labels, depth)}" for term, body in items)
    name = _LISTS[kind]
    lines = []
    for term, body in items:
        lines.append(f"{_item(kind, term, labels)} {write_blocks(body, labels, depth + 1)}")
    return "\n".join([rf"\begin{{{name}}}", *lines, rf"\end{{{name}}}"]) if lines else ""


def _item(kind: str, term: Inlines, labels: Labels) -> str:
    words = write_inlines(term, labels)
    if inlines_width(term) > _LONG_TERM:
        return rf"\item[]\textbf{{{words}}}\par"
    return rf"\item[{{{words}}}]" if kind == "terms" or term else r"\item{}"


def _verbatim(text: str) -> str:
    lines = "\n".join(rf"\mdslcode{{{escape_code(line)}}}" for line in text.strip("\n").expandtabs().split("\n"))
    return f"\\begin{{mdslverbatim}}\n{lines}\n\\end{{mdslverbatim}}"


def _display(display: DisplayMath, labels: Labels) -> str:
    """A formula of prose; one that is not known to be harmless is shown as it was written, under the number it has."""
    anchor = _anchor(display.label, labels)
    safe = safe_tex(display.latex)
    if safe is None:
        numbered = r"\refstepcounter{equation}" if display.number is not None else rf"\mdslanchor{{{escape_text(display.tag)}}}{{}}"
        return _verbatim(display.latex) + (numbered + anchor if anchor or display.number is not None else "")
    if display.number is None and not display.tag:
        return f"\\[\n{safe}\n\\]"
    tag = rf"\tag{{{escape_text(display.tag)}}}" if display.tag else ""
    return f"\\begin{{equation}}{tag}{anchor}\n{safe}\n\\end{{equation}}"


def _equations(rows: Sequence[DisplayMath], labels: Labels) -> str:
    """Rows in columns; where one of them is not known to be harmless, each stands for itself."""
    lines: list[str] = []
    for row in rows:
        cells = [safe_tex(cell) if cell else "" for cell in row.cells]
        if None in cells:
            return "\n\n".join(_display(each, labels) for each in rows)
        written = " & ".join(cell or "{}" for cell in cells)
        # TeX would take a bracket or a star for a part of the line's end before it.
        lines.append(f"{'{}' if written[0] in '[*' else ''}{written}{_mark(row, labels)}")
    return "\n".join([r"\begin{align}", " \\\\\n".join(lines), r"\end{align}"])


def _mark(display: DisplayMath, labels: Labels) -> str:
    anchor = _anchor(display.label, labels)
    if display.tag:
        return rf" \tag{{{escape_text(display.tag)}}}{anchor}"
    return anchor if display.number is not None else r" \notag"


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
