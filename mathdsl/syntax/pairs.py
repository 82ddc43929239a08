r"""Brackets: one row each, with its terminals and how it is written; the tables that steps ask are made from these rows."""

from __future__ import annotations

from typing import Literal

from mathdsl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    r"""A bracket: `\lfloor x \rfloor` from `LFLOOR` to `RFLOOR`.

    `kind`: `place` for what `(` or `[` becomes by where it stands, `x[i]`; an environment's `opening` is its `\begin`. `bars`: the kind of
    its node `Bars`. `sign`: the terminal and the spelling of what may open it and close it, `|`. `macro`: the
    command whose braces are it, `\pa{x}`. `ends_value`: its end is that of a value.
    """

    opener: str
    closer: str
    opening: str
    closing: str
    kind: Literal["bracket", "braces", "environment", "place"] = "bracket"
    bars: Literal["", "|", "||", "floor", "ceil", "angle"] = ""
    sign: tuple[str, str] = ("", "")
    macro: str = ""
    ends_value: bool = True

    @property
    def shown(self) -> str:
        """It as it stands in a message, around anything."""
        before, after = (self.sign[1],) * 2 if self.sign[1] else (self.opening, self.closing)
        return f"{before}..{after}"


PAIRS = (
    Pair("LPAR", "RPAR", "(", ")", macro=r"\pa"),
    Pair("LSQB", "RSQB", "[", "]", macro=r"\br"),
    Pair("LSET", "RSET", r"\{", r"\}", macro=r"\set"),
    Pair("LBAR", "RBAR", r"\lvert", r"\rvert", bars="|", sign=("BAR", "|")),
    Pair("LNORM", "RNORM", r"\lVert", r"\rVert", bars="||", sign=("BARS", r"\|")),
    Pair("LFLOOR", "RFLOOR", r"\lfloor", r"\rfloor", bars="floor"),
    Pair("LCEIL", "RCEIL", r"\lceil", r"\rceil", bars="ceil"),
    Pair("LANGLE", "RANGLE", r"\langle", r"\rangle", bars="angle"),
    Pair("LBRACE", "RBRACE", "{", "}", "braces"),
    Pair("CASES", "ENDCASES", r"\begin{cases}", r"\end{cases}", "environment"),
    Pair("MATRIX", "ENDMATRIX", r"\begin{bmatrix}", r"\end{bmatrix}", "environment"),
    Pair("LINDEX", "RINDEX", "[", "]", "place"),
    Pair("LOPTION", "ROPTION", "[", "]", "place", ends_value=False),
    Pair("LHALF", "RHALF", "[", ")", "place", ends_value=False),
    Pair("LDOMAIN", "RDOMAIN", "(", ")", "place", ends_value=False),
)

CLOSER = {pair.opener: pair.closer for pair in PAIRS}
OPENER = {pair.closer: pair.opener for pair in PAIRS}
"""The terminal of an end by that of the other."""

VALUE_ENDS = frozenset(pair.closer for pair in PAIRS if pair.ends_value)
"""The terminals that end a value."""

SPELLING = {pair.closer: pair.closing for pair in PAIRS}
SHOWN = {pair.closer: pair.shown for pair in PAIRS}
"""What ends with a terminal: its end, and the whole bracket, `(..)`."""

BRACED = {pair.macro: pair.opener for pair in PAIRS if pair.macro}
"""Macros whose braces are brackets of another kind."""

SIGNS = {pair.sign[0]: pair for pair in PAIRS if pair.sign[0]}
r"""The pair that a sign opens and closes: `|`."""

ENVIRONMENTS = {pair.opener: pair.closer for pair in PAIRS if pair.kind == "environment"}

DELIMITERS = frozenset(end for pair in PAIRS if pair.kind == "bracket" for end in (pair.opener, pair.closer)) | SIGNS.keys()
r"""The terminals that may stand after `\left`."""

BARS = {pair.opener: pair.bars for pair in PAIRS if pair.bars}
BAR_SIGNS = {pair.bars: (pair.opening, pair.closing) for pair in PAIRS if pair.bars}
"""The kinds of `Bars` by the terminals that open them, and how they are displayed."""
