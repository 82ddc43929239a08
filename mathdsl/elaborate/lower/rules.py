"""Which rule writes out which term."""

from __future__ import annotations

from typing import assert_never

from mathdsl.diagnostics.model import InternalError
from mathdsl.elaborate.lower.arithmetic import lower_elementwise, lower_power, lower_product
from mathdsl.elaborate.lower.arrays import materialise, read_whole
from mathdsl.elaborate.lower.calls import lower_call_result
from mathdsl.elaborate.lower.flattened import lower_flattened
from mathdsl.elaborate.lower.reductions import lower_along, lower_cross_entropy, lower_fold, lower_reduction
from mathdsl.elaborate.lower.references import lower_reference, lower_updated
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Build,
    CallResult,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Faulty,
    Flattened,
    Fold,
    NumberTerm,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    Repeated,
    SizeTerm,
    Stacked,
    Term,
    Transpose,
    TupleTerm,
    Undefined,
    Updated,
)
from mathdsl.ir import nodes as ir


def lower_term(lowering: Lowering, term: Term, point: Point) -> ir.Expr:
    """The term's element at a point (positions from 0, one for each axis)."""
    match term:
        case NumberTerm(value=bool() as value):
            return ir.Literal(value)
        case NumberTerm(value=value):
            return ir.Literal(float(value) if lowering.element(term) is ir.Element.REAL else value)
        case Constant(value=value):
            return ir.Literal(value if lowering.element(term) is ir.Element.REAL else int(value))
        case SizeTerm(value=value):
            return ir.IndexValue(lowering.poly(value))
        case Ref():
            return lower_reference(lowering, term, point)
        case Elementwise():
            return lower_elementwise(lowering, term, point)
        case PowerTerm():
            return lower_power(lowering, term, point)
        case Product():
            return lower_product(lowering, term, point)
        case Transpose(body=body):
            return lowering.at(body, tuple(reversed(point)))
        case Reduction():
            return lower_reduction(lowering, term, point)
        case Fold():
            return lower_fold(lowering, term, point)
        case AlongTerm():
            return lower_along(lowering, term, point)
        case CrossEntropyTerm():
            return lower_cross_entropy(lowering, term)
        case CaseTerm(rows=rows):
            return _cases(lowering, term, rows, point)
        case Updated():
            return lower_updated(lowering, term, point)
        case Build(binder=binder, body=body):
            return lowering.at_value(body, binder, lowering.poly(binder.range.lower) + point[0], point[1:])
        case Repeated(value=value):
            return lowering.at(value, point[1:])
        case Concatenation() | Stacked():
            return read_whole(lowering, materialise(lowering, term, "joined"), point)
        case Flattened(body=body):
            return lower_flattened(lowering, body, point)
        case CallResult(call=call, position=position):
            return lower_call_result(lowering, call, position, point)
        case TupleTerm() | Undefined() | Faulty():
            raise _no_value(term)
        case _:
            assert_never(term)


def _no_value(term: TupleTerm | Undefined | Faulty) -> Exception:
    match term:
        case TupleTerm():
            return refuse("E0409", "a tuple stands where one value is wanted", term.span)
        case Undefined():
            return refuse(
                "E0509",
                "an element has no value where this branch is not taken",
                term.span,
                help=r"add an `\algoElse` that gives the value it has otherwise, or a value before the branch",
            )
        case Faulty():
            return InternalError("a program with mistakes is lowered")


def _cases(lowering: Lowering, term: CaseTerm, rows: tuple[tuple[Term | None, Term], ...], point: Point) -> ir.Expr:
    """The rows in their order; the last one of those that leave nothing over is taken unasked."""
    element = lowering.element(term)
    (condition, value), *others = rows
    if condition is None:
        return coerce(lowering.at(value, lowering.aligned(value, point)), element)
    asked = lowering.at(condition, lowering.aligned(condition, point))
    with lowering.where(asked, True):
        then = coerce(lowering.at(value, lowering.aligned(value, point)), element)
    with lowering.where(asked, False):
        closes = bool(others) and others[-1][0] is None and not isinstance(others[-1][1], Undefined)
        if not closes and lowering.is_impossible():
            return then
        if not others:
            raise refuse("E0508", "no row of `cases` holds for what is left", term.span, help=r"add a row `… & \text{otherwise}`")
        otherwise = _cases(lowering, term, tuple(others), point)
    return ir.Select(asked, then, otherwise, element)
