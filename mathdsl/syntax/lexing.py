"""Characters to lexemes: raw text covered, the grammar's terminals, then each command's terminal from the vocabulary."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from mathdsl.source.model import MappedText
from mathdsl.spans import Span
from mathdsl.syntax.commands import COMMANDS
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.masking import MASK, mask_raw
from mathdsl.syntax.tables import load_parser

_CHARACTERS = {
    "STAR": ("LOOSE", "*"),
    "SLASH": ("LOOSE", "/"),
    "AT": ("TIGHT", "@"),
    "EQUAL": ("RELATION", "="),
    "LESS": ("RELATION", "<"),
    "MORE": ("RELATION", ">"),
    "ASSIGN": ("GETS", r"\gets"),
}
"""Terminals of characters that stand for an operator: the rules' terminal and the canonical spelling."""


def lex(text: MappedText, *, is_table: bool) -> list[Lexeme]:
    """The lexemes of a chunk; never fails, since every character has a terminal (STRAY at last)."""
    pattern, ignored = _load_pattern()
    places = _Places(text)
    found: list[Lexeme] = []
    for match in pattern.finditer(mask_raw(text.text, is_table=is_table)):
        terminal = match.lastgroup or ""
        if terminal not in ignored:
            found.append(_lexeme(terminal, match, text.text, places))
    return found


def _lexeme(terminal: str, match: re.Match[str], text: str, places: _Places) -> Lexeme:
    written = match[0]
    start, end = match.span()
    if terminal == "COMMAND":
        terminal, written = COMMANDS.get(written, ("NAME", written))
    elif terminal in _CHARACTERS:
        terminal, written = _CHARACTERS[terminal]
    elif MASK in written:
        written = text[start:end]
    return Lexeme(terminal, written, start, end, places.span(start, end))


@lru_cache(maxsize=1)
def _load_pattern() -> tuple[re.Pattern[str], frozenset[str]]:
    """All terminals of characters, in the order in which Lark's lexer tries them, and those that are left out."""
    lexer: Any = load_parser().parse_interactive("").lexer_thread.lexer
    terminals = [f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in lexer.lexer.terminals]
    return re.compile("|".join(terminals)), frozenset(lexer.lexer.ignore_types)


class _Places:
    """Spans of lexemes in order: one walk along the runs instead of a search for each."""

    def __init__(self, text: MappedText) -> None:
        self._text = text
        self._at = 0

    def span(self, start: int, end: int) -> Span:
        runs = self._text.runs
        while self._at + 1 < len(runs) and runs[self._at + 1].start <= start:
            self._at += 1
        run = runs[self._at]
        if not run.verbatim:
            return self._text.span(start, end)
        if self._at + 1 < len(runs) and runs[self._at + 1].start < end:
            return self._text.span(start, end)
        shift = run.origin.start - run.start
        return Span(run.origin.file, start + shift, end + shift, run.origin.definition)
