"""Where an expression reads, as far as polynomials can tell: the least and greatest index, and what is surely so.

Every answer is careful: "surely" means for all sizes that are not tiny, and what cannot be decided is not complained
about. A program that is wrong for all sizes from 8 on is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from mathdsl.ir.nodes import (
    Along,
    Apply,
    Axis,
    Call,
    Equation,
    Expr,
    IndexValue,
    Literal,
    Padded,
    Range,
    Read,
    Reduce,
    Select,
    Setting,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children

_NOT_TINY = 8  # a recurrence over this many steps goes through its loop, whatever its distance


@dataclass(frozen=True, slots=True)
class PlacedRead:
    """A read and the axes around it, outermost first. `always`: no condition stands between the step and it."""

    read: Read
    axes: tuple[Axis, ...]
    always: bool


def placed_reads(step: Step) -> Iterator[PlacedRead]:
    """Every read of a step with what stands around it."""
    match step:
        case Equation(axes=axes, value=value):
            yield from _reads(value, axes, True)
        case Call(axes=axes, arguments=arguments):
            for argument in arguments:
                yield from _reads(argument.value.value, (*axes, *argument.value.axes), True)
        case _:
            assert_never(step)


def _reads(expr: Expr, axes: tuple[Axis, ...], always: bool) -> Iterator[PlacedRead]:
    match expr:
        case Literal() | IndexValue() | Setting():
            return
        case Read():
            yield PlacedRead(expr, axes, always)
            for child in children(expr):
                yield from _reads(child, axes, always)
        case Reduce(axis=axis, body=body):
            yield from _reads(body, (*axes, axis), always)
        case Along(axis=axis, body=body, at=at):
            yield from _reads(body, (*axes, axis), always)
            if not isinstance(at, Poly):
                yield from _reads(at, axes, always)
        case Select(condition=condition, then=then, otherwise=otherwise):
            yield from _reads(condition, axes, always)
            yield from _reads(then, axes, False)
            yield from _reads(otherwise, axes, False)
        case Padded(body=body, fill=fill):
            yield from _reads(body, axes, always)  # all of it is read where the example fills its padding
            yield from _reads(fill, axes, False)
        case Apply(op=op, arguments=arguments):
            for position, argument in enumerate(arguments):
                yield from _reads(argument, axes, always and not (position and op in ("and", "or")))
        case _:
            assert_never(expr)


def is_surely_nonnegative(poly: Poly) -> bool:
    """Whether the polynomial in sizes is at least 0 for all sizes that are not tiny: it is there, and only grows."""
    least = Fraction(0)
    for monomial, c in poly.terms:
        if monomial and (c < 0 or any(power < 0 for _, power in monomial)):
            return False
        least += c * _NOT_TINY ** sum(power for _, power in monomial)
    return least >= 0


def are_boxes(axes: Sequence[Axis]) -> bool:
    """Whether no range depends on an outer axis and none is empty as written."""
    names = {axis.name for axis in axes}
    return all(
        not (axis.range.lower.names | axis.range.upper.names) & names and is_surely_nonnegative(axis.range.extent - 1) for axis in axes
    )


def hull(index: Poly, axes: Sequence[Axis]) -> Range | None:
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


def surely_leaves(inner: Range, outer: Range) -> bool:
    """Whether some value of `inner` surely lies outside of `outer`."""
    return is_surely_nonnegative(outer.lower - inner.lower - 1) or is_surely_nonnegative(inner.upper - outer.upper - 1)


def surely_meet(left: Range, right: Range) -> bool:
    """Whether two ranges surely have a common value."""
    return (
        is_surely_nonnegative(left.upper - right.lower)
        and is_surely_nonnegative(right.upper - left.lower)
        and is_surely_nonnegative(left.extent - 1)
        and is_surely_nonnegative(right.extent - 1)
    )


def left_side(entries: Sequence[Poly | Range], axes: Sequence[Axis]) -> tuple[Range, ...] | None:
    """The ranges that a left side `[entries]` defines; None where an axis depends on another."""
    if not are_boxes(axes):
        return None
    ranges = {axis.name: axis.range for axis in axes}
    found: list[Range] = []
    for entry in entries:
        if isinstance(entry, Range):
            found.append(entry)
            continue
        names = [name for name in ranges if entry == Poly.of(name)]
        found.append(ranges[names[0]] if names else Range(entry, entry))
    return tuple(found)
