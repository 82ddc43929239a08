r"""Commands that expansion has to know: which the language owns, whose arguments are text, and how many arguments a command takes."""

from __future__ import annotations


def _commands(*lines: str) -> frozenset[str]:
    return frozenset("\\" + name for line in lines for name in line.split())


OWNED = _commands(
    # module notation
    "Module EndModule Return Comment gets coloneqq Assert",
    # docstring notation
    "algoProc algoEndProc algoFor algoEndFor algoIf algoElseIf algoElse algoEndIf algoWhile algoEndWhile algoReturn algoEq algoIs",
    "algoTrue algoFalse algoCmt indent pa br set cat fla sof drop sz",
    # algorithmic notation
    "Procedure EndProcedure Function EndFunction State Statex For ForAll EndFor If ElsIf Else EndIf While EndWhile",
    "Repeat Until Loop EndLoop Require Ensure Call To",
    "KwIn KwOut tcp",
)
"""Commands with a meaning of their own: a document may define them for TeX, in programs they mean what the language says."""

PROGRAM_ENDS = _commands("EndModule algoEndProc")
PROGRAM_COMMANDS = _commands("Module algoProc") | PROGRAM_ENDS
"""Where one of these stands there is a program in module or docstring notation."""

ALGORITHMIC_ENDS = _commands("EndProcedure EndFunction")
ALGORITHMIC_COMMANDS = _commands("Procedure Function") | ALGORITHMIC_ENDS
"""Where one of these stands in an `algorithmic` environment, it is a program in algorithmic notation."""

STATEMENT_COMMANDS = OWNED - _commands("indent Comment To pa br set cat fla sof drop sz") | _commands("leftarrow colonequals")
"""Where none of these stands, no statement is written with a command."""

RAW_TEXT = frozenset({r"\Comment", r"\algoCmt", r"\tcp"})
"""Their argument is carried as it is: no expansion, any character."""

PLAIN_TEXT = frozenset({r"\text"})
"""In their argument any character may stand, but macros are expanded."""

_ACCENTS = _commands("hat bar tilde vec dot ddot check acute grave breve widehat widetilde overline underline")
_FONTS = _commands("mathbf mathcal boldsymbol mathbb mathrm mathit mathsf mathtt mathfrak mathscr bm text operatorname")
ARGUMENTS = dict.fromkeys(_ACCENTS | _FONTS | {r"\sqrt"}, 1) | dict.fromkeys(_commands("frac dfrac tfrac"), 2)
r"""How many arguments a command takes: a macro that stands for one of them unbraced (`\hat\x`) is one argument, however long its body."""

CLASS_MACROS = frozenset({r"\mathop", r"\mathbin", r"\mathrel", r"\mathord"})
"""They set the space around their argument, and where its limits stand: formulas of prose keep them."""

IDENTITY_MACROS = CLASS_MACROS | {r"\ensuremath"}
"""They typeset their argument as something; what it means stays."""

EMPTY_MACROS = frozenset({r"\relax", r"\protect", r"\xspace", r"\allowbreak", r"\leavevmode"})
"""They mean nothing in a formula."""

TEX_PROGRAMMING = _commands(
    "expandafter noexpand csname endcsname catcode input include ifx ifnum ifdim ifmmode iftrue iffalse ifcase else fi loop repeat",
    "newif begingroup endgroup bgroup egroup global long outer futurelet afterassignment aftergroup makeatletter makeatother",
    "scantokens directlua write read openin openout immediate",
)
"""Commands that program TeX itself: nothing can be read off them without running TeX."""
