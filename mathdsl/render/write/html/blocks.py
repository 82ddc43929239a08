"""Blocks as markup: text, programs as in a paper with the generated line behind each equation, tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from markupsafe import Markup, escape

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import (
    Assignment,
    Block,
    Clause,
    ClausePart,
    CommaList,
    DisplayMath,
    Equations,
    Float,
    Formula,
    Grid,
    Heading,
    Inlines,
    ItemList,
    Line,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Range,
    SymbolTable,
    TableRow,
    Verbatim,
    Word,
    quote_title,
    shown_number,
)
from mathdsl.render.document.nesting import Path
from mathdsl.render.document.symbols import find_start
from mathdsl.render.write.html.context import Context, fill
from mathdsl.render.write.html.inlines import write_inlines
from mathdsl.render.write.html.mathematics import assignment, belongs_to, bound, cell, formula, items, latex_formula, symbols

_LISTS = {"bullets": Markup("<ul>{}</ul>"), "numbers": Markup("<ol>{}</ol>"), "terms": Markup("<dl>{}</dl>")}
_DEEPEST = 6
_LONG_NAME = 12  # characters
_SIDES = {"c": Markup(' class="centre"'), "r": Markup(' class="right"')}


def write_blocks(blocks: Sequence[Block], context: Context, path: Path = (), first: int = 0) -> Markup:
    """Blocks one below the other; `first` is the position of the first among its siblings."""
    return Markup("\n").join(_block(block, (*path, position), context) for position, block in enumerate(blocks, start=first))


def _block(block: Block, path: Path, context: Context) -> Markup:
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
            return _grid(block, context)
        case Listing():
            return _listing(block, path, context)
        case Notation():
            return _notation(block, path, context)
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


# ---- programs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ListingRow:
    """A line of a listing, ready for its template; `code` names the statements that compute it, each with its line."""

    id: str
    depth: int
    number: str
    body: Markup
    comment: Markup
    code: tuple[tuple[str, int], ...]


def _listing(listing: Listing, path: Path, context: Context) -> Markup:
    """The listing, its tables below it."""
    caption = write_inlines(listing.caption, context)
    rows = [_row(line, context.anchors.line(path, position), context) for position, line in enumerate(listing.lines)]
    tables = [_symbol_table(table, f"{context.anchors.block(path)}-t{n}", context) for n, table in enumerate(listing.tables, start=1)]
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


def _row(line: Line, id: str, context: Context) -> _ListingRow:
    return _ListingRow(
        id, line.depth, shown_number(line), _line_body(line), write_inlines(line.comment, context), tuple(_line_code(line, context))
    )


def _line_code(line: Line, context: Context) -> Iterator[tuple[str, int]]:
    """The statements that compute a line, each once, as far as they are shown."""
    if context.code is not None:
        for number in dict.fromkeys(code.line for code in line.code):
            if number in context.code.shown:
                yield context.anchors.code(number), number


def _line_body(line: Line) -> Markup:
    match line.content:
        case Assignment():
            return assignment(line.content)
        case Clause(parts):
            return Markup(" ").join(_line_part(part) for part in parts)
        case _:
            assert_never(line.content)


def _line_part(part: ClausePart) -> Markup:
    match part:
        case Word(text):
            return Markup("<b>{}</b>").format(text)
        case Formula() | Range():
            return bound(part)
        case CommaList(items):
            return Markup(", ").join(_line_part(item) for item in items)
        case _:
            assert_never(part)


# ---- tables ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _SymbolCells:
    """The cells of a row; `extra`: what it starts with."""

    symbol: Markup
    python: Markup
    shape: Markup
    description: Markup
    extra: Markup


def _symbol_table(table: SymbolTable, id: str, context: Context) -> Markup:
    """`Parameters` or `Values`."""
    return fill("symbols.html.j2", id=id, title=table.title, rows=[_cells(row, context) for row in table.rows])


def _cells(row: TableRow, context: Context) -> _SymbolCells:
    shape = write_inlines(row.shape, context)
    start = find_start(row)
    extra = Markup() if start is None else Markup("{} {}").format(start[0], formula(start[1]))
    return _SymbolCells(formula(row.symbol.expression), _breakable(row.row.python), shape, write_inlines(row.description, context), extra)


def _breakable(name: str) -> Markup:
    """A Python name; a line may break a long one after an underscore."""
    return Markup("_<wbr>").join(name.split("_")) if len(name) > _LONG_NAME else escape(name)


def _notation(notation: Notation, path: Path, context: Context) -> Markup:
    """A table of declarations for the whole document."""
    rows = [
        (symbols(declaration), belongs_to(declaration), write_inlines(description, context)) for declaration, description in notation.rows
    ]
    return fill("notation.html.j2", id=context.anchors.block(path), rows=rows)


def _grid(grid: Grid, context: Context) -> Markup:
    """A table of prose."""
    sides = [_SIDES.get(side, Markup()) for side in grid.alignment]

    def written(row: Sequence[Inlines]) -> list[tuple[Markup, Markup]]:
        return [(sides[n] if n < len(sides) else Markup(), write_inlines(cell, context)) for n, cell in enumerate(row)]

    head, rows = written(grid.head), [written(row) for row in grid.rows]
    return fill("grid.html.j2", head=head, rows=rows)
