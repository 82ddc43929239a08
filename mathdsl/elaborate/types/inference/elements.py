"""The element type of an operation: integers become real beside reals, a boolean is no number."""

from __future__ import annotations

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Term, subterms
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.inference.state import Inference
from mathdsl.elaborate.types.shapes import ElementUnknown, find_element, unify_elements
from mathdsl.ir.nodes import Element
from mathdsl.ops.model import NUMBERS


def element_of(
    inference: Inference, term: Term, elements: list[ElementUnknown | Element], operands: tuple[Element, ...], result: Element | None
) -> ElementUnknown | Element:
    """The element type of an operation, by the kinds that its row wants of operands and gives (None: what the operands join to)."""
    if operands == (Element.BOOLEAN,):
        for element in elements:
            if not unify_elements(element, Element.BOOLEAN):
                raise refuse("E0406", "a condition is wanted here, and a number is given", term.span)
        return Element.BOOLEAN
    if set(operands) <= set(NUMBERS) and any(find_element(e) is Element.BOOLEAN for e in elements):
        place = next((s.span for s, e in zip(subterms(term), elements, strict=False) if find_element(e) is Element.BOOLEAN), term.span)
        raise refuse("E0406", "a boolean is no number", place, help=r"write `\mathbb{1}[c]` for 1 where `c` holds")
    if Element.BOOLEAN in operands and any(find_element(e) is Element.BOOLEAN for e in elements):
        if not all(unify_elements(e, Element.BOOLEAN) for e in elements):
            help = r"write `\mathbb{1}[c]` for 1 where `c` holds"
            raise refuse("E0406", "a condition is compared with a number", term.span, help=help)
        return Element.BOOLEAN
    if Element.INTEGER not in operands:
        return Element.REAL if result is None else result
    joined = ElementUnknown()
    inference.joins.append(JoinElements(tuple(elements), joined, term.span))
    return joined if result is None else result
