"""Comparing index expressions by their syntax, before anything is resolved: names and sizes are opaque."""

from __future__ import annotations

from mathdsl.elaborate.names.names import spelling_of
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast


def affine(node: ast.Expression, of_quotients: bool = False) -> Poly | None:
    """An index expression as a polynomial over names as written; None where it is none.

    `of_quotients`: `g C / G` is one too, where what bounds a range is asked for, which is whole.
    """
    match node:
        case ast.Number(text=text):
            return Poly.of(int(text)) if text.isdigit() else None
        case ast.Identifier() | ast.Accent() | ast.Scripts():
            return Poly.of(spelling_of(node) or repr(node))
        case ast.Attribute() | ast.Bars() | ast.Indexing():
            return Poly.of(repr(node))
        case ast.Group(items=(inner,)):
            return affine(inner, of_quotients)
        case ast.Negative(operand=operand):
            value = affine(operand, of_quotients)
            return None if value is None else -value
        case ast.Binary(operator="+" | "-" | r"\cdot" | r"\times" as operator, left=left, right=right):
            return _combine(operator, affine(left, of_quotients), affine(right, of_quotients))
        case ast.Binary(operator="/", left=above, right=below) | ast.Fraction(numerator=above, denominator=below) if of_quotients:
            return _combine("/", affine(above, of_quotients), affine(below, of_quotients))
        case ast.Juxtaposition(factors=factors):
            total: Poly | None = Poly.of(1)
            for factor in factors:
                total = _combine(r"\cdot", total, affine(factor, of_quotients))
            return total
        case _:
            return None


def is_quotient(node: ast.Node) -> bool:
    r"""Whether an expression divides, `H / P`, `\frac{k}{2}`, so that its value is real."""
    return isinstance(node, ast.Fraction) or isinstance(node, ast.Binary) and node.operator == "/"


def _combine(operator: str, left: Poly | None, right: Poly | None) -> Poly | None:
    if left is None or right is None:
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "/":
            return left.divided_by(right) if len(right.terms) == 1 and right.names else None
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
