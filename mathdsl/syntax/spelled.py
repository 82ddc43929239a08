r"""Words of letters and digits, and with `\_` between them, as one word each: `x1`, `src1`, `max\_norm`, and the `h1` of `W_{h1}`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from mathdsl.syntax.lexemes import Lexeme, terminals

_TAKES_ONE = terminals("SUB SUP ACCENT FONT FRACTION ROOT")
"""What takes one character where no brace follows."""


def join_words(lexemes: list[Lexeme]) -> list[Lexeme]:
    """`lexemes` with the parts of each such word joined; what follows a script without braces is none."""
    if not any(_continues(before, after) for before, after in pairwise(lexemes)):
        return lexemes
    joined: list[Lexeme] = []
    for lexeme in lexemes:
        before = joined[-1] if joined else None
        takes_one = len(joined) > 1 and joined[-2].type in _TAKES_ONE
        if before is not None and not takes_one and _continues(before, lexeme):
            joined[-1] = join_lexemes(before, lexeme)
        else:
            joined.append(lexeme)
    return joined


def _continues(word: Lexeme, part: Lexeme) -> bool:
    if word.type != "WORD" or word.end != part.start:
        return False
    if word.text.endswith("_"):
        return part.type == "WORD" or part.type == "NUMBER" and part.text.isdigit()
    return part.type == "UNDERSCORE" or part.type == "WORD" or part.type == "NUMBER" and part.text.isdigit()


def join_lexemes(first: Lexeme, last: Lexeme) -> Lexeme:
    """Two lexemes as one word."""
    text = "_" if last.type == "UNDERSCORE" else last.text
    return replace(first, text=first.text + text, end=last.end, span=first.span.to(last.span))
