"""Python names of one function body: every local differs from the paper's names, the helpers and the built-in words."""

from __future__ import annotations

import builtins
import keyword
import re

_RESERVED = frozenset({"self", "torch", "math", "typing", "collections", "lengths", "generator", *keyword.kwlist, *dir(builtins)})
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


class Names:
    """A supply of identifiers; what was given once is never given again."""

    def __init__(self, taken: tuple[str, ...] = ()) -> None:
        self._taken: set[str] = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """`wanted` where it is free, else with the next free number; letters that no identifier may hold are dropped."""
        stem = wanted if _IDENTIFIER.match(wanted) or wanted.isidentifier() else re.sub(r"\W", "_", wanted) or "value"
        if not stem[0].isalpha() and stem[0] != "_":
            stem = f"n{stem}"
        found = stem
        if found in _RESERVED:
            found = stem = f"{stem}_"
        while found in self._taken:
            self._next[stem] = self._next.get(stem, 1) + 1
            found = f"{stem.rstrip('_')}_{self._next[stem]}"
        self._taken.add(found)
        return found
