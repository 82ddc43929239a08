"""Matrices, cases, arrays and aligned rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType

from mathdsl.render.mathml.atoms import Placed, Style, delimiter
from mathdsl.render.mathml.elements import element, seen
from mathdsl.render.tex_commands import Atom
from mathdsl.syntax.display.tree import Blank, Row, Table, TableRow

_FENCES: Mapping[str, str] = MappingProxyType(
    {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "cases": "{"}
)
_ALIGNED = frozenset({"aligned", "split", "gathered"})
_LEFT, _RIGHT = "text-align:left", "text-align:right;text-align:-webkit-right"  # the second moves what is no text in Chromium
_SIDES: Mapping[str, tuple[str, ...]] = MappingProxyType({"l": (_LEFT,), "c": (), "r": (_RIGHT,)})
_LINE = ".06em solid"
_EMPTY = (Row(), Row((Blank(),)))
_MOST_SEEN, _MOST_ON_PHONES = 40, 26  # characters


def kept_rows(node: Table) -> Sequence[TableRow]:
    r"""All rows but an empty last one, which only ends the one before it (`\\`), perhaps with a line below."""
    return node.rows if _is_seen(node.rows[-1]) else node.rows[:-1]


def write_table(node: Table, shown: Sequence[Sequence[str]]) -> Placed:
    """A table from the markup of the cells of its kept rows."""
    rows = kept_rows(node)
    widest = max(map(len, shown), default=0)
    below = node.rows[-1].lines if len(node.rows) > len(rows) else 0
    lines = [
        tuple(_cells(node, [*cells, *[""] * (widest - len(cells))], row.lines, below if row is rows[-1] else 0))
        for row, cells in zip(rows, shown, strict=True)
    ]
    attributes = {"displaystyle": "true"} if node.name in _ALIGNED else _class_of_rows(lines) if node.name == "cases" else {}
    markup = element("mtable", *(element("mtr", *cells) for cells in lines), style="border-spacing:0", **attributes)
    if node.name == "smallmatrix":
        markup = element("mstyle", markup, scriptlevel="1", displaystyle="false")
    fences = _FENCES.get(node.name)
    if fences is None:
        return Placed(markup)
    opening = delimiter(fences[0], form="prefix")
    closing = delimiter(fences[1], form="postfix") if len(fences) > 1 else ""
    return Placed(element("mrow", opening, markup, closing), Atom.INNER)


def _class_of_rows(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """The class of rows whose cells side by side are too wide for a phone (`long`), or for any page: they are set below each other."""
    columns = zip_longest(*rows, fillvalue="")
    width = sum(max(len(seen(cell)) for cell in column) for column in columns)
    return {"class": "long always"} if width > _MOST_SEEN else {"class": "long"} if width > _MOST_ON_PHONES else {}


def _is_seen(row: TableRow) -> bool:
    return len(row.cells) > 1 or row.cells[0] not in _EMPTY


def style_within(name: str, style: Style) -> Style:
    if name in _ALIGNED:
        return replace(style, is_display=True)
    return style.in_script if name in ("smallmatrix", "substack") else replace(style, is_display=False)


def _cells(node: Table, cells: Sequence[str], lines_above: int, lines_below: int) -> Iterator[str]:
    columns = node.columns.replace("|", "")
    for at, cell in enumerate(cells):
        shown = element("mrow", cell) if node.name == "cases" else cell
        rules = _rules(node, at, len(columns))
        rules += [f"border-top:{_LINE}"] * bool(lines_above) + [f"border-bottom:{_LINE}"] * bool(lines_below)
        written = ";".join((*_alignment(node.name, at, len(cells), columns), *rules))
        yield element("mtd", shown, **({"style": written} if written else {}))


def _alignment(name: str, at: int, count: int, columns: str) -> tuple[str, ...]:
    edges = (("padding-left:0",) if at == 0 else ()) + (("padding-right:0",) if at == count - 1 else ())
    match name:
        case "cases":
            return (_LEFT, *edges)
        case "aligned" | "split":
            padding = "2em" if at and at % 2 == 0 else "0"
            return (_LEFT if at % 2 else _RIGHT, f"padding:.15em 0 .15em {padding}")
        case "gathered":
            return ("padding:.15em 0",)
        case "substack":
            return ("padding:0",)
        case "array":
            return _SIDES[columns[at]]
        case _:
            return edges


def _rules(node: Table, at: int, count: int) -> list[str]:
    """The lines beside a column: before it where one is written there, after the last."""
    before, letters = False, 0
    rules = []
    for mark in node.columns:
        if mark == "|":
            before = True
            if letters == count == at + 1:
                rules.append(f"border-right:{_LINE}")
        else:
            if before and letters == at:
                rules.append(f"border-left:{_LINE}")
            before, letters = False, letters + 1
    return rules
