"""Tables of running text: `tabular` and its kin to a grid."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mathdsl.render.model import Grid, Inlines
from mathdsl.render.prose.latex.running_text import RunningText
from mathdsl.render.prose.latex.tokens import Tokens
from mathdsl.source.latex_text import Interval

_RULES = frozenset({"hline", "toprule", "midrule", "bottomrule", "cline", "cmidrule", "endhead", "endfirsthead"})
_MOST_COLUMNS = 100
_LONGEST = 1000
"""Characters that are read of what a table says of its columns."""

_REPEATED = re.compile(r"\*\s*\{(\d{1,2})\}\s*\{([^{}]*)\}")
_BRACED = re.compile(r"\{[^{}]*\}")
_SIDES = dict.fromkeys("lpmbXLJ", "l") | dict.fromkeys("cC", "c") | dict.fromkeys("rRSD", "r")
"""Letters of columns."""


@dataclass(slots=True)
class _Row:
    """`cells` of a row, each a stretch of tokens; whether a line is drawn below it."""

    cells: list[Interval] = field(default_factory=list)
    is_ruled: bool = False


def read_alignment(columns: str) -> str:
    r"""`llr` of `|l|p{3cm}r|`, `*{2}{l}r`, `@{}l>{\bfseries}lS@{}`."""
    repeated = _REPEATED.sub(lambda match: match[2] * int(match[1]), columns[:_LONGEST])
    while (plain := _BRACED.sub("", repeated)) != repeated:
        repeated = plain
    return "".join(_SIDES.get(letter, "") for letter in plain)[:_MOST_COLUMNS]


def read_table(line: RunningText, inside: Interval, depth: int, alignment: str = "") -> Grid:
    """The rows of a table; the first is its head where a line is drawn below it, and more rows follow."""
    rows = [(_read_row(line, row, depth), row.is_ruled) for row in _split(line.tokens, inside)]
    filled = [(cells, is_ruled) for cells, is_ruled in rows if any(cells)]
    width = max((len(cells) for cells, _ in filled), default=0)
    cells = [tuple(row + [()] * (width - len(row))) for row, _ in filled]
    if len(filled) > 1 and filled[0][1]:
        return Grid(cells[0], tuple(cells[1:]), alignment)
    return Grid((), tuple(cells), alignment)


def _split(tokens: Tokens, inside: Interval) -> list[_Row]:
    """At `&` and `\\\\`, but for those in braces and in environments."""
    rows = [_Row()]
    position, end = inside
    start = position
    while position < end:
        token = tokens[position]
        if token.kind in ("cell", "break"):
            rows[-1].cells.append((start, position))
            start = position + 1
            if token.kind == "break":
                rows.append(_Row())
        elif token.kind == "command" and token.text in _RULES and len(rows) > 1 and not rows[-1].cells:
            rows[-2].is_ruled = True
        partner = tokens.find_partner(position, end) if token.kind in ("{", "begin") else None
        position = position + 1 if partner is None else partner + 1
    rows[-1].cells.append((start, end))
    return rows


def _read_row(line: RunningText, row: _Row, depth: int) -> list[Inlines]:
    cells: list[Inlines] = []
    for start, end in row.cells:
        cells.append(line.read(start, end, depth))
        cells += [()] * (_find_span(line, start, end) - 1)
    return cells[:_MOST_COLUMNS] if not any(cells[_MOST_COLUMNS:]) else cells


def _find_span(line: RunningText, start: int, end: int) -> int:
    r"""How many columns `\multicolumn{2}{…}{…}` goes across."""
    for position in range(start, end):
        token = line.tokens[position]
        if token.kind == "command" and token.text == "multicolumn":
            count = line.find_argument(position + 1, end)
            said = line.tokens.source(*count).strip() if count else ""
            return min(int(said), _MOST_COLUMNS) if said.isdecimal() and len(said) < 4 else 1
        if token.kind != "space" and not (token.kind == "command" and token.text in _RULES):
            break
    return 1
