"""The kinds of numbers that values hold, and what makes a real of an integer."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.types.shapes import find_element
from mathdsl.ir import nodes as ir
from mathdsl.ir.traversal import element_of


def coerce(value: ir.Expr, element: ir.Element) -> ir.Expr:
    r"""An integer where a real is wanted becomes one; `2^d + 1` and `\prod_i i` are computed as reals, which hold more than integers."""
    if element_of(value) is element or element is not ir.Element.REAL:
        return value
    match value:
        case ir.Literal(value=number):
            return ir.Literal(float(number))
        case ir.Apply(op=op, arguments=arguments) if _grows(value):
            return ir.Apply(op, tuple(coerce(argument, element) for argument in arguments), element)
        case ir.Reduce(body=body) if _grows(value):
            return replace(value, body=coerce(body, element), element=element)
        case ir.Select(then=then, otherwise=otherwise) if _grows(value):
            return replace(value, then=coerce(then, element), otherwise=coerce(otherwise, element), element=element)
        case _:
            return ir.Apply("to_real", (value,), element)


def _grows(value: ir.Expr) -> bool:
    """Whether an integer may soon be too large to be one: a power or a product over a range, and what is reckoned with it."""
    match value:
        case ir.Apply(op="pow", arguments=parts):
            return not all(isinstance(part, ir.Literal) for part in parts)
        case ir.Reduce(op="prod"):
            return True
        case ir.Apply(op="add" | "sub" | "mul" | "neg", arguments=arguments):
            return any(map(_grows, arguments))
        case ir.Reduce(op="sum", body=body):
            return _grows(body)
        case ir.Select(then=then, otherwise=otherwise):
            return _grows(then) or _grows(otherwise)
        case _:
            return False


def as_index(value: ir.Expr) -> ir.Index:
    """A value where it indexes."""
    return value.value if isinstance(value, ir.IndexValue) else value


def element_of_symbol(symbol: Symbol) -> ir.Element:
    """The kind of number that an array holds, once solved."""
    found = find_element(symbol.element)
    return found if isinstance(found, ir.Element) else ir.Element.REAL
