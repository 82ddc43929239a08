"""Which elements of an array statements define: boxes of index ranges, whether they meet, and what an update leaves over."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Side:
    """The indices of one axis: a point, or a range, perhaps that of a loop."""

    lower: ast.Expression
    upper: ast.Expression
    loop: Loop | None = None

    @property
    def is_point(self) -> bool:
        """Whether it is a single index."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Box:
    """A range for each axis (subscripts 0, 1, …; the superscript -1); axes that are not mentioned are whole."""

    sides: dict[int, Side]


def is_apart(a: Box, b: Box) -> bool:
    """Whether two boxes provably have no element in common."""
    return any(axis in b.sides and _sides_apart(side, b.sides[axis]) for axis, side in a.sides.items())


def _sides_apart(a: Side, b: Side) -> bool:
    if a.loop is not None and a.loop is b.loop:
        return False
    return _is_below(a.upper, b.lower) or _is_below(b.upper, a.lower)


def _is_below(upper: ast.Expression, lower: ast.Expression) -> bool:
    found = difference(lower, upper)
    return found is not None and bool(is_nonnegative(found - 1))
