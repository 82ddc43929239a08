r"""Fonts that last to the end of their group as commands with an argument: `{\bf W}` as `\mathbf{W}`, `{\rm sin}` as `\mathrm{sin}`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.syntax.commands import SWITCHES
from mathdsl.syntax.lexemes import Lexeme

_FONTS = {r"\bf": r"\mathbf", r"\cal": r"\mathcal"}
"""Fonts that are part of a name; the others set words upright or slanted, which means nothing."""


def take_switches(lexemes: list[Lexeme]) -> list[Lexeme]:
    """`lexemes` with each group that begins with a switch in that font."""
    if not any(lexeme.text in SWITCHES for lexeme in lexemes):
        return lexemes
    read: list[Lexeme] = []
    at = 0
    while at < len(lexemes):
        group = lexemes[at : at + 4]
        match [lexeme.type for lexeme in group]:
            case ["LBRACE", _, "WORD" | "NAME", "RBRACE"] if group[1].text in SWITCHES:
                read += _styled(*group)
                at += 4
            case _:
                read.append(lexemes[at])
                at += 1
    return read


def _styled(opening: Lexeme, switch: Lexeme, name: Lexeme, closing: Lexeme) -> tuple[Lexeme, ...]:
    if switch.text in _FONTS:
        return (switch.become("FONT", _FONTS[switch.text]), opening, name, closing)
    if name.type == "NAME":
        return (opening, name, closing)
    span = opening.span.to(closing.span)
    return (replace(name.become("NAMED", rf"\mathrm{{{name.text}}}"), start=opening.start, end=closing.end, span=span),)
