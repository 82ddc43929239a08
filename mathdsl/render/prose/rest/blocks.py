"""A file or a docstring in reStructuredText: its title, its authors, and the nodes of docutils as blocks."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from docutils import nodes

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import plain_text, tidy
from mathdsl.render.document.model import (
    Block,
    DisplayMath,
    Grid,
    Heading,
    Inline,
    Inlines,
    ItemList,
    LineBreak,
    Paragraph,
    Prose,
    Quote,
    Styled,
    Text,
)
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.marks import Marks, as_mark
from mathdsl.render.prose.protecting import Loose, Protected, as_blocks, as_line, as_listing, find_formula, protect_pieces
from mathdsl.render.prose.rest.inlines import InlineReader, find_notes, find_targets, section_label
from mathdsl.render.prose.rest.parsing import calm, parse_rest
from mathdsl.render.prose.titles import lift_title, read_front_matter
from mathdsl.source.containers import ContainerText

MAX_DEPTH = 40
_CONTENT_LOST = 3
"""From this level on, a message of docutils holds what it could not read."""

_COUNTERS = {"loweralpha": "alph", "upperalpha": "Alph", "lowerroman": "roman", "upperroman": "Roman"}
"""How docutils calls the counters of lists."""

_CODE = frozenset(
    "code code-block sourcecode highlight ipython prompt doctest testcode testsetup testoutput parsed-literal jupyter-execute".split()
)
"""Directives whose content is code; their argument is its language."""
_DISABLED = frozenset({"include", "raw"})
"""Directives that would read files or write another format: they stay as they are written."""
_SILENT = frozenset(
    "toctree currentmodule module py:module py:currentmodule index only tabularcolumns bibliography footbibliography".split()
)
"""Directives that say nothing themselves."""
_HEAD = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]*\|[ \t]+)?(?P<name>[\w:.+-]+)[ \t]*::[ \t]*(?P<argument>[^\n]*)(?P<rest>[\s\S]*)")
_OPTION = re.compile(r":(?P<name>[\w-]+):[ \t]*(?P<value>[^\n]*)(?:\n|\Z)")
_MOST_SPANNED = 1000


def read_rest_prose(text: ContainerText, expander: Expander) -> Prose:
    """The prose; all of it as it was written where docutils cannot read it."""
    protected = Protected()
    entries, source = read_front_matter(protect_pieces(text, expander, protected))
    if _is_docstring(text):
        source = inspect.cleandoc(source)
    tree = parse_rest(calm(source, protected))
    if tree is None:
        return Prose((), (), tuple(as_listing(protected.split_places(source), "rst")))
    reader = _BlockReader(InlineReader(protected, expander, find_targets(tree), len(text.written.text), find_notes(tree)))
    title, blocks = lift_title(reader.read(tree.children), as_line(protected.split(entries.get("title", ""))))
    author, date = (as_line(protected.split(entries.get(key, ""))) for key in ("author" if "author" in entries else "authors", "date"))
    return Prose(title, author, blocks, date)


def _is_docstring(text: ContainerText) -> bool:
    return any(PurePath(run.origin.file).suffix == ".py" for run in text.written.runs[:1])


@dataclass(frozen=True, slots=True)
class _BlockReader:
    """Reads the blocks of a text; what docutils could not read stays as it is written, but for formulas and code."""

    line: InlineReader

    def read(self, children: Iterable[nodes.Node], depth: int = 0, level: int = 1) -> list[Block]:
        """The blocks of nodes that stand one after the other; `level` is that of the sections among them."""
        return [block for child in children for block in self._block(child, depth, level)]

    def _block(self, node: nodes.Node, depth: int, level: int) -> Sequence[Block]:
        if depth > MAX_DEPTH:
            return self.listing(node.astext(), "")
        match node:
            case nodes.section():
                return self._section(node, depth, level)
            case nodes.paragraph():
                return as_blocks(self.line.read(node))
            case nodes.bullet_list():
                return [ItemList("bullets", tuple(((), body) for body in self._items(node, depth)))]
            case nodes.enumerated_list():
                marks = Marks(_COUNTERS.get(node["enumtype"], "arabic"), node["prefix"], node["suffix"], node.get("start", 1))
                return [ItemList("numbers", tuple((as_mark(marks.of(at)), body) for at, body in enumerate(self._items(node, depth))))]
            case nodes.definition_list() | nodes.field_list() | nodes.option_list():
                return [ItemList("terms", tuple(self._term(item, depth) for item in node.children))]
            case nodes.footnote() if any(node is note for note in self.line.notes.values()):
                return []
            case nodes.topic() if "contents" in node.get("classes", []):
                return []
            case nodes.footnote() | nodes.citation():
                return [ItemList("terms", (self._term(node, depth),))]
            case nodes.literal_block():
                classes: list[str] = node.get("classes", [])
                return self.listing(node.astext(), self.line.restore(next((name for name in classes if name != "code"), "")))
            case nodes.doctest_block():
                return self.listing(node.astext(), "python")
            case nodes.math_block():
                return self._formula(node.astext(), "")
            case nodes.table():
                return self._table(node)
            case nodes.line_block():
                return [Paragraph(as_line(self._lines(node)))]
            case nodes.system_message():
                return self._message(node)
            case nodes.Invisible() | nodes.transition() | nodes.pending() | nodes.raw():
                return []
            case nodes.image():
                return as_blocks(self.line.picture(node))
            case nodes.Element() if isinstance(node, nodes.block_quote | nodes.Admonition | nodes.topic | nodes.sidebar):
                return [self._quote(node, depth)]
            case nodes.rubric() | nodes.title() | nodes.subtitle():
                return [Paragraph((Styled("strong", self.line.line(node)),))]
            case nodes.TextElement():
                return as_blocks(self.line.read(node))
            case nodes.Element():
                return self.read(node.children, depth + 1, level)
            case _:
                return as_blocks(self.line.protected.split(node.astext()))

    def listing(self, text: str, language: str) -> list[Block]:
        return as_listing(self.line.protected.split_places(text), language)

    def _section(self, node: nodes.section, depth: int, level: int) -> list[Block]:
        title, *rest = node.children
        body = self.line.line(title) if isinstance(title, nodes.Element) else ()
        label = self.line.restore(section_label(node))
        return [Heading(level, body, label, is_numbered=False), *self.read(rest, depth + 1, level + 1)]

    def _items(self, node: nodes.Element, depth: int) -> Iterator[tuple[Block, ...]]:
        return (tuple(self.read(item.children, depth + 1)) for item in node.children if isinstance(item, nodes.Element))

    def _term(self, item: nodes.Node, depth: int) -> tuple[Inlines, tuple[Block, ...]]:
        term: list[Loose] = []
        body: list[Block] = []
        for child in item.children:
            match child:
                case nodes.definition() | nodes.field_body() | nodes.description():
                    body += self.read(child.children, depth + 1)
                case nodes.classifier():
                    term += [Text(": " if term else ""), *self.line.read(child)]
                case nodes.label():
                    term += [Text(f"[{self.line.restore(child.astext())}]")]
                case nodes.option_group():
                    term.append(self.line.code(", ".join(option.astext() for option in child.children)))
                case nodes.term() | nodes.field_name():
                    term += self.line.read(child)
                case _:
                    body += self._block(child, depth + 1, 1)
        return as_line(term), tuple(body)

    def _formula(self, source: str, label: str) -> list[Block]:
        latex, own_label = find_formula(self.line.restore(source), self.line.expander, self.line.at)
        if not latex:
            return []
        if r"\\" in latex and not latex.startswith(r"\begin"):
            latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
        return [DisplayMath(latex, label or own_label)]

    def _table(self, node: nodes.table) -> list[Block]:
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        grid = _read_table(node, self.line)
        return [*([] if title is None else [Paragraph(self.line.line(title))]), grid]

    def _lines(self, node: nodes.Element) -> list[Inline]:
        lines: list[Inline] = []
        for child in node.children:
            if isinstance(child, nodes.line_block):
                lines += self._lines(child)
            elif isinstance(child, nodes.Element):
                lines += [*self.line.line(child), LineBreak()]
        return lines

    def _quote(self, node: nodes.Element, depth: int) -> Quote:
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        rest = [child for child in node.children if child is not title]
        said = plain_text(self.line.line(title)) if title is not None else ""
        if isinstance(node, nodes.Admonition) and title is None:
            said = node.tagname.capitalize()
        return Quote(tuple(self.read(rest, depth + 1)), said)

    # ---- what docutils could not read ------------------------------------------------------------

    def _message(self, node: nodes.system_message) -> list[Block]:
        source = next((child.astext() for child in node.children if isinstance(child, nodes.literal_block)), "")
        if not source.strip():
            return []
        directive = _read_directive(source)
        if directive is not None and directive.name in _DISABLED:
            return self.listing(source, "rst")
        if node.get("level", 0) < _CONTENT_LOST:
            return []
        return self.listing(source, "") if directive is None else self._directive(directive, source)

    def _directive(self, directive: _Directive, source: str) -> list[Block]:
        if directive.name == "math":
            formula = f"{directive.argument}\n{directive.content}".strip()
            label = directive.options.get("label", directive.options.get("name", ""))
            return self._formula(formula, self.line.restore(label))
        if directive.name in _CODE:
            return self.listing(directive.content, self.line.restore(directive.argument))
        return [] if directive.name in _SILENT else self.listing(source, "rst")


# ---- directives ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Directive:
    """`.. name:: argument`, its options and its content."""

    name: str
    argument: str
    options: dict[str, str]
    content: str


def _read_directive(source: str) -> _Directive | None:
    """A directive as it was written; None where it is something else."""
    head = _HEAD.match(source)
    if head is None:
        return None
    rest = textwrap.dedent(head["rest"].lstrip("\n"))
    options: dict[str, str] = {}
    while option := _OPTION.match(rest):
        options[option["name"]] = option["value"].strip()
        rest = rest[option.end() :]
    return _Directive(head["name"], head["argument"].strip(), options, rest.strip("\n"))


# ---- tables ----------------------------------------------------------------------------------------


def _read_table(table: nodes.table, line: InlineReader) -> Grid:
    """The rows; those of a head of several are joined, one below the other."""
    head = _grid([row for part in table.findall(nodes.thead) for row in part.children], line)
    rows = _grid([row for part in table.findall(nodes.tbody) for row in part.children], line)
    width = max((len(row) for row in [*head, *rows]), default=0)
    wide = [(*row, *[()] * (width - len(row))) for row in rows]
    joined = tuple(_join(row[column] for row in head if column < len(row)) for column in range(width)) if head else ()
    return Grid(joined, tuple(wide))


def _grid(rows: Iterable[nodes.Node], line: InlineReader) -> list[list[Inlines]]:
    """Cells by row and column; `below` counts for each column how many rows a cell above still covers."""
    grid: list[list[Inlines]] = []
    below: dict[int, int] = {}
    for row in rows:
        cells: list[Inlines] = []
        for entry in row.children:
            _skip_covered(cells, below)
            if not isinstance(entry, nodes.Element):
                continue
            columns = 1 + min(int(entry.get("morecols", 0)), _MOST_SPANNED)
            for column in range(len(cells), len(cells) + columns):
                below[column] = int(entry.get("morerows", 0))
            cells += [_cell(entry, line), *[()] * (columns - 1)]
        _skip_covered(cells, below)
        grid.append(cells)
    return grid


def _skip_covered(cells: list[Inlines], below: dict[int, int]) -> None:
    while below.get(len(cells), 0) > 0:
        below[len(cells)] -= 1
        cells.append(())


def _cell(entry: nodes.Element, line: InlineReader) -> Inlines:
    return _join(line.line(text) for text in _texts(entry))


def _texts(node: nodes.Element) -> Iterator[nodes.Element]:
    """The lines of a cell, whatever they stand in."""
    for child in node.children:
        if isinstance(child, nodes.TextElement):
            yield child
        elif isinstance(child, nodes.Element):
            yield from _texts(child)


def _join(lines: Iterable[Inlines]) -> Inlines:
    joined: list[Inline] = []
    for part in lines:
        joined += [*part, LineBreak()]
    return tidy(joined)
