"""The map from lines of a generated file to the author's equations."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mathdsl.spans import Span

_BODIES = ("body", "orelse", "handlers", "finalbody")  # the fields of a node that hold statements


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
    """The statement below each equation's comment, in order of appearance."""
    tree = ast.parse(text)
    prose, ends = _docstring_lines(tree), _statement_ends(tree)
    found: list[CodeLines] = []
    place = 0
    above: list[tuple[int, Comment]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        code = line.strip()
        if not code or number in prose:
            continue
        if place < len(equations) and code == f"# {equations[place].text}":
            above.append((number, equations[place]))
            place += 1
        elif above and not code.startswith("#"):
            found += [CodeLines(start, number, ends.get(number, number), equation) for start, equation in above]
            above = []
    return tuple(found)


def equation_lines(lines: Sequence[CodeLines]) -> dict[int, str]:
    """What the generated file says of itself: the equations of each statement by its first line."""
    found: dict[int, str] = {}
    for lines_of in lines:
        before = found.get(lines_of.line)
        found[lines_of.line] = lines_of.equation.text if before is None else f"{before}; {lines_of.equation.text}"
    return found


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """All statements; none of them lies inside an expression."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        inner = [child for field in _BODIES for child in getattr(node, field, ())]
        yield from (child for child in inner if isinstance(child, ast.stmt))
        waiting += inner


def _statement_ends(tree: ast.Module) -> dict[int, int]:
    """The last line of the statement that begins at a line; of a compound one, of its head."""
    ends: dict[int, int] = {}
    for node in _statements(tree):
        body = getattr(node, "body", None)
        ends[node.lineno] = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
    return ends


def _docstring_lines(tree: ast.Module) -> set[int]:
    """The lines of docstrings, where what looks like a comment is none; no other string has several lines."""
    found: set[int] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found
