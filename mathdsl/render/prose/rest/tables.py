"""Grid tables and simple tables to a grid: what spans columns or rows stands in the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docutils import nodes

from mathdsl.render.model import Grid, Inline, Inlines, LineBreak
from mathdsl.render.prose.inlines import tidy
from mathdsl.render.prose.rest.inlines import InlineReader

_MOST_SPANNED = 1000


def read_table(table: nodes.table, line: InlineReader) -> Grid:
    """The rows; those of a head of several are joined, one below the other."""
    head = _grid([row for part in table.findall(nodes.thead) for row in part.children], line)
    rows = _grid([row for part in table.findall(nodes.tbody) for row in part.children], line)
    width = max((len(row) for row in [*head, *rows]), default=0)
    wide = [(*row, *[()] * (width - len(row))) for row in rows]
    joined = tuple(_join(row[column] for row in head if column < len(row)) for column in range(width)) if head else ()
    return Grid(joined, tuple(wide))


def _grid(rows: Iterable[nodes.Node], line: InlineReader) -> list[list[Inlines]]:
    """Cells by row and column; `below` counts for each column how many rows a cell above still covers."""
    grid: list[list[Inlines]] = []
    below: dict[int, int] = {}
    for row in rows:
        cells: list[Inlines] = []
        for entry in row.children:
            _skip_covered(cells, below)
            if not isinstance(entry, nodes.Element):
                continue
            columns = 1 + min(int(entry.get("morecols", 0)), _MOST_SPANNED)
            for column in range(len(cells), len(cells) + columns):
                below[column] = int(entry.get("morerows", 0))
            cells += [_cell(entry, line), *[()] * (columns - 1)]
        _skip_covered(cells, below)
        grid.append(cells)
    return grid


def _skip_covered(cells: list[Inlines], below: dict[int, int]) -> None:
    while below.get(len(cells), 0) > 0:
        below[len(cells)] -= 1
        cells.append(())


def _cell(entry: nodes.Element, line: InlineReader) -> Inlines:
    return _join(line.line(text) for text in _texts(entry))


def _texts(node: nodes.Element) -> Iterator[nodes.Element]:
    """The lines of a cell, whatever they stand in."""
    for child in node.children:
        if isinstance(child, nodes.TextElement):
            yield child
        elif isinstance(child, nodes.Element):
            yield from _texts(child)


def _join(lines: Iterable[Inlines]) -> Inlines:
    joined: list[Inline] = []
    for part in lines:
        joined += [*part, LineBreak()]
    return tidy(joined)
