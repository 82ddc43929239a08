r"""Formulas among text: which lexemes stand between dollar signs, and the names that stand in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostics, error
from mathdsl.syntax.lexemes import Lexeme, mark
from mathdsl.syntax.pairs import CLOSER
from mathdsl.syntax.spelled import join_words
from mathdsl.syntax.words import split_named

_PAIRS = {"$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}
_TEXT_FONTS = frozenset({r"\textsc", r"\emph"})
"""Fonts of text that a formula does not take."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A lexeme, and whether it stands in a formula."""

    lexeme: Lexeme
    is_formula: bool


def read_formulas(lexemes: Sequence[Lexeme], diagnostics: Diagnostics) -> list[Piece]:
    r"""The lexemes of a line without its dollar signs; a sign without its partner is reported, and all of the line taken for a formula."""
    pieces: list[Piece] = []
    opened: Lexeme | None = None
    wrong: Lexeme | None = None
    for lexeme in lexemes:
        if lexeme.type != "DISPLAY":
            pieces.append(Piece(lexeme, opened is not None))
        elif opened is not None and lexeme.text == _PAIRS[opened.text]:
            opened = None
        elif opened is None and lexeme.text in _PAIRS:
            opened = lexeme
        else:
            wrong = wrong or opened or lexeme
    wrong = wrong or opened
    if wrong is None:
        return _without_fonts(pieces)
    partner = _PAIRS.get(wrong.text)
    message = f"`{wrong.text}` is not closed" if partner else f"`{wrong.text}` closes no formula"
    diagnostics.add(error("E0202", message, wrong.span, label="this formula has no end" if partner else "", help="formulas are `$ .. $`"))
    broken = () if partner else (Piece(mark("BROKEN", wrong), True),)
    return [*(replace(piece, is_formula=True) for piece in pieces), *broken]


def _without_fonts(pieces: list[Piece]) -> list[Piece]:
    r"""`\textbf{down to}` as `down to`."""
    pieces = [part for piece in pieces for part in (_words(piece) if piece.lexeme.type == "TEXT" and not piece.is_formula else (piece,))]
    if not any(piece.lexeme.text in _TEXT_FONTS for piece in pieces):
        return pieces
    closing = _closings(pieces)
    fonts = [at for at, piece in enumerate(pieces) if piece.lexeme.text in _TEXT_FONTS and not piece.is_formula and at + 1 in closing]
    dropped = {place for at in fonts for place in (at, at + 1, closing[at + 1])}
    return [piece for at, piece in enumerate(pieces) if at not in dropped]


def _words(piece: Piece) -> Iterator[Piece]:
    r"""The words of `\textbf{down to}`; what is no word stays what it is."""
    _, content = split_named(piece.lexeme.text)
    if not all(word.isalpha() for word in content.split()):
        yield piece
        return
    yield from (Piece(replace(piece.lexeme, type="WORD", text=word), False) for word in content.split())


def _closings(pieces: Sequence[Piece]) -> dict[int, int]:
    """Where each opening brace closes."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for at, piece in enumerate(pieces):
        if piece.lexeme.type == "LBRACE":
            opened.append(at)
        elif piece.lexeme.type == "RBRACE" and opened:
            closing[opened.pop()] = at
    return closing


def find_close(pieces: Sequence[Piece], start: int, opener: str = "LBRACE") -> int | None:
    """Where the bracket that has to stand at `start` closes."""
    if start >= len(pieces) or pieces[start].lexeme.type != opener:
        return None
    depth = 0
    for at in range(start, len(pieces)):
        terminal = pieces[at].lexeme.type
        depth += (terminal == opener) - (terminal == CLOSER[opener])
        if depth == 0:
            return at
    return None


def join_name(pieces: Sequence[Piece]) -> list[Piece]:
    """A name of letters and digits as one word: it is typeset as text."""
    return [Piece(lexeme, True) for lexeme in join_words([piece.lexeme for piece in pieces])]


def join_names(pieces: list[Piece]) -> list[Piece]:
    r"""The name in `\Call{LSTM1997}{..}` as one word."""
    closing = _closings(pieces)
    joined: list[Piece] = []
    at = 0
    while at < len(pieces):
        end = closing.get(at + 1) if pieces[at].lexeme.text == r"\Call" else None
        if end is None:
            joined.append(pieces[at])
            at += 1
        else:
            joined += (*pieces[at : at + 2], *join_name(pieces[at + 2 : end]))
            at = end
    return joined
