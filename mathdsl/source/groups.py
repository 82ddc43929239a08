"""Finding where braces and brackets close: one linear pass over a text, made when it is first asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_EVENTS = re.compile(r"\\[\s\S]|[{}\[\]]")
_SPACE = re.compile(r"\s*")


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
