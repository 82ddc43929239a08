"""What the findings of a cell say where it is evidently no program, in words for a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.diagnostics import Diagnostic, error
from mathdsl.spans import SourceFile, Span

NO_PROGRAM = "E0107"
_STRAY_CHARACTER = "E0219"
_FENCE = re.compile(r"^[ \t]*(?P<fence>```+)", re.MULTILINE)
_PROGRAM = r"a program is `\Module{Name}{inputs ; parameters} … \Return … \\ \EndModule`; `%mathdsl` alone shows an example"
_NOT_LATEX = "`%%mathdsl` takes LaTeX: Python goes into a cell without this first line, prose into a Markdown cell"


def advise(found: Sequence[Diagnostic], file: SourceFile) -> tuple[Diagnostic, ...]:
    """The findings of a cell, told to somebody who may have put something else into it."""
    if not any(d.severity == "error" for d in found):
        return tuple(found)
    fence = _FENCE.search(file.text)
    if fence is not None:
        return (_markdown(Span(file.name, *fence.span("fence"))),)  # all else is a consequence
    found = [replace(d, message="this cell holds no program", help=_PROGRAM) if d.code == NO_PROGRAM else d for d in found]
    if found[0].code == NO_PROGRAM or "\\" in file.text:
        return tuple(found)
    return (replace(found[0], notes=(*found[0].notes, _NOT_LATEX)), *found[1:])


def _markdown(fence: Span) -> Diagnostic:
    return error(
        _STRAY_CHARACTER,
        "a cell holds programs alone, and this is Markdown around one",
        fence,
        help="leave the program and its tables, without the lines of backquotes; the other text goes into a Markdown cell",
    )
