"""`mathdsl explain`: what a code means, the list of all codes, and the page of notations with several readings."""

from __future__ import annotations

import re
from string import ascii_uppercase

from mathdsl.diagnostics.catalogue import CATALOGUE, find_row
from mathdsl.diagnostics.readings import READINGS, Ambiguity

_PAGE = """\
# Notations with several readings

What an author writes can be read in several ways. A declaration decides, or the notation itself, or a rule that leaves a note, or the
program is refused with all readings. Each reading stands here with a program that has it and no other.
"""


def explain(code: str) -> str | None:
    """The explanation of a code as Markdown, with the notations that it is about; None for a code that does not exist."""
    row = find_row(code)
    if row is None:
        return None
    notations = "".join(f"\n{_shown(own)}" for own in READINGS if own.code == row.code)
    return f"{row.severity} {row.code}: {row.title}\n\n{row.explanation.strip()}\n{notations}"


def list_codes() -> str:
    """One line a code."""
    return "".join(f"{row.code}  {row.severity:<7}  {row.title}\n" for row in CATALOGUE.values())


def readings_page() -> str:
    """All notations with several readings, as a document in Markdown whose programs compile."""
    return _PAGE + "".join(f"\n## {own.name[0].upper()}{own.name[1:]}\n\n{_shown(own, as_document=True)}" for own in READINGS)


def _shown(own: Ambiguity, *, as_document: bool = False) -> str:
    """A row as Markdown: the message, what decides, the program that is refused, and for each reading one with a name of its own."""
    name = "".join(word.capitalize() for word in re.findall(r"\w+", own.name))
    told = {"E": "Refused", "N": "Read as the first, with a note"}.get(own.code[:1], "")
    blocks = [f"{own.message(own.letters)}.\n", f"What decides: {own.decided}.\n"]
    blocks += [f"{told} ({own.code}):\n", _fenced(own.program, "latex")] if own.code else []
    for letter, reading in zip(ascii_uppercase, own.words(own.letters), strict=False):
        program = reading.program.replace("{F}", f"{{{name}{letter}}}") if as_document else reading.program
        blocks += [f"For {reading.meaning}, {reading.choice}:\n", _fenced(program, "mathdsl" if as_document else "latex")]
    return "\n".join(blocks)


def _fenced(program: str, language: str) -> str:
    return f"```{language}\n{program}```\n"
