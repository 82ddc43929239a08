"""Paragraphs, headings, lists, floats and tables: tokens to blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Literal

from mathdsl.dataclass import dataclass, field
from mathdsl.render.document.inlines import plain_text, tidy
from mathdsl.render.document.model import (
    Block,
    DisplayMath,
    Float,
    Grid,
    Heading,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Place,
    Quote,
    Text,
    Verbatim,
)
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.latex.commands import FLOW, HEADINGS, UNNUMBERED_HEADINGS, WITH_LABELS, Row, find_row
from mathdsl.render.prose.latex.lexing import lex, make_formula, read_caption
from mathdsl.render.prose.latex.running_text import MAX_DEPTH, RunningText
from mathdsl.render.prose.latex.tokens import Token, Tokens
from mathdsl.render.prose.marks import Marks, as_mark, read_marks
from mathdsl.source.latex_text import Interval

_LISTS: Mapping[str, str] = {"bullets": r"item", "numbers": "item", "terms": "item", "bibliography": "bibitem"}
_FLOATS: Mapping[str, Literal["figure", "table", "algorithm"]] = {"figure": "figure", "table": "table", "algorithm": "algorithm"}
_AS_CODE = "tex"
_LATE = 1 << 60  # behind all definitions of the text
_RULES = frozenset({"hline", "toprule", "midrule", "bottomrule", "cline", "cmidrule", "endhead", "endfirsthead"})
_MOST_COLUMNS = 100
_LONGEST = 1000
"""Characters that are read of what a table says of its columns."""
_REPEATED = re.compile(r"\*\s*\{(\d{1,2})\}\s*\{([^{}]*)\}")
_BRACED = re.compile(r"\{[^{}]*\}")
_SIDES = dict.fromkeys("lpmbXLJ", "l") | dict.fromkeys("cC", "c") | dict.fromkeys("rRSD", "r")
"""Letters of columns."""


@dataclass(slots=True)
class BlockReader:
    """`labels` and `levels` of headings: by position, and by command; `theorems`: the document's own environments.

    `captions`: those of the float that is being read. `begins_appendix`: the next heading is the first of the appendix.
    """

    tokens: Tokens
    expander: Expander
    labels: Mapping[int, str]
    levels: Mapping[str, int]
    theorems: Mapping[str, Row]
    line: RunningText = field(init=False)
    captions: list[Paragraph] = field(default_factory=list)
    begins_appendix: bool = False

    def __post_init__(self) -> None:
        self.line = RunningText(self.tokens)

    def read(self, start: int, end: int, depth: int = 0) -> list[Block]:
        """The blocks of tokens `start .. end`."""
        return _Stretch(self, end, depth).read(start)


@dataclass(slots=True)
class _Stretch:
    """What is read of one stretch: the blocks so far, and the inlines of the paragraph that goes on."""

    reader: BlockReader
    end: int
    depth: int
    blocks: list[Block] = field(default_factory=list)
    run: list[Inline] = field(default_factory=list)

    @property
    def tokens(self) -> Tokens:
        return self.reader.tokens

    def read(self, start: int) -> list[Block]:
        position = start
        while position < self.end:
            position = self._next(position)
        self._flush()
        return self.blocks

    def _flush(self, *blocks: Block) -> None:
        if paragraph := tidy(self.run):
            self.blocks.append(Paragraph(paragraph))
        self.run.clear()
        self.blocks += blocks

    def _next(self, position: int) -> int:
        token = self.tokens[position]
        match token.kind:
            case "paragraph":
                self._flush()
            case "display":
                self._flush(DisplayMath(token.text, token.detail))
            case "verbatim":
                self._flush(self._code(token))
            case "region":
                self._flush(Place(int(token.text)))
            case "begin":
                return self._environment(position)
            case "{" if self._is_loose(position):
                pass
            case "command" if token.text in HEADINGS:
                return self._heading(position)
            case "command" if token.text == "appendix":
                self.reader.begins_appendix = True
            case "command" if token.text == "caption":
                return self._caption(position)
            case _:
                return self.reader.line.read_one(position, self.end, self.depth, self.run)
        return position + 1

    def _code(self, token: Token) -> Block:
        code, (caption, label) = Verbatim(token.text, token.detail), read_caption(token.raw)
        if not caption:
            return code
        said = Tokens(lex(caption, self.reader.expander))
        return Float("listing", RunningText(said).read(0, len(said), self.depth + 1), (code,), label)

    def _is_loose(self, position: int) -> bool:
        """Whether braces hold more than a line: they only limit what declarations reach."""
        closing = self.tokens.find_partner(position, self.end)
        return closing is None or self.tokens.has_block(position, closing) or self.tokens.has_paragraph(position, closing)

    def _heading(self, position: int) -> int:
        token, line = self.tokens[position], self.reader.line
        after, _ = line.read_arguments("o", position + 1, self.end)
        title = line.find_argument(after, self.end)
        if title is None:
            self.run.append(Text(token.raw))
            return position + 1
        is_numbered = not token.detail and token.text not in UNNUMBERED_HEADINGS
        body = line.read(*title, self.depth + 1)
        label, begins_appendix = self.reader.labels.get(position, ""), self.reader.begins_appendix
        self.reader.begins_appendix = False
        self._flush(Heading(self.reader.levels[token.text], body, label, is_numbered, begins_appendix))
        return title[1] + 1

    def _caption(self, position: int) -> int:
        line = self.reader.line
        after, _ = line.read_arguments("o", position + 1, self.end)
        said = line.find_argument(after, self.end)
        if said is None:
            return after
        caption = Paragraph(line.read(*said, self.depth + 1))
        if caption.body:
            self._flush(caption)
            self.reader.captions.append(caption)
        return said[1] + 1

    # ---- environments ----------------------------------------------------------------------------

    def _environment(self, position: int) -> int:
        name = self.tokens[position].text
        closing = self.tokens.find_partner(position, self.end)
        if closing is None:
            return self.reader.line.read_one(position, self.end, self.depth, self.run)
        row = self._row(name)
        start, columns = self.reader.line.read_arguments(row.arguments, position + 1, closing)
        has_region = self.tokens.has_region(position, closing)
        if row.kind == "inline":
            return self.reader.line.read_one(position, self.end, self.depth, self.run)
        self._flush()
        if self.depth >= MAX_DEPTH and has_region:
            return position + 1
        if self.depth >= MAX_DEPTH or (row.kind == "source" and not has_region):
            self.blocks.append(Verbatim(self.tokens.source(position, closing + 1).strip(), _AS_CODE))
        elif row.kind == "table" and not has_region:
            alignment = "".join(_read_alignment(self.tokens.source(*said)) for said in columns)
            self.blocks.append(_read_table(self.reader.line, (start, closing), self.depth + 1, alignment))
        else:
            self.blocks += self._read_environment(row, position, (start, closing), has_region)
        return closing + 1

    def _row(self, name: str) -> Row:
        return find_row(name, self.reader.theorems)

    def _read_environment(self, row: Row, begin: int, inside: Interval, has_region: bool) -> Iterable[Block]:
        match row.kind:
            case "bullets" | "numbers" | "terms" | "bibliography":
                option = self.reader.line.find_option(begin + 1, inside[1])
                return self._list(row, inside, read_marks(self.tokens.source(*option) if option else ""))
            case "quote":
                return [Quote(tuple(self._blocks(inside)), row.title)]
            case "theorem":
                return [self._theorem(row, inside)]
            case "float":
                return self._float(row, inside)
            case "display" if not has_region:
                whole = self.tokens.source(begin, inside[1] + 1)
                formula = make_formula("display", self.reader.expander.expand_formula(whole, _LATE), whole)
                return [DisplayMath(formula.text, formula.detail)]
            case _:
                return self._blocks(inside)

    def _blocks(self, inside: Interval) -> list[Block]:
        return self.reader.read(*inside, self.depth + 1)

    def _theorem(self, row: Row, inside: Interval) -> Quote:
        note = self.reader.line.find_option(*inside)
        said = plain_text(self.reader.line.read(*note, self.depth + 1)) if note else ""
        body = tuple(self._blocks((note[1] + 1 if note else inside[0], inside[1])))
        return Quote(body, row.title, said, self._own_label(inside), row.counter, row.within)

    def _own_label(self, inside: Interval) -> str:
        """The first label there that belongs to no float or list inside."""
        position, end = inside
        while position < end:
            token = self.tokens[position]
            if label := find_label(self.tokens, position, min(position + 2, end), end):
                return label
            inner = self._row(token.text) if token.kind == "begin" else FLOW
            closing = self.tokens.find_partner(position, end) if inner.kind in WITH_LABELS else None
            position = position + 1 if closing is None else closing + 1
        return ""

    def _float(self, row: Row, inside: Interval) -> list[Block]:
        """The program in a float takes its caption and its label; what has no caption has no number."""
        outside, self.reader.captions = self.reader.captions, []
        blocks = self._blocks(inside)
        captions, self.reader.captions = self.reader.captions, outside
        at = next((at for at, block in enumerate(blocks) if isinstance(block, Place)), None)
        caption = next((caption for caption in captions if any(caption is block for block in blocks)), None)
        rest = [block for block in blocks if block is not caption]
        label = self._own_label(inside)
        if at is None:
            return rest if caption is None else [Float(_FLOATS[row.title], caption.body, tuple(rest), label)]
        place = blocks[at]
        assert isinstance(place, Place)
        settled = replace(place, caption=caption.body if caption else (), label=label)
        return [settled if block is place else block for block in rest]

    def _list(self, row: Row, inside: Interval, marks: Marks) -> list[Block]:
        command = _LISTS[row.kind]
        starts = [at for at in self._outer_positions(inside) if _is_command(self.tokens, at, command)]
        before = self._blocks((inside[0], starts[0] if starts else inside[1]))
        items = [self._item(row, start, end) for start, end in zip(starts, [*starts[1:], inside[1]])]
        if row.title:
            before = [Heading(1, (Text(row.title),), is_numbered=False), *before]
        if not items:
            return before
        if row.kind in ("terms", "bibliography"):
            return [*before, ItemList("terms", tuple(items))]
        if row.kind == "bullets":
            return [*before, ItemList("bullets", tuple(items))]
        places = count()
        return [*before, ItemList("numbers", tuple((term or as_mark(marks.of(next(places))), body) for term, body in items))]

    def _item(self, row: Row, start: int, end: int) -> tuple[Inlines, tuple[Block, ...]]:
        line = self.reader.line
        option = line.find_option(start + 1, end)
        after = option[1] + 1 if option else start + 1
        term = line.read(*option, self.depth + 1) if option else ()
        if row.kind == "bibliography" and (key := line.find_argument(after, end)) is not None:
            term, after = term or (Text(f"[{self.tokens.source(*key).strip()}]"),), key[1] + 1
        return term, tuple(self._blocks((after, end)))

    def _outer_positions(self, inside: Interval) -> Iterable[int]:
        """The positions that lie in no environment of their own."""
        position, end = inside
        while position < end:
            yield position
            closing = self.tokens.find_partner(position, end) if self.tokens[position].kind == "begin" else None
            position = position + 1 if closing is None else closing + 1


def _is_command(tokens: Tokens, position: int, name: str) -> bool:
    return tokens[position].kind == "command" and tokens[position].text == name


def find_label(tokens: Tokens, start: int, end: int, limit: int | None = None) -> str:
    r"""What the first `\label{…}` that begins there says, or ''; it ends before `limit`."""
    stop = end if limit is None else limit
    for position in range(start, end):
        if _is_command(tokens, position, "label") and position + 1 < stop and tokens[position + 1].kind == "{":
            closing = tokens.find_partner(position + 1, stop)
            if closing is not None:
                return tokens.source(position + 2, closing).strip()
    return ""


@dataclass(slots=True)
class _Cells:
    """`cells` of a row, each a stretch of tokens; whether a line is drawn below it."""

    cells: list[Interval] = field(default_factory=list)
    is_ruled: bool = False


def _read_alignment(columns: str) -> str:
    r"""`llr` of `|l|p{3cm}r|`, `*{2}{l}r`, `@{}l>{\bfseries}lS@{}`."""
    repeated = _REPEATED.sub(lambda match: match[2] * int(match[1]), columns[:_LONGEST])
    while (plain := _BRACED.sub("", repeated)) != repeated:
        repeated = plain
    return "".join(_SIDES.get(letter, "") for letter in plain)[:_MOST_COLUMNS]


def _read_table(line: RunningText, inside: Interval, depth: int, alignment: str = "") -> Grid:
    """The rows of a table; the first is its head where a line is drawn below it, and more rows follow."""
    rows = [(_read_cells(line, row, depth), row.is_ruled) for row in _split(line.tokens, inside)]
    filled = [(cells, is_ruled) for cells, is_ruled in rows if any(cells)]
    width = max((len(cells) for cells, _ in filled), default=0)
    cells = [tuple(row + [()] * (width - len(row))) for row, _ in filled]
    if len(filled) > 1 and filled[0][1]:
        return Grid(cells[0], tuple(cells[1:]), alignment)
    return Grid((), tuple(cells), alignment)


def _split(tokens: Tokens, inside: Interval) -> list[_Cells]:
    """At `&` and `\\\\`, but for those in braces and in environments."""
    rows = [_Cells()]
    position, end = inside
    start = position
    while position < end:
        token = tokens[position]
        if token.kind in ("cell", "break"):
            rows[-1].cells.append((start, position))
            start = position + 1
            if token.kind == "break":
                rows.append(_Cells())
        elif token.kind == "command" and token.text in _RULES and len(rows) > 1 and not rows[-1].cells:
            rows[-2].is_ruled = True
        partner = tokens.find_partner(position, end) if token.kind in ("{", "begin") else None
        position = position + 1 if partner is None else partner + 1
    rows[-1].cells.append((start, end))
    return rows


def _read_cells(line: RunningText, row: _Cells, depth: int) -> list[Inlines]:
    cells: list[Inlines] = []
    for start, end in row.cells:
        cells.append(line.read(start, end, depth))
        cells += [()] * (_find_span(line, start, end) - 1)
    return cells[:_MOST_COLUMNS] if not any(cells[_MOST_COLUMNS:]) else cells


def _find_span(line: RunningText, start: int, end: int) -> int:
    r"""How many columns `\multicolumn{2}{…}{…}` goes across."""
    for position in range(start, end):
        token = line.tokens[position]
        if token.kind == "command" and token.text == "multicolumn":
            count = line.find_argument(position + 1, end)
            said = line.tokens.source(*count).strip() if count else ""
            return min(int(said), _MOST_COLUMNS) if said.isdecimal() and len(said) < 4 else 1
        if token.kind != "space" and not (token.kind == "command" and token.text in _RULES):
            break
    return 1
