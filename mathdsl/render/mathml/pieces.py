"""Pieces of a formula with what their neighbours have to know: how they bind, what stands at their edges, how tall they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

from mathdsl.render.mathml.elements import THIN, WORD_SPACE, bracket, element, space
from mathdsl.syntax.binding import Binds


class Edge(Enum):
    """What a piece begins or ends with: it decides the space to its neighbour, as the classes of atoms do in TeX."""

    ORDINARY = auto()
    BRACKET = auto()
    FUNCTION = auto()
    FRACTION = auto()
    WORDS = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """Markup: one element (`is_single`) or several side by side.

    `is_open`: it ends in a reduction, whose body would swallow what follows; `is_tall`: it is higher than a line of letters;
    `closing`: the bracket that ends it, to which scripts are attached, where it is no taller than a line.
    """

    markup: str
    binds: Binds = Binds.PRIMARY
    left: Edge = Edge.ORDINARY
    right: Edge = Edge.ORDINARY
    is_open: bool = False
    is_tall: bool = False
    is_single: bool = False
    closing: str = ""

    @property
    def single(self) -> str:
        """As one element, for a place that takes one."""
        return self.markup if self.is_single else element("mrow", self.markup)


def gap(before: Edge, after: Edge) -> str:
    """The space between two factors."""
    match before, after:
        case (Edge.WORDS, _) | (_, Edge.WORDS):
            return space(WORD_SPACE)
        case (Edge.FUNCTION | Edge.FRACTION, Edge.BRACKET):
            return ""
        case (Edge.FUNCTION | Edge.FRACTION, _) | (_, Edge.FUNCTION | Edge.FRACTION):
            return space(THIN)
        case _:
            return ""


def fenced(opening: str, content: Iterable[Piece], closing: str, separator: str = "") -> Piece:
    """Pieces between delimiters that are as tall as they are."""
    pieces = tuple(content)
    is_tall = any(piece.is_tall for piece in pieces)
    inner = separator.join(piece.markup for piece in pieces)
    left = bracket(opening, closes=False, stretches=is_tall)
    right = bracket(closing, closes=True, stretches=is_tall)
    markup = left + inner + right
    if is_tall:  # the delimiters reach over what stands in their row
        return Piece(element("mrow", markup), left=Edge.BRACKET, right=Edge.BRACKET, is_tall=True, is_single=True)
    return Piece(markup, left=Edge.BRACKET, right=Edge.BRACKET, closing=right)


def at_least(piece: Piece, binds: Binds, *, closed: bool = False) -> Piece:
    """In parentheses where it binds too loosely or is open: where LaTeX needs braces, which nobody sees."""
    if piece.binds < binds or (closed and piece.is_open):
        return fenced("(", (piece,), ")")
    return piece


def adjoined(first: Piece, second: Piece, between: str | None = None) -> Piece:
    """Side by side, with the space that their edges ask for."""
    space_between = gap(first.right, second.left) if between is None else between
    return replace(
        first,
        markup=first.markup + space_between + second.markup,
        right=second.right,
        is_open=second.is_open,
        is_tall=first.is_tall or second.is_tall,
        is_single=False,
        closing="",
    )
