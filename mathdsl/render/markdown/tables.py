"""Tables: of symbols, of a document's notation, of prose, and the programs, whose lines are rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from mathdsl.render.latex.expressions import piece, write_expression, write_operand
from mathdsl.render.latex.statements import ARROWS, dollars, render_domain, render_range, render_type
from mathdsl.render.markdown.escaping import code_span, escape_text
from mathdsl.render.markdown.formulas import expression, mathjax, name_formula
from mathdsl.render.markdown.inlines import Numbers, write_inlines
from mathdsl.render.model import (
    Assignment,
    Clause,
    ClausePart,
    CommaList,
    Formula,
    Grid,
    Line,
    Listing,
    Math,
    Notation,
    Range,
    SymbolTable,
    TableRow,
    Word,
    shown_number,
)
from mathdsl.render.starts import find_start
from mathdsl.syntax.nodes import Expression

_RULES = {"l": ":---", "c": ":---:", "r": "---:"}
_STEP = "&emsp;&emsp;"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    """A table; `alignment` has a letter for each column: `l`, `c` or `r`."""
    rule = [_RULES[side] for side in alignment]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def write_symbols(symbols: SymbolTable, numbers: Numbers) -> str:
    """`Parameters` or `Values`."""
    rows = [_symbol_row(row, numbers) for row in symbols.rows]
    return f"**{symbols.title}**\n\n" + table(("Symbol", "Python", "Shape", "Description"), rows, "llll")


def _symbol_row(row: TableRow, numbers: Numbers) -> tuple[str, ...]:
    description = write_inlines(row.description, numbers, in_table=True)
    start = find_start(row)
    if start is not None:
        words, value = start
        description += (", " if description else "") + f"{words} ${mathjax(write_operand(value))}$"
    name = code_span(row.row.python, in_table=True)
    parts = (name_formula(part.latex) if isinstance(part, Math) else write_inlines((part,), numbers, in_table=True) for part in row.shape)
    return name_formula(row.symbol), name, "".join(parts), description


def write_notation(notation: Notation, numbers: Numbers) -> str:
    """A table of declarations for the whole document."""
    rows = []
    for declaration, words in notation.rows:
        said = f"${mathjax(render_type(declaration))}$"
        symbols, kind = (said, "") if declaration.relation is not None else (_items(declaration.symbols), said)
        rows.append((symbols, kind, write_inlines(words, numbers, in_table=True)))
    return "**Notation**\n\n" + table(("Symbol", "Type", "Description"), rows, "lll")


def write_grid(grid: Grid, numbers: Numbers) -> str:
    """A table of prose."""
    count = max((len(row) for row in (grid.head, *grid.rows)), default=0)
    if not count:
        return ""
    head, *rows = (
        [*(write_inlines(cell, numbers, in_table=True) for cell in row), *[""] * (count - len(row))] for row in (grid.head, *grid.rows)
    )
    return table(head, rows, grid.alignment[:count].ljust(count, "l"))


# ---- programs --------------------------------------------------------------------------------------


def write_listing(listing: Listing, numbers: Numbers) -> str:
    """The lines of a program as rows under its head, the algorithm's number and caption before them."""
    caption = write_inlines(listing.caption, numbers)
    above = f"**Algorithm {listing.number}** {caption}".strip() + "\n\n" if listing.number else ""
    right = any(line.comment or (isinstance(line.content, Assignment) and line.content.domains) for line in listing.lines)
    rows = [_line_row(line, numbers)[: 3 if right else 2] for line in listing.lines]
    return above + table(("", _signature(listing), "")[: 3 if right else 2], rows, "rll"[: 3 if right else 2])


def _signature(listing: Listing) -> str:
    if not listing.name:
        return ""
    owned = "" if listing.owned is None else f" ; {_items(listing.owned)}"
    return f"**{listing.word}** {escape_text(listing.name)}({_items(listing.inputs)}{owned})"


def _items(nodes: Sequence[Expression]) -> str:
    return ", ".join(expression(node) for node in nodes)


def _line_row(line: Line, numbers: Numbers) -> tuple[str, str, str]:
    number = shown_number(line)
    right: list[str] = []
    if isinstance(line.content, Assignment) and line.content.domains:
        right.append(f"${mathjax(render_domain(line.content.domains))}$")
    if line.comment:
        right.append("▷ " + write_inlines(line.comment, numbers, in_table=True))
    return escape_text(number), f"{_STEP * line.depth} {_content(line.content)}".strip(), " ".join(right)


def _content(content: Assignment | Clause) -> str:
    match content:
        case Assignment(target, value, _, relation):
            whole = piece(value)
            return f"${mathjax(f'{write_expression(target)} {ARROWS[relation]} {dollars(whole)[1:-1]}')}$"
        case Clause(parts):
            return " ".join(_part(part) for part in parts)
        case _:
            assert_never(content)


def _part(part: ClausePart) -> str:
    match part:
        case Word(text):
            return f"**{escape_text(text)}**" if text[:1].isalnum() else escape_text(text)
        case Formula(node):
            return expression(node)
        case Range():
            return f"${mathjax(render_range(part))}$"
        case CommaList(items):
            return ", ".join(_part(item) for item in items)
        case _:
            assert_never(part)
