r"""Text between formulas that nobody reads: it is reported, with what could be written instead."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from mathdsl.diagnostics import Diagnostic, Diagnostics, error
from mathdsl.syntax.commands import line_commands
from mathdsl.syntax.formulas import Piece
from mathdsl.syntax.lexemes import mark, terminals

_PROSE = terminals("WORD NAME NAMED TEXT FONT ACCENT SUB SUP PRIME STRAY")
_KEPT = terminals("LBRACE RBRACE LPAR RPAR COMMENT TAG COMMA SEMICOLON DOT QUAD SKIP")


def report_prose(pieces: list[Piece], words: Sequence[str], diagnostics: Diagnostics) -> list[Piece]:
    """The pieces, with `BROKEN` for the first run of text that means nothing."""
    start = next((at for at, piece in enumerate(pieces) if not piece.is_formula and piece.lexeme.type in _PROSE), None)
    if start is None:
        return pieces
    end = start
    while end < len(pieces) and not pieces[end].is_formula and pieces[end].lexeme.type not in _KEPT:
        end += 1
    diagnostics.add(_prose(pieces[start:end], words))
    broken = Piece(mark("BROKEN", pieces[start].lexeme), True)
    return [*pieces[:start], broken, *(piece for piece in pieces[end:] if piece.is_formula or piece.lexeme.type not in _PROSE)]


def _prose(pieces: Sequence[Piece], words: Sequence[str]) -> Diagnostic:
    span = pieces[0].lexeme.span.to(pieces[-1].lexeme.span)
    first = pieces[0].lexeme.text
    near = get_close_matches(first, line_commands(), n=1, cutoff=0.75) if first.startswith("\\") else []
    if near:
        return error("E0201", f"the command `{first}` is not known", pieces[0].lexeme.span, help=f"did you mean `{near[0]}`?")
    notes = [f"the words that are read here are {', '.join(f'`{word}`' for word in words)}"] if words else []
    if first.casefold() == "return":
        advice = r"write `\Return $..$`"
    else:
        advice = r"mathematics stands in `$ .. $`, a remark in `\Comment{..}`"
    return error("E0228", "this text is not part of a formula", span, notes=notes, help=advice)
