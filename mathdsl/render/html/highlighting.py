"""Python text as lines of markup: few marks, each closed at the end of its line, and which lines are documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

_DOCUMENTATION = "d"
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword.Constant, "n"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String.Doc, _DOCUMENTATION),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
)
"""The tokens that have a colour of their own, the narrower kinds first; all others are plain text."""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of the text; `is_documentation`: a docstring stands in it."""

    markup: Markup
    is_documentation: bool


def marked_lines(source: str) -> Iterator[MarkedLine]:
    """Each line; neighbours of one class share a mark."""
    line: list[tuple[str, str]] = []
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(source):
        name = _class(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                yield _join(line)
                line = []
            line.append((name, part))
    if any(text for _, text in line):
        yield _join(line)


def _join(parts: Sequence[tuple[str, str]]) -> MarkedLine:
    written = (part for part in parts if part[1])
    runs = groupby(written, key=lambda part: part[0])
    markup = Markup().join(_marked(name, "".join(text for _, text in run)) for name, run in runs)
    return MarkedLine(markup, any(name == _DOCUMENTATION for name, _ in parts))


def _class(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind[: len(parent)] == parent), "")


def _marked(name: str, text: str) -> Markup:
    if not name or not text.strip():
        return escape(text)
    return Markup("<b class={}>{}</b>").format(name, text)
