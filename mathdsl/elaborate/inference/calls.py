"""The types of a call's results."""

from __future__ import annotations

from mathdsl.elaborate.constraints.calls import CallConstraint
from mathdsl.elaborate.inference.state import Inference, Type
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import find_element, unify_elements
from mathdsl.elaborate.terms import CallSite
from mathdsl.ir.nodes import Element


def infer_call(inference: Inference, site: CallSite) -> tuple[Type, ...]:
    """The types of all results of a call; the same answer each time."""
    known = inference.sites.get(site)
    if known is not None:
        return known
    arguments = {name: inference.of(term) for name, term in site.arguments}
    constraint = CallConstraint.make(inference.unit, site, {n: t.shape for n, t in arguments.items()})
    for name, element in constraint.input_elements.items():
        if not unify_elements(arguments[name].element, element) and not (
            element is Element.REAL and find_element(arguments[name].element) is Element.INTEGER
        ):
            raise refuse("E0406", f"`{constraint.callee}` wants {element.value}s here", dict(site.arguments)[name].span)
    inference.pending.append(constraint)
    found = tuple(Type(shape, element) for shape, element in constraint.results)
    inference.sites[site] = found
    return found
