r"""Contractions become products of two factors each, in an order in which no product is larger than it needs to be.

Before → after::

    contract(j: W * x)                    →   product(j: x * W)
    contract(j: U * x)                    →   split(product(j: x * merge(U)))             for U[k, i, j]
    contract(j: U * r * h)                →   product(j: (r * h) * U)                     for U[i, j], r[j], h[j]
    contract(j: c * a * b)                →   c * product(j: a * b)                       for c without j
    contract(i: x * contract(j: A * y))   →   product(i: x * product(j: y * A))
    contract(k: contract(j: a * b))       →   sum(j: a) * sum(k: b)                       for a[i, j], b[i, k]

An axis that one factor alone has is summed there; then those two factors are multiplied whose product is smallest, summed over what
no other factor has, but data meets matrices of parameters one by one. Factors without a summed axis are multiplied last. A contraction
inside another one joins it, unless both sum over an axis of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.nodes import Axis, Element
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.names import Names
from mathdsl.tensors.orders import common_order, elementwise, permuted, reordered
from mathdsl.tensors.statements import Comment, ForEach, Let, Loop, Statement, TensorProgram
from mathdsl.tensors.traversal import with_values
from mathdsl.tensors.values import (
    INTEGER,
    Constant,
    Contract,
    Each,
    Form,
    Integer,
    Local,
    Map,
    Merge,
    Owned,
    Product,
    Reduce,
    Split,
    Value,
    Way,
)


def plan_contractions(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program without contractions."""
    plan = _Plan(names)
    statements: list[Statement] = []
    for statement in program.statements:
        plan.in_loop = isinstance(statement, Loop | ForEach)
        changed = with_values(statement, plan.in_place)
        place = len(statements)
        while place and isinstance(statements[place - 1], Comment):
            place -= 1
        statements[place:place] = [replace(line, span=statement.span) for line in plan.before]
        statements.append(changed)
        plan.before.clear()
    return replace(program, statements=tuple(statements))


@dataclass(slots=True)
class _Plan:
    """What is known while one program is planned: whether turns of a loop repeat what is planned, and what has to stand before it."""

    names: Names
    in_loop: bool = False
    before: list[Let] = field(default_factory=list)
    flat: dict[Value, Local] = field(default_factory=dict)

    def in_place(self, value: Value) -> Value:
        """The value with its axes in the order that they have."""
        return permuted(self.planned(value), value.axes)

    def planned(self, value: Value) -> Value:
        """The value with its axes as they come."""
        match value:
            case Contract():
                factors, over = _merged(value)
                return self._contracted([self.planned(factor) for factor in factors], over, set(value.axes))
            case Each() if not self.in_loop:
                self.in_loop = True
                changed = reordered(value, self.planned)
                self.in_loop = False
                return changed
            case _:
                return reordered(value, self.planned)

    # ---- one contraction -----------------------------------------------------------------------------

    def _contracted(self, factors: Sequence[Value], over: Sequence[Axis], kept: set[str]) -> Value:
        """The factors multiplied pair by pair."""
        order = [axis.name for axis in over]
        summed = [name for name in order if name not in kept]
        loose = [factor for factor in factors if not set(summed) & set(factor.axes)]
        bound = _summed_alone([factor for factor in factors if set(summed) & set(factor.axes)], summed)
        while len(bound) > 1:
            pairs = [(a, b) for a in range(len(bound)) for b in range(a + 1, len(bound))]
            first, second = min(pairs, key=lambda pair: _cost(pair, bound, over, summed)) if len(pairs) > 1 else pairs[0]
            away = _away(bound, (first, second), summed)
            bound[first] = self._product(bound[first], bound.pop(second), away, over)
        (total,) = bound
        while loose:
            factor = min(loose, key=lambda one: len({*one.axes, *total.axes}))
            loose.remove(factor)
            total = elementwise("mul", (factor, total), Element.REAL, order)
        return total

    def _product(self, left: Value, right: Value, away: Sequence[str], over: Sequence[Axis]) -> Value:
        """Two factors, summed over some of the axes that both have."""
        order = [axis.name for axis in over]
        if not away:
            return elementwise("mul", (left, right), Element.REAL, order)
        if len(away) > 1:
            return _einsum(left, right, away, order)
        linear = _linear(left, right, away[0]) or _linear(right, left, away[0])
        flat = linear or self._flat_linear(left, right, away[0], over) or self._flat_linear(right, left, away[0], over)
        return flat or _matrices(left, right, away[0], order) or _einsum(left, right, away, order)

    def _flat_linear(self, data: Value, weight: Value, axis: str, over: Sequence[Axis]) -> Split | None:
        """`data` times an unbatched family of vectors (`U_{k, i}`): one matrix of them all, and their indices apart again."""
        if weight.batch or len(weight.axes) < 3 or weight.axes[-1] != axis or set(weight.axes) & set(data.axes) != {axis}:
            return None
        own, rest = weight.axes[:-1], _without(data, axis)
        merged = "*".join(own)
        matrix: Value = Merge(Form((merged, axis), False, Element.REAL), weight, 0, len(own) - 1)
        if self.in_loop and isinstance(weight, Owned):
            matrix = self._before_loops(matrix, f"{weight.array.replace('.', '_')}_flat")
        product = Product(Form((*rest, merged), data.batch, Element.REAL), (data, matrix), (axis,), Way.LINEAR)
        extents = {one.name: one.range.extent.padded for one in over}
        return Split(Form((*rest, *own), data.batch, Element.REAL), product, tuple(_count(extents[name]) for name in own))

    def _before_loops(self, value: Value, wanted: str) -> Local:
        """A local for a value, made once before the first loop that uses it."""
        if value not in self.flat:
            self.flat[value] = Local(value.form, self.names.fresh(wanted))
            self.before.append(Let(self.flat[value], value))
        return self.flat[value]


