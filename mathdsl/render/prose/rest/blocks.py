"""Nodes of docutils to blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docutils import nodes

from mathdsl.render.model import (
    Block,
    DisplayMath,
    Heading,
    Inline,
    Inlines,
    ItemList,
    LineBreak,
    Paragraph,
    Quote,
    Styled,
    Text,
)
from mathdsl.render.prose.inlines import plain_text, tidy
from mathdsl.render.prose.marks import Marks, as_mark
from mathdsl.render.prose.markup_source import find_formula
from mathdsl.render.prose.protecting import Loose, as_blocks, as_line, as_listing
from mathdsl.render.prose.rest.directives import CODE, DISABLED, SILENT, Directive, read_directive
from mathdsl.render.prose.rest.inlines import InlineReader
from mathdsl.render.prose.rest.parsing import parse_rest
from mathdsl.render.prose.rest.pointers import section_label
from mathdsl.render.prose.rest.tables import read_table

MAX_DEPTH = 40
_MAX_PARSES = 5
_CONTENT_LOST = 3
"""From this level on, a message of docutils holds what it could not read."""

_COUNTERS = {"loweralpha": "alph", "upperalpha": "Alph", "lowerroman": "roman", "upperroman": "Roman"}
"""How docutils calls the counters of lists."""

_UNDERLINES = frozenset("=-`:'\"~^_*+#<>")


@dataclass(frozen=True, slots=True)
class BlockReader:
    """`parses`: how many times the content of a directive has been parsed on its own."""

    line: InlineReader
    parses: int = 0

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
                return self._message(node, depth, level)
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
        grid = read_table(node, self.line)
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

    def _message(self, node: nodes.system_message, depth: int, level: int) -> list[Block]:
        source = next((child.astext() for child in node.children if isinstance(child, nodes.literal_block)), "")
        if not source.strip():
            return []
        directive = read_directive(source)
        if directive is not None and directive.name in DISABLED:
            return self.listing(source, "rst")
        if node.get("level", 0) < _CONTENT_LOST:
            return []
        if directive is not None:
            return self._directive(directive, source, depth, level)
        lines = source.strip("\n").split("\n")
        if len(lines) in (2, 3) and len(set(lines[-1].strip())) == 1 and lines[-1].strip()[0] in _UNDERLINES:
            return [Heading(level, tidy(as_line(self.line.protected.split(lines[-2]))), is_numbered=False)]
        return self.listing(source, "")

    def _directive(self, directive: Directive, source: str, depth: int, level: int) -> list[Block]:
        if directive.name == "math":
            formula = f"{directive.argument}\n{directive.content}".strip()
            label = directive.options.get("label", directive.options.get("name", ""))
            return self._formula(formula, self.line.restore(label))
        if directive.name in CODE:
            return self.listing(directive.content, self.line.restore(directive.argument))
        if directive.name in SILENT:
            return []
        title = directive.name.rpartition(":")[2].replace("-", " ").capitalize()
        said = self.line.restore(directive.argument) if directive.content else ""
        tree = parse_rest(directive.content or directive.argument) if self.parses < _MAX_PARSES else None
        if tree is None:
            return self.listing(source, "")
        inner = BlockReader(self.line, self.parses + 1).read(tree.children, depth + 1, level)
        return [Quote(tuple(inner), f"{title}: {said}" if said else title)]
