"""Reductions, operations along an axis and the cross entropy at a point."""

from __future__ import annotations

from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import as_index, coerce, element_of
from mathdsl.elaborate.terms.terms import AlongTerm, CrossEntropyTerm, Fold, Reduction, Ref, Term
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, REDUCTIONS


def lower_reduction(lowering: Lowering, term: Reduction, point: Point) -> ir.Expr:
    """A reduction over an index, which is renamed where the place has one of that name."""
    signature, binder = REDUCTIONS[term.op].signature, term.binder
    name = binder.name if binder.name not in lowering.renamed else lowering.types.entries.axis_name(binder.name)
    axis = ir.Axis(name, lowering.range(binder.range))
    value = _operand(lowering.at_value(term.body, binder, Poly.of(name), point), signature.operands)
    return ir.Reduce(term.op, axis, value, signature.result or element_of(value))


def lower_fold(lowering: Lowering, term: Fold, point: Point) -> ir.Expr:
    """A reduction over the last axis or over all."""
    signature, sizes = REDUCTIONS[term.op].signature, lowering.inference.axes(term.body)
    count = len(sizes) if term.all_axes else 1
    axes = [lowering.axis(size, _first_index(lowering, term)) for size in sizes[len(sizes) - count :]]
    value = _operand(lowering.at(term.body, (*point, *(lowering.offset(a) for a in axes))), signature.operands)
    for axis in reversed(axes):
        value = ir.Reduce(term.op, axis, value, signature.result or element_of(value))
    return value


def _first_index(lowering: Lowering, term: Fold) -> Poly | None:
    r"""What the place of an extreme is counted from, `\arg\max p`: the first index of the axis; None elsewhere, where nobody sees it."""
    axes = lowering.firsts.kept.of(term.body) if term.op in ("argmax", "argmin") else ()
    return axes[-1].lower if axes else None


def _operand(value: ir.Expr, operands: tuple[ir.Element, ...]) -> ir.Expr:
    return value if element_of(value) in operands else coerce(value, ir.Element.REAL)


def lower_along(lowering: Lowering, term: AlongTerm, point: Point) -> ir.Expr:
    """One element of what an operation makes of the elements along an axis."""
    row = ALONG[term.op]
    if term.binder is not None:
        axis = ir.Axis(lowering.types.entries.axis_name(term.binder.name), lowering.range(term.binder.range))
        at = lowering.poly(Poly.of(term.binder.name))
        body = lowering.at_value(term.body, term.binder, Poly.of(axis.name), point)
    else:
        axis = lowering.axis(lowering.inference.axes(term.body)[-1])
        at = point[-1] + axis.range.lower
        body = lowering.at(term.body, (*point[:-1], lowering.offset(axis)))
    return ir.Along(row.name, axis, _operand(body, row.signature.operands), at, ir.Element.REAL)


def lower_cross_entropy(lowering: Lowering, term: CrossEntropyTerm) -> ir.Expr:
    """`-log_softmax(z)[y]`; over sequences, the mean."""
    sizes = lowering.inference.axes(term.logits)
    outer = [lowering.axis(size) for size in sizes[:-1]]
    inner = lowering.axis(sizes[-1], _class_base(lowering, term.target))
    point = tuple(lowering.offset(a) for a in outer)
    logits = coerce(lowering.at(term.logits, (*point, lowering.offset(inner))), ir.Element.REAL)
    target = as_index(lowering.at(term.target, point))
    value: ir.Expr = ir.Apply("neg", (ir.Along("log_softmax", inner, logits, target, ir.Element.REAL),), ir.Element.REAL)
    for axis in reversed(outer):
        value = ir.Reduce("mean", axis, value, ir.Element.REAL)
    return value


def _class_base(lowering: Lowering, target: Term) -> Poly:
    """Classes count from the first value of their type, or from 0."""
    if isinstance(target, Ref) and target.symbol.value_range is not None:
        return lowering.poly(target.symbol.value_range.lower)
    return Poly.of(0)
