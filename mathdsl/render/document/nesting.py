"""Blocks inside of blocks: what stands in one may be changed, or walked through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from mathdsl.render.document.model import (
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
)

Path = tuple[int, ...]


def change_inside(block: Block, change: Callable[[Sequence[Block]], Iterable[Block]]) -> Block:
    """The block with every sequence of blocks in it changed, from the first to the last."""
    match block:
        case Quote(body) | Float(body=body):
            return replace(block, body=tuple(change(body)))
        case Equations(rows):
            return Equations(tuple(row for row in change(rows) if isinstance(row, DisplayMath)))
        case ItemList(items=items):
            return replace(block, items=tuple((term, tuple(change(body))) for term, body in items))
        case Heading() | Paragraph() | Verbatim() | DisplayMath() | Grid() | Listing() | Notation() | Place():
            return block
        case _:
            assert_never(block)


def walk(blocks: Sequence[Block], path: Path = ()) -> Iterator[tuple[Path, Block]]:
    """Every block with its path, in the order in which they are read.

    A path is a place in the tree: `(3,)` is the fourth block, `(3, 1, 0)` the first block of its second item.
    """
    for position, block in enumerate(blocks):
        here = (*path, position)
        yield here, block
        match block:
            case Quote(body) | Float(body=body):
                yield from walk(body, here)
            case Equations(rows):
                yield from walk(rows, here)
            case ItemList(items=items):
                for number, (_, body) in enumerate(items):
                    yield from walk(body, (*here, number))
            case Heading() | Paragraph() | Verbatim() | DisplayMath() | Grid() | Listing() | Notation() | Place():
                continue
            case _:
                assert_never(block)
