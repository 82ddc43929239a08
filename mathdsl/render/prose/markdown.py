"""Prose in Markdown, as CommonMark with tables reads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode

from mathdsl.dataclass import dataclass, field
from mathdsl.render.document.inlines import link, plain_text, tidy
from mathdsl.render.document.model import Block, Code, Grid, Heading, Inlines, ItemList, LineBreak, Picture, Prose, Quote, Styled, Text
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.marks import Marks, as_mark
from mathdsl.render.prose.protecting import Loose, Protected, as_blocks, as_line, as_listing, protect_pieces
from mathdsl.render.prose.titles import lift_title, read_front_matter
from mathdsl.source.containers import ContainerText

_MAX_NESTING = 60
_ALIGNED = re.compile(r"text-align:([lcr])")
_NAMED = re.compile(r"\s*\{#(?P<name>[\w:.-]+)\}\s*\Z")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
_REFERENCE = "note_reference"
"""The type of the token that stands for `[^name]`; its content is what the note says."""
_NOTES, _SAID = "notes", "said"
_MOST_SAID = 20
"""How many times a note is read; further references stay as they are written, so that no text grows out of measure."""
_DEFINITION = re.compile(r"\[\^(?P<name>[^\]\s]+)\]:[ \t]*(?P<said>.*)")
_MARK = re.compile(r"\[\^(?P<name>[^\]\s]+)\]")


def read_markdown_prose(text: ContainerText, expander: Expander) -> Prose:
    """The prose of a Markdown file."""
    protected = Protected()
    entries, source = read_front_matter(protect_pieces(text, expander, protected))
    parser = _Parser(protected)
    root = SyntaxTreeNode(parser.parse(source))
    reader = _Reader(protected, source.split("\n"), parser)
    title, blocks = lift_title(reader.blocks(root.children), reader.line(entries.get("title", "")))
    return Prose(title, reader.line(entries.get("author", entries.get("authors", ""))), blocks, reader.line(entries.get("date", "")))


class _Parser(MarkdownIt):
    """CommonMark with tables and without HTML; in addresses, formulas are what they were written as."""

    def __init__(self, protected: Protected) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
        self.enable(["table", "strikethrough"])
        _read_notes(self)
        self._protected = protected

    def normalizeLink(self, url: str) -> str:
        return super().normalizeLink(self._protected.restore(url))

    def normalizeLinkText(self, link: str) -> str:
        return super().normalizeLinkText(self._protected.restore(link))


@dataclass(frozen=True, slots=True)
class _Reader:
    """`notes`: what footnotes say, as far as they have been read."""

    protected: Protected
    lines: Sequence[str]
    parser: MarkdownIt
    notes: dict[str, Inlines] = field(default_factory=dict)

    def line(self, text: str) -> Inlines:
        return as_line(self.protected.split(text))

    # ---- blocks ----------------------------------------------------------------------------------

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> list[Block]:
        return [block for node in nodes for block in self.block(node)]

    def block(self, node: SyntaxTreeNode) -> list[Block]:
        match node.type:
            case "paragraph":
                return as_blocks(self.inlines(node))
            case "heading":
                body = as_line(self.inlines(node))
                body, label = _take_label(body)
                return [Heading(int(node.tag[1:]), body, label or _anchor(body), is_numbered=False)]
            case "bullet_list" | "ordered_list":
                return [self._list(node)]
            case "blockquote":
                return [Quote(tuple(self._inside(node)))]
            case "fence" | "code_block":
                return self._code(node)
            case "table":
                return [self._table(node)]
            case "hr":
                return []
            case _:
                return as_blocks(self.protected.split(node.content)) if node.content else self.blocks(node.children)

    def _inside(self, node: SyntaxTreeNode) -> list[Block]:
        """The blocks of a container; the lines as they are where the parser did not go that deep."""
        if node.children or node.map is None or node.level < _MAX_NESTING - 2:
            return self.blocks(node.children)
        lines = "\n".join(self.lines[slice(*node.map)]).strip()
        return as_listing(self.protected.split_places(lines), "")

    def _list(self, node: SyntaxTreeNode) -> ItemList:
        if node.type == "bullet_list":
            return ItemList("bullets", tuple(((), tuple(self._inside(item))) for item in node.children))
        marks = Marks(start=int(node.attrs.get("start", 1)))
        return ItemList("numbers", tuple((as_mark(marks.of(at)), tuple(self._inside(item))) for at, item in enumerate(node.children)))

    def _code(self, node: SyntaxTreeNode) -> list[Block]:
        language = node.info.split()[0].strip("{}") if node.info.split() else ""
        return as_listing(self.protected.split_places(node.content), self.protected.restore(language))

    def _table(self, node: SyntaxTreeNode) -> Grid:
        head, *rest = ([self._row(row) for row in part.children] for part in node.children)
        sides = (_ALIGNED.search(str(cell.attrs.get("style", ""))) for cell in node.children[0].children[0].children)
        alignment = "".join(side[1] if side else "l" for side in sides)
        return Grid(head[0] if head else (), tuple(row for part in rest for row in part), alignment)

    def _row(self, row: SyntaxTreeNode) -> tuple[Inlines, ...]:
        return tuple(as_line(self.inlines(cell)) for cell in row.children)

    # ---- inlines ---------------------------------------------------------------------------------

    def inlines(self, node: SyntaxTreeNode) -> list[Loose]:
        return [part for child in node.children for part in self.inline(child)]

    def inline(self, node: SyntaxTreeNode) -> list[Loose]:
        match node.type:
            case "inline":
                return self.inlines(node)
            case "softbreak":
                return [Text(" ")]
            case "hardbreak":
                return [LineBreak()]
            case "code_inline":
                return [Code(self.protected.restore(node.content))]
            case "em":
                return [Styled("emphasis", as_line(self.inlines(node)))]
            case "strong":
                return [Styled("strong", as_line(self.inlines(node)))]
            case "s":
                return [Styled("deleted", as_line(self.inlines(node)))]
            case _ if node.type == _REFERENCE:
                return [Styled("footnote", self._note(node.content))]
            case "link":
                return [*link(str(node.attrs.get("href", "")), as_line(self.inlines(node)))]
            case "image":
                file = self.protected.restore(unquote(str(node.attrs.get("src", ""))))
                return [Picture("" if file.startswith("data:") else file, plain_text(as_line(self.inlines(node))))]
            case _:
                return self.protected.split(node.content)

    def _note(self, said: str) -> Inlines:
        """What a footnote says; the marks of notes in it are text."""
        if said not in self.notes:
            tree = SyntaxTreeNode(self.parser.parseInline(said, {}))
            self.notes[said] = as_line([part for node in tree.children for part in self.inline(node)])
        return self.notes[said]


def _take_label(heading: Inlines) -> tuple[Inlines, str]:
    """A heading without the name that is given to it at its end, `{#name}`."""
    match heading:
        case (*before, Text(text)) if found := _NAMED.search(text):
            return tidy([*before, Text(text[: found.start()])]), found["name"]
        case _:
            return heading, ""


def _anchor(heading: Inlines) -> str:
    """How links name a heading: `## The model` is `#the-model`."""
    return _NOT_IN_ANCHOR.sub("", plain_text(heading).strip().lower()).replace(" ", "-")


# ---- footnotes -------------------------------------------------------------------------------------


def _read_notes(parser: MarkdownIt) -> None:
    """Have the parser read footnotes."""
    parser.block.ruler.before("reference", "note_definition", _define, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("link", _REFERENCE, _refer)


def _define(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition goes on up to a blank line or the next definition."""
    first = _DEFINITION.fullmatch(_line_of(state, start))
    if first is None or state.is_code_block(start):
        return False
    if silent:
        return True
    said = [first["said"]]
    line = start + 1
    while line < end and not state.isEmpty(line) and not _DEFINITION.fullmatch(_line_of(state, line)):
        said.append(_line_of(state, line))
        line += 1
    state.env.setdefault(_NOTES, {}).setdefault(first["name"], "\n".join(said))
    state.line = line
    return True


def _line_of(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def _refer(state: StateInline, silent: bool) -> bool:
    match = _MARK.match(state.src, state.pos, state.posMax)
    notes: dict[str, str] = state.env.get(_NOTES, {})
    if match is None or match["name"] not in notes:
        return False
    if not silent:
        said: Counter[str] = state.env.setdefault(_SAID, Counter())
        said[match["name"]] += 1
        if said[match["name"]] > _MOST_SAID:
            return False
        state.push(_REFERENCE, "", 0).content = notes[match["name"]]
    state.pos = match.end()
    return True
