"""The prose of one text, by the markup it is written in."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from mathdsl.render.model import Place
from mathdsl.render.prose.expanding import make_expander
from mathdsl.render.prose.places import settle_places
from mathdsl.render.prose.result import Prose
from mathdsl.source.containers import ContainerText
from mathdsl.source.macros import MacroTable


def read_prose(text: ContainerText, macros: MacroTable, number: int = 0) -> Prose:
    """The blocks of a text, whatever it holds; each of its regions is one `Place`, in their order.

    `number` is the text's among those of its document: where it stands says which of a macro's definitions hold.
    """
    prose = _read(text, macros, number)
    return replace(prose, blocks=settle_places(prose.blocks, len(text.regions)))


def _read(text: ContainerText, macros: MacroTable, number: int) -> Prose:
    expander = make_expander(macros, number, len(text.written.text))
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
