"""The types of statements: a value has the type of its target."""

from __future__ import annotations

from mathdsl.elaborate.inference.state import Inference
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import ElementUnknown, find_element, unify_elements
from mathdsl.elaborate.symbols import Symbol
from mathdsl.elaborate.terms import Constant, NumberTerm, Position, Ref, SliceIndex, Term, TupleTerm, Whole
from mathdsl.elaborate.unit import Assignment
from mathdsl.ir.nodes import Element, Range
from mathdsl.ir.sizes import Poly


def infer_assignment(inference: Inference, assignment: Assignment) -> None:
    """The value of a statement has the type of its target."""
    target = inference.of(Ref(assignment.symbol, assignment.positions, span=assignment.span))
    value = inference.of(assignment.value)
    symbol = assignment.symbol
    if not isinstance(assignment.value, (NumberTerm, Constant)):
        inference.equate(target.shape, value.shape, assignment.value.span, symbol.latex)
    if unify_elements(symbol.element, value.element):
        return
    left, right = find_element(symbol.element), find_element(value.element)
    if {left, right} == {Element.REAL, Element.INTEGER} and left is Element.REAL:
        return
    raise refuse("E0406", f"`{symbol.latex}` holds {_plural(left)}, and this value is {_singular(right)}", assignment.value.span)


def infer_adopted(inference: Inference, family: Symbol, symbol: Symbol, at: Poly) -> None:
    """A header symbol that is an element of a family has the shape and kind of one."""
    rows: tuple[Position, ...] = (Whole(),) * (family.subscripts - 1)
    if family.has_superscript:
        own = inference.unit.shapes.split(symbol.shape, 1).prefix[0]
        lower = symbol.lower(0, inference.unit.base)
        rows = (*rows, SliceIndex(Range(lower, lower + own - 1)))
    element = inference.of(Ref(family, (at, *rows), span=symbol.span))
    inference.equate(element.shape, symbol.shape, symbol.span, symbol.latex)
    if not unify_elements(family.element, symbol.element):
        raise refuse("E0406", f"`{symbol.latex}` holds another kind of number than its family", symbol.span)


def infer_result(inference: Inference, term: Term) -> None:
    """Type what is returned: a tuple by its items."""
    if isinstance(term, TupleTerm):
        for item in term.items:
            infer_result(inference, item)
    else:
        inference.of(term)


def _plural(element: ElementUnknown | Element) -> str:
    return "numbers" if isinstance(element, ElementUnknown) else element.value + "s"


def _singular(element: ElementUnknown | Element) -> str:
    return "a number" if isinstance(element, ElementUnknown) else element.value
