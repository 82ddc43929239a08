"""What stands in the padding of arrays and expressions: a constant, or some finite number.

`batch_axes` keeps everything in padding finite, so the only question is where it is known exactly: reductions that meet
their neutral element there need no fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mathdsl.analysis.facts import Facts
from mathdsl.analysis.raggedness import ragged_size
from mathdsl.ir.nodes import Apply, Array, Axis, Element, Equation, Expr, Literal, Read
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE, Number

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


def known_of_apply(apply: Apply, operands: Sequence[Known], scope: Sequence[RaggedAxis]) -> Known:
    """An operation of constants, or one that an operand decides alone (a product with 0, false and …)."""
    row = ELEMENTWISE[apply.op]
    known: Known = {}
    if row.random:
        return known
    for axis in scope:
        values = [operand[axis.name] for operand in operands if axis.name in operand]
        if apply.op == "mul" and 0 in values:
            known[axis.name] = 0.0 if apply.element is Element.REAL else 0
        elif row.decided_by is not None and any(value is row.decided_by for value in values):
            known[axis.name] = row.decided_by
        elif len(values) == len(operands):
            value = _evaluated(apply, values)
            if value is not None:
                known[axis.name] = value
    return known


def _evaluated(apply: Apply, values: list[Number]) -> Number | None:
    try:
        return ELEMENTWISE[apply.op].evaluate(*values)
    except (ArithmeticError, ValueError):
        return None


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
