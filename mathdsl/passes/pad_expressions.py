"""Guard expressions against padding: what a reduction sees, where an operation would fail, what a lookup reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from mathdsl.analysis.abstract import partial_operand
from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.analysis.finiteness import Finiteness
from mathdsl.analysis.padding import (
    ArrayPadding,
    Known,
    RaggedAxis,
    known_of_apply,
    known_of_literal,
    known_of_read,
    ragged_axes,
    same_known,
)
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import places_of_children
from mathdsl.ir.nodes import (
    Along,
    Apply,
    Axis,
    Check,
    Element,
    Expr,
    Index,
    IndexValue,
    Literal,
    Module,
    Origin,
    Read,
    Reduce,
    Select,
    Setting,
)
from mathdsl.ir.own_parts import OwnPart, own_part, padded
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, element_of, free_names, zero_of
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, Number


def in_padding(expr: Expr, axes: Iterable[RaggedAxis], fill: Expr) -> Expr:
    """The expression with `fill` in the padding of each of the axes."""
    for axis in axes:
        expr = padded(expr, Poly.of(axis.name), axis.bound, fill)
    return expr


@dataclass(frozen=True)
class _Place:
    """The axes around an expression, and those of them that end with one of the `ragged` sizes; whether a condition stands above it."""

    ragged: tuple[str, ...]
    facts: Facts
    axes: tuple[Axis, ...] = ()
    scope: tuple[RaggedAxis, ...] = ()
    is_conditional: bool = False

    def inside(self, axes: Iterable[Axis]) -> _Place:
        axes = tuple(axes)
        names = {axis.name for axis in axes}
        scope = (*(outer for outer in self.scope if outer.name not in names), *ragged_axes(axes, self.ragged))
        return replace(self, axes=(*self.axes, *axes), scope=scope, facts=self.facts.inside(axes))

    def assuming(self, condition: Expr, holds: bool) -> _Place:
        return replace(self, is_conditional=True)

    def own(self, axis: Axis) -> RaggedAxis | None:
        """The axis as a ragged one."""
        return next((own for own in self.scope if own.name == axis.name), None)


class PaddedExpressions:
    """Guards the expressions of one module; `checks` are what reductions that need an element ask for."""

    def __init__(self, module: Module, finiteness: Finiteness, ragged: tuple[str, ...], paddings: Mapping[str, ArrayPadding]) -> None:
        self._arrays = {array.name: array for array in module.arrays}
        self._sizes = {size.name: size for size in module.sizes}
        self._facts = facts_of_module(module)
        self._ragged = ragged
        self._paddings = paddings
        self._finiteness = finiteness
        self.checks: list[Check] = []

    def guarded(self, expr: Expr, axes: tuple[Axis, ...]) -> tuple[Expr, Known]:
        """The expression, finite at all points of the axes and right at the example's own, and its constants in padding."""
        return self._guard(expr, _Place(self._ragged, self._facts).inside(axes))

    def is_sure(self, expr: Expr) -> bool:
        """Whether what is known of an expression holds whatever the examples' own points are: infinity times 0 is not 0."""
        return self._finiteness.is_finite(expr) or self._finiteness.is_result_of_call(expr)

    def _guard(self, expr: Expr, place: _Place) -> tuple[Expr, Known]:
        match expr:
            case Literal():
                return expr, known_of_literal(expr, place.scope)
            case IndexValue() | Setting():
                return expr, {}
            case Read():
                return self._read(expr, place)
            case Apply():
                return self._apply(expr, place)
            case Reduce():
                return self._reduce(expr, place)
            case Along():
                return self._along(expr, place)
            case Select():
                own = own_part(expr)
                return self._select(expr, place) if own is None else self._padded(expr, own, place)
            case _:
                assert_never(expr)

    def _padded(self, expr: Select, own: OwnPart, place: _Place) -> tuple[Expr, Known]:
        """What fills an axis is read in its padding: an example without any element there reads it all the more."""
        body, of_body = self._guard(expr.then, place)
        filled = [axis for axis in place.scope if own == OwnPart(Poly.of(axis.name), axis.bound)]
        apart = [axis for axis in filled if axis.name not in free_names(expr.otherwise)]
        fill, of_fill = self._guard(expr.otherwise, replace(place, scope=tuple(axis for axis in place.scope if axis not in apart)))
        known = same_known(of_body, of_fill)
        constant = {axis.name: fill.value for axis in apart} if isinstance(fill, Literal) else {}
        known |= {axis.name: (of_fill | constant)[axis.name] for axis in filled if axis.name in of_fill | constant}
        return replace(expr, then=body, otherwise=fill), known

    # ---- reads -----------------------------------------------------------------------------------

    def _read(self, read: Read, place: _Place) -> tuple[Expr, Known]:
        """A lookup finds a row of the array whatever stands in padding; an index that leaves the array there reads nothing."""
        array = self._arrays[read.array]
        index: list[Index] = []
        for entry, bounds in zip(read.index, array.ranges, strict=True):
            index.append(entry if isinstance(entry, Poly) else self._row(entry, bounds.lower, place))
        read = replace(read, index=tuple(index))
        padding = self._paddings.get(read.array)
        known = {} if padding is None else known_of_read(read, array, padding, place.scope, place.facts, self._ragged)
        leaving = self._leaving(read, place)
        if leaving:
            zero = zero_of(read.element)
            return in_padding(read, leaving, zero), known | {axis.name: zero.value for axis in leaving}
        names = free_names(read)
        missing = [a for a in place.scope if a.name not in names and self._finiteness.is_spoilt_when_empty(read.array, a.size)]
        return _where_needed(read, missing, zero_of(read.element), place), known

    def _row(self, entry: Expr, lower: Poly, place: _Place) -> Expr:
        guarded, known = self._guard(entry, place)
        first = lower.constant
        used = free_names(guarded)
        open_axes = [axis for axis in place.scope if axis.name in used and (first is None or known.get(axis.name) != first)]
        return in_padding(guarded, open_axes, IndexValue(lower) if first is None else Literal(first))

    def _leaving(self, read: Read, place: _Place) -> list[RaggedAxis]:
        """Axes whose padding, together with the example's own size, moves an index out of the array (`x[S - t]`)."""
        names = {name for entry in read.index if isinstance(entry, Poly) and entry.names & set(self._ragged) for name in entry.names}
        return [axis for axis in place.scope if axis.name in names and axis.size in names]

    # ---- operations ------------------------------------------------------------------------------

    def _apply(self, apply: Apply, place: _Place) -> tuple[Expr, Known]:
        row = ELEMENTWISE[apply.op]
        pairs = [self._guard(operand, at) for operand, at in zip(apply.arguments, places_of_children(apply, place), strict=True)]
        if row.safe is not None:
            operand, known = pairs[row.safe.operand]
            if partial_operand(apply) is not None:
                operand = self._safe_without_element(operand, row.safe.value, place)
            pairs[row.safe.operand] = self._safe(operand, known, row.safe.value, place)
        guarded = replace(apply, arguments=tuple(operand for operand, _ in pairs))
        infinite = [self._finiteness.may_be_infinite(argument) for argument in apply.arguments] if place.scope else []
        return guarded, known_of_apply(guarded, [known for _, known in pairs], place.scope, infinite)

    def _safe(self, operand: Expr, known: Known, value: float, place: _Place) -> tuple[Expr, Known]:
        """The operand with a harmless value in padding, unless it has that already."""
        safe: Number = int(value) if element_of(operand) is Element.INTEGER else value
        used = free_names(operand)
        open_axes = [axis for axis in place.scope if axis.name in used and known.get(axis.name) != safe]
        kept = {name: number for name, number in known.items() if number == safe} if open_axes else known
        return in_padding(operand, open_axes, Literal(safe)), kept | {axis.name: safe for axis in open_axes}

    def _safe_without_element(self, operand: Expr, value: float, place: _Place) -> Expr:
        """The operand with a harmless value where an axis that it does not vary along has no element."""
        safe: Number = int(value) if element_of(operand) is Element.INTEGER else value
        used = free_names(operand)
        missing = [a for a in place.scope if a.name not in used and self._finiteness.may_fail_when_empty(operand, a.size)]
        unsafe = [axis for axis in missing if _without_element(operand, axis, place).get(axis.name) != safe]
        return _where_needed(operand, unsafe, Literal(safe), place)

    def _select(self, select: Select, place: _Place) -> tuple[Expr, Known]:
        """Conditions that speak of the example's own end do not hold in padding: there the value is 0."""
        places = zip(children(select), places_of_children(select, place), strict=True)
        (condition, _), (then, of_then), (otherwise, of_otherwise) = (self._guard(part, at) for part, at in places)
        guarded = replace(select, condition=condition, then=then, otherwise=otherwise)
        known = same_known(of_then, of_otherwise)
        names = free_names(select.condition)
        ends = [axis for axis in place.scope if axis.name in names and axis.size in names]
        if not ends:
            return guarded, known
        zero = zero_of(select.element)
        return in_padding(guarded, ends, zero), known | {axis.name: zero.value for axis in ends}

    # ---- whole axes ------------------------------------------------------------------------------

    def _reduce(self, reduce: Reduce, place: _Place) -> tuple[Expr, Known]:
        row = REDUCTIONS[reduce.op]
        inner = place.inside((reduce.axis,))
        own = inner.own(reduce.axis)
        body, known = self._guard(reduce.body, inner)
        neutral = row.neutral_of(element_of(body))
        if own is not None and known.get(own.name) != neutral:
            body = in_padding(body, (own,), Literal(neutral))
        guarded: Expr = replace(reduce, body=body)
        if own is not None and row.divides_by_extent:
            guarded = self._mean(reduce, body, own)
        if own is not None and row.of_nothing is None:
            self._ask_for_element(reduce, place)
            guarded = self._where_some(guarded, reduce, own, place)
        outer = {name: value for name, value in known.items() if name != reduce.axis.name}
        is_kept = row.of_nothing is not None and not row.is_position
        kept = {name: value for name, value in outer.items() if is_kept and value == row.of_nothing == neutral}
        infinite = math.isinf(row.neutral) and not row.is_position
        if not infinite or own is None and not self._may_be_of_nothing(reduce, place):
            return guarded, kept
        return self._finite(guarded, place)

    def _may_be_of_nothing(self, whole: Reduce | Along, place: _Place) -> bool:
        """Whether all that is taken together may be masked at a point in padding: no part of the range, or infinities."""
        names = whole.axis.range.lower.names | whole.axis.range.upper.names
        return any(axis.name in names for axis in place.scope) or self._finiteness.may_be_infinite(whole.body)

    def _finite(self, expr: Expr, place: _Place) -> tuple[Expr, Known]:
        """An expression that may be no finite number in padding, and 0 there."""
        names = free_names(expr)
        beyond = [axis for axis in place.scope if axis.name in names]
        zero = zero_of(element_of(expr))
        return in_padding(expr, beyond, zero), {axis.name: zero.value for axis in beyond}

    def _mean(self, reduce: Reduce, body: Expr, own: RaggedAxis) -> Expr:
        """The sum over the number of the example's own elements (at least one: an empty range is refused by a check)."""
        count = Apply("to_real", (IndexValue(own.bound - reduce.axis.range.lower + 1),), Element.REAL)
        at_least_one = Apply("maximum", (count, Literal(1.0)), Element.REAL)
        return Apply("div", (Reduce("sum", reduce.axis, body, reduce.element), at_least_one), Element.REAL)

    def _where_some(self, guarded: Expr, reduce: Reduce, own: RaggedAxis, place: _Place) -> Expr:
        """The reduction, but 0 in examples that have nothing to reduce, where it is the same for all points and these want none."""
        names = free_names(reduce)
        if not any(axis.size == own.size and axis.name not in names for axis in place.scope):
            return guarded
        return padded(guarded, reduce.axis.range.lower, own.bound, zero_of(reduce.element))

    def _ask_for_element(self, reduce: Reduce, place: _Place) -> None:
        """A check that the example's own part of the range is not empty, where the reduction is always evaluated."""
        extent = reduce.axis.range.extent
        if place.is_conditional or not extent.names <= self._sizes.keys() or place.facts.proves_nonnegative(extent - 1):
            return
        condition: Expr = Apply("less_equal", (Literal(1), IndexValue(extent)), Element.BOOLEAN)
        text = f"1 \\leq {_latex(extent, {name: size.latex for name, size in self._sizes.items()})}"
        check = Check(place.axes, in_padding(condition, place.scope, Literal(True)), Origin(text))
        if check not in self.checks:
            self.checks.append(check)

    def _along(self, along: Along, place: _Place) -> tuple[Expr, Known]:
        row = ALONG[along.op]
        inner = place.inside((along.axis,))
        own = inner.own(along.axis)
        body, known_body = self._guard(along.body, inner)
        at = along.at if isinstance(along.at, Poly) else self._row(along.at, along.axis.range.lower, place)
        if own is not None and known_body.get(own.name) != row.fill_before:
            body = in_padding(body, (own,), Literal(row.fill_before))
        guarded: Expr = replace(along, body=body, at=at)
        known: Known = {}
        if math.isinf(row.fill_before) and self._may_be_of_nothing(along, place):
            guarded, known = self._finite(guarded, replace(place, scope=tuple(axis for axis in place.scope if axis.name not in _names(at))))
        beyond = [axis for axis in place.scope if axis.name in _names(at)]
        if own is None or not beyond or not isinstance(at, Poly):
            return guarded, known
        guarded = padded(guarded, at, own.bound, Literal(row.fill_after))
        kept = {name: value for name, value in known.items() if value == row.fill_after}
        ends = {axis.name: row.fill_after for axis in beyond if at - own.bound == Poly.of(axis.name) - axis.bound}
        return guarded, kept | ends


