"""What running text is made of: words, commands, braces, environments' tags; a formula, a listing and a program are one token each."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from mathdsl.dataclass import dataclass
from mathdsl.render.prose.latex.commands import HEADINGS

Kind = Literal[
    "text", "space", "paragraph", "command", "begin", "end", "{", "}", "[", "]", "cell", "break",
    "math", "display", "code", "verbatim", "region",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    r"""`text` is what the kind is about: the word, the command's name, the formula, the region's number; `raw` all as written.

    Of what a macro came to, the first token's `raw` is the call.
    `detail`: the label of a display, the language of a listing, `*` of a command with a star.
    """

    kind: Kind
    text: str
    raw: str
    detail: str = ""


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text, and which of them belong together."""

    all: Sequence[Token]

    def __getitem__(self, position: int) -> Token:
        return self.all[position]

    def __len__(self) -> int:
        return len(self.all)

    def source(self, start: int, end: int) -> str:
        """The tokens as they were written."""
        return "".join(token.raw for token in self.all[start:end])

    def find_partner(self, position: int, end: int) -> int | None:
        """Where the brace, bracket or environment at `position` closes, before `end`."""
        partner = self._partners.get(position)
        return partner if partner is not None and partner < end else None

    def is_closing(self, position: int) -> bool:
        """Whether the tag or brace there closes anything."""
        return position in self._closing

    def has_paragraph(self, start: int, end: int) -> bool:
        return _has(self._paragraphs, start, end)

    def has_block(self, start: int, end: int) -> bool:
        """Whether something stands there that cannot stand in a line."""
        return _has(self._blocks, start, end)

    def has_region(self, start: int, end: int) -> bool:
        return _has(self._regions, start, end)

    @cached_property
    def _closing(self) -> frozenset[int]:
        return frozenset(self._partners.values())

    @cached_property
    def _paragraphs(self) -> list[int]:
        return [at for at, token in enumerate(self.all) if token.kind == "paragraph"]

    @cached_property
    def _regions(self) -> list[int]:
        return [at for at, token in enumerate(self.all) if token.kind == "region"]

    @cached_property
    def _blocks(self) -> list[int]:
        return [at for at, token in enumerate(self.all) if _is_block(token)]

    @cached_property
    def _partners(self) -> dict[int, int]:
        """A `[` closes at the first `]` in the same braces, an environment at the next end of its name."""
        partners: dict[int, int] = {}
        braces: list[int] = []
        brackets: list[list[int]] = [[]]
        environments: list[int] = []
        open_names: Counter[str] = Counter()
        for at, token in enumerate(self.all):
            match token.kind:
                case "{":
                    braces.append(at)
                    brackets.append([])
                case "}" if braces:
                    partners[braces.pop()] = at
                    brackets.pop()
                case "[":
                    brackets[-1].append(at)
                case "]":
                    partners.update(dict.fromkeys(brackets[-1], at))
                    brackets[-1].clear()
                case "begin":
                    environments.append(at)
                    open_names[token.text] += 1
                case "end" if open_names[token.text]:
                    while self.all[opened := environments.pop()].text != token.text:
                        open_names[self.all[opened].text] -= 1
                    open_names[token.text] -= 1
                    partners[opened] = at
        return partners


def _is_block(token: Token) -> bool:
    return token.kind in ("begin", "region", "verbatim") or (token.kind == "command" and token.text in HEADINGS)


def _has(positions: list[int], start: int, end: int) -> bool:
    at = bisect_left(positions, start)
    return at < len(positions) and positions[at] < end
