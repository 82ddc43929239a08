"""Tables of symbols, whose columns TeX itself measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mathdsl.render.latex.expressions import write_operand
from mathdsl.render.latex.inlines import in_cell, write_cell, write_code, write_inlines
from mathdsl.render.latex.labels import Labels
from mathdsl.render.latex.statements import render_type
from mathdsl.render.latex.widths import inlines_width
from mathdsl.render.model import Inlines, Math, Notation, SymbolTable, TableRow
from mathdsl.render.starts import find_start
from mathdsl.syntax.nodes import Declaration

_LINE = 49.0  # ems of small print on a line of our own documents
_KEPT = 3  # rows at either end of a table that stay on one page
_LONG = 300.0  # ems of a description that stands in paragraphs below its row, which pages may end in

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
    return _row((write_cell((Math(row.symbol),)), write_code(row.row.python), write_cell(row.shape, labels)), row.description, words)


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
