"""The generated text as lines of markup: few spans, identifiers for the statements that compute equations, links back to these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from mathdsl.backends.line_map import CodeLines
from mathdsl.render.html.anchors import Anchors
from mathdsl.render.model import Listing

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword.Constant, "n"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String.Doc, "d"),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
)
"""The tokens that have a colour of their own, the narrower kinds first; all others are plain text."""


Lines = tuple[int, int]
"""The first and the last of some lines, counted from 1."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines `first .. last` of the generated text, and their markup."""

    first: int
    last: int
    markup: Markup


@dataclass(frozen=True, slots=True)
class CodePages:
    """The lines of the generated text as markup, and the statements that compute equations by the first line of their comments.

    `parts` are the lines that each listing shows, `rest` what no listing shows.
    """

    lines: tuple[Markup, ...]
    parts: frozenset[Lines]
    rest: tuple[Lines, ...]
    statements: Mapping[int, CodeLines]
    shown: frozenset[int]
    anchors: Anchors

    def segment(self, first: int, last: int) -> Segment | None:
        """Lines `first .. last` without the empty ones at either end; None where nothing is left."""
        while first <= last and not self.lines[first - 1]:
            first += 1
        while first <= last and not self.lines[last - 1]:
            last -= 1
        if first > last:
            return None
        return Segment(first, last, Markup().join(self._pieces(first, last)))

    def _pieces(self, first: int, last: int) -> Iterator[Markup]:
        number = first
        while number <= last:
            found = self.statements.get(number)
            if found is None:
                yield self._line(number)
                number += 1
                continue
            body = Markup().join(self._line(inside) for inside in range(number, found.end + 1))
            yield Markup('<span class="q" id="{}">{}</span>').format(self.anchors.code(found.line), body)
            number = found.end + 1

    def _line(self, number: int) -> Markup:
        equation = self.anchors.equations.get(number)
        text = self.lines[number - 1]
        if equation is not None:
            text = Markup('<a href="#{}">{}</a>').format(equation, text)
        return Markup("<span>{}\n</span>").format(text)


def make_pages(source: str, listings: Sequence[Listing], anchors: Anchors) -> CodePages:
    """The pages of a generated text, and which lines of it belong to which listing."""
    lines = tuple(_marked_lines(source))
    parts = _parts([listing.class_lines for listing in listings], len(lines))
    rest = tuple(_rest(parts, len(lines)))
    codes = [code for listing in listings for line in listing.lines for code in line.code]
    statements = _statements(codes, (*parts, *rest))
    return CodePages(lines, frozenset(parts), rest, statements, frozenset(code.line for code in statements.values()), anchors)


def _parts(wanted: Sequence[Lines], count: int) -> list[Lines]:
    """The lines of the listings from top to bottom; of two that share lines the first has them."""
    parts: list[Lines] = []
    for first, last in wanted:
        if 0 < first <= last <= count and all(last < other[0] or other[1] < first for other in parts):
            parts.append((first, last))
    return sorted(parts)


def _rest(parts: Sequence[Lines], count: int) -> Iterator[Lines]:
    before = 0
    for first, last in (*parts, (count + 1, count + 1)):
        if before + 1 < first:
            yield before + 1, first - 1
        before = last


def _statements(codes: Sequence[CodeLines], segments: Sequence[Lines]) -> dict[int, CodeLines]:
    """By the first line of its comments, the statement below them; of two that overlap the first counts."""
    found: dict[int, CodeLines] = {}
    end = 0
    for code in sorted(codes, key=lambda code: (code.start, code.line)):
        if code.start > end and any(first <= code.start and code.end <= last for first, last in segments):
            found[code.start] = code
            end = code.end
    return found


def _marked_lines(source: str) -> Iterator[Markup]:
    """Each line as markup, its marks closed at its end; neighbours of one class share a mark."""
    line: list[tuple[str, str]] = []
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(source):
        name = _class(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                yield _join(line)
                line = []
            line.append((name, part))
    if any(text for _, text in line):
        yield _join(line)


def _join(parts: Sequence[tuple[str, str]]) -> Markup:
    written = (part for part in parts if part[1])
    return Markup().join(_marked(name, "".join(text for _, text in run)) for name, run in groupby(written, key=lambda part: part[0]))


def _class(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind[: len(parent)] == parent), "")


def _marked(name: str, text: str) -> Markup:
    if not name or not text.strip():
        return escape(text)
    return Markup('<b class="{}">{}</b>').format(name, text)
