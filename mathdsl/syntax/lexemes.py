"""The unit that the steps between the characters and the parser pass on: a piece of text, its terminal, its place."""

from __future__ import annotations

from typing import Literal

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span

Side = Literal["", "left", "right", "bigl", "bigr"]


@dataclass(frozen=True, slots=True)
class Lexeme:
    r"""A token: `type` is its terminal, `text` the characters of the program or the canonical spelling.

    `start` and `end` count characters of the chunk and tell neighbours from strangers; `span` is where the author wrote
    it. `side` says what `\left`, `\right`, `\bigl`, `\bigr` decided about a delimiter.
    """

    type: str
    text: str
    start: int
    end: int
    span: Span
    side: Side = ""

    def become(self, terminal: str, text: str | None = None) -> Lexeme:
        """The same place read as `terminal`."""
        return Lexeme(terminal, self.text if text is None else text, self.start, self.end, self.span, self.side)


def terminals(names: str) -> frozenset[str]:
    """The terminals that are named in `names`."""
    return frozenset(names.split())


def mark(terminal: str, at: Lexeme, *, after: bool = False) -> Lexeme:
    """A token without characters, before or after `at`."""
    edge = at.end if after else at.start
    place = at.span.end if after else at.span.start
    return Lexeme(terminal, "", edge, edge, Span(at.span.file, place, place, at.span.definition))
