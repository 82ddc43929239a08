"""The author's text inside comments and docstrings: it stays text, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mathdsl.ir.nodes import Origin, Range

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_DIRECTIVE = re.compile(r"(?:type|mypy|pyright|ruff|fmt|isort|yapf|flake8|pylint|pragma|noqa|nopep8|-\*-|!|%%)\W?")  # what tools obey
_SURROGATES = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """The text on one line, without control, invisible or direction characters."""
    return _SURROGATES.sub("", _SPACE.sub(" ", text)).strip()


def comment_lines(origin: Origin) -> list[str]:
    """The comments above a step: its equation with its tag, and what the author said about it."""
    lines: list[str] = []
    if origin.latex:
        tag = f"  ({one_line(origin.tag)})" if origin.tag else ""
        lines.append(f"# {one_line(origin.latex)}{tag}")
    if origin.comment:
        remark = one_line(origin.comment)
        lines.append(f'# "{remark}"' if _DIRECTIVE.match(remark) else f"# {remark}")
    return [line.rstrip() for line in lines if line.rstrip() != "#"]


def shape_text(ranges: Sequence[Range], batched: bool) -> str:
    """`(..., S, d_h)`; as in Python, `(n,)`."""
    parts = (["..."] if batched else []) + [one_line(str(bounds.extent)) for bounds in ranges]
    return f"({', '.join(parts)}{',' if len(parts) == 1 and not batched else ''})"


def one_line_keeping_indent(line: str) -> str:
    """One line of a text of several, without control characters; its indentation stays."""
    stripped = line.lstrip(" ")
    return " " * (len(line) - len(stripped)) + one_line(stripped)
