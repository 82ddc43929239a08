"""What is more than one line high: fractions, roots, cases and matrices."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.mathml.elements import bracket, element, stackable, words
from mathdsl.render.mathml.pieces import Edge, Piece

_VALUE = {"style": "text-align:left;padding-left:0"}
_CONDITION = {"style": "text-align:left"}


def fraction(numerator: Piece, denominator: Piece) -> Piece:
    return Piece(
        element("mfrac", numerator.single, denominator.single), left=Edge.FRACTION, right=Edge.FRACTION, is_tall=True, is_single=True
    )


def root(radicand: Piece, degree: Piece | None) -> Piece:
    markup = element("msqrt", radicand.markup) if degree is None else element("mroot", radicand.single, degree.single)
    return Piece(markup, is_tall=radicand.is_tall, is_single=True)


def cases(rows: Sequence[tuple[Piece, Piece | None]]) -> Piece:
    """A brace before rows of a value and its condition (None: otherwise)."""
    cells = [(value.markup, words("otherwise") if condition is None else condition.markup) for value, condition in rows]
    table = stackable(cells, _VALUE, _CONDITION)
    return Piece(element("mrow", bracket("{", closes=False, stretches=True), table), left=Edge.FRACTION, is_tall=True, is_single=True)


def matrix(rows: Sequence[Sequence[Piece]]) -> Piece:
    """Rows of cells between square brackets."""
    lines = (element("mtr", *(element("mtd", cell.markup) for cell in row)) for row in rows)
    opening, closing = (bracket(sign, closes=sign == "]", stretches=True) for sign in "[]")
    return Piece(
        element("mrow", opening, element("mtable", *lines), closing), left=Edge.BRACKET, right=Edge.BRACKET, is_tall=True, is_single=True
    )
