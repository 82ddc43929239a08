"""What the grammar and the decisions before it know of commands: the terminal of each, and which are names and functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.vocabulary import VOCABULARY, of_kinds, of_terminals, spellings

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {row.spelling: (row.terminal, row.means) for row in VOCABULARY.values() if row.terminal not in ("", "NAME")}
)
"""Command to its terminal and canonical spelling; what is not here is a name."""

PREFIX_FUNCTIONS = frozenset(row.spelling for row in VOCABULARY.values() if "prefix" in row.marks)
"""Functions that are written before their argument without parentheses, so that a bar after them opens."""

_KNOWN_NAMES = spellings(of_terminals("NAME"))
_FUNCTION_NAMES = frozenset(
    row.name.casefold()
    for row in VOCABULARY.values()
    if "applied" in row.marks or (row.kind in ("function", "limit", "word") and row.terminal in ("NAME", "OPTIONAL_REDUCTION"))
)
_LAYERS = frozenset(r"\CrossEntropy \LayerNorm \BatchNorm \Dropout \Sigmoid \ReLU \GELU \SiLU \MSE \Linear".split())
_FRAMES = frozenset({r"\Comment", r"\text", r"\mathrm", r"\operatorname", r"\begin", r"\end"})
_LINES = tuple(
    "PROCEDURE ENDPROCEDURE FUNCTION ENDFUNCTION REQUIRE ENSURE STATE FOR ENDFOR WHILE ENDWHILE IF ELSEIF ELSE ENDIF RETURN".split()
)

NAMED_REDUCTIONS = frozenset(row.name for row in of_terminals("OPTIONAL_REDUCTION"))
"""Functions that reduce where something stands below them: `max`, `argmin`."""

REDUCTION_COMMANDS = frozenset(row.name for row in of_terminals("REDUCTION", "OPTIONAL_REDUCTION") if row.kind != "word")
r"""Reductions that TeX has a command for: `\sum`, `\max`."""

SIGNS = ("+", "-", "*", r"\star")
"""Signs that are labels where they stand alone in a script: `w^*`, `m^{+}`."""

SWITCHES = spellings(of_kinds("switch"))
"""Commands of TeX that set the rest of their group in a font."""

TEX_COMMANDS = frozenset(row.spelling for row in VOCABULARY.values() if not row.terminal and row.kind != "hebrew")
r"""What TeX and its packages mean something by, and the language does not; but for letters, none of them is an author's name."""


def is_known_name(command: str) -> bool:
    """Whether the module notation knows `command` as a name: a letter, a sign, or a function in any case."""
    return command in _KNOWN_NAMES or command[1:].casefold() in _FUNCTION_NAMES


def is_function(name: str) -> bool:
    r"""Whether a name, `\exp` or `\operatorname{softplus}`, is that of a function, in any case."""
    return name.removeprefix(r"\operatorname{").removesuffix("}").removeprefix("\\").casefold() in _FUNCTION_NAMES and name[0] == "\\"


def known_commands() -> list[str]:
    """All commands of the vocabulary, for a proposal of the nearest spelling."""
    return sorted({*COMMANDS, *_KNOWN_NAMES, *("\\" + name for name in _FUNCTION_NAMES), *_LAYERS, *_FRAMES})


def line_commands() -> list[str]:
    """The commands that begin a line of the algorithmic notation."""
    return [row.spelling for row in of_terminals(*_LINES) if row.name[0].isupper()]


TEXT_WORDS = MappingProxyType(
    {
        "and": "AND",
        "or": "OR",
        "otherwise": "OTHERWISE",
        "else": "OTHERWISE",
        "if": "IFWORD",
        "when": "IFWORD",
        "for": "FORALL",
        "for all": "FORALL",
    }
)
r"""Words in `\text{..}` that are read as a terminal where that terminal has a place."""

FLAGS = frozenset({"shared", "well-founded", "trainable", "stated"})

MATRICES = frozenset({"matrix", "bmatrix", "pmatrix", "vmatrix", "Bmatrix", "Vmatrix", "smallmatrix"})
DISPLAYS = frozenset(
    "align aligned alignat equation gather gathered split multline array displaymath math mathdsl algorithm algorithmic".split()
)
"""Environments around statements that carry no meaning, starred or not."""
