r"""What a formula of prose may say in TeX beside symbols: commands with arguments, environments, and the notation in TeX's words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.render.tex_symbols import COMMANDS, SPACES, STYLES
from mathdsl.syntax.commands import TEX_COMMANDS
from mathdsl.vocabulary import VOCABULARY, of_kinds, spellings


def _commands(*names: str) -> frozenset[str]:
    return frozenset("\\" + name for name in " ".join(names).split())


SYMBOLS = frozenset(COMMANDS) | (frozenset(SPACES) - {"~"}) | frozenset(STYLES)
"""Commands without arguments."""

DELIMITERS = frozenset("()[]|/.<>") | _commands(
    "{ } lbrace rbrace vert Vert | lvert rvert lVert rVert lfloor rfloor lceil rceil langle rangle lbrack rbrack backslash",
    "uparrow downarrow updownarrow Uparrow Downarrow Updownarrow",
)
"""What may follow `\\left`, `\\right` and their kin."""

LEAST_SIZE = "1.2em"
SIZES: Mapping[str, str] = MappingProxyType(
    {
        f"\\{size}{side}": height
        for size, height in (("big", LEAST_SIZE), ("Big", "1.8em"), ("bigg", "2.4em"), ("Bigg", "3em"))
        for side in ("", "l", "r", "m")
    }
)
"""Commands that a delimiter follows, and how tall they make it."""

FONTS = spellings(of_kinds("font"))
CLASSES = spellings(of_kinds("class"))
BOXES = spellings(of_kinds("hidden")) | {r"\boxed"}
REMAINDERS = spellings(of_kinds("remainder"))
FRACTIONS = spellings(of_kinds("fraction"))
STACKS = spellings(of_kinds("stack"))
ARROWS = spellings(of_kinds("arrow"))
NAMED = frozenset({r"\operatorname", r"\operatorname*"})

ARGUMENTS: Mapping[str, int] = MappingProxyType(
    {row.spelling: row.arguments for row in VOCABULARY.values() if row.arguments and row.kind != "text"} | {r"\operatorname*": 1}
)
"""Commands with arguments in braces (or of one letter), and how many."""

OPTIONAL = ARROWS | {r"\sqrt"}
"""Commands that may have one more argument, in square brackets, before the others."""

BRACED = NAMED | {r"\smash"}
"""Commands whose argument has braces, or TeX would read something else."""

CAPITALS = frozenset({r"\mathbb", r"\mathcal"})
"""Fonts that have capital letters only where no package beside amssymb is loaded."""

BEYOND_AMS = frozenset({r"\mathscr"})
"""Commands that MathJax and KaTeX know, and TeX only with another package."""

WORDS = NAMED | spellings(of_kinds("text")) | _commands("mathrm mathit")
"""Commands whose argument may be words."""

WITH_FORMULAS = _commands("text mbox")
"""Words that may hold formulas between dollar signs."""

ENVIRONMENTS: Mapping[str, int] = MappingProxyType(
    {"cases": 1, "dcases": 1, "gathered": 0, "aligned": 9, "alignedat": 9, "split": 1, "array": 9}
    | dict.fromkeys("matrix bmatrix pmatrix vmatrix Bmatrix Vmatrix smallmatrix".split(), 9)
)
"""Environments, and how many `&` a row of each may have."""

INVISIBLE = spellings(of_kinds("invisible"))
"""Commands that only say how something is set: what stands in their braces is a group like any other."""

IN_OTHER_WORDS: Mapping[str, str] = MappingProxyType({"dcases": "cases", "alignedat": "aligned"})
"""Environments of packages in the words of amsmath."""

OTHER_COMMANDS = INVISIBLE | TEX_COMMANDS
"""Commands of TeX and of packages that are not names of an author's, though no formula of ours has them, or only in their places."""

REPLACED: Mapping[str, str] = MappingProxyType(
    {row.spelling: row.tex for row in VOCABULARY.values() if row.kind in ("language", "package") or "package" in row.marks}
    | dict.fromkeys(INVISIBLE, "")
    | {"\\ ": "~"}
)
"""Names and signs of the language and of packages that TeX does not know, in its words."""

NOTATION: Mapping[str, int] = MappingProxyType(
    {row.spelling: 2 if row.terminal == "MACRO2" else 1 for row in of_kinds("macro") if row.name != "Call"}
)
"""Macros of the notation, and how many arguments they have."""
