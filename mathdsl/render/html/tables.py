"""Tables: the symbols of a program, the notation of a document, grids of prose; each scrolls in its own box where it is too wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from mathdsl.render.html.context import Context
from mathdsl.render.html.environment import fill
from mathdsl.render.html.inlines import write_inlines
from mathdsl.render.html.mathematics import belongs_to, formula, latex_formula, symbols
from mathdsl.render.model import Grid, Inlines, Notation, SymbolTable, TableRow
from mathdsl.render.nesting import Path
from mathdsl.render.starts import find_start

_LONG_NAME = 12  # characters
_SIDES = {"c": Markup(' class="centre"'), "r": Markup(' class="right"')}


@dataclass(frozen=True, slots=True)
class SymbolCells:
    """The cells of a row; `extra`: what it starts with."""

    symbol: Markup
    python: Markup
    shape: Markup
    description: Markup
    extra: Markup


def write_symbol_table(table: SymbolTable, id: str, context: Context) -> Markup:
    """`Parameters` or `Values`."""
    return fill("symbols.html.j2", id=id, title=table.title, rows=[_cells(row, context) for row in table.rows])


def _cells(row: TableRow, context: Context) -> SymbolCells:
    shape = write_inlines(row.shape, context)
    start = find_start(row)
    extra = Markup() if start is None else Markup("{} {}").format(start[0], formula(start[1]))
    return SymbolCells(latex_formula(row.symbol), _breakable(row.row.python), shape, write_inlines(row.description, context), extra)


def _breakable(name: str) -> Markup:
    """A Python name; a line may break a long one after an underscore."""
    return Markup("_<wbr>").join(name.split("_")) if len(name) > _LONG_NAME else escape(name)


def write_notation(notation: Notation, path: Path, context: Context) -> Markup:
    """A table of declarations for the whole document."""
    rows = [
        (symbols(declaration), belongs_to(declaration), write_inlines(description, context)) for declaration, description in notation.rows
    ]
    return fill("notation.html.j2", id=context.anchors.block(path), rows=rows)


def write_grid(grid: Grid, context: Context) -> Markup:
    """A table of prose."""
    sides = [_SIDES.get(side, Markup()) for side in grid.alignment]

    def written(row: Sequence[Inlines]) -> list[tuple[Markup, Markup]]:
        return [(sides[n] if n < len(sides) else Markup(), write_inlines(cell, context)) for n, cell in enumerate(row)]

    head, rows = written(grid.head), [written(row) for row in grid.rows]
    return fill("grid.html.j2", head=head, rows=rows)
