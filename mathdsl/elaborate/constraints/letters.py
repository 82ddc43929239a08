"""The letter rule: where types leave it open, a capital letter in a product is a matrix and a lower-case letter a vector."""

from __future__ import annotations

from mathdsl.elaborate.constraints.base import matrix, vector
from mathdsl.elaborate.names import is_capital
from mathdsl.elaborate.shapes import Shape
from mathdsl.elaborate.terms import Ref
from mathdsl.elaborate.unit import Unit


def read_by_letter(unit: Unit, shape: Shape, letter: Ref) -> bool:
    """Decide an open shape, and tell that the letter did; False where it does not fit."""
    capital = is_capital(letter.symbol.spelling)
    read = "matrix" if capital else "vector"
    if not unit.shapes.unify(shape, matrix(unit) if capital else vector(unit)):
        return False
    case = "a capital" if capital else "lower case"
    unit.note("N0303", f"`{letter.symbol.latex}` is read as a {read}, since types leave it open and its letter is {case}", letter.span)
    letter.symbol.origin = f"a {read} by its letter"
    return True
