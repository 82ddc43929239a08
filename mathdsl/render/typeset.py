"""A compiled document, typeset: its prose in blocks, its programs as listings with their tables, each where the author put it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby

from mathdsl.backends.line_map import CodeLines
from mathdsl.dataclass import dataclass
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.render.document.listings import CodeIndex, Facts, find_classes, make_blocks
from mathdsl.render.document.model import Block, Code, Heading, Listing, Place, Typeset
from mathdsl.render.document.nesting import change_inside
from mathdsl.render.document.numbering import number_blocks
from mathdsl.render.document.references import name_references
from mathdsl.render.prose.latex.document import description_reader
from mathdsl.source.containers import ContainerText
from mathdsl.source.documents import Reading
from mathdsl.spans import Span
from mathdsl.syntax.nodes import Document, Item, Where


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile leaves for typesetting; see `mathdsl.result.CompileResult`."""

    reading: Reading
    document: Document
    symbols: tuple[SymbolRow, ...]
    lines: tuple[CodeLines, ...]
    source: str


Programs = tuple[tuple[tuple[Block, ...], ...], ...]
"""The blocks of the programs of each region of each text of a document."""


def typeset(compiled: Compiled) -> Typeset:
    """The whole document."""
    from mathdsl.render.prose.reading import read_prose

    proses = [read_prose(text, compiled.reading.macros, number) for number, text in enumerate(compiled.reading.texts)]
    programs = typeset_programs(compiled)
    texts = zip(compiled.reading.texts, proses, programs, strict=True)
    blocks = [block for text, prose, own in texts for block in _titled(text.name, tuple(_placed(prose.blocks, own)))]
    title = next((prose.title for prose in proses if prose.title), ())
    authors = next((prose.authors for prose in proses if prose.authors), ())
    date = next((prose.date for prose in proses if prose.date), ())
    return Typeset(title, authors, name_references(number_blocks(blocks)), compiled.source, date)


def _titled(name: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks below the dotted name of what they document."""
    level = name.count(".") + 1 if name else 0
    if name and blocks:
        yield Heading(level, (Code(name),), is_numbered=False)
    for block in blocks:
        yield replace(block, level=block.level + level) if isinstance(block, Heading) else block


def typeset_programs(compiled: Compiled) -> Programs:
    """The listings and tables alone, by text and region; their equations are numbered as if there were none in prose."""
    rows = {module: tuple(own) for module, own in groupby(compiled.symbols, key=lambda row: row.module)}
    items = compiled.document.items
    shared = [row for item in items if isinstance(item, Where) and not item.directly_after for row in item.rows]
    facts = Facts(rows, shared, CodeIndex(compiled.lines), find_classes(compiled.source), count(1), description_reader(compiled.reading))
    placed = iter(_with_places(items, compiled.reading.texts))
    place, item = next(placed, (None, None))
    programs: list[tuple[tuple[Block, ...], ...]] = []
    for number, text in enumerate(compiled.reading.texts):
        regions: list[tuple[Block, ...]] = []
        for region in range(len(text.regions)):
            own: list[Item] = []
            while item is not None and place == (number, region):
                own.append(item)
                place, item = next(placed, (None, None))
            regions.append(make_blocks(own, facts))
        programs.append(tuple(regions))
    return tuple(programs)


def _with_places(items: Sequence[Item], texts: Sequence[ContainerText]) -> Iterator[tuple[tuple[int, int], Item]]:
    """Each item with the numbers of its text and region; a table directly after a function stands with the function."""
    regions = [
        (text.written.span(*region.whole), (number, count))
        for number, text in enumerate(texts)
        for count, region in enumerate(text.regions)
    ]
    place = (0, 0)
    for item in items:
        if not (isinstance(item, Where) and item.directly_after):
            place = next((place for span, place in regions if _holds(span, item.span)), place)
        yield place, item


def _holds(region: Span, item: Span) -> bool:
    return region.file == item.file and region.start <= item.start < region.end


def with_caption(program: Block, place: Place) -> Block:
    """A listing takes the caption and the label of the float in which its lines stand, or of that around its place."""
    if not isinstance(program, Listing):
        return program
    inner = (one for one in place.floats if any(_holds(one.span, line.span) for line in program.lines))
    if found := next(inner, None):
        return replace(program, caption=found.caption, label=found.label)
    return replace(program, caption=place.caption, label=place.label)


def _placed(blocks: Sequence[Block], programs: Sequence[Sequence[Block]]) -> Iterator[Block]:
    """The blocks of prose with the programs in their places; a float's caption and label go to the listing in it."""
    for block in blocks:
        match block:
            case Place():
                yield from (with_caption(program, block) for program in programs[block.region])
            case _:
                yield change_inside(block, lambda inner: _placed(inner, programs))
