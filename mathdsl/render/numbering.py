"""The equations of a document numbered in order of appearance, those of its prose and those of its modules alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import assert_never

from mathdsl.render.displays import split_display
from mathdsl.render.model import Block, DisplayMath, Grid, Heading, ItemList, Listing, Notation, Paragraph, Place, Quote, Verbatim


def number_equations(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with the numbers that TeX gives; a display of several numbers becomes several displays."""
    return tuple(_numbered(blocks, count(1)))


def _numbered(blocks: Sequence[Block], numbers: Iterator[int]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Listing(notation="module", lines=lines):
                yield replace(block, lines=tuple(line if line.number is None else replace(line, number=next(numbers)) for line in lines))
            case DisplayMath(latex, label):
                for part in split_display(latex, label):
                    number = next(numbers) if part.is_numbered and not part.tag else None
                    yield DisplayMath(part.latex, part.label, number, part.tag)
            case Quote(body):
                yield replace(block, body=tuple(_numbered(body, numbers)))
            case ItemList(items=items):
                yield replace(block, items=tuple((term, tuple(_numbered(body, numbers))) for term, body in items))
            case Heading() | Paragraph() | Verbatim() | Grid() | Listing() | Notation() | Place():
                yield block
            case _:
                assert_never(block)
