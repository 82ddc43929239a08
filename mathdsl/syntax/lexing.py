"""Characters to lexemes: raw text covered, Lark's lexer, then each command's terminal from the vocabulary."""

from __future__ import annotations

from typing import Any

from lark import Lark, Token

from mathdsl.source.model import MappedText
from mathdsl.spans import Span
from mathdsl.syntax.commands import COMMANDS
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.masking import MASK, mask_raw

_CHARACTERS = {
    "STAR": ("LOOSE", "*"),
    "SLASH": ("LOOSE", "/"),
    "AT": ("TIGHT", "@"),
    "EQUAL": ("RELATION", "="),
    "LESS": ("RELATION", "<"),
    "MORE": ("RELATION", ">"),
    "ASSIGN": ("GETS", r"\gets"),
    "ELLIPSIS": ("DOTS", "..."),
    "NOTEQUAL": ("RELATION", r"\neq"),
    "NOTIN": ("RELATION", r"\notin"),
}
"""Terminals of characters that stand for an operator: the rules' terminal and the canonical spelling."""


def lex(parser: Lark, text: MappedText, *, is_table: bool) -> list[Lexeme]:
    """The lexemes of a chunk; never fails, since every character has a terminal (STRAY at last)."""
    places = _Places(text)
    interactive: Any = parser.parse_interactive(mask_raw(text.text, is_table=is_table))  # `Lark.lex` would build its lexer anew
    tokens = interactive.lexer_thread.lex(interactive.parser_state)
    return [_lexeme(token, text.text, places) for token in tokens]


def _lexeme(token: Token, text: str, places: _Places) -> Lexeme:
    start, end = token.start_pos or 0, token.end_pos or 0
    terminal, written = token.type, str(token)
    if terminal == "COMMAND":
        terminal, written = COMMANDS.get(written, ("NAME", written))
    elif terminal in _CHARACTERS:
        terminal, written = _CHARACTERS[terminal]
    elif MASK in written:
        written = text[start:end]
    return Lexeme(terminal, written, start, end, places.span(start, end))


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
