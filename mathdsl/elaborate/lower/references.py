"""Reads of arrays at a point."""

from __future__ import annotations

from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import as_index, element_of_symbol
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.terms.terms import Ref, SliceIndex, Whole
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly


def lower_reference(lowering: Lowering, term: Ref, point: Point) -> ir.Expr:
    """An element of an array, or a setting."""
    symbol = term.symbol
    if symbol.role is Role.SETTING:
        return ir.Setting(lowering.unit.names.name(symbol.spelling), element_of_symbol(symbol))
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
