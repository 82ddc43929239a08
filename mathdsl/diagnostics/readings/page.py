r"""The page of readings, `readings.md`: Markdown for people, whose sections are the rows of the table.

A section has the message as its first paragraph, then what decides, then (where there is a code) the program that is refused or noted,
with its letters, and what a note says; behind that each reading, with what to write for it and a program that has this reading alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError

_PAGE = Path(__file__).parent.parent / "readings.md"
_SECTION = re.compile(
    r"""(?P<message>.+?)\.\n\n
    What\ decides:\ (?P<decided>.+?)\.\n\n
    (?:(?:Refused|Read\ as\ the\ first,\ with\ a\ note)\ \((?P<code>\w+)\)(?P<letters>.*?):\n\n```latex\n(?P<program>.*?)```\n\n)?
    (?:The\ note\ says\ of\ one\ symbol\ "(?P<one>[^"]+)",\ of\ several\ "(?P<several>[^"]+)"\.\n\n)?
    (?P<readings>Reading\ A.+)""",
    re.DOTALL | re.VERBOSE,
)
_READING = re.compile(r"Reading [A-Z], (.+?): (.+?)\.\n\n```mathdsl\n(.*?)```", re.DOTALL)
_LETTER = re.compile(r"⟨(\w+)⟩ is (.+?)(?=, ⟨\w+⟩ is |$)")
_PROGRAM = re.compile(r"(\\(?:Module|Procedure))\{\w+\}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: its meaning, the choice of an author who means it, and a program that has this reading alone, called `F`."""

    meaning: str
    choice: str
    program: str


@dataclass(frozen=True, slots=True)
class Section:
    """The row of one notation, with ⟨letters⟩ in its words; `code` and `program` are empty where nothing is refused or noted."""

    message: str
    readings: tuple[Reading, ...]
    decided: str
    code: str
    program: str
    letters: Mapping[str, str]
    noted: tuple[str, str]


@cache
def read_page() -> str:
    """The page as it stands."""
    return _PAGE.read_text(encoding="utf-8")


@cache
def list_sections() -> Mapping[str, str]:
    """The texts of the sections by the names of their notations, whose first letters are small, in the order of the page."""
    sections = (section.partition("\n\n") for section in read_page().split("\n## ")[1:])
    return {title[0].lower() + title[1:]: text for title, _, text in sections}


@cache
def find_section(name: str) -> Section:
    """The row of a notation."""
    return read_section(name, list_sections()[name])


def read_section(name: str, text: str) -> Section:
    """Markdown -> the row that it is."""
    found = _SECTION.fullmatch(text)
    if found is None:
        raise InternalError(f"the page of readings: the section `{name}` cannot be read")
    return Section(
        _in_one_line(found["message"]),
        tuple(Reading(_in_one_line(meaning), _in_one_line(choice), _called_f(own)) for meaning, choice, own in _READING.findall(text)),
        _in_one_line(found["decided"]),
        found["code"] or "",
        found["program"] or "",
        {letter: _notation(value) for letter, value in _LETTER.findall(_in_one_line(found["letters"] or ""))},
        (_in_one_line(found["one"] or ""), _in_one_line(found["several"] or "")),
    )


def _in_one_line(text: str) -> str:
    return text.replace("\n", " ")


def _notation(value: str) -> str:
    """The value of a letter: notation between backquotes, or words."""
    return value[1:-1] if re.fullmatch("`[^`]*`", value) else value


def _called_f(program: str) -> str:
    return _PROGRAM.sub(r"\1{F}", program)
