"""Blocks and whole documents to Markdown, the generated code at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import assert_never

from mathdsl.render.markdown.escaping import begin_line, code_block, escape_text
from mathdsl.render.markdown.formulas import display_formula
from mathdsl.render.markdown.inlines import Numbers, write_inlines
from mathdsl.render.markdown.tables import write_grid, write_listing, write_notation, write_symbols
from mathdsl.render.model import (
    Block,
    DisplayMath,
    Grid,
    Heading,
    Inlines,
    ItemList,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Typeset,
    Verbatim,
    shown_number,
)

_DEEPEST = 6


def write_markdown(document: Typeset) -> str:
    """GitHub-flavoured Markdown with mathematics."""
    context = _number(document.blocks)
    head = [f"# {write_inlines(document.title, context.references).strip()}"] if document.title else []
    if document.authors:
        head.append(begin_line(write_inlines(document.authors, context.references)))
    code = ["## Generated code", code_block(document.source, "python")] if document.source else []
    return "\n\n".join(filter(None, [*head, context.blocks(document.blocks), *code])) + "\n"


@dataclass(frozen=True, slots=True)
class _Context:
    """What references read as, and the numbers of algorithms, by the identity of their listings."""

    references: Numbers
    algorithms: Mapping[int, str]

    def blocks(self, blocks: Sequence[Block]) -> str:
        return "\n\n".join(filter(None, (self.block(block) for block in blocks)))

    def block(self, block: Block) -> str:
        match block:
            case Heading(level, body):
                return f"{'#' * min(level + 1, _DEEPEST)} {write_inlines(body, self.references).strip()}"
            case Paragraph(body):
                return begin_line(write_inlines(body, self.references))
            case ItemList(kind, items):
                return "\n".join(self._item(kind, place, *item) for place, item in enumerate(items, start=1))
            case Quote(body, title):
                text = self.blocks(body)
                whole = f"**{escape_text(title)}**\n\n{text}" if title else text
                return "\n".join(f"> {line}".rstrip() for line in whole.split("\n"))
            case Verbatim(text, language):
                return code_block(text, language)
            case DisplayMath(latex):
                return display_formula(latex, shown_number(block))
            case Grid():
                return write_grid(block, self.references)
            case Listing(tables=tables):
                parts = [write_listing(block, self.algorithms.get(id(block), ""), self.references)]
                return "\n\n".join([*parts, *(write_symbols(table, self.references) for table in tables)])
            case Notation():
                return write_notation(block, self.references)
            case Place():
                return ""
            case _:
                assert_never(block)

    def _item(self, kind: str, place: int, term: Inlines, body: Sequence[Block]) -> str:
        marker = f"{place}. " if kind == "numbers" else "- "
        head = write_inlines(term, self.references).strip()
        text = self.blocks(body)
        if head:
            text = f"<strong>{head}</strong> {text}"
        return marker + "\n".join(" " * len(marker) + line if line else "" for line in text.split("\n")).strip()


def _number(blocks: Sequence[Block]) -> _Context:
    references: dict[str, str] = {}
    algorithms: dict[int, str] = {}
    numbers = count(1)
    for block in _walk(blocks):
        match block:
            case Heading(_, body, label) if label:
                references.setdefault(label, write_inlines(body).strip())
            case DisplayMath(label=label) if label:
                references.setdefault(label, escape_text(shown_number(block) or label))
            case Listing():
                if block.caption or block.label:
                    algorithms[id(block)] = str(next(numbers))
                    references.setdefault(block.label, algorithms[id(block)])
                for line in block.lines:
                    if line.label:
                        references.setdefault(line.label, escape_text(shown_number(line) or "?"))
            case _:
                continue
    return _Context(references, algorithms)


def _walk(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        match block:
            case Quote(body):
                yield from _walk(body)
            case ItemList(items=items):
                for _, body in items:
                    yield from _walk(body)
            case _:
                continue
