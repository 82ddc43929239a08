"""How tightly the pieces of a rendered expression hold together, so that every form of it groups as the grammar does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Binds(IntEnum):
    """From loose to tight; the names are those of the grammar's rules."""

    ITEM = 0
    DISJUNCTION = 1
    CONJUNCTION = 2
    NEGATION = 3
    RELATION = 4
    JOIN = 5
    SUM = 6
    LOOSE = 7
    TIGHT = 8
    ADJOINED = 9
    FACTOR = 10
    POSTFIX = 11
    PRIMARY = 12


OPERATORS: Mapping[str, tuple[Binds, Binds]] = MappingProxyType(
    {
        "||": (Binds.JOIN, Binds.SUM),
        "+": (Binds.SUM, Binds.LOOSE),
        "-": (Binds.SUM, Binds.LOOSE),
        "@": (Binds.TIGHT, Binds.ADJOINED),
        r"\cdot": (Binds.TIGHT, Binds.ADJOINED),
        **dict.fromkeys((r"\odot", "*", r"\circ", "/", r"\times", r"\otimes", r"\bmod"), (Binds.LOOSE, Binds.TIGHT)),
        "**": (Binds.FACTOR, Binds.FACTOR),
    }
)
"""How tightly an operator binds, and how tightly its right operand has to."""
