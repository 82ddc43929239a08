"""A program as in a paper: rules, bold words, numbers, comments at the right, and the generated line behind each equation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from markupsafe import Markup

from mathdsl.render.html.context import Context
from mathdsl.render.html.environment import fill
from mathdsl.render.html.inlines import write_inlines
from mathdsl.render.html.mathematics import assignment, bound, items
from mathdsl.render.html.tables import write_symbol_table
from mathdsl.render.model import Assignment, Clause, ClausePart, CommaList, Formula, Line, Listing, Range, Word, shown_number
from mathdsl.render.nesting import Path


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a listing, ready for its template; `code` names the statements that compute it, each with its line."""

    id: str
    depth: int
    number: str
    body: Markup
    comment: Markup
    code: tuple[tuple[str, int], ...]


def write_listing(listing: Listing, path: Path, context: Context) -> Markup:
    """The listing, its tables below it."""
    caption = write_inlines(listing.caption, context)
    rows = [_row(line, context.anchors.line(path, position), context) for position, line in enumerate(listing.lines)]
    tables = [write_symbol_table(table, f"{context.anchors.block(path)}-t{n}", context) for n, table in enumerate(listing.tables, start=1)]
    return fill(
        "listing.html.j2",
        id=context.anchors.block(path),
        kind="equations" if listing.notation == "module" else "steps",
        number=listing.number,
        caption=caption,
        word=listing.word,
        name=listing.name,
        inputs=items(listing.inputs),
        owned=None if listing.owned is None else items(listing.owned),
        rows=rows,
        linked=any(row.code for row in rows),
        tables=tables,
    )


def _row(line: Line, id: str, context: Context) -> Row:
    return Row(id, line.depth, shown_number(line), _body(line), write_inlines(line.comment, context), tuple(_code(line, context)))


def _code(line: Line, context: Context) -> Iterator[tuple[str, int]]:
    """The statements that compute a line, each once, as far as they are shown."""
    if context.code is not None:
        for number in dict.fromkeys(code.line for code in line.code):
            if number in context.code.shown:
                yield context.anchors.code(number), number


def _body(line: Line) -> Markup:
    match line.content:
        case Assignment():
            return assignment(line.content)
        case Clause(parts):
            return Markup(" ").join(_part(part) for part in parts)
        case _:
            assert_never(line.content)


def _part(part: ClausePart) -> Markup:
    match part:
        case Word(text):
            return Markup("<b>{}</b>").format(text)
        case Formula() | Range():
            return bound(part)
        case CommaList(items):
            return Markup(", ").join(_part(item) for item in items)
        case _:
            assert_never(part)
