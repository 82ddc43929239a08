"""Elementwise operations and products at a point: a product `W h` at row `i` is `sum(j: W[i, j] * h[j])`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeAlias

from mathdsl.diagnostics.readings.types import POWER_OF_A_CALLED_MATRIX
from mathdsl.elaborate.lower.arrays import keep_values, read_whole
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.report import undecided, unsupported
from mathdsl.elaborate.terms.terms import Elementwise, PowerTerm, Product, Ref, Term
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of
from mathdsl.ops import ELEMENTWISE
from mathdsl.syntax.latex import render_expression

Matrix: TypeAlias = Callable[[Point], ir.Expr]  # its elements


def lower_elementwise(lowering: Lowering, term: Elementwise, point: Point) -> ir.Expr:
    """The operation on the elements of its operands."""
    points = [_stretched(lowering, a, term, point) for a in term.arguments]
    return _apply(lowering, term.op, term.arguments, points, term.op == "div")


def _stretched(lowering: Lowering, operand: Term, term: Term, point: Point) -> Point:
    """Where an operand is read: along an axis of extent 1, which goes with each element of another one's, at its element."""
    sizes = lowering.inference.axes(operand)
    own = point[len(point) - len(sizes) :] if sizes else ()
    if all(size.constant != 1 for size in sizes):
        return own
    places = zip(sizes, lowering.inference.axes(term)[len(point) - len(own) :], own, strict=True)
    return tuple(Poly.of(0) if size.constant == 1 != whole.constant else at for size, whole, at in places)


def lower_power(lowering: Lowering, term: PowerTerm, point: Point) -> ir.Expr:
    """A power of an element, or an element of a power of a matrix."""
    if lowering.rank(term.base) == 2:
        return _matrix_power(lowering, term, point)
    operands = (term.base, term.exponent)
    return _apply(lowering, "pow", operands, [lowering.aligned(a, point) for a in operands], term.is_negative)


def _apply(lowering: Lowering, op: str, arguments: tuple[Term, ...], points: list[Point], is_real: bool) -> ir.Expr:
    values, decided = list[ir.Expr](), ELEMENTWISE[op].decided_by
    for argument, at in zip(arguments, points, strict=True):
        with ExitStack() as claims:
            for before in values if decided is not None else ():  # `i > 0 \land x_i > 0` asks for `x_i` where `i > 0`
                claims.enter_context(lowering.where(before, not decided))
            values.append(lowering.at(argument, at))
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


# ---- integer powers of matrices: `A^5` is `(A^2)^2 A`, with an array for each power on the way --------


def _matrix_power(lowering: Lowering, term: PowerTerm, point: Point) -> ir.Expr:
    """An element of a positive integer power."""
    count = term.integer
    if term.of_function:
        raise undecided(POWER_OF_A_CALLED_MATRIX, term.span)
    if term.is_negative and count is not None:
        raise unsupported(
            "the inverse of a matrix" if count == -1 else "a negative power of a matrix",
            term.span,
            help=r"solve with it in an `nn.Module` `g \in \text{module}`, called as `g(A, b)`",
        )
    if count is None or count < 1:
        base = term.base.symbol.latex if isinstance(term.base, Ref) else "A"
        exponent = f"^{{{render_expression(term.superscript.written)}}}"
        raise unsupported(
            "a power of a matrix that is no positive integer",
            term.span,
            help=f"take the power of each element, as in `{base}_{{i,j}}{exponent}`, or of the diagonal, `{base}_{{i,i}}{exponent}`",
        )
    return _raised(lowering, term, _elements(lowering, term.base), count)(point)


def _raised(lowering: Lowering, term: PowerTerm, base: Matrix, count: int) -> Matrix:
    if count == 1:
        return base
    half = base if count < 4 else _kept(lowering, term, _raised(lowering, term, base, count // 2))
    square = _matrix_product(lowering, term, half, half)
    return square if count % 2 == 0 else _matrix_product(lowering, term, _kept(lowering, term, square), base)


def _matrix_product(lowering: Lowering, term: PowerTerm, left: Matrix, right: Matrix) -> Matrix:
    element = lowering.element(term)

    def at(point: Point) -> ir.Expr:
        inner = lowering.axis(lowering.inference.axes(term.base)[0])
        between = lowering.offset(inner)
        factors = left((point[0], between)), right((between, point[1]))
        return ir.Reduce("sum", inner, ir.Apply("mul", tuple(coerce(factor, element) for factor in factors), element), element)

    return at


def _elements(lowering: Lowering, term: Term) -> Matrix:
    """The elements of a matrix, in an array where they are more than read."""
    if isinstance(term, Ref):
        return lambda point: lowering.at(term, point)
    array = keep_values(lowering, "base", term, lambda point: lowering.at(term, point))
    return lambda point: read_whole(lowering, array, point)


def _kept(lowering: Lowering, term: PowerTerm, value: Matrix) -> Matrix:
    """The same elements, computed once."""
    array = keep_values(lowering, "power", term, value)
    return lambda point: read_whole(lowering, array, point)
