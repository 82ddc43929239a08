"""The law of places: every program of a text stands in it exactly once, in order, whatever the prose around it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mathdsl.render.model import Block, Place
from mathdsl.render.nesting import change_inside


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
                case _:
                    yield change_inside(block, self.settle)
