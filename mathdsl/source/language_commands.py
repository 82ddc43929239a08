r"""Commands that expansion has to know: which the language owns, whose arguments are text, and how many arguments a command takes."""

from __future__ import annotations

from mathdsl.vocabulary import VOCABULARY, of_kinds, of_terminals, spellings


def _commands(*lines: str) -> frozenset[str]:
    return frozenset("\\" + name for line in lines for name in line.split())


OWNED = frozenset(row.spelling for row in VOCABULARY.values() if "own" in row.marks)
"""Commands with a meaning of their own: a document may define them for TeX, in programs they mean what the language says."""

PROGRAM_ENDS = spellings(of_terminals("ENDMODULE", "ENDPROC"))
PROGRAM_COMMANDS = spellings(of_terminals("MODULE", "PROC")) | PROGRAM_ENDS
"""Where one of these stands there is a program in module or docstring notation."""

ALGORITHMIC_ENDS = spellings(of_terminals("ENDPROCEDURE", "ENDFUNCTION"))
ALGORITHMIC_COMMANDS = spellings(of_terminals("PROCEDURE", "FUNCTION")) | ALGORITHMIC_ENDS
"""Where one of these stands in an `algorithmic` environment, it is a program in algorithmic notation."""

STATEMENT_COMMANDS = (
    (OWNED | spellings(of_terminals("GETS"))) - spellings(of_terminals("MACRO", "SIZE", "PA", "TO")) - _commands("indent Comment drop")
)
"""Where none of these stands, no statement is written with a command."""

RAW_TEXT = frozenset({r"\Comment", r"\COMMENT", r"\algoCmt", r"\tcp"})
"""Their argument is carried as it is: no expansion, any character."""

PLAIN_TEXT = spellings(of_kinds("text"))
"""In their argument any character may stand, but macros are expanded."""

ARGUMENTS = {row.spelling: row.arguments for row in VOCABULARY.values() if row.arguments}
r"""How many arguments a command takes: a macro that stands for one of them unbraced (`\hat\x`) is one argument, however long its body."""

TEX_PROGRAMMING = _commands(
    "expandafter noexpand csname endcsname catcode input include ifx ifnum ifdim ifmmode iftrue iffalse ifcase else fi loop repeat",
    "newif begingroup endgroup bgroup egroup global long outer futurelet afterassignment aftergroup makeatletter makeatother",
    "scantokens directlua write read openin openout immediate",
)
"""Commands that program TeX itself: nothing can be read off them without running TeX."""
