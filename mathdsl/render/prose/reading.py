"""The prose of one text, by the markup it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from mathdsl.render.model import Block, Place, ProgramFloat
from mathdsl.render.nesting import change_inside
from mathdsl.render.prose.expanding import Expander, make_expander
from mathdsl.render.prose.floats import find_floats
from mathdsl.render.prose.places import settle_places
from mathdsl.render.prose.result import Prose
from mathdsl.source.containers import ContainerText
from mathdsl.source.macros import MacroTable


def read_prose(text: ContainerText, macros: MacroTable, number: int = 0) -> Prose:
    """The blocks of a text, whatever it holds; each of its regions is one `Place`, in their order.

    `number` is the text's among those of its document: where it stands says which of a macro's definitions hold.
    """
    expander = make_expander(macros, number, len(text.written.text))
    prose = _read(text, expander)
    blocks = settle_places(prose.blocks, len(text.regions))
    floats = [tuple(find_floats(text, region, expander)) for region in text.regions]
    return replace(prose, blocks=tuple(_with_floats(blocks, floats)))


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
            from mathdsl.render.prose.latex import read_latex_prose

            return read_latex_prose(text, expander)
        case "markdown":
            from mathdsl.render.prose.markdown import read_markdown_prose

            return read_markdown_prose(text, expander)
        case "rest":
            from mathdsl.render.prose.rest import read_rest_prose

            return read_rest_prose(text, expander)
        case _:
            assert_never(text.markup)
