"""What a document numbers, in order of appearance, as TeX does: sections, equations of prose and of modules alike, floats, theorems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import assert_never

from mathdsl.dataclass import dataclass, field
from mathdsl.render.document.displays import Columns, Display, split_display
from mathdsl.render.document.model import (
    Block,
    DisplayMath,
    Equations,
    Float,
    Grid,
    Heading,
    ItemList,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Verbatim,
)
from mathdsl.render.document.nesting import change_inside

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def number_blocks(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with their numbers; a display of several numbers becomes several."""
    return tuple(_Numbering().of(blocks))


@dataclass(slots=True)
class _Numbering:
    """`counted`: of each counter but that of equations, the section that it counts in and its last number."""

    equations: Iterator[int] = field(default_factory=lambda: count(1))
    sections: list[int] = field(default_factory=list)
    is_appendix: bool = False
    counted: dict[str, tuple[str, int]] = field(default_factory=dict)

    def of(self, blocks: Sequence[Block]) -> Iterator[Block]:
        for block in blocks:
            match block:
                case Heading():
                    yield self._heading(block)
                case Listing():
                    yield self._listing(block)
                case DisplayMath(latex, label):
                    yield from self._display(latex, label)
                case Float(kind=kind):
                    yield self._float(block, self._next(kind))
                case Quote(counter=counter, within=within):
                    own = self._next(counter, self._section(within)) if counter else ""
                    yield change_inside(replace(block, number=own), self.of)
                case ItemList():
                    yield change_inside(block, self.of)
                case Paragraph() | Verbatim() | Equations() | Grid() | Notation() | Place():
                    yield block
                case _:
                    assert_never(block)

    def _display(self, latex: str, label: str) -> Iterator[Block]:
        for part in split_display(latex, label):
            match part:
                case Display():
                    yield self._numbered(part)
                case Columns(rows):
                    yield Equations(tuple(self._numbered(row) for row in rows))
                case _:
                    assert_never(part)

    def _numbered(self, display: Display) -> DisplayMath:
        number = next(self.equations) if display.is_numbered and not display.tag else None
        return DisplayMath(display.latex, display.label, number, display.tag, display.cells)

    def _heading(self, heading: Heading) -> Heading:
        if heading.begins_appendix and self.is_appendix:  # of a text that follows another one
            heading = replace(heading, begins_appendix=False)
        if heading.begins_appendix:
            self.is_appendix = True
            self.sections.clear()
        level = heading.level
        if not heading.is_numbered or level < 1:
            return heading
        # A level that was left out counts as its first.
        del self.sections[level:]
        self.sections += [1] * (level - 1 - len(self.sections))
        if len(self.sections) < level:
            self.sections.append(1)
        else:
            self.sections[level - 1] += 1
        return replace(heading, number=self._section(level))

    def _section(self, level: int) -> str:
        """`2.1`, in an appendix `B.1`: the section of that level that we are in."""
        numbers = [str(number) for number in self.sections[:level]]
        if self.is_appendix and numbers and self.sections[0] <= len(_LETTERS):
            numbers[0] = _LETTERS[self.sections[0] - 1]
        return ".".join(numbers)

    def _listing(self, listing: Listing) -> Listing:
        number = self._next("algorithm") if listing.caption or listing.label else ""
        if listing.notation != "module":
            return replace(listing, number=number)
        lines = (line if line.number is None else replace(line, number=next(self.equations)) for line in listing.lines)
        return replace(listing, lines=tuple(lines), number=number)

    def _float(self, block: Float, number: str) -> Float:
        """Its parts have its number and a letter each."""
        letters = iter(_LETTERS.lower())
        body: list[Block] = []
        for inner in block.body:
            if isinstance(inner, Float):
                body.append(self._float(inner, f"{number}{next(letters, '')}"))
            else:
                body += self.of((inner,))
        return replace(block, number=number, body=tuple(body))

    def _next(self, counter: str, section: str = "") -> str:
        before = self.counted.get(counter, (section, 0))
        number = before[1] + 1 if before[0] == section else 1
        self.counted[counter] = (section, number)
        return f"{section}.{number}" if section else str(number)
