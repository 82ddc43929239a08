"""The types of sequences: lists, comprehensions, joined and repeated values."""

from __future__ import annotations

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Build, Concatenation, Flattened, Repeated, Stacked, Term
from mathdsl.elaborate.types.constraints.axes import FlattenConstraint
from mathdsl.elaborate.types.constraints.brackets import BracketConstraint, EntryConstraint
from mathdsl.elaborate.types.inference.state import Inference, Type
from mathdsl.elaborate.types.shapes import ElementUnknown, Shape, expand, unify_elements, unknown_shape
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly


def infer_build(inference: Inference, term: Build) -> Type:
    """One more axis, over the index."""
    return _with_axis(term.binder.range.extent, inference.of(term.body))


def infer_repeated(inference: Inference, term: Repeated) -> Type:
    """One more axis."""
    return _with_axis(term.count, inference.of(term.value))


def infer_stacked(inference: Inference, term: Stacked) -> Type:
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


def infer_flattened(inference: Inference, term: Flattened) -> Type:
    """The first axis is merged into the last."""
    inner, result = inference.of(term.body), unknown_shape()
    inference.pending.append(FlattenConstraint(term.span, inner.shape, result))
    return Type(result, inner.element)


def infer_concatenation(inference: Inference, term: Concatenation) -> Type:
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
            )
    return shapes[0]


def _common_element(term: Term, types: list[Type]) -> ElementUnknown | Element:
    for other in types[1:]:
        if not unify_elements(types[0].element, other.element):
            raise refuse("E0406", "the parts hold different kinds of numbers", term.span)
    return types[0].element