def _merged(value: Contract) -> tuple[list[Value], list[Axis]]:
    """The factors of a contraction and of those among them, and the axes of them all."""
    factors: list[Value] = []
    over = list(value.over)
    for factor in value.factors:
        if isinstance(factor, Contract):
            inner, axes = _merged(factor)
            added = [axis for axis in axes if axis.name not in factor.axes]
            if not {axis.name for axis in added} & {axis.name for axis in over}:
                factors += inner
                over += added
                continue
        factors.append(factor)
    return factors, over


def _summed_alone(factors: Sequence[Value], summed: Sequence[str]) -> list[Value]:
    """The factors, summed over the axes that no other one has."""
    found: list[Value] = []
    for place, factor in enumerate(factors):
        for axis in reversed(_away(factors, (place,), summed)):
            factor = Reduce(replace(factor.form, axes=_without(factor, axis)), "sum", factor, axis)
        found.append(factor)
    return found


def _away(factors: Sequence[Value], chosen: Sequence[int], summed: Sequence[str]) -> list[str]:
    """The summed axes that some of the factors alone have."""
    others = {axis for place, factor in enumerate(factors) if place not in chosen for axis in factor.axes}
    return [axis for axis in summed if axis not in others and any(axis in factors[place].axes for place in chosen)]


def _cost(pair: tuple[int, int], factors: Sequence[Value], over: Sequence[Axis], summed: Sequence[str]) -> tuple[int, ...]:
    """What is better first: no product of two matrices of parameters that data could meet one by one; how large the product is; that the
    factors share an axis; how much work it is; the innermost sum.
    """
    away = _away(factors, pair, summed)
    left, right = (factors[place] for place in pair)
    axes = [axis for axis in over if axis.name in left.axes or axis.name in right.axes]
    batch = left.batch or right.batch
    last = max((summed.index(axis) for axis in away), default=-1)
    is_outer = not set(left.axes) & set(right.axes)
    kept = [axis for axis in axes if axis.name not in away]
    waits = any(factor.batch for factor in factors) and not batch and away and len(kept) >= max(len(left.axes), len(right.axes))
    return bool(waits), *_elements(kept, batch), is_outer, *_elements(axes, batch), -last


def _elements(axes: Sequence[Axis], batch: bool) -> tuple[int, int, int]:
    """How many elements a tensor has: its degree in all sizes (the batch is one), in its own axes, and the known factor."""
    extents = [axis.range.extent for axis in axes]
    degree = sum(extent.degree for extent in extents)
    return degree + batch, degree, prod(extent.constant or 1 for extent in extents)


def _count(extent: Poly) -> Value:
    """The number of points of a range, which may lie the wrong way round."""
    count = Integer(INTEGER, extent)
    return count if all(factor > 0 for _, factor in extent.terms) else Map(INTEGER, "maximum", (Constant(INTEGER, 0), count))


# ---- ways ----------------------------------------------------------------------------------------


def _without(value: Value, axis: str) -> tuple[str, ...]:
    return tuple(a for a in value.axes if a != axis)


def _linear(data: Value, weight: Value, axis: str) -> Product | None:
    """`data` times an unbatched matrix or vector that shares no other axis with it."""
    if weight.batch or len(weight.axes) > 2 or set(weight.axes) & set(data.axes) != {axis}:
        return None
    if not data.batch and len(data.axes) == 1 and len(weight.axes) == 1:
        return Product(Form((), False, Element.REAL), (weight, data), (axis,), Way.MATRIX)
    form = Form((*_without(data, axis), *_without(weight, axis)), data.batch, Element.REAL)
    return Product(form, (data, weight), (axis,), Way.LINEAR if len(weight.axes) == 2 and weight.axes[1] == axis else Way.MATRIX)


def _matrices(left: Value, right: Value, axis: str, order: Sequence[str]) -> Product | None:
    """A (batched) matrix product: one axis of its own on each side, the others shared."""
    shared = [a for a in order if a in left.axes and a in right.axes and a != axis]
    rows = [a for a in left.axes if a != axis and a not in shared]
    columns = [a for a in right.axes if a != axis and a not in shared]
    if len(rows) != 1 or len(columns) != 1:
        return None
    if order.index(rows[0]) > order.index(columns[0]):
        return _matrices(right, left, axis, order)
    form = Form((*shared, rows[0], columns[0]), left.batch or right.batch, Element.REAL)
    return Product(form, (left, right), (axis,), Way.MATRIX)


def _einsum(left: Value, right: Value, away: Sequence[str], order: Sequence[str]) -> Product:
    """Anything else."""
    axes = tuple(a for a in common_order((left, right), order) if a not in away)
    return Product(Form(axes, left.batch or right.batch, Element.REAL), (left, right), tuple(away), Way.EINSUM)
