"""What the cells of a notebook have defined, and which of it they would define otherwise now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mathdsl.diagnostics.excerpts import show_name
from mathdsl.notebook.identity import Meaning


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or function of a cell; `read` says what the programs of other cells meant to that cell, by their names."""

    value: object
    meaning: Meaning
    cell: str
    read: Mapping[str, Meaning]


class Definitions:
    """The last definition of each name."""

    def __init__(self) -> None:
        self._last: dict[str, Definition] = {}

    def add(self, name: str, definition: Definition) -> None:
        """A cell defines the name."""
        self._last[name] = definition

    def read_anew(self, read: Mapping[str, Meaning]) -> list[str]:
        """Of what a cell needs of others, what they defined otherwise: something that it is made of has changed since."""
        return [self._told(name) for name, meaning in read.items() if name in self._last and self._last[name].meaning != meaning]

    def made_of_older(self, names: Iterable[str], variables: Mapping[str, object]) -> list[str]:
        """What other cells made of older definitions of the names, and is still what the notebook's variables hold."""
        current = {name: self._last[name].meaning for name in names}
        return [
            self._told(name)
            for name, last in self._last.items()
            if variables.get(name) is last.value and any(last.read[one] != current[one] for one in last.read.keys() & current)
        ]

    def _told(self, name: str) -> str:
        return f"{name} of {show_name(self._last[name].cell)}"
