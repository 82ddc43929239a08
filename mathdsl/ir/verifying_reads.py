"""Where an expression reads, as far as polynomials can tell: the least and greatest index, and what is surely so.

Every answer is careful: "surely" means for all sizes that are not tiny, and what cannot be decided is not complained
about. A program that is wrong for all sizes from 8 on is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import placed, step_values
from mathdsl.ir.nodes import Array, Axis, Range, Read, Step
from mathdsl.ir.sizes import Coefficient, Poly

_NOT_TINY = 8  # a recurrence over this many steps goes through its loop, whatever its distance
_REMEMBERED = 50_000  # the same few indices and ranges stand everywhere in a program


@dataclass(frozen=True, slots=True)
class LeavingRead:
    """A read whose index `position` surely comes to `at`, outside of the array's range."""

    read: Read
    position: int
    at: Poly


def leaving_reads(step: Step, arrays: Mapping[str, Array]) -> Iterator[LeavingRead]:
    """Reads that surely leave their array, where no condition stands before them."""
    for read, axes in unconditional_reads(step):
        array = arrays.get(read.array)
        if array is None:
            continue
        for position, (entry, declared) in enumerate(zip(read.index, array.ranges)):
            if not isinstance(entry, Poly) or is_all_of(entry, declared, axes):
                continue
            reached = hull(entry, axes) if are_boxes(axes) else None
            if reached is not None and surely_leaves(reached, declared):
                below = is_surely_nonnegative(declared.lower - reached.lower - 1)
                yield LeavingRead(read, position, reached.lower if below else reached.upper)


def unconditional_reads(step: Step) -> Iterator[tuple[Read, tuple[Axis, ...]]]:
    """The reads of a step that no condition keeps from being evaluated, with the axes around them, outermost first."""
    for value in step_values(step):
        for node, place in placed(value.value):
            if isinstance(node, Read) and not place.guards:
                yield node, (*value.axes, *place.axes)


def is_all_of(entry: Poly, bounds: Range, axes: tuple[Axis, ...]) -> bool:
    """Whether an index is an axis that runs over the very range it indexes: most are."""
    name = entry.variable
    for axis in axes:
        if axis.name == name:
            return axis.range == bounds
    return False


@lru_cache(maxsize=_REMEMBERED)
def is_surely_nonnegative(poly: Poly) -> bool:
    """Whether the polynomial in sizes is at least 0 for all sizes that are not tiny: it is there, and only grows."""
    least: Coefficient = 0
    for monomial, c in poly.terms:
        if monomial and (c < 0 or any(power < 0 for _, power in monomial)):
            return False
        least += c * _NOT_TINY ** sum(power for _, power in monomial)
    return least >= 0


@lru_cache(maxsize=_REMEMBERED)
def are_boxes(axes: tuple[Axis, ...]) -> bool:
    """Whether no range depends on an outer axis and none is empty as written."""
    names = {axis.name for axis in axes}
    return all(
        not (axis.range.lower.names | axis.range.upper.names) & names and is_surely_nonnegative(axis.range.extent - 1) for axis in axes
    )


@lru_cache(maxsize=_REMEMBERED)
def hull(index: Poly, axes: tuple[Axis, ...]) -> Range | None:
    """The least and the greatest value of an index over a box of axes; None where the sign of a factor is open."""
    least, greatest = index, index
    for axis in axes:
        factor = index.coefficient(axis.name)
        if factor is None:
            return None
        if not factor.terms:
            continue
        if is_surely_nonnegative(factor):
            low, high = axis.range.lower, axis.range.upper
        elif is_surely_nonnegative(-factor):
            low, high = axis.range.upper, axis.range.lower
        else:
            return None
        least, greatest = least.substitute({axis.name: low}), greatest.substitute({axis.name: high})
    return Range(least, greatest)


@lru_cache(maxsize=_REMEMBERED)
def surely_leaves(inner: Range, outer: Range) -> bool:
    """Whether some value of `inner` surely lies outside of `outer`."""
    return is_surely_nonnegative(outer.lower - inner.lower - 1) or is_surely_nonnegative(inner.upper - outer.upper - 1)


@lru_cache(maxsize=_REMEMBERED)
def surely_meet(left: Range, right: Range) -> bool:
    """Whether two ranges surely have a common value."""
    return (
        is_surely_nonnegative(left.upper - right.lower)
        and is_surely_nonnegative(right.upper - left.lower)
        and is_surely_nonnegative(left.extent - 1)
        and is_surely_nonnegative(right.extent - 1)
    )


def left_side(entries: Sequence[Poly | Range], axes: tuple[Axis, ...]) -> tuple[Range, ...] | None:
    """The ranges that a left side `[entries]` defines; None where an axis depends on another."""
    if not are_boxes(axes):
        return None
    ranges = {axis.name: axis.range for axis in axes}
    found: list[Range] = []
    for entry in entries:
        if isinstance(entry, Range):
            found.append(entry)
            continue
        found.append(ranges.get(entry.variable or "") or Range(entry, entry))
    return tuple(found)
