"""The blocks of the notations: what opens and closes each, what its header holds, and which further branches it may have."""

from __future__ import annotations

from typing import Literal

from mathdsl.dataclass import dataclass

RegionKind = Literal["statement", "name", "condition", "declarations", "row"]
ProgramNotation = Literal["module", "docstring", "algorithmic"]
Notation = Literal["", "module", "docstring", "algorithmic"]


@dataclass(frozen=True, slots=True)
class Block:
    """What opens a block, what closes it, how its header is written and what the arguments of the header are.

    `terminal` is the opener's, and `END` before it the closer's; `regions` is the kind of what stands in it; `closing` are the arguments
    of a closer, whose form is `header` then.
    """

    opener: str
    closer: str
    terminal: str
    header: str = ""
    arguments: tuple[RegionKind, ...] = ()
    notation: Notation = ""
    regions: RegionKind = "statement"
    closing: tuple[RegionKind, ...] = ()


_PROGRAM: tuple[RegionKind, ...] = ("name", "declarations")
_TEST: tuple[RegionKind, ...] = ("condition",)
_BLOCKS = (
    Block(r"\Module", r"\EndModule", "MODULE", r"\Module{Name}{inputs ; parameters}", _PROGRAM, "module"),
    Block(r"\algoProc", r"\algoEndProc", "PROC", r"\algoProc{\Name}\pa{inputs}", _PROGRAM, "docstring"),
    Block(r"\Procedure", r"\EndProcedure", "PROCEDURE", r"\Procedure{Name}{$inputs$}", _PROGRAM, "algorithmic"),
    Block(r"\Function", r"\EndFunction", "FUNCTION", r"\Function{Name}{$inputs$}", _PROGRAM, "algorithmic"),
    Block(r"\algoFor", r"\algoEndFor", "FOR", r"\algoFor{t \in \set{1, \dots, S}}", _TEST),
    Block(r"\For", r"\EndFor", "FOR", r"\For{$t = 1, \dots, S$}", _TEST),
    Block(r"\ForAll", r"\EndFor", "FOR", r"\ForAll{$x \in X$}", _TEST),
    Block(r"\algoWhile", r"\algoEndWhile", "WHILE", r"\algoWhile{condition}[N]", _TEST),
    Block(r"\While", r"\EndWhile", "WHILE", r"\While{$condition$}[N]", _TEST),
    Block(r"\algoRepeat", r"\algoUntil", "REPEAT", r"\algoUntil{condition}[N]", closing=_TEST),
    Block(r"\Repeat", r"\Until", "REPEAT", r"\Until{$condition$}[N]", closing=_TEST),
    Block(r"\algoIf", r"\algoEndIf", "IF", r"\algoIf{condition}", _TEST),
    Block(r"\If", r"\EndIf", "IF", r"\If{$condition$}", _TEST),
    Block(r"\begin{group}", r"\end{group}", "GROUP"),
    Block(r"\begin{where}", r"\end{where}", "WHERE", regions="row"),
    Block(r"\Require", r"end of \Require", "REQUIRE", regions="row"),
    Block(r"\KwIn", r"end of \KwIn", "REQUIRE", regions="row"),
    Block(r"\Ensure", r"end of \Ensure", "ENSURE", regions="row"),
    Block(r"\KwOut", r"end of \KwOut", "ENSURE", regions="row"),
)
OPENERS = {block.opener: block for block in _BLOCKS}


@dataclass(frozen=True, slots=True)
class Arm:
    """A further branch, the opener of the block that it belongs to, and its header."""

    command: str
    opener: str
    header: str
    arguments: tuple[RegionKind, ...]


ARMS = {
    arm.command: arm
    for arm in (
        Arm(r"\algoElseIf", r"\algoIf", r"\algoElseIf{condition}", _TEST),
        Arm(r"\algoElse", r"\algoIf", "", ()),
        Arm(r"\ElsIf", r"\If", r"\ElsIf{$condition$}", _TEST),
        Arm(r"\Else", r"\If", "", ()),
    )
}
STRUCTURE = frozenset({"ELSEIF", "ELSE", *(end + block.terminal for block in _BLOCKS for end in ("", "END"))})
_PROGRAM_ENDS = frozenset("END" + block.terminal for block in _BLOCKS if block.notation)


def is_akin(block: Block, end: str) -> bool:
    r"""Whether the terminal `end` ends blocks like `block`, perhaps of another notation: `\algoEndFor`, `\EndFor`."""
    return end == "END" + block.terminal or (bool(block.notation) and end in _PROGRAM_ENDS)
