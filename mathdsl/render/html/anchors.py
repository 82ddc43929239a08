"""Where everything of a document stands: identifiers made by us, section and algorithm numbers, what each label points at.

A block's path is its place in the tree of blocks: `(3,)` is the fourth block, `(3, 1, 0)` the first block of its second item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import assert_never

from mathdsl.render.html.plain_text import plain_text
from mathdsl.render.model import (
    Block,
    DisplayMath,
    Grid,
    Heading,
    ItemList,
    Line,
    Listing,
    Notation,
    Paragraph,
    Place,
    Quote,
    Verbatim,
    shown_number,
)

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What a label points at: the identifier of its element, and its number ('' where it has none)."""

    id: str
    number: str


@dataclass(frozen=True, slots=True)
class Anchors:
    """`targets` by the author's label, `numbers` of headings and algorithms by path, `equations` by the line that quotes them."""

    prefix: str
    targets: Mapping[str, Target]
    numbers: Mapping[Path, str]
    equations: Mapping[int, str]

    def block(self, path: Path) -> str:
        """The identifier of a block."""
        return block_id(self.prefix, path)

    def line(self, path: Path, position: int) -> str:
        """The identifier of a line of a listing."""
        return f"{block_id(self.prefix, path)}-{position + 1}"

    def code(self, line: int) -> str:
        """The identifier of the statement that begins at that line of the generated text."""
        return f"{self.prefix}c{line}"


def block_id(prefix: str, path: Path) -> str:
    """`b4`, `b4-2-1`: paths counted from 1."""
    return f"{prefix}b{'-'.join(str(step + 1) for step in path)}"


def walk(blocks: Sequence[Block], path: Path = ()) -> Iterator[tuple[Path, Block]]:
    """Every block with its path, in the order in which they are read."""
    for position, block in enumerate(blocks):
        here = (*path, position)
        yield here, block
        match block:
            case Quote(body):
                yield from walk(body, here)
            case ItemList(items=items):
                for number, (_, body) in enumerate(items):
                    yield from walk(body, (*here, number))
            case Heading() | Paragraph() | Verbatim() | DisplayMath() | Grid() | Listing() | Notation() | Place():
                continue
            case _:
                assert_never(block)


def find_anchors(blocks: Sequence[Block], prefix: str = "") -> Anchors:
    """Number the headings and the algorithms, and find what each label points at; of two equal labels the first counts."""
    targets: dict[str, Target] = {}
    numbers: dict[Path, str] = {}
    equations: dict[int, str] = {}
    sections: list[int] = []
    algorithms = count(1)
    for path, block in walk(blocks):
        match block:
            case Heading(level, _, label, is_numbered):
                if is_numbered and level > 0:
                    numbers[path] = _next_section(sections, level)
                _add(targets, label, Target(block_id(prefix, path), numbers.get(path, "") or plain_text(block.body)))
            case DisplayMath(label=label):
                _add(targets, label, Target(block_id(prefix, path), shown_number(block)))
            case Listing(lines=lines, caption=caption, label=label):
                if caption or label:
                    numbers[path] = str(next(algorithms))
                _add(targets, label, Target(block_id(prefix, path), numbers.get(path, "")))
                _add_lines(lines, f"{block_id(prefix, path)}-", targets, equations)
            case _:
                continue
    return Anchors(prefix, targets, numbers, equations)


def _next_section(sections: list[int], level: int) -> str:
    """`2.1` after `2`; a level that was left out counts as its first."""
    del sections[level:]
    sections.extend([1] * (level - 1 - len(sections)))
    if len(sections) < level:
        sections.append(1)
    else:
        sections[level - 1] += 1
    return ".".join(str(number) for number in sections)


def _add_lines(lines: Sequence[Line], prefix: str, targets: dict[str, Target], equations: dict[int, str]) -> None:
    for position, line in enumerate(lines, start=1):
        _add(targets, line.label, Target(f"{prefix}{position}", shown_number(line)))
        for code in line.code:
            equations.setdefault(code.start, f"{prefix}{position}")


def _add(targets: dict[str, Target], label: str, target: Target) -> None:
    if label:
        targets.setdefault(label, target)
