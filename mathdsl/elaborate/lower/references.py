"""Reads of arrays at a point, and of arrays with a value at one place."""

from __future__ import annotations

from functools import reduce

from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import as_index, coerce, element_of_symbol
from mathdsl.elaborate.names.names import readable, without_version
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Ref, SliceIndex, Updated, Whole
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly


def lower_reference(lowering: Lowering, term: Ref, point: Point) -> ir.Expr:
    """An element of an array, or a setting."""
    symbol = term.symbol
    if symbol.role is Role.SETTING:
        return ir.Setting(lowering.types.entries.names.name(symbol.spelling), element_of_symbol(symbol))
    rest = list(point)
    index: list[ir.Index] = []
    for axis, position in enumerate(term.positions):
        match position:
            case Poly():
                index.append(lowering.poly(position))
            case Whole():
                index.append(rest.pop(0) + lowering.first(symbol, axis))
            case SliceIndex(range=bounds):
                index.append(rest.pop(0) + lowering.poly(bounds.lower))
            case _:
                own = lowering.rank(position)
                index.append(as_index(lowering.at(position, tuple(rest[:own]))))
                del rest[:own]
    first = len(term.positions)
    index.extend(p + lowering.first(symbol, first + k) for k, p in enumerate(rest))
    return ir.Read(lowering.array_name(symbol), tuple(index), element_of_symbol(symbol))


def lower_updated(lowering: Lowering, term: Updated, point: Point) -> ir.Expr:
    """The value where the point is the place, else the array's own element; that the place is inside is checked."""
    symbol, element = term.place.symbol, lowering.element(term)
    turns = len(lowering.inference.axes(Ref(symbol))) - len(point)
    conditions: list[ir.Expr] = []
    rest: list[Poly] = []
    for axis, at in enumerate(point, turns):
        position = term.place.positions[axis] if axis < len(term.place.positions) else Whole()
        index = at + lowering.lower(symbol, axis)
        match position:
            case Whole():
                rest.append(at)
            case SliceIndex(range=bounds):
                own = lowering.range(bounds)
                conditions += [_compare("less_equal", *map(ir.IndexValue, ends)) for ends in ((own.lower, index), (index, own.upper))]
                rest.append(index - own.lower)
            case _:
                place = ir.IndexValue(lowering.poly(position)) if isinstance(position, Poly) else lowering.at(position, ())
                _check_inside(lowering, term, axis, place)
                conditions.append(_compare("equal", ir.IndexValue(index), place))
    is_place = reduce(lambda left, right: ir.Apply("and", (left, right), ir.Element.BOOLEAN), conditions)
    with lowering.where(is_place, True):
        value = coerce(lowering.at(term.value, lowering.aligned(term.value, tuple(rest))), element)
    return ir.Select(is_place, value, coerce(lowering.at(term.array, point), element), element)


def _check_inside(lowering: Lowering, term: Updated, axis: int, place: ir.Expr) -> None:
    symbol = term.place.symbol
    lower = lowering.lower(symbol, axis)
    upper = lower + lowering.inference.axes(Ref(symbol))[axis] - 1
    text = f"{lowering.origin.latex} is inside {show_size(lowering.types, lower)} .. {show_size(lowering.types, upper)}"
    for left, right in ((ir.IndexValue(lower), place), (place, ir.IndexValue(upper))):
        if not lowering.check(_compare("less_equal", left, right), text, term.span):
            name = readable(without_version(symbol.spelling))
            raise refuse("E0303", f"`{name}` has no such element", term.place.span, help="assign an element that the array has")


def _compare(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Apply(op, (left, right), ir.Element.BOOLEAN)
