r"""Integer powers of matrices at a point: `A^5` is `(A^2)^2 A`, with an array for each power on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mathdsl.diagnostics.readings.types import POWER_OF_A_CALLED_MATRIX
from mathdsl.elaborate.lower.arrays import keep_values, read_whole
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.report import undecided, unsupported
from mathdsl.elaborate.terms.terms import PowerTerm, Ref, Term
from mathdsl.ir import nodes as ir

Matrix: TypeAlias = Callable[[Point], ir.Expr]  # its elements


def lower_matrix_power(lowering: Lowering, term: PowerTerm, point: Point) -> ir.Expr:
    """An element of a positive integer power."""
    count = term.integer
    if term.of_function:
        raise undecided(POWER_OF_A_CALLED_MATRIX, term.span)
    if term.is_negative:
        raise unsupported("the inverse of a matrix", term.span)
    if count is None or count < 1:
        raise unsupported(
            "a power of a matrix that is no positive integer",
            term.span,
            help=r"take the power element by element under an index, `A_{i,j}^{p}`, or that of the diagonal, `A_{i,i}^{p}`",
        )
    return _raised(lowering, term, _elements(lowering, term.base), count)(point)


def _raised(lowering: Lowering, term: PowerTerm, base: Matrix, count: int) -> Matrix:
    if count == 1:
        return base
    half = base if count < 4 else _kept(lowering, term, _raised(lowering, term, base, count // 2))
    square = _product(lowering, term, half, half)
    return square if count % 2 == 0 else _product(lowering, term, _kept(lowering, term, square), base)


def _product(lowering: Lowering, term: PowerTerm, left: Matrix, right: Matrix) -> Matrix:
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
