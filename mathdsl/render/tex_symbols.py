"""The symbols that LaTeX, amsmath and amssymb define: of each command its class of atoms and the character that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

from mathdsl.vocabulary import of_kinds


class Atom(Enum):
    """TeX's classes, which decide the space between neighbours."""

    ORD = auto()
    OP = auto()
    BIN = auto()
    REL = auto()
    OPEN = auto()
    CLOSE = auto()
    PUNCT = auto()
    INNER = auto()


@dataclass(frozen=True, slots=True)
class Symbol:
    """`character`: what is seen; `atom`: its class; `is_italic`: a letter that is slanted."""

    character: str
    atom: Atom
    is_italic: bool = False


_TYPED = {Atom.BIN: "+-*", Atom.REL: "=<>:", Atom.OPEN: "([", Atom.CLOSE: ")]!?", Atom.PUNCT: ",;", Atom.ORD: "/|.@"}
_ATOMS = {
    **dict.fromkeys(("letter", "sign", "hebrew"), Atom.ORD),
    **dict.fromkeys(("large", "integral", "function", "limit"), Atom.OP),
    "bin": Atom.BIN,
    "rel": Atom.REL,
    "open": Atom.OPEN,
    "close": Atom.CLOSE,
    "punct": Atom.PUNCT,
    "inner": Atom.INNER,
}
"""Classes of the kinds of commands that are symbols."""

CHARACTERS: Mapping[str, Symbol] = MappingProxyType(
    {sign: Symbol({"-": "−", "*": "∗"}.get(sign, sign), atom) for atom, signs in _TYPED.items() for sign in signs}
)
"""Signs that are typed as they are."""

COMMANDS: Mapping[str, Symbol] = MappingProxyType(
    {row.spelling: Symbol(row.shown or row.name, _ATOMS[row.kind], row.kind == "letter") for row in of_kinds(*_ATOMS)}
)
"""Commands of symbols."""

SPACES: Mapping[str, str] = MappingProxyType(
    {
        **{row.spelling: row.shown for row in of_kinds("space")},
        "~": "0.3333em",
    }
)
"""Spaces, and how wide they are."""

STYLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {r"\displaystyle": ("true", "0"), r"\textstyle": ("false", "0"), r"\scriptstyle": ("false", "1"), r"\scriptscriptstyle": ("false", "2")}
)
"""Sizes of what follows: whether it is set as in a display, and how deep in scripts it is."""
