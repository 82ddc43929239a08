"""Tables of prose, which share the line among their columns and may go on over pages."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.latex.inlines import write_inlines
from mathdsl.render.latex.labels import Labels
from mathdsl.render.latex.widths import inlines_width
from mathdsl.render.model import Grid, Inlines

_SIDES = {"c": r"\centering", "r": r"\raggedleft"}
_LINE = 49.0  # ems on a line of our own documents
_GAP = 1.5  # ems between columns
_WIDEST = 30.0  # ems that count when the line is shared
_NARROWEST = 3.0  # ems for which a column of words is worth having
_ROUNDING = 1e-6
_HIGHEST = 25  # lines of a cell; a page does not end in one
_TOGETHER = 12  # rows that stay on one page


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
