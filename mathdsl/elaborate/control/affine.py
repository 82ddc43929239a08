"""Comparing index expressions by their syntax, before anything is resolved: names and sizes are opaque."""

from __future__ import annotations

from mathdsl.elaborate.names.names import spelling_of
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast


def affine(node: ast.Expression) -> Poly | None:
    """An index expression as a polynomial over names as written; None where it is none."""
    match node:
        case ast.Number(text=text):
            return Poly.of(int(text)) if text.isdigit() else None
        case ast.Identifier() | ast.Accent() | ast.Scripts():
            return Poly.of(spelling_of(node) or repr(node))
        case ast.Attribute() | ast.Bars() | ast.Indexing():
            return Poly.of(repr(node))
        case ast.Group(items=(inner,)):
            return affine(inner)
        case ast.Negative(operand=operand):
            value = affine(operand)
            return None if value is None else -value
        case ast.Binary(operator="+" | "-" | r"\cdot" | r"\times" as operator, left=left, right=right):
            return _combine(operator, affine(left), affine(right))
        case ast.Juxtaposition(factors=factors):
            total: Poly | None = Poly.of(1)
            for factor in factors:
                total = _combine(r"\cdot", total, affine(factor))
            return total
        case _:
            return None


def _combine(operator: str, left: Poly | None, right: Poly | None) -> Poly | None:
    if left is None or right is None:
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case _:
            return left * right


def difference(left: ast.Expression, right: ast.Expression) -> Poly | None:
    """`left - right`; None where one of them is no index expression."""
    return _combine("-", affine(left), affine(right))


def distance(left: ast.Expression, right: ast.Expression) -> int | None:
    """`left - right` where that is a number."""
    found = difference(left, right)
    constant = None if found is None else found.constant
    return None if constant is None else int(constant)
