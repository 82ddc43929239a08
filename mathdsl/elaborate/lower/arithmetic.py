"""Elementwise operations and products at a point: a product `W h` at row `i` is `sum(j: W[i, j] * h[j])`."""

from __future__ import annotations

from mathdsl.elaborate.lower.matrix_powers import lower_matrix_power
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce, element_of
from mathdsl.elaborate.terms.terms import Elementwise, PowerTerm, Product, Term
from mathdsl.ir import nodes as ir
from mathdsl.ops import ELEMENTWISE


def lower_elementwise(lowering: Lowering, term: Elementwise, point: Point) -> ir.Expr:
    """The operation on the elements of its operands."""
    return _apply(lowering, term.op, term.arguments, term.op == "div", point)


def lower_power(lowering: Lowering, term: PowerTerm, point: Point) -> ir.Expr:
    """A power of an element, or an element of a power of a matrix."""
    if lowering.rank(term.base) == 2:
        return lower_matrix_power(lowering, term, point)
    return _apply(lowering, "pow", (term.base, term.exponent), term.is_negative, point)


def _apply(lowering: Lowering, op: str, arguments: tuple[Term, ...], is_real: bool, point: Point) -> ir.Expr:
    values = [lowering.at(a, lowering.aligned(a, point)) for a in arguments]
    if (condition := _compared_with_truth(op, values)) is not None:
        return condition
    signature = ELEMENTWISE[op].signature
    elements = {element_of(v) for v in values}
    is_real = is_real or ir.Element.REAL in elements or signature.operands == (ir.Element.REAL,)
    wanted = ir.Element.REAL if is_real else next(iter(elements))
    return ir.Apply(op, tuple(coerce(v, wanted) for v in values), wanted if signature.result is None else signature.result)


def lower_product(lowering: Lowering, term: Product, point: Point) -> ir.Expr:
    """A sum over the axis that both share, or a product of two numbers."""
    a, b = lowering.rank(term.left), lowering.rank(term.right)
    element = lowering.element(term)
    if a == 0 or b == 0:
        return _times(lowering.at(term.left, point if a else ()), lowering.at(term.right, point if b else ()), element)
    if a == 1 and b == 1 and len(point) == 2:
        return _times(lowering.at(term.left, point[:1]), lowering.at(term.right, point[1:]), element)
    inner = lowering.axis(lowering.inference.axes(term.left)[-1])
    j = lowering.offset(inner)
    row_wise = term.span in lowering.types.row_wise
    left_point: Point = ((point[1],) if row_wise else point[:1]) if a == 2 else ()
    right_point: Point = (point[0], j) if row_wise else (j, *(point[a - 1 :] if b == 2 else ()))
    body = _times(lowering.at(term.left, (*left_point, j)), lowering.at(term.right, right_point), element)
    return ir.Reduce("sum", inner, body, element)


def _times(left: ir.Expr, right: ir.Expr, element: ir.Element) -> ir.Expr:
    return ir.Apply("mul", (coerce(left, element), coerce(right, element)), element)


def _compared_with_truth(op: str, values: list[ir.Expr]) -> ir.Expr | None:
    """A condition that is compared with true or false: itself, or what it denies; None for all else."""
    match op, values:
        case (("equal" | "not_equal"), ([ir.Literal(value=bool() as truth), other] | [other, ir.Literal(value=bool() as truth)])):
            return other if truth == (op == "equal") else ir.Apply("not", (other,), ir.Element.BOOLEAN)
    return None
