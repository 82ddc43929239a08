"""Which elements of an array statements define: boxes of index ranges, whether they meet, and what an update leaves over."""

from __future__ import annotations

from itertools import pairwise

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import shifted


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


def what_remains(old: Box, new: Box, fixed: frozenset[Loop]) -> list[Box] | None:
    """The elements of `old` outside `new`, as boxes; None where that cannot be told.

    `fixed` are the loops around the update that the old value was defined in too: there both are at the same index.
    """
    if is_apart(old, new):
        return [old]
    sides, left = dict(old.sides), list[Box]()
    for axis, side in new.sides.items():
        own = sides.get(axis)
        if own is None:
            if side.is_point and side.loop is None:
                return None
            continue  # an axis whose range the syntax does not show: elaboration checks that the update covers it
        if own.loop is not None and own.loop is side.loop and own.loop in fixed or _lies_in(own, side):
            continue
        if not _lies_in(side, own):
            return None
        left.extend(Box({**sides, axis: part}) for part in _outside(own, side))
        sides[axis] = side
    return left


def are_in_order(whole: Box, part: Box) -> bool:
    """Whether the ends of a part and of the whole are in order for all sizes, 0 among them: not those of `2..n-1` in `1..n`."""
    for axis, side in part.sides.items():
        own = whole.sides.get(axis)
        if own is None or own == side:
            continue
        ends = (own.lower, side.lower, shifted(side.upper, 1), shifted(own.upper, 1))
        if any(found is None or not is_nonnegative(found) for found in (difference(b, a) for a, b in pairwise(ends))):
            return False
    return True


def may_leave(whole: Box, part: Box) -> bool:
    """Whether some size is too small for a part of several elements: `n-1..n` of `1..n`, whose first one is 0 where `n` is 1."""
    for axis, side in part.sides.items():
        own = whole.sides.get(axis)
        if own is None or side.is_point:
            continue
        steps = difference(side.lower, own.lower), difference(own.upper, side.upper)
        if any(found is None or not is_nonnegative(found) for found in steps):
            return True
    return False


def holds(old: Box, new: Box, fixed: frozenset[Loop]) -> bool:
    """Whether all elements of `new` provably are elements of `old`."""
    return all(
        (own := old.sides.get(axis)) is not None
        and (own.loop is not None and own.loop is side.loop and own.loop in fixed or _lies_in(side, own))
        for axis, side in new.sides.items()
    )


def _lies_in(inner: Side, outer: Side) -> bool:
    """Whether a range is a part of another. A single index at an end is: where the range is empty, there is no such element."""
    below, above = difference(inner.lower, outer.lower), difference(outer.upper, inner.upper)
    if below is None or above is None:
        return False
    at_end = inner.is_point and (not below.terms or not above.terms)
    return at_end or bool(is_nonnegative(below) and is_nonnegative(above))


def _outside(own: Side, taken: Side) -> list[Side]:
    """The parts of a range below and above another one that lies in it."""
    parts: list[Side] = []
    if own.lower != taken.lower and difference(taken.lower, own.lower) != Poly(()):
        parts.append(Side(own.lower, shifted(taken.lower, -1), own.loop))
    if own.upper != taken.upper and difference(own.upper, taken.upper) != Poly(()):
        parts.append(Side(shifted(taken.upper, 1), own.upper, own.loop))
    return parts


def unknown_axes(old: Box, new: Box) -> bool:
    """Whether the update runs over axes whose old range the syntax does not show."""
    return any(axis not in old.sides for axis in new.sides)
