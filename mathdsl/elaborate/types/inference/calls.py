"""The types of a call's results."""

from __future__ import annotations

from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.bounds import index_of, is_nonnegative
from mathdsl.elaborate.terms.terms import CallSite, Fold, Reduction, Ref, Term
from mathdsl.elaborate.types.constraints.calls import CallConstraint
from mathdsl.elaborate.types.inference.state import Inference, Type
from mathdsl.elaborate.types.shapes import find_element, unify_elements
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Element, Range
from mathdsl.ir.sizes import Poly


def infer_call(inference: Inference, site: CallSite) -> tuple[Type, ...]:
    """The types of all results of a call; the same answer each time."""
    known = inference.sites.get(site)
    if known is not None:
        return known
    arguments = {name: inference.of(term) for name, term in site.arguments}
    constraint = CallConstraint.make(inference.types, site, {n: t.shape for n, t in arguments.items()})
    for name, element in constraint.input_elements.items():
        if not unify_elements(arguments[name].element, element) and not (
            element is Element.REAL and find_element(arguments[name].element) is Element.INTEGER
        ):
            raise refuse("E0406", f"`{constraint.callee}` wants {element.value}s here", dict(site.arguments)[name].span)
    _check_constants(inference, site, constraint.callee)
    inference.pending.append(constraint)
    found = tuple(Type(shape, element) for shape, element in constraint.results)
    inference.sites[site] = found
    return found


def check_tokens(types: Types, site: CallSite) -> None:
    """Refuse tokens that count from 1 where the callee's count from 0."""
    signature = types.entries.submodules[site.submodule].signature
    first = {entry.array.name: entry.counts_from for entry in signature.inputs} if signature is not None else {}
    for name, term in site.arguments:
        wanted = first.get(name)
        given = None if wanted is None else _counts_from(types, term, frozenset())
        if signature is not None and given is not None and given.constant not in (None, wanted):
            what = f"`{term.symbol.latex}`" if isinstance(term, Ref) else "this index"
            help = "give both index types the same first value, or shift the argument"
            types.findings.report(
                refuse("E0504", f"`{signature.name}` counts from {wanted}, and {what} from {given}", term.span, help=help)
            )


def _check_constants(inference: Inference, site: CallSite, callee: str) -> None:
    """Refuse a number or size, given as a token, that lies outside of what the callee reads with it."""
    entry = inference.types.entries.submodules[site.submodule]
    if entry.signature is None or len(entry.parts) != 1:
        return
    given = {name: value for name, value in entry.parts[0].arguments if isinstance(value, Poly)}
    ranges = {one.array.name: one.indexes for one in entry.signature.inputs}
    for name, term in site.arguments:
        at, bounds = index_of(term), ranges.get(name)
        if at is None or at.names & inference.types.entries.axis_names or bounds is None or not bounds.upper.names <= given.keys():
            continue
        own = Range(bounds.lower, bounds.upper.substitute(given))
        if is_nonnegative(own.lower - at - 1) or is_nonnegative(at - own.upper - 1):
            runs = f"{own.lower} .. {own.upper}"
            help = "give an index inside of that range, or declare the module with a greater size"
            raise refuse("E0502", f"`{callee}` is read at {at}, and its indices run over {runs}", term.span, help=help)


def _counts_from(types: Types, term: Term, seen: frozenset[Symbol]) -> Poly | None:
    """The first value of an index: of a declared index type, or of the range in which the place of an extreme is counted."""
    match term:
        case Reduction(op="argmax" | "argmin", binder=binder):
            return types.solver.value(binder.range.lower)
        case Fold(op="argmax" | "argmin", body=Ref(symbol=symbol, positions=())):
            return types.lower(symbol, 0) if len(symbol.lowers) <= 1 else None
        case Ref(symbol=symbol) if symbol.value_range is not None:
            return symbol.value_range.lower
        case Ref(symbol=symbol) if symbol not in seen:
            values = (a.value for a in types.terms.assignments if a.symbol is symbol)
            found = (_counts_from(types, value, seen | {symbol}) for value in values)
            return next((lower for lower in found if lower is not None), None)
        case _:
            return None
