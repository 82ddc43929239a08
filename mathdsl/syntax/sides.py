r"""Takes up `\left`, `\right`, `\bigl`, `\middle`: they decide bars, and are then part of their delimiter."""

from __future__ import annotations

from mathdsl.diagnostics import Diagnostic, error
from mathdsl.syntax.lexemes import Lexeme, Side
from mathdsl.syntax.pairs import DELIMITERS, SIGNS

_FORCED = {(sign, side): end for sign, pair in SIGNS.items() for side, end in (("left", pair.opener), ("right", pair.closer))}


def take_sides(lexemes: list[Lexeme]) -> tuple[list[Lexeme], list[Diagnostic]]:
    """`lexemes` with each sizing command merged into the delimiter that follows it."""
    if not any(lexeme.type == "SIDE" for lexeme in lexemes):
        return lexemes, []
    merged: list[Lexeme] = []
    found: list[Diagnostic] = []
    sizing: Lexeme | None = None
    for lexeme in lexemes:
        if sizing is None:
            if lexeme.type == "SIDE":
                sizing = lexeme
            else:
                merged.append(lexeme)
            continue
        if lexeme.type in DELIMITERS:
            merged.append(_merge(sizing, lexeme))
        else:
            found.append(_no_delimiter(sizing))
        sizing = None
    if sizing is not None:
        found.append(_no_delimiter(sizing))
    return merged, found


def _merge(sizing: Lexeme, delimiter: Lexeme) -> Lexeme:
    place = sizing.span.to(delimiter.span)
    if sizing.text in (r"\middle", r"\bigm", r"\Bigm", r"\biggm", r"\Biggm") and delimiter.type == "BAR":
        return Lexeme("RELATION", r"\mid", sizing.start, delimiter.end, place)
    side = _side(sizing.text)
    forced = _FORCED.get((delimiter.type, "left" if side in ("left", "bigl") else "right" if side else ""), delimiter.type)
    return Lexeme(forced, delimiter.text, sizing.start, delimiter.end, place, side)


def _side(command: str) -> Side:
    if command == r"\left":
        return "left"
    if command == r"\right":
        return "right"
    return "bigl" if command.endswith("l") else "bigr" if command.endswith("r") else ""


def _no_delimiter(sizing: Lexeme) -> Diagnostic:
    return error(
        "E0204",
        f"`{sizing.text}` stands before no bracket",
        sizing.span,
        label="a bracket must follow",
        help=r"write `\left( .. \right)`; an empty delimiter (`\left.`) has no meaning",
    )
