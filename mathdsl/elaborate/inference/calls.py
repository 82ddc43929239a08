"""The types of a call's results."""

from __future__ import annotations

from mathdsl.elaborate.constraints.calls import CallConstraint
from mathdsl.elaborate.inference.state import Inference, Type
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import find_element, unify_elements
from mathdsl.elaborate.terms import CallSite, Ref
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
    _check_first_indices(inference, site, constraint.callee)
    inference.pending.append(constraint)
    found = tuple(Type(shape, element) for shape, element in constraint.results)
    inference.sites[site] = found
    return found


def _check_first_indices(inference: Inference, site: CallSite, callee: str) -> None:
    """Refuse tokens that count from 1 where the callee's count from 0."""
    signature = inference.unit.submodules[site.submodule].signature
    first = {entry.array.name: entry.counts_from for entry in signature.inputs} if signature is not None else {}
    for name, term in site.arguments:
        given = term.symbol.value_range if isinstance(term, Ref) else None
        wanted = first.get(name)
        if isinstance(term, Ref) and given is not None and wanted is not None and given.lower.constant not in (None, wanted):
            raise refuse(
                "E0504",
                f"`{callee}` counts from {wanted}, and `{term.symbol.latex}` from {given.lower}",
                term.span,
                help="give both index types the same first value, or shift the argument",
            )
