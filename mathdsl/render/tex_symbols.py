"""The symbols that LaTeX, amsmath and amssymb define: of each command its class of atoms and the character that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

from mathdsl.render.mathml.symbols import ITALIC_LETTERS, UPRIGHT_LETTERS
from mathdsl.syntax.tex_vocabulary import CLOSING, DOTS, FUNCTIONS, INTEGRALS, LARGE, LETTERS, OPENING, OPERATORS, ORDINARY, RELATIONS
from mathdsl.syntax.tex_vocabulary import LIMITED as WITH_LIMITS


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


_CHARACTERS = {
    Atom.BIN: "+=+ -=− *=∗",
    Atom.REL: "<=< >=> :=:",
    Atom.OPEN: "(=( [=[",
    Atom.CLOSE: ")=) ]=] !=! ?=?",
    Atom.PUNCT: ",=, ;=;",
    Atom.ORD: "/=/ |=| .=. @=@",
}


def _rows(rows: str, atom: Atom, backslash: str = "\\") -> dict[str, Symbol]:
    pairs = (row.rsplit("=", 1) for row in rows.split())
    return {backslash + command: Symbol(character, atom) for command, character in pairs}


def _letters() -> dict[str, Symbol]:
    ours = {"omicron", "R", "Z", "N", "B", "algoTrue", "algoFalse"}
    slanted = {f"\\{name}": Symbol(letter, Atom.ORD, is_italic=True) for name, letter in ITALIC_LETTERS.items() if name not in ours}
    return slanted | {f"\\{name}": Symbol(letter, Atom.ORD) for name, letter in UPRIGHT_LETTERS.items() if name not in ours}


_WITH_LIMITS = _rows(LARGE, Atom.OP) | {
    f"\\{name}": Symbol(shown, Atom.OP) for name, _, shown in (row.partition("=") for row in WITH_LIMITS.split(" "))
}
_WITHOUT_LIMITS = _rows(INTEGRALS, Atom.OP) | {f"\\{name}": Symbol(name, Atom.OP) for name in FUNCTIONS.split()}

LIMITED = frozenset(_WITH_LIMITS)
"""Operators whose scripts stand below and above them in a display."""

CHARACTERS: Mapping[str, Symbol] = MappingProxyType(
    {"=": Symbol("=", Atom.REL)} | {key: row for atom, rows in _CHARACTERS.items() for key, row in _rows(rows, atom, "").items()}
)
"""Signs that are typed as they are."""

COMMANDS: Mapping[str, Symbol] = MappingProxyType(
    _letters()
    | _rows(LETTERS, Atom.ORD)
    | _rows(ORDINARY, Atom.ORD)
    | _rows(RELATIONS, Atom.REL)
    | _rows(OPERATORS, Atom.BIN)
    | _rows(OPENING, Atom.OPEN)
    | _rows(CLOSING, Atom.CLOSE)
    | _rows(DOTS, Atom.INNER)
    | _WITH_LIMITS
    | _WITHOUT_LIMITS
    | {r"\colon": Symbol(":", Atom.PUNCT)}
)
"""Commands of symbols."""

SPACES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((r"\,", r"\thinspace"), "0.1667em"),
        **dict.fromkeys((r"\:", r"\>", r"\medspace"), "0.2222em"),
        **dict.fromkeys((r"\;", r"\thickspace"), "0.2778em"),
        **dict.fromkeys((r"\!", r"\negthinspace"), "-0.1667em"),
        r"\enspace": "0.5em",
        r"\quad": "1em",
        r"\qquad": "2em",
        "~": "0.3333em",
    }
)
"""Spaces, and how wide they are."""

STYLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {r"\displaystyle": ("true", "0"), r"\textstyle": ("false", "0"), r"\scriptstyle": ("false", "1"), r"\scriptscriptstyle": ("false", "2")}
)
"""Sizes of what follows: whether it is set as in a display, and how deep in scripts it is."""
