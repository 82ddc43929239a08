"""The types of statements: a value has the type of its target."""

from __future__ import annotations

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.names.symbols import Role, Source
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Assignment
from mathdsl.elaborate.terms.terms import (
    Build,
    Constant,
    Elementwise,
    NumberTerm,
    Position,
    Ref,
    SizeTerm,
    SliceIndex,
    Term,
    TupleTerm,
    Whole,
)
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.constraints.sums import FirstValueConstraint
from mathdsl.elaborate.types.domains import Adopted
from mathdsl.elaborate.types.inference.numbers import is_number
from mathdsl.elaborate.types.inference.state import Inference
from mathdsl.elaborate.types.shapes import ElementUnknown, find_element, is_one_element, leans_real, unify_elements
from mathdsl.ir.nodes import EVERYWHERE, Element, Range
from mathdsl.ir.sizes import Poly


def infer_assignment(inference: Inference, assignment: Assignment) -> None:
    """The value of a statement has the type of its target."""
    target = inference.of(assignment.target)
    value = inference.of(assignment.value)
    symbol = assignment.symbol
    _check_number(assignment)
    if _is_first(assignment) and _is_scalar(inference, assignment.value):
        inference.pending.append(FirstValueConstraint(assignment.value.span, target.shape))
    elif not isinstance(assignment.value, (NumberTerm, Constant)):
        inference.equate(target.shape, value.shape, assignment.value.span, symbol.latex)
    given = ElementUnknown(leaning=Element.INTEGER) if isinstance(assignment.value, SizeTerm) else value.element  # `d_0 \gets n`
    known = find_element(given)
    inference.values.append((assignment, known if isinstance(known, Element) else given))
    left, right = find_element(symbol.element), find_element(given)
    if (left is Element.REAL or leans_real(left)) and right is Element.INTEGER:
        return
    if unify_elements(left, right):
        return
    raise _another_kind(inference, assignment, left, right)


def _check_number(assignment: Assignment) -> None:
    r"""Refuse a number that lies outside of what is declared: `p \gets 2` of `p \in [0, 1]`."""
    symbol, sign, value = assignment.symbol, 1, assignment.value
    if symbol.interval == EVERYWHERE:
        return
    if isinstance(value, Elementwise) and value.op == "neg":
        sign, (value,) = -1, value.arguments
    if isinstance(value, NumberTerm | Constant) and not isinstance(value.value, bool) and sign * value.value not in symbol.interval:
        what = f"`{symbol.latex}` lies in {symbol.interval}, and this value is {sign * value.value:g}"
        help = "declare it with a type that has this value, too, or give the value a name of its own"
        raise refuse("E0406", what, assignment.value.span, help=help)


def _is_first(assignment: Assignment) -> bool:
    r"""Whether it gives a value to one element of a family, `v_0 \gets \tau`."""
    positions = assignment.positions
    is_one = bool(positions) and all(isinstance(position, Poly) and position.constant is not None for position in positions)
    return is_one and not isinstance(assignment.value, NumberTerm)


def _is_scalar(inference: Inference, value: Term) -> bool:
    """Whether a value is computed from scalars, itself or as the name of one that is."""
    match value:
        case Ref(symbol=symbol, positions=()) if symbol.role is Role.VALUE:
            own = [a for a in inference.types.terms.assignments if a.symbol is symbol]
            is_other = any(a.positions or isinstance(a.value, (NumberTerm, Build)) for a in own)
            return bool(own) and not is_other and all(is_number(inference, a.value) for a in own)
        case _:
            return not isinstance(value, Build) and is_number(inference, value)


def real_for_integer(inference: Inference, join: JoinElements) -> MathdslError | None:
    """The definition, of a name that holds integers, whose value turned out to be real; None where it is no definition that wants one."""
    found = [a for a, element in inference.values if element is not join.result and is_one_element(element, join.result)]
    wanting = next(
        (a for a in found if a.symbol.source is Source.DECLARATION or _first_of_kind(inference, a, Element.INTEGER) is not None), None
    )
    return None if wanting is None else _another_kind(inference, wanting, Element.INTEGER, Element.REAL)


def _another_kind(
    inference: Inference, assignment: Assignment, wanted: ElementUnknown | Element, given: ElementUnknown | Element
) -> MathdslError:
    symbol = assignment.symbol
    is_declared = symbol.source is Source.DECLARATION
    first = None if is_declared else _first_of_kind(inference, assignment, wanted)
    places = (Label(symbol.span, "declared here"),) if is_declared else ()
    return refuse(
        "E0406",
        f"`{symbol.latex}` holds {_plural(wanted)}, and this value is {_singular(given)}",
        assignment.value.span,
        labels=places if first is None else (Label(first.value.span, f"here it is {_singular(wanted)}"),),
        help="give one of the two values a name of its own"
        if first is not None
        else r"round it with `\lfloor … \rfloor`, or give the value a name of its own",
    )


def _first_of_kind(inference: Inference, assignment: Assignment, kind: ElementUnknown | Element) -> Assignment | None:
    """The first other definition of a name whose value is of that kind by itself."""
    return next((a for a, element in inference.values if a.symbol is assignment.symbol and a is not assignment and element is kind), None)


def infer_adopted(inference: Inference, adopted: Adopted) -> None:
    """A header symbol that is an element of a family has the shape and kind of one."""
    family, symbol, at = adopted.family, adopted.symbol, adopted.at
    rows: tuple[Position, ...] = (Whole(),) * (family.subscripts - 1)
    if family.has_superscript:
        own = inference.types.shapes.split(symbol.shape, 1).prefix[0]
        lower = inference.types.lower(symbol, 0)
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
