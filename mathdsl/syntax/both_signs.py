r"""Sets of a number and its negative: `y \in \{\pm 1\}^n` as `y \in \{-1, 1\}^n`. Elsewhere `\pm` means nothing."""

from __future__ import annotations

from mathdsl.syntax.lexemes import Lexeme, mark


def with_both_signs(lexemes: list[Lexeme]) -> list[Lexeme]:
    r"""`lexemes` with the two numbers of `\{\pm 1\}`."""
    if not any(lexeme.text == r"\pm" for lexeme in lexemes):
        return lexemes
    read: list[Lexeme] = []
    for at, lexeme in enumerate(lexemes):
        match [one.type for one in lexemes[at - 1 : at + 3]] if at else []:
            case ["LSET", _, "NUMBER", "RSET"] if lexeme.text == r"\pm":
                number = lexemes[at + 1]
                read += [lexeme.become("MINUS", "-"), number, mark("COMMA", number, after=True).become("COMMA", ",")]
            case _:
                read.append(lexeme)
    return read
