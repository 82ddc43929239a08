"""Where everything of a document stands: identifiers made by us, and what each label points at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mathdsl.render.document.inlines import words_alone
from mathdsl.render.document.model import Block, DisplayMath, Float, Heading, Line, Listing, Quote, shown_number
from mathdsl.render.document.nesting import Path, walk


@dataclass(frozen=True, slots=True)
class Target:
    """What a label points at: the identifier of its element, and its number ('' where it has none)."""

    id: str
    number: str


@dataclass(frozen=True, slots=True)
class Anchors:
    """`targets` by the author's label, `equations` by the line that quotes them."""

    prefix: str
    targets: Mapping[str, Target]
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


def find_anchors(blocks: Sequence[Block], prefix: str = "") -> Anchors:
    """What each label points at; of two equal labels the first counts."""
    targets: dict[str, Target] = {}
    equations: dict[int, str] = {}
    for path, block in walk(blocks):
        id = block_id(prefix, path)
        match block:
            case Heading(label=label, number=number):
                _add(targets, label, Target(id, number or words_alone(block.body)))
            case DisplayMath(label=label):
                _add(targets, label, Target(id, shown_number(block)))
            case Float(label=label, number=number) | Quote(label=label, number=number):
                _add(targets, label, Target(id, number))
            case Listing(lines=lines, label=label, number=number):
                _add(targets, label, Target(id, number))
                _add_lines(lines, f"{id}-", targets, equations)
            case _:
                continue
    return Anchors(prefix, targets, equations)


def _add_lines(lines: Sequence[Line], prefix: str, targets: dict[str, Target], equations: dict[int, str]) -> None:
    for position, line in enumerate(lines, start=1):
        _add(targets, line.label, Target(f"{prefix}{position}", shown_number(line)))
        for code in line.code:
            equations.setdefault(code.start, f"{prefix}{position}")


def _add(targets: dict[str, Target], label: str, target: Target) -> None:
    if label:
        targets.setdefault(label, target)
