"""Tables of symbols and of prose: columns as wide as what they hold needs, none wider than the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mathdsl.render.latex.columns import share_line
from mathdsl.render.latex.escaping import WORD_BREAK
from mathdsl.render.latex.inlines import find_formula, in_cell, write_cell, write_code, write_inlines
from mathdsl.render.latex.page import Page
from mathdsl.render.latex.statements import operand, render_type
from mathdsl.render.latex.widths import code_width, estimate_width, text_width
from mathdsl.render.model import Code, Grid, Inlines, LineBreak, Link, Math, Notation, Reference, Styled, SymbolTable, TableRow, Text
from mathdsl.render.starts import find_start
from mathdsl.syntax.nodes import Declaration

_WORDY = 0.3  # the part of a line that a column of words needs
_PADDING = 0.4
_BREAKS = re.compile(r"\\times|, |\\mdslbreak")


@dataclass(frozen=True, slots=True)
class _Cell:
    """LaTeX of a cell, the ems that it takes on one line, and the ems of its longest piece that no line ends in."""

    latex: str
    width: float
    least: float = 0.0


def write_symbols(tables: Sequence[SymbolTable], page: Page) -> str:
    """The tables of one program, whose columns are equally wide."""
    head = ("Symbol", "Python", "Shape", "Description")
    rows = [[_cells(row, page) for row in table.rows] for table in tables]
    sizes = _sizes(head, [row for own in rows for row in own], page.line)
    return "\n\n".join(_table(table.title, head, sizes, own) for table, own in zip(tables, rows, strict=True))


def write_notation(notation: Notation, page: Page) -> str:
    """A table of declarations for the whole document."""
    head = ("Symbol", "Type", "", "Description")
    rows = [_declared(declaration, description, page) for declaration, description in notation.rows]
    return _table("Notation", head, _sizes(head, rows, page.line), rows)


def _declared(declaration: Declaration, description: Inlines, page: Page) -> tuple[_Cell, ...]:
    said = _formula(render_type(declaration))
    words = _Cell(write_inlines(description, page.labels), inlines_width(description))
    if declaration.relation is not None:
        return said, _EMPTY, _EMPTY, words
    symbols = [_formula(operand(symbol)) for symbol in declaration.symbols]
    shown = _Cell(", ".join(cell.latex for cell in symbols), sum(cell.width for cell in symbols), max(cell.least for cell in symbols))
    return shown, said, _EMPTY, words


_EMPTY = _Cell("", 0.0)


def _cells(row: TableRow, page: Page) -> tuple[_Cell, ...]:
    python = row.row.python
    description, width = write_inlines(row.description, page.labels), inlines_width(row.description)
    start = _start(row)
    description += (", " if description and start else "") + start
    width += estimate_width(start)
    name = _Cell(write_code(python), code_width(python), min(code_width(python), _PADDING + code_width("x" * WORD_BREAK)))
    return (
        _formula(find_formula(row.symbol) or row.symbol, write_cell((Math(row.symbol),))),
        name,
        _shape(row, page),
        _Cell(description, width),
    )


def _shape(row: TableRow, page: Page) -> _Cell:
    return _Cell(write_cell(row.shape, page.labels), inlines_width(row.shape), max(_unbroken(row.shape)))


def _unbroken(inlines: Inlines) -> list[float]:
    """Ems of what no line ends in: words, with the formulas that they touch."""
    pieces = [0.0]
    for inline in inlines:
        match inline:
            case Text(text):
                first, *rest = text.split(" ")
                pieces[-1] += text_width(first)
                pieces += [text_width(word) for word in rest]
            case Math(latex):
                pieces[-1] += _formula(find_formula(latex) or "").least
            case _:
                pieces[-1] += _inline_width(inline)
    return pieces


def _formula(latex: str, shown: str = "") -> _Cell:
    least = max(estimate_width(part) for part in _BREAKS.split(latex))
    return _Cell(shown or f"${in_cell(latex)}$", estimate_width(latex), least)


def _start(row: TableRow) -> str:
    start = find_start(row)
    if start is None:
        return ""
    words, value = start
    return f"{words} ${in_cell(operand(value))}$"


def _sizes(head: Sequence[str], rows: Sequence[Sequence[_Cell]], line: float) -> str:
    """The parts of a line that the first three columns take, as arguments."""
    least = [
        max([text_width(title), *(row[n].least for row in rows)]) + _PADDING if any(row[n].width for row in rows) else 0.0
        for n, title in enumerate(head)
    ]
    widths = [[cell.width + _PADDING if cell.width else 0.0 for cell in row] for row in rows]
    return "".join(f"{{{share:.3f}}}" for share in share_line(widths, [*least[:-1], _WORDY * line], line))


def _table(title: str, head: Sequence[str], sizes: str, rows: Sequence[Sequence[_Cell]]) -> str:
    lines = [rf"\mdslrow{''.join(f'{{{cell.latex}}}' for cell in row)}" for row in rows]
    first = rf"\mdslhead{''.join(f'{{{cell}}}' for cell in head)}"
    return "\n".join([rf"\begin{{mdsltable}}{{{title}}}{sizes}", first, *lines, r"\end{mdsltable}"])


def write_grid(grid: Grid, page: Page) -> str:
    """A table of prose, its columns sharing the line by what they hold."""
    table = [grid.head, *grid.rows] if grid.head else list(grid.rows)
    count = max((len(row) for row in table), default=0)
    if not count:
        return ""
    widths = [max([inlines_width(row[n]) for row in table if n < len(row)], default=0.0) + 1.5 for n in range(count)]
    total = sum(widths)
    narrow = min(1.0, total / page.line) / total
    columns = "".join(rf"p{{\dimexpr{width * narrow:.3f}\linewidth-2\tabcolsep\relax}}" for width in widths)
    lines = [" & ".join(rf"\raggedright {write_inlines(cell, page.labels)}" for cell in row) + r" \tabularnewline" for row in table]
    if grid.head:
        lines[0] += r" \hline"
    body = "\n".join(lines)
    return f"\\begin{{center}}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n{body}\n\\hline\n\\end{{tabular}}\n\\end{{center}}"


def inlines_width(inlines: Inlines) -> float:
    """Ems of inlines on one line."""
    return sum(_inline_width(inline) for inline in inlines)


def _inline_width(inline: object) -> float:
    match inline:
        case Text(text):
            return text_width(text)
        case Math(latex):
            return estimate_width(find_formula(latex) or latex)
        case Code(text):
            return code_width(text)
        case Styled(_, body) | Link(_, body):
            return inlines_width(body)
        case Reference() | LineBreak():
            return 1.0
        case _:
            return 0.0
