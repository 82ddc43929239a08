r"""Puts braces around what stands without them: what a fraction or a root takes, `\frac12`, `\sqrt2`, and a script, `x^\frac{1}{p}`.

TeX takes one character or one command. Where a letter or a digit directly follows the last of them, what is meant is left open.
Around all that is returned, `\Return{a, b}`, braces mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from mathdsl.diagnostics import Diagnostic, ambiguous
from mathdsl.diagnostics.readings.notation import ARGUMENT_OF_SEVERAL
from mathdsl.syntax.commands import is_function
from mathdsl.syntax.lexemes import Lexeme, mark

_COUNTS = {"FRACTION": 2, "ROOT": 1}
_CHARACTERS = ("NUMBER", "WORD")


def brace_arguments(lexemes: list[Lexeme]) -> tuple[list[Lexeme], list[Diagnostic]]:
    """`lexemes` with braces around the characters that are arguments."""
    if not any(lexeme.type in _COUNTS for lexeme in lexemes):
        return lexemes, []
    reader = _Reader(lexemes)
    reader.run()
    return reader.out, reader.found


def without_braces_of_results(lexemes: list[Lexeme]) -> list[Lexeme]:
    r"""`\Return{a, b}` as `\Return a, b`."""
    match lexemes:
        case [Lexeme(type="RETURN") as first, Lexeme(type="LBRACE"), *inner, Lexeme(type="RBRACE")] if _are_paired(inner):
            return [first, *inner]
        case _:
            return lexemes


def _are_paired(lexemes: Sequence[Lexeme]) -> bool:
    depths = accumulate((lexeme.type == "LBRACE") - (lexeme.type == "RBRACE") for lexeme in lexemes)
    return min(depths, default=0) == 0


class _Reader:
    """One walk: `depths` holds the braces that are open, those of arguments with how many arguments are still to come."""

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.out: list[Lexeme] = []
        self.found: list[Diagnostic] = []
        self._waiting = list(reversed(lexemes))
        self._open: list[tuple[Lexeme, int] | None] = []
        self._scripts: list[Lexeme] = []

    def run(self) -> None:
        while self._waiting:
            lexeme = self._waiting.pop()
            if lexeme.type == "FRACTION" and self.out and self.out[-1].type in ("SUB", "SUP"):
                self._scripts.append(lexeme)
                self.out.append(_brace("LBRACE", lexeme))
            self.out.append(lexeme)
            if lexeme.type in _COUNTS and not self._has_degree(lexeme):
                self._arguments(lexeme, _COUNTS[lexeme.type])
            elif lexeme.type == "LBRACE":
                self._open.append(None)
            elif lexeme.type == "RBRACE" and self._open:
                owner = self._open.pop()
                if owner is not None:
                    self._arguments(*owner)

    def _has_degree(self, lexeme: Lexeme) -> bool:
        return lexeme.type == "ROOT" and bool(self._waiting) and self._waiting[-1].type == "LSQB"

    def _arguments(self, command: Lexeme, count: int) -> None:
        """What comes next is an argument of the command, if any is still to come."""
        while count and self._waiting:
            following = self._waiting[-1]
            if following.type == "LBRACE":
                self.out.append(self._waiting.pop())
                self._open.append((command, count - 1))
                return
            if not _is_argument(following):
                break
            argument, rest = _first(self._waiting.pop())
            self._waiting += [rest] if rest is not None else []
            self.out += [_brace("LBRACE", argument), argument, _brace("RBRACE", argument)]
            count -= 1
            if not count:
                self._check_end(command, argument)
        if self._scripts and self._scripts[-1] is command:
            self._scripts.pop()
            self.out.append(_brace("RBRACE", self.out[-1]))

    def _check_end(self, command: Lexeme, argument: Lexeme) -> None:
        after = self._waiting[-1] if self._waiting else None
        if after is None or after.start != argument.end or after.type not in (*_CHARACTERS, "SUB", "SUP", "PRIME"):
            return
        label, span = f"only `{argument.text}` would be the argument", argument.span.to(after.span)
        before = r"\frac{..}" if command.type == "FRACTION" else command.text
        rest = after.text if after.type in _CHARACTERS else f"{after.text}.."
        self.found.append(ambiguous(ARGUMENT_OF_SEVERAL, span, label=label, command=before, argument=argument.text, rest=rest))


def _brace(terminal: str, at: Lexeme) -> Lexeme:
    return mark(terminal, at, after=terminal == "RBRACE").become(terminal, "{" if terminal == "LBRACE" else "}")


def _is_argument(lexeme: Lexeme) -> bool:
    return lexeme.type in _CHARACTERS and lexeme.text.isalnum() or lexeme.type == "NAME" and not is_function(lexeme.text)


def _first(lexeme: Lexeme) -> tuple[Lexeme, Lexeme | None]:
    """The first character of a word or a number, and what is left; a command whole."""
    if lexeme.type not in _CHARACTERS or len(lexeme.text) == 1:
        return lexeme, None
    span, verbatim = lexeme.span, lexeme.span.end - lexeme.span.start == len(lexeme.text)
    cut = span.start + 1
    first = replace(lexeme, text=lexeme.text[0], end=lexeme.start + 1, span=replace(span, end=cut) if verbatim else span)
    return first, replace(lexeme, text=lexeme.text[1:], start=lexeme.start + 1, span=replace(span, start=cut) if verbatim else span)
