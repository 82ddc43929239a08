"""The types of choices: of `cases`, that of its values, with the axes of its conditions; of an array with one value changed."""

from __future__ import annotations

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import CaseTerm, Constant, NumberTerm, Updated
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.constraints.sums import SumConstraint
from mathdsl.elaborate.types.inference.state import Inference, Type
from mathdsl.elaborate.types.shapes import ElementUnknown, Shape, find_element, unify_elements, unknown_shape
from mathdsl.ir.nodes import Element
from mathdsl.spans import Span


def infer_cases(inference: Inference, term: CaseTerm) -> Type:
    """A condition is no number, a literal has the shape of what stands in the other rows."""
    result = unknown_shape()
    shapes: list[Shape] = []
    conditions: list[Shape] = []
    spans: list[Span] = []
    element: ElementUnknown | Element = ElementUnknown()
    elements: list[ElementUnknown | Element] = []
    for condition, value in term.rows:
        if condition is not None:
            inner = inference.of(condition)
            if not unify_elements(inner.element, Element.BOOLEAN):
                raise refuse("E0406", "a condition is wanted here", condition.span, help=r"the rows of `cases` are `value & condition \\`")
            conditions.append(inner.shape)
            spans.insert(len(conditions) - 1, condition.span)
        if not isinstance(value, (NumberTerm, Constant)):
            shapes.append(inference.of(value).shape)
            spans.append(value.span)
        elements.append(inference.of(value).element)
    operands = (*conditions, *shapes)
    letters = (None,) * len(operands)
    op = "branch" if term.of_branch else "cases"
    number = any(isinstance(value, NumberTerm) and value.value != 0 for _, value in term.rows)
    inference.pending.append(SumConstraint(term.span, operands, result, letters, False, op, tuple(spans), (), len(conditions), number))
    if any(find_element(e) is Element.BOOLEAN for e in elements):
        for other in elements:
            if not unify_elements(other, Element.BOOLEAN):
                raise refuse("E0406", "some rows are conditions and some are numbers", term.span)
        return Type(result, Element.BOOLEAN)
    inference.joins.append(JoinElements(tuple(elements), element, rows=term.span))
    return Type(result, element)


def infer_updated(inference: Inference, term: Updated) -> Type:
    """An array with a value at one place has the shape of the array; integers become real beside a real value."""
    array, place, value = (inference.of(part) for part in (term.array, term.place, term.value))
    if not isinstance(term.value, (NumberTerm, Constant)):
        inference.equate(place.shape, value.shape, term.value.span, term.place.symbol.latex)
    if find_element(value.element) is Element.BOOLEAN or find_element(array.element) is Element.BOOLEAN:
        if not unify_elements(array.element, value.element):
            raise refuse("E0406", "some elements are conditions and some are numbers", term.value.span)
        return array
    element = ElementUnknown()
    inference.joins.append(JoinElements((array.element, value.element), element, rows=term.span))
    return Type(array.shape, element)
