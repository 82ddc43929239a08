r"""The shape of a row of the table of readings: a notation that can be read in several ways, and what decides between them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mathdsl.dataclass import dataclass, field

_LETTER = re.compile(r"<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: what it is, what an author does who means it, and a program that has this reading alone.

    In the words a letter of the notation stands between angle brackets: ``an element of `<name>` ``.
    """

    meaning: str
    choice: str
    program: str


@dataclass(frozen=True, slots=True)
class Ambiguity:
    r"""A notation with several readings, as in `\gamma^t`.

    `subject` is the notation as a message shows it. `decided` says what decides. `code` is that of the refusal, or of the note, which
    `program` gets; both are empty where the notation itself or a declaration always decides. `letters` are those of `program`. `noted`
    is what a note says of one symbol of which a rule took the first reading, and of several.
    """

    name: str
    subject: str
    readings: tuple[Reading, ...]
    decided: str
    code: str = ""
    program: str = ""
    letters: Mapping[str, str] = field(default_factory=dict)
    noted: tuple[str, str] = ("", "")

    def words(self, letters: Mapping[str, str]) -> tuple[Reading, ...]:
        """The readings in the letters of an author."""
        return tuple(Reading(_filled(own.meaning, letters), _filled(own.choice, letters), own.program) for own in self.readings)

    def message(self, letters: Mapping[str, str]) -> str:
        r"""`\gamma^t` can be an element of `\gamma`, or a power of `\gamma`."""
        meanings = [reading.meaning for reading in self.words(letters)]
        return f"{_filled(self.subject, letters)} can be {_either(meanings)}"

    def help(self, letters: Mapping[str, str]) -> str:
        """What to do for each reading; a verb that all have in common stands once."""
        choices = [reading.choice for reading in self.words(letters)]
        verbs = {choice.partition(" ")[0] for choice in choices}
        if len(verbs) == 1:
            choices[1:] = [choice.partition(" ")[2] for choice in choices[1:]]
        return _either(choices)


def _either(choices: list[str]) -> str:
    return f"{', '.join(choices[:-1])}, or {choices[-1]}"


def _filled(words: str, letters: Mapping[str, str]) -> str:
    return _LETTER.sub(lambda found: letters[found[1]], words)


def module(header: str, *statements: str, where: str = "") -> str:
    r"""A program in module notation with one symbol of the given name for each item of the header."""
    lines = "".join(f"  {statement} \\\\\n" for statement in statements)
    table = f"\\begin{{where}}\n  {where} \\\\\n\\end{{where}}\n" if where else ""
    return f"\\Module{{F}}{{{header}}}\n{lines}\\EndModule\n{table}"


def algorithm(inputs: str, required: str, *lines: str) -> str:
    r"""A procedure of the algorithmic notation; a line is a statement (`y \gets 2 x`), or `\Return y`, or a loop's."""
    states = "".join(f"  {_state(line)}\n" for line in lines)
    return f"\\begin{{algorithmic}}\n\\Require ${required}$\n\\Procedure{{F}}{{${inputs}$}}\n{states}\\EndProcedure\n\\end{{algorithmic}}\n"


def _state(line: str) -> str:
    if line.startswith((r"\For", r"\End")):
        return line
    before, returned, value = line.rpartition(r"\Return ")
    return rf"\State \Return ${value}$" if returned and not before else rf"\State ${line}$"
