"""What the cells of a notebook have defined, and which of it they would define otherwise now.

Classes and functions that did not change stay the objects that they were, in whichever cell's generated text they stand again. An
object is known by its text and by the texts of all that it reaches: an instance of a class of an earlier cell is an instance of
what a later cell's modules own, and `isinstance`, `pickle` and the notebook see one class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, MutableMapping
from types import ModuleType

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.excerpts import show_name

Meaning = frozenset[str]
"""The texts of a class or function and of everything in its file that it reaches."""


def find_meanings(source: str) -> dict[str, Meaning]:
    """The meaning of each class and function of a generated text, in the order of the text."""
    lines = source.splitlines()
    texts: dict[str, str] = {}
    reached: dict[str, set[str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            texts[node.name] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            reached[node.name] = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return {name: frozenset(texts[one] for one in _closure(name, reached)) for name in texts}


def _closure(name: str, reached: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += reached[current] & reached.keys()
    return found


def keep_identity(module: ModuleType, meanings: Mapping[str, Meaning], known: MutableMapping[tuple[str, Meaning], object]) -> None:
    """Let the classes and functions of a loaded module be those that are known to mean the same; the others become known."""
    for name, meaning in meanings.items():
        setattr(module, name, known.setdefault((name, meaning), getattr(module, name)))


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
