r"""Containers of LaTeX texts: `mathdsl`, `where` and `algorithmic` environments, displays in which a program stands, or the whole text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

from mathdsl.diagnostics import Diagnostics, Label, error, note
from mathdsl.source.containers import ContainerText, Region, no_program
from mathdsl.source.groups import Groups
from mathdsl.source.language_commands import ALGORITHMIC_ENDS, PROGRAM_ENDS, STATEMENT_COMMANDS
from mathdsl.source.latex_outline import DISPLAYS, Outline, find_outline, find_tags
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.macros import MacroTable, find_definitions
from mathdsl.source.mapping import blank
from mathdsl.source.model import MappedText

_MOST_REPORTED = 50
_OUTSIDE = "a program stands outside of every container"
_NAMES = "|".join(DISPLAYS)
_DISPLAY_TAG = re.compile(rf"\\(?:begin|end)\{{(?:{_NAMES})\*?\}}|\\[\[\]]|\$\$")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|[\s\S])")
_PROSE = re.compile(r"(?<!\\)\$|\\\(|\\(?:sub)*section\b|\\documentclass\b")
_CONTAINERS = r"a program stands in `mathdsl`, `\[ \]`, `equation`, `align`, `aligned`, `gather` or `array`"
_ALGORITHMIC = r"a program with `\Procedure` or `\Function` stands in `algorithmic` or `mathdsl`"


def read_latex(mapped: MappedText, is_file: bool, table: MacroTable, number: int, found: Diagnostics) -> ContainerText:
    r"""The containers of a LaTeX text; its definitions go into the table.

    All of it is program text where there is no `\begin{document}`, and it is no file, has no container, or has a program outside of them.
    """
    comments, verbatim = find_ignored(mapped.text)
    prose = blank(mapped.text, sorted(comments + verbatim))
    definitions = find_definitions(MappedText(prose, mapped.runs), table, number)
    outline = find_outline(blank(prose, definitions))
    text = blank(blank(mapped.text, comments), definitions)
    stripped = MappedText(blank(text, find_tags(outline, Groups(text))), mapped.runs)
    check_environments(outline, mapped, found)
    containers = outline.containers()
    if not outline.has_document and (not is_file or not containers or outline.loose):
        if is_file and _is_prose(stripped.text, table):
            found.add(no_program(mapped.span(0, 0)))
            return ContainerText("latex", mapped, stripped, ())
        return ContainerText("program", mapped, stripped, (Region("program", 0, len(text), (0, len(text))),))
    _check_nothing_dropped(outline, mapped, found)
    regions: list[Region] = []
    last_end: int | None = None
    for container in containers:
        if container.is_closed:
            after = last_end is not None and not _DISPLAY_TAG.sub("", stripped.text[last_end : container.start]).strip()
            kind: Literal["program", "where"] = "where" if container.name == "where" else "program"
            regions.append(Region(kind, container.inside, container.inside_end, (container.start, container.end), after))
            last_end = container.end
    return ContainerText("latex", mapped, stripped, tuple(regions))


def _is_prose(text: str, table: MacroTable) -> bool:
    """Whether nothing in a text defines anything: no command of a statement or of the author's, and `=` at most as in formulas of prose."""
    if not text.strip() or any(command in STATEMENT_COMMANDS or command in table.macros for command in _COMMAND.findall(text)):
        return False
    return "=" not in text or _PROSE.search(text) is not None


def find_display_tags(mapped: MappedText, groups: Groups, start: int, end: int, found: Diagnostics) -> list[Interval]:
    """The tags of the displays in a block of program text that hold its program."""
    outline = find_outline(groups.text, start, end)
    check_environments(outline, mapped, found)
    return find_tags(outline, groups)


def check_environments(outline: Outline, mapped: MappedText, found: Diagnostics) -> None:
    """Report what is not closed, or closes nothing; of each, no more than anybody would read."""
    unclosed = [e for e in outline.environments if e.is_container and not e.is_closed and not (e.parent and e.parent.is_container)]
    for environment in unclosed[:_MOST_REPORTED]:
        near = outline.stray[bisect_right(outline.stray, environment.start, key=lambda item: item[1][0]) :][:1]
        found.add(
            error(
                "E0105",
                f"`{environment.written_name}` is never closed",
                mapped.span(environment.start, environment.inside),
                labels=[Label(mapped.span(*span), "this closes an environment of another name") for _, span in near],
                help="end it by its own name, inside the environment that it stands in",
            )
        )
    strays = [(name, span) for name, span in outline.stray if name in ("mathdsl", "where")]
    for name, span in strays[:_MOST_REPORTED]:
        found.add(error("E0105", rf"`\end{{{name}}}` closes nothing", mapped.span(*span), help=rf"begin it with `\begin{{{name}}}`"))


def _check_nothing_dropped(outline: Outline, mapped: MappedText, found: Diagnostics) -> None:
    begins = [span for span in outline.loose if mapped.text[slice(*span)] not in PROGRAM_ENDS]
    for span in begins[:_MOST_REPORTED] or outline.loose[:1]:
        found.add(error("E0103", _OUTSIDE, mapped.span(*span), label="this would be taken for prose", help=_CONTAINERS))
    begins = [span for span in outline.misplaced if mapped.text[slice(*span)] not in ALGORITHMIC_ENDS]
    for span in begins[:_MOST_REPORTED] or outline.misplaced[:1]:
        found.add(error("E0103", _OUTSIDE, mapped.span(*span), label="this would be taken for prose", help=_ALGORITHMIC))
    prose = [e for e in outline.environments if e.name == "algorithmic" and not e.is_container and not e.in_container]
    for environment in prose[:_MOST_REPORTED]:
        message = r"this algorithm is taken for prose: neither `\Procedure` nor `\Function` stands in it"
        found.add(note("N0103", message, mapped.span(environment.start, environment.inside)))
