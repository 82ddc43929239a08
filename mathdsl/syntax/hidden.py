r"""Braces that TeX does not show and that would act as a parenthesis: `\sum_i {x_i + 1}` is printed as `\sum_i x_i + 1`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mathdsl.diagnostics import Diagnostic, ambiguous
from mathdsl.diagnostics.readings.notation import HIDDEN_BRACES
from mathdsl.syntax.commands import PREFIX_FUNCTIONS
from mathdsl.syntax.lexemes import Lexeme, terminals
from mathdsl.syntax.pairs import CLOSER, OPENER, VALUE_ENDS

_TAKES_BRACES = terminals("SUB SUP FRACTION ROOT ROPTION FONT ACCENT MACRO MACRO2 SIZE POWER")
_OF_TWO = terminals("FRACTION MACRO2")
_SUMS = terminals("PLUS MINUS JOIN")
_CLAIMS = terminals("RELATION AND OR")
_BEFORE = VALUE_ENDS | terminals("NAME NUMBER PRIME FACTORIAL MINUS TIGHT LOOSE NOT")
_AFTER = terminals("TIGHT LOOSE SUB SUP PRIME FACTORIAL POWER NAME NUMBER LPAR LBRACE LSQB LBAR LNORM FRACTION ROOT REDUCTION FONT ACCENT")
_BESIDE_A_CLAIM = _BEFORE | _AFTER | _SUMS


def find_hidden(out: Sequence[Lexeme]) -> Iterator[Diagnostic]:
    """What braces group beside an operator, a script or a reduction, as if they were a parenthesis."""
    opened: list[int] = []
    starts: dict[int, int] = {}
    for at, lexeme in enumerate(out):
        if lexeme.type == "LBRACE" and lexeme.text == "{":
            opened.append(at)
        elif lexeme.type == "RBRACE" and opened:
            starts[at] = opened.pop()
            if not _is_argument(out, starts[at], starts) and _regroups(out, starts[at], at):
                inner = " ".join(part.text for part in out[starts[at] + 1 : at])
                yield ambiguous(HIDDEN_BRACES, out[starts[at]].span.to(lexeme.span), label="TeX shows no braces here", inner=inner)


def _is_argument(out: Sequence[Lexeme], at: int, starts: dict[int, int]) -> bool:
    """Whether the brace at that place begins what a command or a script takes."""
    before = out[at - 1].type if at else ""
    if before != "RBRACE":
        return before in _TAKES_BRACES
    first = starts.get(at - 1, 0)
    return first > 0 and out[first - 1].type in _OF_TWO


def _regroups(out: Sequence[Lexeme], start: int, end: int) -> bool:
    before, after = (out[start - 1] if start else None), (out[end + 1] if end + 1 < len(out) else None)
    kinds = {out[at].type for at in _outer(out, start + 1, end)}
    ahead = after.type if after is not None else ""
    behind = before is not None and (before.type in _BEFORE or before.type == "REDUCTION" or before.text in PREFIX_FUNCTIONS)
    if kinds & _CLAIMS:
        return before is not None and before.type in _BESIDE_A_CLAIM or ahead in _BESIDE_A_CLAIM
    if kinds & _SUMS:
        return behind or ahead in _AFTER
    return ahead in ("SUP", "SUB", "POWER", "PRIME", "FACTORIAL") and bool(kinds & {"TIGHT", "LOOSE", "REDUCTION"})


def _outer(out: Sequence[Lexeme], start: int, end: int) -> Iterator[int]:
    """The places between braces that stand in no other brackets."""
    depth = 0
    for at in range(start, end):
        depth -= out[at].type in OPENER
        if depth == 0 and out[at].type not in CLOSER:
            yield at
        depth += out[at].type in CLOSER
