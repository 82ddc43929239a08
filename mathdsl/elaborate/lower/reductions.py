"""Reductions, operations along an axis and the cross entropy at a point."""

from __future__ import annotations

from mathdsl.elaborate.lower.arrays import outer_axes, read_whole
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import as_index, coerce, element_of
from mathdsl.elaborate.report import unsupported
from mathdsl.elaborate.terms.terms import AlongTerm, CaseTerm, CrossEntropyTerm, Fold, Reduction, Ref, Term
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, REDUCTIONS


def lower_reduction(lowering: Lowering, term: Reduction, point: Point) -> ir.Expr:
    """A reduction over an index, which is renamed where the place has one of that name."""
    signature, binder = REDUCTIONS[term.op].signature, term.binder
    if term.op == "prod" and lowering.rank(term) == 2:
        return read_whole(lowering, _matrix_products(lowering, term), (lowering.range(binder.range).extent, *point))
    name = binder.name if binder.name not in lowering.renamed else lowering.types.entries.axis_name(binder.name)
    axis = ir.Axis(name, lowering.range(binder.range))
    value = _operand(lowering.at_value(term.body, binder, Poly.of(name), point), signature.operands)
    return ir.Reduce(term.op, axis, value, signature.result or element_of(value))


def _matrix_products(lowering: Lowering, term: Reduction) -> ir.Array:
    r"""The products `P_k = P_{k-1} A_k` of `\prod_{k=a}^{b} A_k`, in order, from the identity at `a - 1`."""
    if isinstance(term.body, CaseTerm):
        instead = r"name the family that is multiplied, with `I` for each matrix that is left out"
        raise unsupported("a product of matrices over a part of an index", term.span, help=instead)
    bounds, scope, element = lowering.range(term.binder.range), lowering.scope, lowering.element(term)
    outer = outer_axes(lowering, scope, "a product of matrices", term.span)
    if not (bounds.lower.names | bounds.upper.names).isdisjoint(lowering.types.entries.axis_names):
        instead = r"write the recurrence, as in `P_i \gets P_{i-1} A_i`"
        raise unsupported("a product of matrices over a range that depends on another index", term.span, help=instead)
    with lowering.apart(lowering.inner):
        sizes = lowering.inference.axes(term)
        array = lowering.new_array("products", element, [*(a.range for a in outer), ir.Range(bounds.lower - 1, bounds.upper)], sizes)
        turn = ir.Axis(lowering.free_axis_name(), bounds)
        row, column, inner = (lowering.axis(size) for size in (*sizes, sizes[0]))
        place = tuple(Poly.of(axis.name) for axis in outer)
        cell = (Poly.of(row.name), Poly.of(column.name))
        is_diagonal = ir.Apply("equal", (ir.IndexValue(cell[0]), ir.IndexValue(cell[1])), ir.Element.BOOLEAN)
        one, zero = (coerce(ir.Literal(number), element) for number in (1, 0))
        first = ir.Select(is_diagonal, one, zero, element)
        before = ir.Read(array.name, (*place, Poly.of(turn.name) - 1, cell[0], Poly.of(inner.name)), element)
        matrix = lowering.at_value(term.body, term.binder, Poly.of(turn.name), (lowering.offset(inner), lowering.offset(column)))
        after = ir.Reduce("sum", inner, ir.Apply("mul", (before, coerce(matrix, element)), element), element)
        start = ir.Equation(array.name, (*outer, row, column), (*place, bounds.lower - 1, *cell), first, lowering.origin)
        step = ir.Equation(array.name, (*outer, turn, row, column), (*place, Poly.of(turn.name), *cell), after, lowering.origin)
        lowering.steps += [start, step]
    return array


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
