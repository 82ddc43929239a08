r"""The letter rule: where types leave it open, a capital letter in a product is a matrix, a lower-case one a vector, `\eta` a number."""

from __future__ import annotations

from typing import TypeAlias

from mathdsl.diagnostics.readings.types import MATRIX_BY_LETTER, NUMBER_BY_LETTER, VECTOR_BY_LETTER
from mathdsl.elaborate.names.names import is_capital, is_number_letter
from mathdsl.elaborate.names.symbols import Role, Source
from mathdsl.elaborate.terms.terms import Ref
from mathdsl.elaborate.types.constraints.base import matrix, vector
from mathdsl.elaborate.types.shapes import SCALAR, Shape, rank_of
from mathdsl.elaborate.types.solvers import Types

Name: TypeAlias = tuple[Ref, Shape]
"""A name in an operand, and the shape that it has there."""


def find_capital(names: tuple[Name, ...], stage: int) -> Ref | None:
    r"""What `W + U`, `2 W`, `W \odot M` is read by: a capital, where all that is open in it is one and nothing else tells the shape."""
    letters = _open_letters(names)
    ready = stage == 4 or all(letter.symbol.role is not Role.VALUE for letter in letters)
    return letters[0] if letters and ready and all(is_capital(letter.symbol.spelling) for letter in letters) else None


def is_mixed(names: tuple[Name, ...]) -> bool:
    """Whether capital and lower-case letters take part in what is open, so that letters tell nothing."""
    return len({is_capital(letter.symbol.spelling) for letter in _open_letters(names)}) > 1


def _open_letters(names: tuple[Name, ...]) -> list[Ref]:
    """The names whose shapes are open; none where an array of known shape stands among them, which tells theirs."""
    is_told = any(rank_of(shape) for _, shape in names)
    return [] if is_told else [letter for letter, shape in names if rank_of(shape) is None]


def is_row(letter: Ref) -> bool:
    """Whether it is a row of a table at a computed place, `E[x_t]`: the table is the matrix."""
    return any(isinstance(position, Ref) for position in letter.positions)


def read_as_number(types: Types, shape: Shape, letter: Ref) -> bool:
    r"""Decide that an open factor before another is a number, the `\eta` of `\eta A x`, and tell that its letter did; False for others."""
    if not is_number_letter(letter.symbol.spelling) or not types.shapes.unify(shape, SCALAR):
        return False
    types.findings.note(NUMBER_BY_LETTER, letter.symbol.latex, letter.span)
    letter.symbol.source = Source.NUMBER_BY_LETTER
    return True


def read_by_letter(types: Types, shape: Shape, letter: Ref) -> bool:
    """Decide an open shape, and tell that the letter did; False where it does not fit."""
    capital = is_capital(letter.symbol.spelling)
    if not types.shapes.unify(shape, matrix(types) if capital and not is_row(letter) else vector(types)):
        return False
    types.findings.note(MATRIX_BY_LETTER if capital else VECTOR_BY_LETTER, letter.symbol.latex, letter.span)
    letter.symbol.source = Source.MATRIX_BY_LETTER if capital else Source.VECTOR_BY_LETTER
    return True
