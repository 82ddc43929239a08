"""What a symbol holds before anything is said about it: a default, a fixed value, or what it is drawn from."""

from __future__ import annotations

from typing import Literal

from mathdsl.render.model import TableRow
from mathdsl.syntax.nodes import Expression

_WORDS = {"setting": "default", "input": "default", "buffer": "value", "parameter": "initially"}

Start = tuple[str, Literal["", r"\sim"], Expression]
r"""A word, `\sim` where the value is drawn, and the value."""


def find_start(row: TableRow) -> Start | None:
    """Of a row of a table; None where its declaration says nothing of it."""
    word = _WORDS.get(row.row.kind)
    if word is None or row.declaration is None:
        return None
    if row.declaration.initialiser is not None:
        return word, r"\sim", row.declaration.initialiser
    if row.declaration.default is not None:
        return word, "", row.declaration.default
    return None
