"""Captions and labels of the floats that stand inside of a program's region: in a fence, or in a text that is nothing but programs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mathdsl.render.model import ProgramFloat
from mathdsl.render.prose.expanding import Expander
from mathdsl.source.containers import ContainerText, Region
from mathdsl.source.latex_text import find_ignored
from mathdsl.source.mapping import blank

_FLOAT = re.compile(
    r"\\begin\s*\{algorithm(?P<star>\*?)\}(?P<body>(?:(?!\\begin\s*\{algorithm\*?\})[\s\S])*?)\\end\s*\{algorithm(?P=star)\}"
)


def find_floats(text: ContainerText, region: Region, expander: Expander) -> Iterator[ProgramFloat]:
    """The floats of a region, in order."""
    start, end = region.start, region.end
    if text.written.text.find("algorithm", start, end) < 0:
        return
    from mathdsl.render.prose.latex.floats import read_caption

    source = blank(text.written.text, find_ignored(text.written.text, start, end)[0])
    for match in _FLOAT.finditer(source, start, end):
        caption, label = read_caption(match["body"], expander)
        yield ProgramFloat(text.written.span(*match.span()), caption, label)
