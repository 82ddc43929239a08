"""Boxes cut into parts, so that each box is a union of some of them.

{0..m}, {0}, {1..m}   ->   {0}, {1..m}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import TypeAlias

from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly

Box: TypeAlias = tuple[Range | Poly, ...]  # a range, or one point, at each position
_Ends: TypeAlias = Sequence[tuple[Poly, Poly]]  # behind a range, and its begin: the first is no less


def partition(boxes: Sequence[Box]) -> tuple[Box, ...] | None:
    """The parts, in the order of the domain; None where the sizes do not tell the order of the cuts."""
    distinct = tuple(dict.fromkeys(boxes))
    if len(distinct) == 1:
        return distinct
    positions = [_parts([box[p] for box in distinct]) for p in range(len(distinct[0]))]
    cut: list[tuple[Range | Poly, ...]] = []
    for parts in positions:
        if parts is None:
            return None
        cut.append(parts)
    return tuple(part for part in product(*cut) if any(is_inside(part, box, distinct) for box in distinct))


def find_gaps(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """The parts of the smallest box around boxes that lie in none: {0} x {0} beside {0} x {1..m} and {1..n} x {0..m}.

    None are known where the sizes do not tell the order of the cuts.
    """
    cut: list[tuple[Range | Poly, ...]] = []
    for position in range(len(boxes[0])):
        parts = _parts([box[position] for box in boxes])
        if parts is None:
            return ()
        cut.append(parts)
    return tuple(part for part in product(*cut) if not any(is_inside(part, box, boxes) for box in boxes))


def are_apart(one: Box, other: Box, is_nonnegative: Callable[[Poly], bool]) -> bool:
    """Whether two boxes have nothing in common, by what is known of sizes."""
    ranges = ((as_range(a), as_range(b)) for a, b in zip(one, other, strict=True))
    return any(is_nonnegative(a.lower - b.upper - 1) or is_nonnegative(b.lower - a.upper - 1) for a, b in ranges)


def is_inside(part: Box, box: Box, among: Sequence[Box]) -> bool:
    """Whether a part lies in a box that it was cut from; `among` are boxes or parts whose ends tell the order of the cuts."""
    return all(_holds(whole, entry, _ends([other[p] for other in among])) for p, (entry, whole) in enumerate(zip(part, box, strict=True)))


def as_range(entry: Range | Poly) -> Range:
    """A point as a range of one."""
    return Range(entry, entry) if isinstance(entry, Poly) else entry


def _holds(whole: Range | Poly, entry: Range | Poly, ends: _Ends) -> bool:
    outer, inner = as_range(whole), as_range(entry)
    return outer == inner or (_is_at_least(inner.lower, outer.lower, ends) and _is_at_least(outer.upper + 1, inner.upper + 1, ends))


def _ends(entries: Sequence[Range | Poly]) -> _Ends:
    """What is known of the ranges: each ends behind its begin, or is empty."""
    return [(bounds.upper + 1, bounds.lower) for bounds in map(as_range, entries)]


def _parts(entries: Sequence[Range | Poly]) -> tuple[Range | Poly, ...] | None:
    """The ranges between the cuts at one position."""
    distinct = tuple(dict.fromkeys(entries))
    if len(distinct) == 1:
        return distinct
    cuts: list[Poly] = []
    ends = _ends(distinct)
    for end, begin in ends:
        for cut in (begin, end):
            place = _place(cuts, cut, ends)
            if place is None:
                return None
            if place < 0:
                continue
            cuts.insert(place, cut)
    found = [Range(lower, upper - 1) for lower, upper in pairwise(cuts)]
    return tuple(bounds.lower if bounds.lower == bounds.upper else bounds for bounds in found)


def _place(cuts: Sequence[Poly], cut: Poly, ends: _Ends) -> int | None:
    """Where a cut goes among ordered ones: -1 where it is there, None where that cannot be told."""
    if cut in cuts:
        return -1
    for place, other in enumerate(cuts):
        if _is_at_least(other, cut, ends):
            return place
        if not _is_at_least(cut, other, ends):
            return None
    return len(cuts)


def _is_at_least(left: Poly, right: Poly, ends: _Ends) -> bool:
    """Whether `left >= right` for all sizes, which are at least 0."""
    return (left, right) in ends or all(c > 0 for _, c in (left - right).terms)
