"""Which blocks stand beside which code: rows of text, each with the generated lines of the programs in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mathdsl.render.html.blocks import write_blocks
from mathdsl.render.html.code import CodePages, Lines
from mathdsl.render.html.context import Context
from mathdsl.render.html.environment import fill
from mathdsl.render.model import Block, Heading, Listing
from mathdsl.render.nesting import walk


@dataclass(frozen=True, slots=True)
class Row:
    """Text, and the panes of code beside it."""

    text: Markup
    panes: tuple[Markup, ...]


def write_rows(blocks: Sequence[Block], context: Context) -> tuple[Row, ...]:
    """The document in rows, each of a section or up to the heading or the program that follows its program; code is shown once."""
    rows: list[Row] = []
    first = 0
    left = set[Lines]() if context.code is None else set(context.code.parts)
    for group in _groups(blocks):
        panes: list[Markup] = []
        for listing in find_listings(group):
            if context.code is not None and listing.class_lines in left:
                left.remove(listing.class_lines)
                panes.append(_listing_pane(listing, context.code, context.is_unfolded))
        rows.append(Row(write_blocks(group, context, first=first), tuple(panes)))
        first += len(group)
    return tuple(rows)


def write_rest(code: CodePages) -> tuple[Markup, ...]:
    """What stands beside no program: imports and helpers."""
    written = (_pane("Rest of the generated code", lines, code) for lines in code.rest)
    return tuple(pane for pane in written if pane)


def find_listings(blocks: Sequence[Block]) -> tuple[Listing, ...]:
    """All programs, in order."""
    return tuple(block for _, block in walk(blocks) if isinstance(block, Listing))


def _groups(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    has_program = False
    for block in blocks:
        is_program = bool(find_listings((block,)))
        is_section = isinstance(block, Heading) and any(isinstance(one, Heading) and one.level >= block.level for one in group)
        if is_section or (has_program and (is_program or isinstance(block, Heading))):
            yield group
            group, has_program = [], False
        group.append(block)
        has_program = has_program or is_program
    if group:
        yield group


def _listing_pane(listing: Listing, code: CodePages, is_unfolded: bool) -> Markup:
    title = f"Generated code of {listing.name}" if listing.name else "Generated code"
    return _pane(title, listing.class_lines, code, is_unfolded)


def _pane(title: str, lines: Lines, code: CodePages, is_unfolded: bool = False) -> Markup:
    segment = code.segment(*lines)
    return Markup() if segment is None else fill("code.html.j2", title=title, segment=segment, is_unfolded=is_unfolded)
