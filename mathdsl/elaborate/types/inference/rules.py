"""The rule of each term: its type; those of arithmetic and of calls stand in files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import isfinite
from typing import assert_never

from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.elaborate.terms.guards import facts_of
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
    Given,
    NumberTerm,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    Repeated,
    SizeTerm,
    SliceIndex,
    Stacked,
    Term,
    Transpose,
    TupleTerm,
    Undefined,
    Unread,
    Updated,
    Whole,
)
from mathdsl.elaborate.types.constraints.axes import (
    AlongConstraint,
    CrossEntropyConstraint,
    FlattenConstraint,
    FoldConstraint,
    GatherConstraint,
)
from mathdsl.elaborate.types.constraints.brackets import BracketConstraint, EntryConstraint
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.constraints.matrices import BodyConstraint, SquareConstraint, VectorConstraint
from mathdsl.elaborate.types.constraints.sums import SumConstraint
from mathdsl.elaborate.types.inference.arithmetic import infer_elementwise, infer_power, infer_product, infer_transpose, pend_bare_products
from mathdsl.elaborate.types.inference.calls import infer_call
from mathdsl.elaborate.types.inference.state import Inference, Type, element_of, last_axis, unknown_type
from mathdsl.elaborate.types.shapes import SCALAR, ElementUnknown, Shape, expand, find_element, unify_elements, unknown_shape
from mathdsl.elaborate.types.written_shapes import show_shape, where_sizes_are
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, REDUCTIONS
from mathdsl.spans import Span


def infer_term(inference: Inference, term: Term) -> Type:
    """The type of a term, by the types of its parts."""
    match term:
        case NumberTerm() | SizeTerm() | Constant():
            return _literal(term)
        case Ref():
            return _infer_reference(inference, term)
        case Elementwise():
            return infer_elementwise(inference, term)
        case Product():
            return infer_product(inference, term)
        case Transpose():
            return infer_transpose(inference, term)
        case PowerTerm():
            return infer_power(inference, term)
        case Reduction():
            return _infer_reduction(inference, term)
        case Fold():
            return _infer_fold(inference, term)
        case AlongTerm():
            return _infer_along(inference, term)
        case CrossEntropyTerm():
            return _infer_cross_entropy(inference, term)
        case Build():
            return _with_axis(term.binder.range.extent, inference.of(term.body))
        case Stacked():
            return _infer_stacked(inference, term)
        case Concatenation():
            return _infer_concatenation(inference, term)
        case Flattened():
            return _infer_flattened(inference, term)
        case Repeated():
            return _with_axis(term.count, inference.of(term.value))
        case CaseTerm():
            return _infer_cases(inference, term)
        case Updated():
            return _infer_updated(inference, term)
        case Given(value=value, flag=flag):
            inference.of(flag)
            return inference.of(value)
        case CallResult(call=call, position=position):
            return infer_call(inference, call)[position]
        case Faulty() | Undefined() | Unread():
            return unknown_type()
        case TupleTerm(items=items) if any(isinstance(item, Faulty) for item in items):
            return unknown_type()
        case TupleTerm():
            raise refuse("E0409", "a tuple stands where one value is wanted", term.span, help="unpack it first, as in `(a, b) \\gets …`")
        case _:
            assert_never(term)


def _literal(term: NumberTerm | SizeTerm | Constant) -> Type:
    match term:
        case NumberTerm(value=bool()):
            return Type(SCALAR, Element.BOOLEAN)
        case NumberTerm(fills=True):
            return Type(SCALAR, ElementUnknown(leaning=Element.REAL))
        case NumberTerm(value=int()):
            return Type(SCALAR, ElementUnknown(leaning=Element.INTEGER))
        case NumberTerm():
            return Type(SCALAR, Element.REAL)
        case SizeTerm():
            return Type(SCALAR, Element.INTEGER)
        case Constant(value=value):
            return Type(unknown_shape(), ElementUnknown(leaning=Element.INTEGER) if isfinite(value) else Element.REAL)


# ---- reads: an array without the axes that are indexed, and the axes of indices that are arrays ---


def _infer_reference(inference: Inference, term: Ref) -> Type:
    """An array without the axes that are indexed."""
    symbol = term.symbol
    if symbol.spelling in inference.types.findings.faulty_names:
        return unknown_type()
    symbol.shape = inference.types.shapes.split(symbol.shape, len(term.positions))
    shape = expand(symbol.shape)
    if len(shape.prefix) < len(term.positions):
        count = max(len(shape.prefix) - term.turns, 0)
        have = f"has {count} {'axis' if count == 1 else 'axes'}" if count else "is a scalar"
        raise refuse(
            "E0402",
            f"`{symbol.latex}` {have}, and {len(term.written)} are indexed",
            term.span,
            help="index fewer axes, or declare its shape",
        )
    kept: list[Poly] = []
    gathers: list[Term] = []
    for axis, position in enumerate(term.positions):
        match position:
            case Poly():
                continue
            case Whole():
                kept.append(_whole_size(term, axis, shape))
            case SliceIndex(range=bounds):
                kept.append(bounds.extent)
            case _:
                gathers.append(position)
                _check_index(inference, position, symbol.latex)
                _take_base(inference, term, axis, position)
    first = len(term.positions)
    rest = Shape((*kept, *(_whole_size(term, axis, shape) for axis in range(first, len(shape.prefix)))), shape.rest)
    if not gathers:
        return Type(rest, symbol.element)
    return Type(_gather(inference, term, gathers, rest), symbol.element)


def _whole_size(term: Ref, axis: int, shape: Shape) -> Poly:
    """The size of an axis that is read whole: without the elements that a header gives."""
    whole = term.symbol.whole
    return whole.extent if whole is not None and axis == 0 else shape.prefix[axis]


def _check_index(inference: Inference, position: Term, latex: str) -> None:
    if not unify_elements(inference.of(position).element, Element.INTEGER):
        raise refuse(
            "E0406",
            f"an index of `{latex}` must be an integer",
            position.span,
            help=r"round it with `\lfloor … \rfloor`, or declare an index type",
        )


def _take_base(inference: Inference, term: Ref, axis: int, position: Term) -> None:
    """An axis that is indexed by an index type takes that type's base; one that is known to begin before it keeps its own.

    Where the type has more values than there are elements, and conditions exclude its first one, reads tell the base.
    """
    if not isinstance(position, Ref) or position.symbol.value_range is None:
        return
    values, symbol = position.symbol.value_range, term.symbol
    lower, size = values.lower, inference.types.solver.value(expand(symbol.shape).prefix[axis])
    if is_nonnegative(values.extent - size - 1) and inference.facts.between(position, values).lower != lower:
        return
    known = inference.types.lower(symbol, axis)
    if (symbol, axis) not in inference.types.firsts and is_nonnegative(lower - known):
        return
    if not inference.types.solver.unify(known, lower):
        raise refuse(
            "E0504",
            f"`{symbol.latex}` is indexed from {known} and from {lower}",
            term.span,
            help="give both index types the same first value",
        )


def _gather(inference: Inference, term: Ref, gathers: list[Term], rest: Shape) -> Shape:
    """The axes of an index that is an array, then those of what it picks."""
    shapes = [inference.shape(g) for g in gathers]
    if all(expand(s).rest is None and not expand(s).prefix for s in shapes):
        return rest
    if len(gathers) > 1 or len(term.positions) > 1:
        if any(expand(s).prefix for s in shapes):
            raise unsupported(
                "an index that is itself an array, beside another index",
                term.span,
                help=r"index both element by element, as in `z_i \gets X_{i,y_i} \quad (i = 1, \dots, n)`",
            )
        for position, shape in zip(gathers, shapes, strict=True):  # still open, as in `q_t \gets \psi_{t+1,q_{t+1}}`
            inference.equate(shape, SCALAR, position.span, "an index beside another one")
        return rest
    result = unknown_shape()
    inference.pending.append(GatherConstraint(term.span, shapes[0], rest, result))
    return result


# ---- reductions, operations along an axis, and the cross entropy ----------------------------------


def _infer_reduction(inference: Inference, term: Reduction) -> Type:
    """The body is one element, so that its shape stays; matrices are multiplied in order."""
    inner = inference.of(term.body)
    if term.op == "prod":
        inference.pending.append(SquareConstraint(term.span, inner.shape, is_power=False))
        factors = tuple(inference.of(factor).shape for factor in _factors(term.body))
        if len(factors) > 1:
            inference.pending.append(BodyConstraint(term.span, inner.shape, factors))
    return Type(inner.shape, _folded(inference, term, inner.element))


def _factors(term: Term) -> Iterator[Term]:
    """The factors of a product of products."""
    if isinstance(term, Product):
        yield from _factors(term.left)
        yield from _factors(term.right)
    else:
        yield term


def _infer_fold(inference: Inference, term: Fold) -> Type:
    """The body without its last axis, or without any."""
    inner = inference.of(term.body)
    if term.is_vector:
        inference.pending.append(VectorConstraint(term.span, inner.shape))
    if term.all_axes:
        return Type(SCALAR, _folded(inference, term, inner.element))
    result = unknown_shape()
    inference.pending.append(FoldConstraint(term.span, inner.shape, result, term.in_function))
    return Type(result, _folded(inference, term, inner.element))


def _infer_along(inference: Inference, term: AlongTerm) -> Type:
    """The shape of the body, which has an axis to go along."""
    inner = inference.of(term.body)
    element_of(inference, term, [inner.element], ALONG[term.op].signature.operands, None)
    if term.binder is None:
        inference.pending.append(AlongConstraint(term.span, inner.shape, term.op))
    return Type(inner.shape, Element.REAL)


def _infer_cross_entropy(inference: Inference, term: CrossEntropyTerm) -> Type:
    """One number, of logits and the index of a class."""
    a, b = inference.of(term.logits), inference.of(term.target)
    if not unify_elements(b.element, Element.INTEGER):
        raise refuse(
            "E0406",
            "the classes of a cross entropy are integers",
            term.target.span,
            help=r"the first argument is the logits, the second the class",
        )
    inference.pending.append(CrossEntropyConstraint(term.span, a.shape, b.shape, partial(_take_classes, inference, term)))
    return Type(SCALAR, Element.REAL)


def _take_classes(inference: Inference, term: CrossEntropyTerm) -> None:
    """The axis of logits that the classes index takes their base, as that of an array does whose elements they are."""
    if (place := last_axis(term.logits)) is not None:
        _take_base(inference, *place, term.target)


def _folded(inference: Inference, term: Reduction | Fold, element: ElementUnknown | Element) -> ElementUnknown | Element:
    signature = REDUCTIONS[term.op].signature
    return element_of(inference, term, [element], signature.operands, signature.result)


# ---- `cases`: of its values, with the axes of its conditions; arrays with one value changed -------


def _infer_cases(inference: Inference, term: CaseTerm) -> Type:
    """A condition is no number, a literal has the shape of what stands in the other rows."""
    result = unknown_shape()
    shapes: list[Shape] = []
    conditions: list[Shape] = []
    spans: list[Span] = []
    element: ElementUnknown | Element = ElementUnknown()
    elements: list[ElementUnknown | Element] = []
    outside, value_of = inference.facts, inference.types.solver.value
    for condition, value in term.rows:
        if condition is not None:
            inner = inference.of(condition)
            if not unify_elements(inner.element, Element.BOOLEAN):
                help = r"compare it, as in `x \neq 0`; a row of `cases` is `value & condition \\`, a branch `\If{$condition$}`"
                raise refuse("E0406", "a condition is wanted here, and a number is given", condition.span, help=help)
            conditions.append(inner.shape)
            spans.insert(len(conditions) - 1, condition.span)
        before = inference.facts
        inference.facts = before + facts_of(condition, value_of)
        if not isinstance(value, (NumberTerm, Constant, Unread)):
            shapes.append(inference.of(value).shape)
            spans.append(value.span)
        if not isinstance(value, Unread):
            elements.append(inference.of(value).element)
        inference.facts = before + facts_of(condition, value_of, False)
    inference.facts = outside
    operands = (*conditions, *shapes)
    letters = (None,) * len(operands)
    op = "branch" if term.of_branch else "cases"
    number = any(isinstance(value, NumberTerm) and value.value != 0 for _, value in term.rows)
    inference.pending.append(SumConstraint(term.span, operands, result, letters, False, op, tuple(spans), (), len(conditions), number))
    for shape in shapes if len(shapes) > 1 else ():
        pend_bare_products(inference, term, shape)
    if any(find_element(e) is Element.BOOLEAN for e in elements):
        is_mixed = any(isinstance(value, NumberTerm) and not isinstance(value.value, bool) for _, value in term.rows)
        if is_mixed or not all(unify_elements(other, Element.BOOLEAN) for other in elements):
            help = r"write `\mathbb{1}[c]` for 1 where `c` holds, or `\text{true}` and `\text{false}` in all rows"
            raise refuse("E0406", "some rows are conditions and some are numbers", term.span, help=help)
        return Type(result, Element.BOOLEAN)
    inference.joins.append(JoinElements(tuple(elements), element, rows=term.span))
    return Type(result, element)


def _infer_updated(inference: Inference, term: Updated) -> Type:
    """An array with a value at one place has the shape of the array; integers become real beside a real value."""
    array, place, value = (inference.of(part) for part in (term.array, term.place, term.value))
    of_several = any(isinstance(position, Whole | SliceIndex) for position in term.place.positions)
    is_spread = isinstance(term.value, NumberTerm) and (term.value.value == 0 or of_several)
    if isinstance(term.value, NumberTerm) and isinstance(term.value.value, bool):  # of each element
        value = Type(Shape(expand(place.shape).prefix), value.element)
        is_spread = False
    if not isinstance(term.value, Constant) and not is_spread:
        inference.equate(place.shape, value.shape, term.value.span, term.place.symbol.latex)
    if find_element(value.element) is Element.BOOLEAN or find_element(array.element) is Element.BOOLEAN:
        if not unify_elements(array.element, value.element):
            raise refuse("E0406", "some elements are conditions and some are numbers", term.value.span)
        return array
    element = ElementUnknown()
    inference.joins.append(JoinElements((array.element, value.element), element, rows=term.span))
    return Type(array.shape, element)


# ---- lists, comprehensions, joined and repeated values --------------------------------------------


def _infer_stacked(inference: Inference, term: Stacked) -> Type:
    """One more axis, as long as the list."""
    types = [inference.of(item) for item in term.items]
    if term.of_numbers:
        entries = zip(term.items, types, strict=True)
        inference.pending.extend(EntryConstraint(item.span, entry.shape) for item, entry in entries)
        return Type(Shape((Poly.of(len(types)),)), _common_element(term, types))
    shape = _same_shape(inference, term, [t.shape for t in types])
    return _with_axis(Poly.of(len(term.items)), Type(shape, _common_element(term, types)))


def _with_axis(size: Poly, inner: Type) -> Type:
    shape = expand(inner.shape)
    return Type(Shape((size, *shape.prefix), shape.rest), inner.element)


def _infer_flattened(inference: Inference, term: Flattened) -> Type:
    """The first axis is merged into the last, or with the second."""
    inner, result = inference.of(term.body), unknown_shape()
    if term.in_turn:
        shape = inference.types.shapes.split(inner.shape, 2)
        outer, turns, *rest = shape.prefix
        return Type(Shape((outer * turns, *rest), shape.rest), inner.element)
    inference.pending.append(FlattenConstraint(term.span, inner.shape, result))
    return Type(result, inner.element)


def _infer_concatenation(inference: Inference, term: Concatenation) -> Type:
    """The first axes one after the other; the others are the same in all parts."""
    types = [inference.of(part) for part in term.parts]
    if term.bracketed:
        result = unknown_shape()
        inference.pending.append(BracketConstraint(term.span, tuple(t.shape for t in types), result))
        return Type(result, _common_element(term, types))
    shapes = [inference.types.shapes.split(t.shape, 1) for t in types]
    if any(not s.prefix for s in shapes):
        raise refuse(
            "E0402",
            "a scalar cannot be joined to a sequence",
            term.span,
            help=r"write `\{a\}^{1}` for the sequence of `a` alone",
        )
    item = expand(_same_shape(inference, term, [Shape(s.prefix[1:], s.rest) for s in shapes]))
    total = sum((s.prefix[0] for s in shapes), Poly(()))
    return Type(Shape((total, *item.prefix), item.rest), _common_element(term, types))


def _same_shape(inference: Inference, term: Term, shapes: list[Shape]) -> Shape:
    for other in shapes[1:]:
        if not inference.types.shapes.unify(shapes[0], other):
            raise refuse(
                "E0401",
                f"the parts have different shapes: {show_shape(inference.types, shapes[0])} and {show_shape(inference.types, other)}",
                term.span,
                labels=where_sizes_are(inference.types, term.span, shapes[0], other),
                help="check the sizes, or declare the shapes in a `where` table",
            )
    return shapes[0]


def _common_element(term: Term, types: list[Type]) -> ElementUnknown | Element:
    for other in types[1:]:
        if not unify_elements(types[0].element, other.element):
            raise refuse("E0406", "the parts hold different kinds of numbers", term.span)
    return types[0].element
