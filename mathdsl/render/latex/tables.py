"""Tables of symbols and of prose: columns as wide as what they hold needs, none wider than the page."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.latex.inlines import find_formula, in_cell, write_cell, write_code, write_inlines
from mathdsl.render.latex.labels import Labels
from mathdsl.render.latex.statements import comma_list, operand, render_type
from mathdsl.render.latex.widths import code_width, estimate_width, text_width
from mathdsl.render.model import Code, Grid, Inlines, LineBreak, Link, Math, Notation, Reference, Styled, SymbolTable, TableRow, Text
from mathdsl.syntax.nodes import Declaration

_LINE = 40.0  # ems of a line of a narrow page in small print
_WIDEST = (0.2, 0.28, 0.32)
_STARTS = {"setting": "default", "input": "default", "buffer": "value", "parameter": "initially"}
"""What a declared value is to a symbol of each kind."""


def write_symbols(tables: Sequence[SymbolTable], labels: Labels) -> str:
    """The tables of one program, whose columns are equally wide."""
    head = ("Symbol", "Python", "Shape", "Description")
    rows = [row for table in tables for row in table.rows]
    columns = (
        [estimate_width(row.symbol) for row in rows],
        [code_width(row.row.python) for row in rows],
        [inlines_width(row.shape) for row in rows],
    )
    return "\n\n".join(_table(table.title, head, columns, [_cells(row, labels) for row in table.rows]) for table in tables)


def write_notation(notation: Notation, labels: Labels) -> str:
    """A table of declarations for the whole document."""
    cells: list[tuple[str, str, str, str]] = []
    columns: tuple[list[float], ...] = ([], [], [])
    for declaration, description in notation.rows:
        said = f"${in_cell(render_type(declaration))}$"
        symbols, kind = (said, "") if declaration.relation is not None else (comma_list(declaration.symbols), said)
        cells.append((symbols, "", kind, write_inlines(description, labels)))
        columns[0].append(estimate_width(symbols))
        columns[2].append(estimate_width(kind))
    return _table("Notation", ("Symbol", "", "Type", "Description"), columns, cells)


def _cells(row: TableRow, labels: Labels) -> tuple[str, str, str, str]:
    description = write_inlines(row.description, labels)
    if row.declaration is not None:
        start = _start(row.declaration, row.row.kind)
        description += (", " if description and start else "") + start
    return write_cell((Math(row.symbol),)), write_code(row.row.python), write_cell(row.shape, labels), description


def _start(declaration: Declaration, kind: str) -> str:
    """`initially ∼ U(a, b)`, `default 0.1`: what a symbol holds before anything is said about it."""
    word = _STARTS.get(kind)
    parts = (("", declaration.default), (r"\sim ", declaration.initialiser))
    said = [f"${mark}{in_cell(operand(part))}$" for mark, part in parts if part is not None]
    return " ".join((word, *said)) if word and said else ""


def _table(title: str, head: Sequence[str], columns: Sequence[Sequence[float]], rows: Sequence[Sequence[str]]) -> str:
    shares = [_share((text_width(title), *widths), most) for title, widths, most in zip(head, columns, _WIDEST, strict=False)]
    sizes = "".join(f"{{{share:.3f}}}" for share in shares)
    lines = [rf"\mdslrow{''.join(f'{{{cell}}}' for cell in row)}" for row in rows]
    return "\n".join(
        [rf"\begin{{mdsltable}}{{{title}}}{sizes}", rf"\mdslhead{''.join(f'{{{cell}}}' for cell in head)}", *lines, r"\end{mdsltable}"]
    )


def _share(widths: Sequence[float], most: float) -> float:
    """The part of a line that a column takes; one that holds nothing takes nothing."""
    widest = max(widths, default=0.0)
    return min(most, (widest + 0.5) / _LINE) if widest else 0.0


def write_grid(grid: Grid, labels: Labels) -> str:
    """A table of prose, its columns sharing the line by what they hold."""
    table = [grid.head, *grid.rows] if grid.head else list(grid.rows)
    count = max((len(row) for row in table), default=0)
    if not count:
        return ""
    widths = [max([inlines_width(row[n]) for row in table if n < len(row)], default=0.0) + 1.0 for n in range(count)]
    total = sum(widths)
    narrow = min(1.0, total / _LINE) / total
    columns = "".join(rf"p{{\dimexpr{width * narrow:.3f}\linewidth-2\tabcolsep\relax}}" for width in widths)
    lines = [" & ".join(rf"\raggedright {write_inlines(cell, labels)}" for cell in row) + r" \tabularnewline" for row in table]
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
