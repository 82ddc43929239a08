"""Tokens and groups as TeX reads them: where braces and brackets close is found in one pass over a text, when it is first asked for."""

from __future__ import annotations

import re
from functools import cached_property

from mathdsl.dataclass import dataclass

_EVENTS = re.compile(r"\\[\s\S]|[{}\[\]]")
_SPACE = re.compile(r"\s*")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")

TOKEN = re.compile(r"\\(?:[A-Za-z]+|[\s\S]|\Z)|[\s\S]")
"""A command or one character."""


@dataclass(frozen=True)
class Groups:
    """The groups of a text. Escaped braces are none; a `[` closes at the first `]` in the same braces, as TeX reads it."""

    text: str

    def find_close(self, opening: int) -> int | None:
        """Where the `{` or `[` at `opening` closes."""
        return self._closings.get(opening)

    @cached_property
    def _closings(self) -> dict[int, int]:
        closings: dict[int, int] = {}
        braces: list[int] = []
        brackets: list[list[int]] = [[]]
        for match in _EVENTS.finditer(self.text):
            match match[0]:
                case "{":
                    braces.append(match.start())
                    brackets.append([])
                case "}" if braces:
                    closings[braces.pop()] = match.start()
                    brackets.pop()
                case "[":
                    brackets[-1].append(match.start())
                case "]":
                    closings.update(dict.fromkeys(brackets[-1], match.start()))
                    brackets[-1].clear()
        return closings


def skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def is_one_argument(text: str) -> bool:
    """TeX would take all of it for one argument: it is a token or a group."""
    text = text.strip()
    token = TOKEN.match(text)
    return token is None or token.end() == len(text) or (text[0] == "{" and Groups(text).find_close(0) == len(text) - 1)


def is_command_with_groups(text: str) -> bool:
    r"""`\mathbf{x}`: directly after `_` TeX would tear it apart, or typeset it by accident."""
    text = text.strip()
    command = _COMMAND.match(text)
    position = command.end() if command else 0
    groups = Groups(text)
    while 0 < position < len(text) and text[position] == "{":
        position = (groups.find_close(position) or len(text)) + 1
    return command is not None and command.end() < position == len(text)
