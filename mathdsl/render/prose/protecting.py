r"""Formulas and programs kept out of the way of a reader of markup: each is one word of private characters until the text is read.

Formulas are `$ $`, `$$ $$`, `\( \)` and display environments. One stays in one paragraph; what stands in code is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.render.document.displays import take_label
from mathdsl.render.document.inlines import tidy
from mathdsl.render.document.model import Block, DisplayMath, Inline, Inlines, Math, Paragraph, Place, Reference, Text, Verbatim
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.latex.commands import DISPLAYS, REFERENCES
from mathdsl.source.containers import ContainerText, Region
from mathdsl.source.macros import MacroTable, find_definitions
from mathdsl.source.model import MappedText, Run
from mathdsl.spans import NOWHERE

Piece: TypeAlias = Text | Math | Reference | DisplayMath | Place
Loose: TypeAlias = Inline | DisplayMath | Place
"""What stands in running text before it is known where its paragraphs end."""

_OPEN, _CLOSE, _FILL = "\U00100000", "\U00100001", "\U00100002"
_FIRST, _MOST = 0x100100, 60_000
_PRIVATE = re.compile("[\U00100000-\U0010ffff]")
_WORD = re.compile(rf"{_OPEN}([\U00100100-\U0010ffff]){_FILL}*{_CLOSE}")

_LINE_END = r"\n(?![ \t>]*\n)"
_NAMES = "|".join(DISPLAYS)
_FENCE = r"^(?P<prefix>[ \t>]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)?)(?P<fence>`{3,}|~{3,})[^\n]*(?:\n|\Z)"
_EVENT = re.compile(
    rf"{_FENCE}|(?P<ticks>`+)|<!--(?P<comment>(?:(?!<!--|-->)[\s\S])*)-->"
    rf"|\$\$(?P<dollars>(?:[^$\\\n]|\\[^\n]|{_LINE_END}|\$(?!\$))+)\$\$"
    rf"|(?<![\w$])\$(?![\s$])(?P<dollar>(?:[^$\\\n]|\\[^\n]|{_LINE_END})+)(?<!\s)\$(?![\w$])"
    rf"|\\\((?P<round>(?:[^\\\n]|\\[^()\n]|{_LINE_END})+)\\\)"
    rf"|^[ \t>]*\\\[(?P<square>(?:[^\\\n]|\\[^\[\]\n]|\\$|{_LINE_END})+)\\\](?=[ \t]*$)"
    rf"|\\begin\{{(?P<name>(?:{_NAMES})\*?)\}}(?P<environment>(?:(?!\\begin\{{(?P=name)\}}|\\end\{{(?P=name)\}})[\s\S])*)\\end\{{(?P=name)\}}"
    r"|\\(?P<reference>ref|eqref|autoref|cref|Cref|cite[pt]?)\{(?P<labels>[^{}\n`]*)\}"
    r"|\\[\s\S]",
    re.MULTILINE,
)
_INDENT = re.compile(r"[ \t>]*(?:(?:[-*+>]|\d+[.)])[ \t]+)?")
_QUOTED_LINE = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_LABEL = re.compile(r"^[ \t]+:(?:label|name):[ \t]*(\S+)", re.MULTILINE)


@dataclass(slots=True)
class Protected:
    """The pieces that were taken out of a text, with what was written for them."""

    pieces: list[tuple[Piece, str]] = field(default_factory=list)

    def protect(self, piece: Piece, written: str) -> str:
        """A word that stands for the piece, as wide as what was written if that is longer: tables keep their columns."""
        if len(self.pieces) >= _MOST:
            return written
        self.pieces.append((piece, written))
        return f"{_OPEN}{chr(_FIRST + len(self.pieces) - 1)}{_FILL * (len(written) - 3 if written.isprintable() else 0)}{_CLOSE}"

    def restore(self, text: str) -> str:
        """The text as it was written, for where nothing is anything but text."""
        return _WORD.sub(lambda match: self._find(match)[1], text)

    def split(self, text: str) -> list[Loose]:
        """Text and the pieces in it."""
        parts: list[Loose] = []
        position = 0
        for match in _WORD.finditer(text):
            if match.start() > position:
                parts.append(Text(text[position : match.start()]))
            parts.append(self._find(match)[0])
            position = match.end()
        if position < len(text):
            parts.append(Text(text[position:]))
        return parts

    def split_places(self, text: str) -> list[str | Place]:
        """Text as it was written, and the places in it."""
        parts: list[str | Place] = []
        position = 0
        for match in _WORD.finditer(text):
            piece, _ = self._find(match)
            if isinstance(piece, Place):
                parts += [self.restore(text[position : match.start()]), piece]
                position = match.end()
        return [*parts, self.restore(text[position:])]

    def _find(self, match: re.Match[str]) -> tuple[Piece, str]:
        number = ord(match[1]) - _FIRST
        return self.pieces[number] if number < len(self.pieces) else (Math(""), "")


def without_private(text: str) -> str:
    """The text without characters that could be taken for ours."""
    return _PRIVATE.sub("\ufffd", text)


def as_listing(parts: Sequence[str | Place], language: str) -> list[Block]:
    """Lines of code, with the places between them."""
    blocks: list[Block] = []
    for part in parts:
        if isinstance(part, Place):
            blocks.append(part)
        elif part.strip():
            blocks.append(Verbatim(part.strip("\n").rstrip(), language))
    return blocks


def as_line(parts: Sequence[Loose]) -> Inlines:
    """What can stand in a line: displays become formulas of it; a place is left to `read_prose`."""
    line: list[Inline] = []
    for part in parts:
        match part:
            case DisplayMath(latex):
                line.append(Math(latex))
            case Place():
                continue
            case _:
                line.append(part)
    return tidy(line)


def as_blocks(parts: Sequence[Loose]) -> list[Block]:
    """Paragraphs, with the displays and places between them."""
    blocks: list[Block] = []
    line: list[Inline] = []
    for part in parts:
        match part:
            case DisplayMath() | Place():
                blocks += _paragraph(line)
                line = []
                blocks.append(part)
            case _:
                line.append(part)
    return blocks + _paragraph(line)


def _paragraph(line: list[Inline]) -> list[Block]:
    body = tidy(line)
    return [Paragraph(body)] if body else []


def protect_pieces(text: ContainerText, expander: Expander, protected: Protected) -> str:
    """The text of a document with a word for each formula and each program; those of programs stand in paragraphs of their own."""
    written = without_private(text.written.text)
    reader = _Reader(written, expander, protected, has_fences=text.markup == "markdown")
    parts: list[str] = []
    position = 0
    for number, region in enumerate(text.regions):
        start, end = region.whole
        if start < position:
            continue
        parts += [reader.read(position, start), _make_place(region, number, written, protected, is_apart=reader.has_fences)]
        position = end
    return "".join([*parts, reader.read(position, len(written))])


def _make_place(region: Region, number: int, written: str, protected: Protected, *, is_apart: bool) -> str:
    head = written[region.whole[0] : region.start]
    label = _LABEL.search(head)
    indent = _INDENT.match(head)
    word = protected.protect(Place(number, label=label[1] if label else ""), "\n")
    return f"{chr(10) if is_apart else ''}{indent[0] if indent else ''}{word}\n\n"


def find_formula(latex: str, expander: Expander, at: int) -> tuple[str, str]:
    """A formula with its macros expanded, without the definitions that stand in it, and its label."""
    for start, end in reversed(find_definitions(MappedText(latex, (Run(0, NOWHERE, False),)), MacroTable(), 0) if "\\" in latex else []):
        latex = latex[:start] + latex[end:]
    formula, label = take_label(latex)
    return expander.expand_formula(formula, at), label


@dataclass(slots=True)
class _Reader:
    """`runs`: where the runs of so many backticks begin, to find the end of a piece of code."""

    text: str
    expander: Expander
    protected: Protected
    has_fences: bool
    runs: dict[int, list[int]] = field(init=False)
    blank_lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.runs = defaultdict(list)
        for match in re.finditer("`+", self.text):
            self.runs[len(match[0])].append(match.start())
        self.blank_lines = [match.start() for match in re.finditer(r"\n[ \t>]*(?=\n)", self.text)]

    def read(self, start: int, end: int) -> str:
        """Characters `start .. end` with their formulas protected."""
        return "".join(self._pieces(start, end))

    def _pieces(self, start: int, end: int) -> Iterator[str]:
        position = start
        while match := _EVENT.search(self.text, position, end):
            yield self.text[position : match.start()]
            position, words = self._read_event(match, end)
            yield words
        yield self.text[position:end]

    def _read_event(self, match: re.Match[str], end: int) -> tuple[int, str]:
        """The position behind an event, and what stands for it."""
        kind = match.lastgroup
        if kind == "fence" and self.has_fences:
            stop = self._find_fence_end(match, end)
            return stop, self.text[match.start() : stop]
        if kind == "fence" and match["fence"][0] == "~":
            return match.end(kind), self.text[match.start() : match.end(kind)]
        if kind in ("fence", "ticks"):
            start = match.start(kind)
            stop = self._find_code_end(start, len(match[kind]), end)
            return stop, self.text[match.start() : stop]
        if kind == "comment" and self.has_fences:
            return match.end(), ""
        if kind == "labels" and self.has_fences:
            labels = tuple(label.strip() for label in match[kind].split(",") if label.strip())
            return match.end(), self.protected.protect(Reference(REFERENCES[match["reference"]], labels), match[0])
        if kind in (None, "comment", "labels") or (kind == "round" and not self.has_fences):
            return match.end(), match[0]
        return match.end(), self._protect(match, kind or "")

    def _find_fence_end(self, match: re.Match[str], end: int) -> int:
        fence = match["fence"]
        closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(self.text, match.end(), end)
        return closing.end() if closing else end

    def _find_code_end(self, start: int, length: int, end: int) -> int:
        """Behind the next run as long, in the same paragraph; or behind this one."""
        runs = self.runs[length]
        at = bisect_right(runs, start)
        blank = bisect_left(self.blank_lines, start)
        limit = min(end, self.blank_lines[blank] if blank < len(self.blank_lines) else end)
        return runs[at] + length if at < len(runs) and runs[at] < limit else start + length

    def _protect(self, match: re.Match[str], kind: str) -> str:
        lines = _QUOTED_LINE.sub("\n", match[0] if kind == "environment" else match[kind])
        latex, label = find_formula(lines, self.expander, match.start())
        if not latex:
            return ""
        is_inline = kind in ("dollar", "round")
        return self.protected.protect(Math(latex) if is_inline else DisplayMath(latex, label), match[0])
