r"""The marks of numbered items that are not `1.`, `2.`: letters, Roman numerals, other brackets, another beginning.

label=(\alph*)   →   (a), (b), (c)        start=3   →   3., 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import Inlines, Text

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"))


def _arabic(number: int) -> str:
    return str(number)


def _letter(number: int) -> str:
    return _LETTERS[number - 1] if 1 <= number <= len(_LETTERS) else str(number)


def _roman(number: int) -> str:
    if not 1 <= number < 4000:
        return str(number)
    written = ""
    for value, letters in (*_ROMAN, (4, "iv"), (1, "i")):
        times, number = divmod(number, value)
        written += letters * times
    return written


COUNTERS: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "arabic": _arabic,
        "alph": _letter,
        "Alph": lambda number: _letter(number).upper(),
        "roman": _roman,
        "Roman": lambda number: _roman(number).upper(),
    }
)


@dataclass(frozen=True, slots=True)
class Marks:
    """`before` and `after` a number from `start` on, as its counter writes it."""

    counter: str = "arabic"
    before: str = ""
    after: str = "."
    start: int = 1

    def of(self, place: int) -> str:
        """The mark of an item by its place, from 0; '' where it is the usual one."""
        mark = f"{self.before}{COUNTERS[self.counter](self.start + place)}{self.after}"
        return "" if mark == f"{place + 1}." else mark


def as_mark(mark: str) -> Inlines:
    """The mark as inlines; none where an item has the usual one."""
    return (Text(mark),) if mark else ()


_LABEL = re.compile(r"(?:^|,)\s*label\s*=\s*(?P<label>\{(?:[^{}]|\{[^{}]*\})*\}|[^,]*)")
_START = re.compile(r"(?:^|,)\s*start\s*=\s*\{?\s*(?P<start>\d{1,6})")
_COUNTED = re.compile(r"\\(?P<counter>arabic|alph|Alph|roman|Roman)\s*(?:\*|\{\w*\})")
_SHORT = re.compile(r"(?<![A-Za-z])[AaIi1](?![A-Za-z])")
_SHORT_COUNTERS = MappingProxyType({"A": "Alph", "a": "alph", "I": "Roman", "i": "roman", "1": "arabic"})
_LAYOUT = re.compile(r"\\[A-Za-z]+\s*|[{}]")


def read_marks(option: str) -> Marks:
    r"""What stands in the brackets behind `\begin{enumerate}`, as enumitem or, without `=`, as enumerate reads it."""
    start = _START.search(option)
    first = int(start["start"]) if start else 1
    label = _LABEL.search(option)
    if label is not None and (counted := _COUNTED.search(label["label"])):
        before, after = label["label"][: counted.start()], label["label"][counted.end() :]
        return Marks(counted["counter"], _LAYOUT.sub("", before).lstrip(), _LAYOUT.sub("", after).rstrip(), first)
    short = _SHORT.search(option) if "=" not in option and "{" not in option else None
    if short is not None and len(option) < 10:
        return Marks(_SHORT_COUNTERS[short[0]], option[: short.start()], option[short.end() :], first)
    return Marks(start=first)
