"""The law of places: every program of a text stands in it exactly once, in order, whatever the prose around it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from mathdsl.render.model import Block, DisplayMath, Grid, Heading, ItemList, Listing, Notation, Paragraph, Place, Quote, Verbatim


def settle_places(blocks: Iterable[Block], count: int) -> tuple[Block, ...]:
    """The blocks with the places `0 .. count - 1`: one that is missing stands before the next one, one that comes again is dropped."""
    settling = _Settling()
    settled = [*settling.settle(blocks)]
    return (*settled, *(Place(region) for region in range(settling.expected, count)))


@dataclass(slots=True)
class _Settling:
    expected: int = 0

    def settle(self, blocks: Iterable[Block]) -> Iterator[Block]:
        for block in blocks:
            match block:
                case Place(region):
                    while self.expected < region:
                        yield Place(self.expected)
                        self.expected += 1
                    if region == self.expected:
                        yield block
                        self.expected += 1
                case Quote(body):
                    yield replace(block, body=tuple(self.settle(body)))
                case ItemList(items=items):
                    yield replace(block, items=tuple((term, tuple(self.settle(body))) for term, body in items))
                case Heading() | Paragraph() | Verbatim() | DisplayMath() | Grid() | Listing() | Notation():
                    yield block
                case _:
                    assert_never(block)
