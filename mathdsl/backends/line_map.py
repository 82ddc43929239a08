"""The map from lines of a generated file to the author's equations."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def equation_lines(text: str, equations: Sequence[str]) -> dict[int, str]:
    """The line of the statement below each equation's comment, in order of appearance."""
    found: dict[int, str] = {}
    place = 0
    above: list[str] = []
    prose = _docstring_lines(text)
    for number, line in enumerate(text.split("\n"), start=1):
        code = line.strip()
        if not code or number in prose:
            continue
        if place < len(equations) and code == f"# {equations[place]}":
            above.append(equations[place])
            place += 1
        elif above and not code.startswith("#"):
            found[number] = "; ".join(above)
            above = []
    return found


def _docstring_lines(text: str) -> set[int]:
    """The lines of docstrings, where what looks like a comment is none; no other string has several lines."""
    found: set[int] = set()
    waiting: list[ast.stmt] = list(ast.parse(text).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            waiting += node.body
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found
