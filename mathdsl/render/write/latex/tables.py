"""Tables: of symbols, whose columns TeX itself measures; of prose, which share the line among their columns and may go on over pages."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import Grid, Inlines, Notation, SymbolTable, TableRow
from mathdsl.render.document.symbols import find_start
from mathdsl.render.write.latex.expressions import write_operand
from mathdsl.render.write.latex.inlines import in_cell, write_cell, write_code, write_inlines
from mathdsl.render.write.latex.labels import Labels
from mathdsl.render.write.latex.statements import render_type
from mathdsl.render.write.latex.widths import inlines_width
from mathdsl.syntax.nodes import Declaration

_KEPT = 3  # rows at either end of a table that stay on one page
_LONG = 300.0  # ems of a description that stands in paragraphs below its row, which pages may end in

_SIDES = {"c": r"\centering", "r": r"\raggedleft"}
_LINE = 49.0  # ems on a line of our own documents
_GAP = 1.5  # ems between columns
_WIDEST = 30.0  # ems that count when the line is shared
_NARROWEST = 3.0  # ems for which a column of words is worth having
_ROUNDING = 1e-6
_HIGHEST = 25  # lines of a cell; a page does not end in one
_TOGETHER = 12  # rows that stay on one page

_Cells = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of a row; `below`: words that are too many for a cell."""

    cells: _Cells
    below: str = ""


def write_symbols(tables: Sequence[SymbolTable], labels: Labels) -> str:
    """The tables of one program, whose columns are equally wide."""
    written = [(table.title, [_cells(row, labels) for row in table.rows]) for table in tables]
    is_described = any(row.cells[-1] or row.below for _, rows in written for row in rows)
    head = ("Symbol", "Python", "Shape", "Description" if is_described else "")
    return _tables([(title, head, rows) for title, rows in written])


def write_notation(notation: Notation, labels: Labels) -> str:
    """A table of declarations for the whole document."""
    rows = [_declared(declaration, description, labels) for declaration, description in notation.rows]
    return _tables([("Notation", ("Symbol", "Type", "", "Description"), rows)])


def _declared(declaration: Declaration, description: Inlines, labels: Labels) -> _Row:
    said, words = _formula(render_type(declaration)), write_inlines(description, labels)
    if declaration.relation is not None:
        return _row((said, "", ""), description, words)
    return _row((", ".join(_formula(write_operand(symbol)) for symbol in declaration.symbols), said, ""), description, words)


def _cells(row: TableRow, labels: Labels) -> _Row:
    description, start = write_inlines(row.description, labels), _start(row)
    words = description + (", " if description and start else "") + start
    return _row((write_cell((row.symbol,)), write_code(row.row.python), write_cell(row.shape, labels)), row.description, words)


def _row(cells: tuple[str, str, str], description: Inlines, words: str) -> _Row:
    return _Row((*cells, ""), words) if inlines_width(description) > _LONG else _Row((*cells, words))


def _start(row: TableRow) -> str:
    start = find_start(row)
    if start is None:
        return ""
    words, value = start
    return f"{words} {_formula(write_operand(value))}"


def _formula(latex: str) -> str:
    return f"${in_cell(latex)}$"


def _tables(tables: Sequence[tuple[str, _Cells, Sequence[_Row]]]) -> str:
    if not tables:
        return ""
    written = (f"\\mdsltable{{{title}}}{{{_arguments(head)}}}{{%\n{_rows(rows)}}}%\n" for title, head, rows in tables)
    return f"\\mdsltables{{%\n{''.join(written)}}}"


def _rows(rows: Sequence[_Row]) -> str:
    """A page may end before a row, but for those that would leave too few on either side."""
    splits = range(_KEPT, len(rows) - _KEPT + 1)
    return "".join(("\\mdslsplit" if number in splits else "") + _written(row) for number, row in enumerate(rows))


def _written(row: _Row) -> str:
    below = f"\\mdslbelow{{{row.below}}}%\n" if row.below else ""
    return f"\\mdslrow{_arguments(row.cells)}%\n{below}"


def _arguments(cells: _Cells) -> str:
    return "".join(f"{{{cell}}}" for cell in cells)


# ---- tables of prose -------------------------------------------------------------------------------


def write_grid(grid: Grid, labels: Labels) -> str:
    """A table; where its columns were too narrow, its rows one after the other."""
    table = [grid.head, *grid.rows] if grid.head else list(grid.rows)
    shares = _share(table)
    if not shares:
        return ""
    if _is_cramped(table, shares):
        return "\n\n".join(_paragraphs(grid.head, row, labels) for row in grid.rows)
    sides = [_SIDES.get(grid.alignment[n : n + 1], r"\raggedright") for n in range(len(shares))]
    columns = "".join(rf"p{{\dimexpr{share:.3f}\linewidth-2\tabcolsep\relax}}" for share in shares)
    lines = [
        " & ".join(f"{side} {write_inlines(cell, labels)}" for side, cell in zip(sides, row, strict=False)) + r" \tabularnewline"
        for row in table
    ]
    is_long = len(lines) > _TOGETHER
    if grid.head:
        lines[0] += r" \hline" + (r"\endhead" if is_long else "")
    name = "longtable" if is_long else "tabular"
    body = "\n".join(["\\hline", *lines, "\\hline"])
    written = f"\\renewcommand{{\\arraystretch}}{{1.2}}\n\\begin{{{name}}}{{{columns}}}\n{body}\n\\end{{{name}}}"
    return f"{{{written}}}" if is_long else f"\\begin{{center}}{written}\n\\end{{center}}"


def _share(table: Sequence[Sequence[Inlines]]) -> list[float]:
    """The part of the line that each column has."""
    count = max((len(row) for row in table), default=0)
    widths = [min(_WIDEST, max((inlines_width(row[n]) for row in table if n < len(row)), default=0.0)) + _GAP for n in range(count)]
    total = sum(widths)
    return [width / max(total, _LINE) for width in widths]


def _is_cramped(table: Sequence[Sequence[Inlines]], shares: Sequence[float]) -> bool:
    room = [share * _LINE - _GAP + _ROUNDING for share in shares]
    cells = [(inlines_width(cell), space) for row in table for cell, space in zip(row, room, strict=False)]
    return any(width > space and (space < _NARROWEST or width > _HIGHEST * space) for width, space in cells)


def _paragraphs(head: Sequence[Inlines], row: Sequence[Inlines], labels: Labels) -> str:
    """The cells of a row below one another, each behind the head of its column."""
    named = [rf"\textbf{{{write_inlines(name, labels)}}} " if name else "" for name in head]
    cells = (write_inlines(cell, labels) for cell in row)
    padded = [*named, *[""] * (len(row) - len(named))]
    return "\n\n".join(name + cell for name, cell in zip(padded, cells, strict=False) if cell) + r"\par\medskip"
