r"""The text of a document as it is read: a program is one character, a comment or a macro's definition none, every place is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mathdsl.source.containers import ContainerText
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.macros import MacroTable, find_definitions
from mathdsl.source.mapping import blank
from mathdsl.source.model import MappedText

REGION = "\0"
NOTHING = "\1"
"""Stands where nothing stands: TeX does not even see a space there."""

_ADDRESS = re.compile(r"\\(?:url|href|path|nolinkurl)\s*\{[^{}\n]*\}")
_INDENT = re.compile(r"[ \t]*")


def read_source(text: ContainerText) -> str:
    """As many characters as the author wrote."""
    written = text.written.text.replace(REGION, "\ufffd").replace(NOTHING, "\ufffd")
    comments, verbatim = find_ignored(written)
    prose = blank(written, sorted(comments + verbatim))
    definitions = find_definitions(MappedText(prose, text.written.runs), MacroTable(), 0)
    addresses = [match.span() for match in _ADDRESS.finditer(prose if not comments else written)]
    dropped = [(interval, NOTHING) for interval in (*_without(comments, addresses, written), *definitions)]
    regions = [(region.whole, REGION) for region in text.regions]
    return "".join(_pieces(written, sorted(regions + dropped)))


def _without(comments: list[Interval], addresses: list[Interval], text: str) -> Iterator[Interval]:
    """The comments with the line breaks that they swallow; a `%` in an address begins none."""
    rest = iter(addresses)
    address = next(rest, (len(text), len(text)))
    for start, end in comments:
        while address[1] <= start:
            address = next(rest, (len(text), len(text)))
        if start < address[0]:
            yield start, _swallow_line_break(text, end) if text[start] == "%" else end


def _swallow_line_break(text: str, end: int) -> int:
    """A comment goes on to the text of the next line, but for a blank one."""
    indent = _INDENT.match(text, end + 1)
    if not text.startswith("\n", end) or indent is None or text.startswith("\n", indent.end()):
        return end
    return indent.end()


def _pieces(text: str, intervals: list[tuple[Interval, str]]) -> Iterator[str]:
    position = 0
    for (start, end), sign in intervals:
        if start < position:
            start, sign = position, NOTHING
        if end > start:
            yield text[position:start]
            yield sign + NOTHING * (end - start - 1)
            position = end
    yield text[position:]
