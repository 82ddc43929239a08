"""What stands in the padding of arrays and expressions: a constant, or some finite number.

`batch_axes` keeps everything in padding finite, so the only question is where it is known exactly: reductions that meet
their neutral element there need no fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mathdsl.analysis.abstract import interpret_operation
from mathdsl.analysis.facts import Facts
from mathdsl.analysis.raggedness import ragged_size
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Apply, Array, Axis, Equation, Expr, Literal, Read
from mathdsl.ir.sizes import Poly
from mathdsl.ops.abstract import Abstract, Number, only

Known: TypeAlias = dict[str, Number]  # for index variables: the value of an expression wherever they stand in padding


@dataclass(frozen=True)
class RaggedAxis:
    """An index variable whose range ends with a ragged size: `name <= bound` inside."""

    name: str
    bound: Poly
    size: str


@dataclass(frozen=True)
class Unknown:
    """Some finite number, or several."""


@dataclass(frozen=True)
class Untouched:
    """No element there: a definition that ends before the padding begins, whatever the example's length."""


@dataclass(frozen=True)
class ArrayPadding:
    """For each axis of an array, what stands beyond the example's own end."""

    beyond: tuple[Number | Unknown | Untouched, ...]

    def joined(self, other: ArrayPadding) -> ArrayPadding:
        """What both definitions of one array leave known."""
        return ArrayPadding(tuple(_joined(a, b) for a, b in zip(self.beyond, other.beyond, strict=True)))


def _joined(left: Number | Unknown | Untouched, right: Number | Unknown | Untouched) -> Number | Unknown | Untouched:
    if isinstance(left, Untouched):
        return right
    if isinstance(right, Untouched) or left == right:
        return left
    return Unknown()


def ragged_axes(axes: Iterable[Axis], ragged: Sequence[str]) -> tuple[RaggedAxis, ...]:
    """Those of the axes that end with a ragged size."""
    sizes = ((axis, ragged_size(axis.range, ragged)) for axis in axes)
    return tuple(RaggedAxis(axis.name, axis.range.upper, size) for axis, size in sizes if size is not None)


def known_of_literal(literal: Literal, scope: Sequence[RaggedAxis]) -> Known:
    """A constant is the same in padding."""
    return {axis.name: literal.value for axis in scope}


def known_of_read(
    read: Read, array: Array, padding: ArrayPadding, scope: Sequence[RaggedAxis], facts: Facts, ragged: Sequence[str]
) -> Known:
    """Where an index variable in padding makes the read one of the array's own padding; `b[k - m]` may go beyond that."""

    def moves(entry: Poly) -> bool:
        return not entry.names.isdisjoint(ragged)

    known: Known = {}
    for axis in scope:
        for entry, bounds, beyond in zip(read.index, array.ranges, padding.beyond, strict=True):
            if isinstance(beyond, Unknown | Untouched) or not isinstance(entry, Poly) or axis.name not in entry.names or moves(entry):
                continue
            if facts.proves_nonnegative(entry - bounds.upper - (Poly.of(axis.name) - axis.bound)):
                known[axis.name] = beyond
    return known


def known_of_apply(apply: Apply, operands: Sequence[Known], scope: Sequence[RaggedAxis], infinite: Sequence[bool] = ()) -> Known:
    """What an operation makes of constants; `infinite` says which operands may be so, where nothing is known of them in padding."""
    found: Known = {}
    unknown = [Abstract(may_be_infinite=flag) for flag in infinite] or [Abstract()] * len(operands)
    for axis in scope:
        values = [only(known[axis.name]) if axis.name in known else other for known, other in zip(operands, unknown, strict=True)]
        value = interpret_operation(apply.op, values).point
        if value is not None:
            found[axis.name] = value
    return found


def same_known(left: Known, right: Known) -> Known:
    """What both know alike."""
    return {name: value for name, value in left.items() if name in right and right[name] == value}


def padding_of_equation(step: Equation, value: Expr, known: Known, array: Array, ragged: Sequence[str]) -> ArrayPadding:
    """What an equation puts beyond the ends of its array, given what is known of its right side in padding."""
    axes = {axis.name: axis.range for axis in step.axes}
    beyond: list[Number | Unknown | Untouched] = []
    for entry, bounds in zip(step.index, array.ranges, strict=True):
        size = ragged_size(bounds, ragged)
        axis = next((axes[name] for name in entry.names if name in axes), None)
        last = entry if axis is None else axis.upper
        room = (bounds.upper - last).constant
        if size is None:
            beyond.append(Unknown())
        elif axis is None and size in entry.names:
            beyond.append(value.value if isinstance(value, Literal) else Unknown())  # the far end, behind shorter examples
        elif axis is not None and size in last.names:
            (name,) = entry.names
            beyond.append(known.get(name, Unknown()) if room is not None and room >= 0 else Unknown())
        else:
            shortest = bounds.upper.substitute({size: Poly.of(0)})
            inside = (shortest - last).constant
            beyond.append(Untouched() if inside is not None and inside >= 0 else Unknown())
    return ArrayPadding(tuple(beyond))