def _names(at: Index) -> Iterable[str]:
    return at.names if isinstance(at, Poly) else ()


def _where_needed(expr: Expr, axes: Iterable[RaggedAxis], fill: Expr, place: _Place) -> Expr:
    """The expression, but `fill` in examples where one of these axes, along which it is the same, has no element: they do not read it."""
    for axis in axes:
        filled = padded(expr, _first(axis, place), axis.bound, fill)
        if isinstance(expr, Select) and expr.condition == filled.condition:
            filled = replace(filled, then=expr.then)
        expr = filled
    return expr


def _first(axis: RaggedAxis, place: _Place) -> Poly:
    return next(around.range.lower for around in place.axes if around.name == axis.name)


def _without_element(expr: Expr, axis: RaggedAxis, place: _Place) -> Known:
    """What the guards inside an expression make of it in examples where the axis has no element."""
    match expr:
        case Literal():
            return known_of_literal(expr, (axis,))
        case Select(otherwise=Literal(value=value)) if own_part(expr) == OwnPart(_first(axis, place), axis.bound):
            return {axis.name: value}
        case Apply(arguments=arguments):
            found = [_without_element(argument, axis, place) for argument in arguments]
            return known_of_apply(expr, found, (axis,)) if all(found) else {}
        case _:
            return {}


def _latex(poly: Poly, names: Mapping[str, str]) -> str:
    return str(poly.substitute({name: Poly.of(latex) for name, latex in names.items()}))
