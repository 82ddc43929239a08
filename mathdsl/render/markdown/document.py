"""Blocks and whole documents to Markdown, the generated code at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import assert_never

from mathdsl.render.markdown.escaping import begin_line, code_block, escape_text
from mathdsl.render.markdown.formulas import display_formula, display_rows
from mathdsl.render.markdown.inlines import Numbers, write_inlines
from mathdsl.render.markdown.tables import write_grid, write_listing, write_notation, write_symbols
from mathdsl.render.model import (
    Block,
    DisplayMath,
    Equations,
    Float,
    Grid,
    Heading,
    Inlines,
    ItemList,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Text,
    Typeset,
    Verbatim,
    quote_title,
    shown_number,
)
from mathdsl.render.nesting import walk

_DEEPEST = 6


def write_markdown(document: Typeset) -> str:
    """GitHub-flavoured Markdown with mathematics."""
    context = _Context(_find_numbers(document.blocks))
    head = [f"# {write_inlines(document.title, context.references).strip()}"] if document.title else []
    head += [begin_line(write_inlines(said, context.references)) for said in (document.authors, document.date) if said]
    code = ["## Generated code", code_block(document.source, "python")] if document.source else []
    return "\n\n".join(filter(None, [*head, context.blocks(document.blocks), *code])) + "\n"


@dataclass(frozen=True, slots=True)
class _Context:
    """What references read as."""

    references: Numbers

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Two lists that follow each other have an empty comment between them, without which they would be one."""
        pairs = zip((None, *blocks), blocks, strict=False)
        apart = ("<!-- -->" if isinstance(before, ItemList) and isinstance(block, ItemList) else "" for before, block in pairs)
        return "\n\n".join(filter(None, (part for gap, block in zip(apart, blocks, strict=True) for part in (gap, self.block(block)))))

    def block(self, block: Block) -> str:
        match block:
            case Heading(level, body, number=number):
                words = filter(None, (escape_text(number), write_inlines(body, self.references).strip()))
                return f"{'#' * min(level + 1, _DEEPEST)} {' '.join(words)}"
            case Paragraph(body):
                return begin_line(write_inlines(body, self.references))
            case ItemList(kind, items):
                return self._list(kind, items)
            case Quote(body):
                title, text = quote_title(block), self.blocks(body)
                whole = f"**{escape_text(title)}**\n\n{text}" if title else text
                return "\n".join(f"> {line}".rstrip() for line in whole.split("\n"))
            case Float(kind, caption, body):
                said = f"**{kind.capitalize()} {escape_text(block.number)}:** {write_inlines(caption, self.references)}".rstrip()
                shown = (said, self.blocks(body)) if kind == "table" else (self.blocks(body), said)
                return "\n\n".join(filter(None, shown))
            case Verbatim(text, language):
                return code_block(text, language)
            case DisplayMath(latex):
                return display_formula(latex, shown_number(block))
            case Equations(rows):
                return display_rows([(row.cells, row.latex, shown_number(row)) for row in rows])
            case Grid():
                return write_grid(block, self.references)
            case Listing(tables=tables):
                parts = [write_listing(block, self.references)]
                return "\n\n".join([*parts, *(write_symbols(table, self.references) for table in tables)])
            case Notation():
                return write_notation(block, self.references)
            case Place():
                return ""
            case _:
                assert_never(block)

    def _list(self, kind: str, items: Sequence[tuple[Inlines, tuple[Block, ...]]]) -> str:
        """Where an author gave numbered items marks of their own, all of them show what they have."""
        if kind != "numbers" or not any(term for term, _ in items):
            return "\n".join(self._item(kind, place, *item) for place, item in enumerate(items, start=1))
        numbers = count(1)
        marked = [(term or (Text(f"{next(numbers)}."),), body) for term, body in items]
        return "\n".join(self._item("bullets", 0, *item) for item in marked)

    def _item(self, kind: str, place: int, term: Inlines, body: Sequence[Block]) -> str:
        marker = f"{place}. " if kind == "numbers" else "- "
        head = write_inlines(term, self.references).strip()
        text = self.blocks(body)
        if head:
            text = f"<strong>{head}</strong> {text}" if kind == "terms" else f"{begin_line(head)} {text}"
        return marker + "\n".join(" " * len(marker) + line if line else "" for line in text.split("\n")).strip()


def _find_numbers(blocks: Sequence[Block]) -> Numbers:
    """What a reference to each label reads as: a number, or the words of a heading that has none."""
    numbers: dict[str, str] = {}
    for _, block in walk(blocks):
        match block:
            case Heading(_, body, label, number=number) if label:
                numbers.setdefault(label, escape_text(number) or f"“{write_inlines(body).strip()}”")
            case DisplayMath(label=label) if label:
                numbers.setdefault(label, escape_text(shown_number(block) or label))
            case Float(label=label, number=number) | Quote(label=label, number=number) if label:
                numbers.setdefault(label, escape_text(number or label))
            case Listing():
                for label, number in ((block.label, block.number), *((line.label, shown_number(line)) for line in block.lines)):
                    if label:
                        numbers.setdefault(label, escape_text(number or "?"))
            case _:
                continue
    return numbers
