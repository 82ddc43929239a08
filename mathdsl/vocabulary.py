r"""The vocabulary: one row for each command of TeX, of its packages and of the language; all tables of commands are made from these rows.

`leq=≤:⩽` behind the heading `[rel RELATION]` of `vocabulary.txt` says that `\leq` is a relation that shows `≤`, that our grammar
reads it as a RELATION, and that an author may also type `≤` or `⩽`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from mathdsl.dataclass import dataclass

_ENTRY = re.compile(
    r"(?P<name>[A-Za-z]+|.)(?:=(?P<shown>[^:~>]+|.))?(?P<is_typed>:(?P<typed>[^~>]*))?(?:~(?P<means>[^>]+|.))?(?:>(?P<tex>.+))?"
)
_HEADING = re.compile(r"\[(?P<kind>[a-z]+)(?: (?P<terminal>[A-Z0-9_]+))?(?P<marks>(?: [a-z]+)*)\] ?")
_ARGUMENTS = {
    **dict.fromkeys(("font", "accent", "wide", "line", "hidden", "class", "arrow", "remainder", "root", "named", "text"), 1),
    **dict.fromkeys(("fraction", "stack"), 2),
}


@dataclass(frozen=True, slots=True)
class Command:
    r"""A command with its backslash.

    `kind`: what TeX makes of it, the word in its heading; `terminal`: how our grammar reads it, if it is a word of the language;
    `shown`: the characters that are seen; `typed`: characters that stand for it in program text; `means`: its canonical spelling;
    `tex`: its spelling in TeX's own words, where TeX does not know it; `marks`: those of its heading.
    """

    spelling: str
    kind: str
    terminal: str
    shown: str
    typed: str
    means: str
    tex: str
    marks: frozenset[str]

    @property
    def name(self) -> str:
        return self.spelling[1:]

    @property
    def arguments(self) -> int:
        """How many arguments it takes, in braces or of one letter."""
        return _ARGUMENTS.get(self.kind, 0)


def read_vocabulary() -> tuple[Command, ...]:
    """All rows, in their order."""
    return tuple(_read(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[Command]:
    kind, terminal, marks = "", "", frozenset[str]()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            kind, terminal, marks = heading["kind"], heading["terminal"] or "", frozenset(heading["marks"].split())
            line = line[heading.end() :]
        yield from (_row(entry, kind, terminal, marks) for entry in line.split(" ") if entry)


def _row(entry: str, kind: str, terminal: str, marks: frozenset[str]) -> Command:
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise ValueError(f"{entry!r} is no row of the vocabulary")
    spelling = "\\" + match["name"]
    shown = (match["shown"] or "").replace(r"\,", "\N{THIN SPACE}")
    means = _spelled(match["means"]) if match["means"] else spelling
    typed = f"{shown}{match['typed']}" if match["is_typed"] else ""
    return Command(spelling, kind, terminal, shown, typed, means, match["tex"] or (means if means != spelling else ""), marks)


def _spelled(name: str) -> str:
    return f"\\{name}" if name.isalpha() else name


VOCABULARY: Mapping[str, Command] = MappingProxyType({row.spelling: row for row in read_vocabulary()})
"""The rows by their commands."""


def of_kinds(*kinds: str) -> tuple[Command, ...]:
    """The rows of some kinds: `of_kinds("rel", "bin")`."""
    return tuple(row for row in VOCABULARY.values() if row.kind in kinds)


def of_terminals(*terminals: str) -> tuple[Command, ...]:
    """The rows that our grammar reads as one of these terminals."""
    return tuple(row for row in VOCABULARY.values() if row.terminal in terminals)


def spellings(rows: tuple[Command, ...]) -> frozenset[str]:
    """The commands of rows."""
    return frozenset(row.spelling for row in rows)
