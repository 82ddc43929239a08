"""The types of reductions, of operations along an axis, and of the cross entropy."""

from __future__ import annotations

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import AlongTerm, CrossEntropyTerm, Fold, Reduction
from mathdsl.elaborate.types.constraints.axes import CrossEntropyConstraint, FoldConstraint
from mathdsl.elaborate.types.constraints.matrices import SquareConstraint, VectorConstraint
from mathdsl.elaborate.types.inference.elements import element_of
from mathdsl.elaborate.types.inference.state import Inference, Type
from mathdsl.elaborate.types.shapes import SCALAR, ElementUnknown, unify_elements, unknown_shape
from mathdsl.ir.nodes import Element
from mathdsl.ops import ALONG, REDUCTIONS


def infer_reduction(inference: Inference, term: Reduction) -> Type:
    """The body is one element, so that its shape stays; matrices are multiplied in order."""
    inner = inference.of(term.body)
    if term.op == "prod":
        inference.pending.append(SquareConstraint(term.span, inner.shape, is_power=False))
    return Type(inner.shape, _folded(inference, term, inner.element))


def infer_fold(inference: Inference, term: Fold) -> Type:
    """The body without its last axis, or without any."""
    inner = inference.of(term.body)
    if term.is_vector:
        inference.pending.append(VectorConstraint(term.span, inner.shape))
    if term.all_axes:
        return Type(SCALAR, _folded(inference, term, inner.element))
    result = unknown_shape()
    inference.pending.append(FoldConstraint(term.span, inner.shape, result, term.in_function))
    return Type(result, _folded(inference, term, inner.element))


def infer_along(inference: Inference, term: AlongTerm) -> Type:
    """The shape of the body, which has an axis to go along."""
    inner = inference.of(term.body)
    element_of(inference, term, [inner.element], ALONG[term.op].signature.operands, None)
    if term.binder is None and not inference.types.shapes.split(inner.shape, 1).prefix:
        raise refuse("E0402", f"the {term.op.replace('_', ' ')} of a scalar is asked for", term.span, help="apply it to a vector")
    return Type(inner.shape, Element.REAL)


def infer_cross_entropy(inference: Inference, term: CrossEntropyTerm) -> Type:
    """One number, of logits and the index of a class."""
    a, b = inference.of(term.logits), inference.of(term.target)
    if not unify_elements(b.element, Element.INTEGER):
        raise refuse(
            "E0406",
            "the classes of a cross entropy are integers",
            term.target.span,
            help=r"the first argument is the logits, the second the class",
        )
    inference.pending.append(CrossEntropyConstraint(term.span, a.shape, b.shape))
    return Type(SCALAR, Element.REAL)


def _folded(inference: Inference, term: Reduction | Fold, element: ElementUnknown | Element) -> ElementUnknown | Element:
    signature = REDUCTIONS[term.op].signature
    return element_of(inference, term, [element], signature.operands, signature.result)
