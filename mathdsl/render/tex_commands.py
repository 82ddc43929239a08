r"""What a formula of prose may say in TeX: symbols with their classes of atoms, commands with arguments, environments."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType

from mathdsl.dataclass import dataclass
from mathdsl.vocabulary import VOCABULARY, of_kinds, spellings


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
    **{atom.name.lower(): atom for atom in (Atom.BIN, Atom.REL, Atom.OPEN, Atom.CLOSE, Atom.PUNCT, Atom.INNER)},
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

SPACES: Mapping[str, str] = MappingProxyType({**{row.spelling: row.shown for row in of_kinds("space")}, "~": "0.3333em"})
"""Spaces, and how wide they are."""

STYLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {r"\displaystyle": ("true", "0"), r"\textstyle": ("false", "0"), r"\scriptstyle": ("false", "1"), r"\scriptscriptstyle": ("false", "2")}
)
"""Sizes of what follows: whether it is set as in a display, and how deep in scripts it is."""

SYMBOLS = frozenset(COMMANDS) | (frozenset(SPACES) - {"~"}) | frozenset(STYLES)
"""Commands without arguments."""

DELIMITERS = frozenset("()[]|/.<>") | spellings(
    tuple(row for row in VOCABULARY.values() if row.kind in ("open", "close") or "delimiter" in row.marks)
)
"""What may follow `\\left`, `\\right` and their kin."""

LEAST_SIZE = "1.2em"
_SIZES = {"big": LEAST_SIZE, "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}
SIZES: Mapping[str, str] = MappingProxyType({row.spelling: _SIZES[row.name.rstrip("lrm")] for row in of_kinds("size")})
"""Commands that a delimiter follows, and how tall they make it."""

FONTS = spellings(of_kinds("font"))
CLASSES: Mapping[str, Atom] = MappingProxyType({row.spelling: Atom[row.name.removeprefix("math").upper()] for row in of_kinds("class")})
ACCENTS: Mapping[str, str] = MappingProxyType({row.spelling: row.shown for row in of_kinds("accent")})
WIDE_ACCENTS: Mapping[str, str] = MappingProxyType({row.spelling: row.shown for row in of_kinds("wide")})
BOXES = spellings(of_kinds("hidden"))
REMAINDERS = spellings(of_kinds("remainder"))
FRACTIONS = spellings(of_kinds("fraction"))
ARROWS: Mapping[str, str] = MappingProxyType({row.spelling: row.shown for row in of_kinds("arrow")})
NAMED = frozenset({r"\operatorname", r"\operatorname*"})

ARGUMENTS: Mapping[str, int] = MappingProxyType(
    {row.spelling: row.arguments for row in VOCABULARY.values() if row.arguments and row.kind != "text"} | {r"\operatorname*": 1}
)
"""Commands with arguments in braces (or of one letter), and how many."""

OPTIONAL = frozenset(ARROWS) | {r"\sqrt"}
"""Commands that may have one more argument, in square brackets, before the others."""

BRACED = NAMED | {r"\smash"}
"""Commands whose argument has braces, or TeX would read something else."""

CAPITALS = frozenset({r"\mathbb", r"\mathcal"})
"""Fonts that have capital letters only where no package beside amssymb is loaded."""

BEYOND_AMS = frozenset({r"\mathscr"})
"""Commands that MathJax and KaTeX know, and TeX only with another package."""

WORDS = NAMED | spellings(of_kinds("text")) | {r"\mathrm", r"\mathit"}
"""Commands whose argument may be words."""

WITH_FORMULAS = frozenset({r"\text", r"\mbox"})
"""Words that may hold formulas between dollar signs."""

ENVIRONMENTS: Mapping[str, int] = MappingProxyType(
    {"cases": 1, "dcases": 1, "gathered": 0, "aligned": 9, "alignedat": 9, "split": 1, "array": 9}
    | dict.fromkeys("matrix bmatrix pmatrix vmatrix Bmatrix Vmatrix smallmatrix".split(), 9)
)
"""Environments, and how many `&` a row of each may have."""

IN_OTHER_WORDS: Mapping[str, str] = MappingProxyType({"dcases": "cases", "alignedat": "aligned"})
"""Environments of packages in the words of amsmath."""

REPLACED: Mapping[str, str] = MappingProxyType(
    {row.spelling: row.tex for row in VOCABULARY.values() if row.kind in ("language", "package") or "package" in row.marks}
    | dict.fromkeys(spellings(of_kinds("invisible")), "")
    | {"\\ ": "~"}
)
"""Names and signs of the language and of packages that TeX does not know, in its words; what only says how something is set goes."""

NOTATION: Mapping[str, int] = MappingProxyType({row.spelling: 2 if row.terminal == "MACRO2" else 1 for row in of_kinds("macro")})
"""Macros of the notation, and how many arguments they have."""
