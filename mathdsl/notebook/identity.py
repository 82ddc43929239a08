"""Classes and functions that did not change stay the objects that they were, in whichever cell's generated text they stand again.

An object is known by its text and by the texts of all that it reaches: an instance of a class of an earlier cell is an instance of
what a later cell's modules own, and `isinstance`, `pickle` and the notebook see one class.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, MutableMapping
from types import ModuleType

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
