"""`mathdsl explain`: the meaning of a code, the list of all codes, and the page of notations with several readings."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue import CATALOGUE, find_row
from mathdsl.diagnostics.readings import READINGS, Ambiguity
from mathdsl.diagnostics.readings.page import read_page


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
    return read_page()


def _shown(own: Ambiguity) -> str:
    """A row as Markdown: the message, what decides, the program that gets the code, and for each reading one with a name of its own."""
    told = "Refused" if own.code.startswith("E") else "Read as the first, with a note"
    blocks = [f"{own.message(own.letters)}.\n", f"What decides: {own.decided}.\n", f"{told}:\n", _fenced(own.program)]
    for reading in own.words(own.letters):
        blocks += [f"For {reading.meaning}, {reading.choice}:\n", _fenced(reading.program)]
    return "\n".join(blocks)


def _fenced(program: str) -> str:
    return f"```latex\n{program}```\n"
