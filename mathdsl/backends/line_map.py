"""The map from lines of a generated file to the author's equations."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span

_QUOTES = '"""'


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that quotes an equation, without its `# `, and where the author wrote the equation."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class CodeLines:
    """The statement that computes an equation: `line` is its first, `end` its last line, its comments begin at `start` (from 1)."""

    start: int
    line: int
    end: int
    equation: Comment


def find_code_lines(text: str, equations: Sequence[Comment]) -> tuple[CodeLines, ...]:
    """The statement below each equation's comment in a formatted text, in order of appearance."""
    found: list[CodeLines] = []
    place = 0
    above: list[tuple[int, Comment]] = []
    is_prose = False  # in a docstring, where what looks like a comment is none; no other string has several lines
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        code = line.strip()
        if is_prose:
            is_prose = not code.endswith(_QUOTES)
        elif code.startswith((_QUOTES, f"r{_QUOTES}")):
            is_prose = not code.removeprefix("r")[len(_QUOTES) :].endswith(_QUOTES)
        elif place < len(equations) and code == f"# {equations[place].text}":
            above.append((number, equations[place]))
            place += 1
        elif above and code and not code.startswith("#"):
            end = _statement_end(lines, number)
            found += [CodeLines(start, number, end, equation) for start, equation in above]
            above = []
    return tuple(found)


def equation_lines(lines: Sequence[CodeLines]) -> dict[int, str]:
    """What the generated file says of itself: the equations of each statement by its first line."""
    found: dict[int, str] = {}
    for lines_of in lines:
        before = found.get(lines_of.line)
        found[lines_of.line] = lines_of.equation.text if before is None else f"{before}; {lines_of.equation.text}"
    return found


def _statement_end(lines: Sequence[str], number: int) -> int:
    """The last line of the statement that begins at a line; of a compound one, the one before its body.

    A formatted line that goes on ends with an open bracket, and what closes the bracket is the next line that is indented no further.
    """
    indent = _indent(lines[number - 1])
    while lines[number - 1].endswith(("(", "[", "{")):
        number += 1
        while not lines[number - 1] or _indent(lines[number - 1]) > indent:
            number += 1
    while lines[number - 1].endswith(":") and lines[number].lstrip().startswith("#"):
        number += 1
    return number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
