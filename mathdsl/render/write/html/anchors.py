"""Where everything of a document stands: identifiers made by us, and what each label points at."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import words_alone
from mathdsl.render.document.model import Block, Listing
from mathdsl.render.document.nesting import Path, walk
from mathdsl.render.document.references import find_labels


@dataclass(frozen=True, slots=True)
class Target:
    """What a label points at: the identifier of its element, and its number ('' where it has none)."""

    id: str
    number: str


@dataclass(frozen=True, slots=True)
class Anchors:
    """`targets` by the author's label, `equations` by the line that quotes them."""

    prefix: str
    targets: dict[str, Target]
    equations: dict[int, str]

    def block(self, path: Path) -> str:
        """The identifier of a block: `b4`, `b4-2-1`, paths counted from 1."""
        return f"{self.prefix}b{'-'.join(str(step + 1) for step in path)}"

    def line(self, path: Path, position: int) -> str:
        """The identifier of a line of a listing."""
        return f"{self.block(path)}-{position + 1}"

    def code(self, line: int) -> str:
        """The identifier of the statement that begins at that line of the generated text."""
        return f"{self.prefix}c{line}"


def find_anchors(blocks: Sequence[Block], prefix: str = "") -> Anchors:
    """Where each label and each equation stands."""
    anchors = Anchors(prefix, {}, {})
    for label, found in find_labels(blocks).items():
        id = anchors.block(found.path) if found.line is None else anchors.line(found.path, found.line)
        anchors.targets[label] = Target(id, found.number or words_alone(found.title))
    for path, block in walk(blocks):
        for position, line in enumerate(block.lines if isinstance(block, Listing) else ()):
            for code in line.code:
                anchors.equations.setdefault(code.start, anchors.line(path, position))
    return anchors
