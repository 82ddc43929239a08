"""The generated text in parts: identifiers for the statements that compute equations, links back to these, docstrings folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from mathdsl.backends.line_map import CodeLines
from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import Listing
from mathdsl.render.write.html.anchors import Anchors

_SHORT = 3  # lines; a docstring with more says again what stands beside the code

Lines = tuple[int, int]
"""The first and the last of some lines, counted from 1."""

_DOCUMENTATION = "d"
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword.Constant, "n"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String.Doc, _DOCUMENTATION),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
)
"""The tokens that have a colour of their own, the narrower kinds first; all others are plain text."""


@dataclass(frozen=True, slots=True)
class Part:
    """Lines `first .. last` of the generated text and their markup; `is_folded`: a long docstring."""

    first: int
    last: int
    markup: Markup
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines `first .. last` of the generated text, in parts."""

    first: int
    last: int
    parts: tuple[Part, ...]

    @property
    def seen(self) -> int:
        """How many lines are not folded."""
        return sum(part.last - part.first + 1 for part in self.parts if not part.is_folded)


@dataclass(frozen=True, slots=True)
class CodePages:
    """The lines of the generated text as markup, and the statements that compute equations by the first line of their comments.

    `parts` are the lines that each listing shows, `rest` what no listing shows.
    """

    lines: tuple[MarkedLine, ...]
    parts: frozenset[Lines]
    rest: tuple[Lines, ...]
    statements: Mapping[int, CodeLines]
    shown: frozenset[int]
    anchors: Anchors

    def segment(self, first: int, last: int) -> Segment | None:
        """Lines `first .. last` without the empty ones at either end; None where nothing is left."""
        while first <= last and not self.lines[first - 1].markup:
            first += 1
        while first <= last and not self.lines[last - 1].markup:
            last -= 1
        if first > last:
            return None
        return Segment(first, last, tuple(self._part(*run) for run in _runs(self.lines, first, last)))

    def _part(self, first: int, last: int, is_folded: bool) -> Part:
        return Part(first, last, Markup().join(self._pieces(first, last)), is_folded)

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
        text = self.lines[number - 1].markup
        if equation is not None:
            text = Markup('<a href="#{}">{}</a>').format(equation, text)
        return Markup("<i>{}\n</i>").format(text)  # the shortest tag: a page has hundreds of lines


def make_pages(source: str, listings: Sequence[Listing], anchors: Anchors) -> CodePages:
    """The pages of a generated text, and which lines of it belong to which listing."""
    lines = tuple(_marked_lines(source))
    parts = _parts([listing.class_lines for listing in listings], len(lines))
    rest = tuple(_rest(parts, len(lines)))
    codes = [code for listing in listings for line in listing.lines for code in line.code]
    whole = [(first, last) for segment in (*parts, *rest) for first, last, is_folded in _runs(lines, *segment) if not is_folded]
    statements = _statements(codes, whole)
    return CodePages(lines, frozenset(parts), rest, statements, frozenset(code.line for code in statements.values()), anchors)


def _runs(lines: Sequence[MarkedLine], first: int, last: int) -> Iterator[tuple[int, int, bool]]:
    """Lines `first .. last` in runs, each long docstring in one of its own."""
    start = first
    for is_documentation, run in groupby(range(first, last + 1), key=lambda number: lines[number - 1].is_documentation):
        numbers = list(run)
        if is_documentation and len(numbers) > _SHORT:
            if start < numbers[0]:
                yield start, numbers[0] - 1, False
            yield numbers[0], numbers[-1], True
            start = numbers[-1] + 1
    if start <= last:
        yield start, last, False


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


# ---- lines -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of the text; `is_documentation`: a docstring stands in it."""

    markup: Markup
    is_documentation: bool


def _marked_lines(source: str) -> Iterator[MarkedLine]:
    """Each line; neighbours of one class share a mark."""
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


def _join(parts: Sequence[tuple[str, str]]) -> MarkedLine:
    written = (part for part in parts if part[1])
    runs = groupby(written, key=lambda part: part[0])
    markup = Markup().join(_marked(name, "".join(text for _, text in run)) for name, run in runs)
    return MarkedLine(markup, any(name == _DOCUMENTATION for name, _ in parts))


def _class(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind[: len(parent)] == parent), "")


def _marked(name: str, text: str) -> Markup:
    if not name or not text.strip():
        return escape(text)
    return Markup("<b class={}>{}</b>").format(name, text)
