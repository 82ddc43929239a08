"""Boxes of the elements of an array that statements define, and whether they meet."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Side:
    """The indices of one axis: a point, or a range."""

    lower: ast.Expression
    upper: ast.Expression


@dataclass(frozen=True)
class Box:
    """A range for each axis (subscripts 0, 1, …; the superscript -1); axes that are not mentioned are whole."""

    sides: dict[int, Side]


def is_apart(a: Box, b: Box) -> bool:
    """Whether two boxes provably have no element in common."""
    return any(
        axis in b.sides and (_is_below(side.upper, b.sides[axis].lower) or _is_below(b.sides[axis].upper, side.lower))
        for axis, side in a.sides.items()
    )


def _is_below(upper: ast.Expression, lower: ast.Expression) -> bool:
    found = difference(lower, upper)
    return found is not None and bool(is_nonnegative(found - 1))
