"""The prose of one text, by the markup it is written in; every program stands in it exactly once, whatever the prose around it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import Block, Place, ProgramFloat, Prose
from mathdsl.render.document.nesting import change_inside
from mathdsl.render.prose.expanding import Expander, make_expander
from mathdsl.source.containers import ContainerText, Region
from mathdsl.source.macros import MacroTable


def read_prose(text: ContainerText, macros: MacroTable, number: int = 0) -> Prose:
    """The blocks of a text, whatever it holds; each of its regions is one `Place`, in their order.

    `number` is the text's among those of its document: where it stands says which of a macro's definitions hold.
    """
    expander = make_expander(macros, number, len(text.written.text))
    prose = _read(text, expander)
    blocks = _settle_places(prose.blocks, len(text.regions))
    floats = [_find_floats(text, region, expander) for region in text.regions]
    return replace(prose, blocks=tuple(_with_floats(blocks, floats)))


def find_floats_inside(text: ContainerText, macros: MacroTable) -> tuple[tuple[ProgramFloat, ...], ...]:
    """The floats inside of each region."""
    expander = make_expander(macros, 0, len(text.written.text))
    return tuple(_find_floats(text, region, expander) for region in text.regions)


def _find_floats(text: ContainerText, region: Region, expander: Expander) -> tuple[ProgramFloat, ...]:
    """The floats inside of a region, which are LaTeX whatever is around it."""
    if text.written.text.find("algorithm", region.start, region.end) < 0:
        return ()
    from mathdsl.render.prose.latex.document import find_floats

    return tuple(find_floats(text, region, expander))


def _with_floats(blocks: Sequence[Block], floats: Sequence[tuple[ProgramFloat, ...]]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Place(region):
                yield replace(block, floats=floats[region])
            case _:
                yield change_inside(block, lambda inner: _with_floats(inner, floats))


def _read(text: ContainerText, expander: Expander) -> Prose:
    match text.markup:
        case "program":
            return Prose((), (), tuple(Place(region) for region in range(len(text.regions))))
        case "latex":
            from mathdsl.render.prose.latex.document import read_latex_prose

            return read_latex_prose(text, expander)
        case "markdown":
            from mathdsl.render.prose.markdown import read_markdown_prose

            return read_markdown_prose(text, expander)
        case "rest":
            from mathdsl.render.prose.rest.blocks import read_rest_prose

            return read_rest_prose(text, expander)
        case _:
            assert_never(text.markup)


def _settle_places(blocks: Iterable[Block], count: int) -> tuple[Block, ...]:
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
