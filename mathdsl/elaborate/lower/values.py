"""The kinds of numbers that values hold, and what makes a real of an integer."""

from __future__ import annotations

from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.types.shapes import find_element
from mathdsl.ir import nodes as ir


def coerce(value: ir.Expr, element: ir.Element) -> ir.Expr:
    """An integer where a real is wanted becomes one."""
    if element_of(value) is element or element is not ir.Element.REAL:
        return value
    if isinstance(value, ir.Literal):
        return ir.Literal(float(value.value))
    return ir.Apply("to_real", (value,), ir.Element.REAL)


def as_index(value: ir.Expr) -> ir.Index:
    """A value where it indexes."""
    return value.value if isinstance(value, ir.IndexValue) else value


def element_of(value: ir.Expr) -> ir.Element:
    """The kind of number that a value holds."""
    return ir.Element.INTEGER if isinstance(value, ir.IndexValue) else value.element


def element_of_symbol(symbol: Symbol) -> ir.Element:
    """The kind of number that an array holds, once solved."""
    found = find_element(symbol.element)
    return found if isinstance(found, ir.Element) else ir.Element.REAL
