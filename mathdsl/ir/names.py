"""A supply of names that nothing in a module has yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

_NUMBERED = re.compile(r"(.*?)_\d+\Z", re.DOTALL)
_TOLD_APART = re.compile(r"__\d+\Z")
_WORD = re.compile(r"\w+")


def index_letter(name: str) -> str:
    """An index variable without the number that tells it apart from others of that letter: `t` for `t__2`, but `t_2` for `t_2`."""
    return _TOLD_APART.sub("", name)


def shorten_letters(line: str) -> str:
    """A printed line with `t` for `t__5`, and `t_2` for the next of that letter: what tells them apart in a module says nothing here."""
    words = dict.fromkeys(_WORD.findall(line))
    fresh = FreshNames(word for word in words if not _TOLD_APART.search(word))
    short = {word: fresh(index_letter(word)) if _TOLD_APART.search(word) else word for word in words}
    return _WORD.sub(lambda word: short[word[0]], line)


class FreshNames:
    """Names that differ from all that were taken: `j`, then `j_1`, `j_2`, in the order of asking.

    What was taken is looked at when the first one is asked for: most who may need a name need none.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._given = taken
        self._numbers: dict[str, int] = {}  # the greatest of each stem that is known to be taken, with all below

    @cached_property
    def _taken(self) -> set[str]:
        return set(self._given)

    def __call__(self, wanted: str) -> str:
        """`wanted` itself where it is free, else its stem with the next free number; the answer counts as taken."""
        name = wanted
        if name in self._taken:
            numbered = _NUMBERED.match(wanted)
            stem = numbered.group(1) if numbered else wanted
            number = self._numbers.get(stem, 0)
            while name in self._taken:
                number += 1
                name = f"{stem}_{number}"
            self._numbers[stem] = number
        self._taken.add(name)
        return name
