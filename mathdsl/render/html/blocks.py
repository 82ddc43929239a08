"""Blocks as markup, each by its own writer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from markupsafe import Markup

from mathdsl.render.html.context import Context
from mathdsl.render.html.inlines import write_inlines
from mathdsl.render.html.listings import write_listing
from mathdsl.render.html.mathematics import cell, latex_formula
from mathdsl.render.html.tables import write_grid, write_notation
from mathdsl.render.model import (
    Block,
    DisplayMath,
    Equations,
    Float,
    Grid,
    Heading,
    ItemList,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Verbatim,
    quote_title,
    shown_number,
)
from mathdsl.render.nesting import Path

_LISTS = {"bullets": Markup("<ul>{}</ul>"), "numbers": Markup("<ol>{}</ol>"), "terms": Markup("<dl>{}</dl>")}
_DEEPEST = 6


def write_blocks(blocks: Sequence[Block], context: Context, path: Path = (), first: int = 0) -> Markup:
    """Blocks one below the other; `first` is the position of the first among its siblings."""
    return Markup("\n").join(write_block(block, (*path, position), context) for position, block in enumerate(blocks, start=first))


def write_block(block: Block, path: Path, context: Context) -> Markup:
    """One block."""
    id = context.anchors.block(path)
    match block:
        case Heading():
            return _heading(block, path, context)
        case Paragraph(body):
            return Markup("<p>{}</p>").format(write_inlines(body, context))
        case ItemList():
            return _list(block, path, context)
        case Quote():
            return _quote(block, path, context)
        case Float():
            return _float(block, path, context)
        case Verbatim(text):
            return Markup('<pre class="verbatim"><code>{}</code></pre>').format(text)
        case DisplayMath():
            return _display(block, id)
        case Equations(rows):
            return _equations(rows, path, context)
        case Grid():
            return write_grid(block, context)
        case Listing():
            return write_listing(block, path, context)
        case Notation():
            return write_notation(block, path, context)
        case Place():
            return Markup()
        case _:
            assert_never(block)


def _display(block: DisplayMath, id: str) -> Markup:
    formula = Markup('<div class="it">{}</div>').format(latex_formula(block.latex, display=True))
    number = shown_number(block)
    shown = Markup('<span class="no">{}</span>').format(number) if number else Markup()
    return Markup('<div class="display equations" id="{}">{}{}</div>').format(id, formula, shown)


def _equations(rows: Sequence[DisplayMath], path: Path, context: Context) -> Markup:
    """Cells below each other, and the numbers at the right."""
    lines = Markup("\n").join(_equation(row, context.anchors.block((*path, at))) for at, row in enumerate(rows))
    return Markup('<div class="equations stack" style="--cells:{}">{}</div>').format(max(len(row.cells) for row in rows), lines)


def _equation(row: DisplayMath, id: str) -> Markup:
    cells = Markup().join(Markup("<span>{}</span>").format(cell(latex, is_right=at % 2 == 1)) for at, latex in enumerate(row.cells))
    number = shown_number(row)
    shown = Markup('<span class="no">{}</span>').format(number) if number else Markup()
    return Markup('<div class="display" id="{}">{}{}</div>').format(id, cells, shown)


def _quote(block: Quote, path: Path, context: Context) -> Markup:
    title = quote_title(block)
    head = Markup('<p class="title">{}</p>').format(title) if title else Markup()
    id = Markup(' id="{}"').format(context.anchors.block(path)) if block.label else Markup()
    return Markup("<blockquote{}>{}{}</blockquote>").format(id, head, write_blocks(block.body, context, path))


def _float(block: Float, path: Path, context: Context) -> Markup:
    """A caption stands above a table, below anything else."""
    said = Markup("<figcaption><b>{} {}:</b> {}</figcaption>").format(
        block.kind.capitalize(), block.number, write_inlines(block.caption, context)
    )
    body = write_blocks(block.body, context, path)
    parts = (said, body) if block.kind == "table" else (body, said)
    return Markup('<figure class="float" id="{}">{}{}</figure>').format(context.anchors.block(path), *parts)


def _heading(block: Heading, path: Path, context: Context) -> Markup:
    before = Markup('<span class="number">{}</span> ').format(block.number) if block.number else Markup()
    level = min(block.level + 1, _DEEPEST)
    body = write_inlines(block.body, context)
    return Markup('<h{0} id="{1}">{2}{3}</h{0}>').format(level, context.anchors.block(path), before, body)


def _list(block: ItemList, path: Path, context: Context) -> Markup:
    parts = Markup()
    for number, (term, body) in enumerate(block.items):
        blocks = write_blocks(body, context, (*path, number))
        word = write_inlines(term, context)
        if block.kind == "terms":
            parts += Markup("<dt>{}</dt><dd>{}</dd>").format(word, blocks)
        elif word:
            parts += Markup('<li class="own"><span class="mark">{}</span>{}</li>').format(word, blocks)
        else:
            parts += Markup("<li>{}</li>").format(blocks)
    return _LISTS[block.kind].format(parts)
