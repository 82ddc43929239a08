"""The types of elementwise operations, products, transposes and powers."""

from __future__ import annotations

from functools import partial

from mathdsl.elaborate.names.names import is_capital
from mathdsl.elaborate.terms.guards import facts_of
from mathdsl.elaborate.terms.terms import (
    Constant,
    Elementwise,
    NumberTerm,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    SizeTerm,
    Term,
    Transpose,
    walk,
)
from mathdsl.elaborate.types.constraints.base import vector
from mathdsl.elaborate.types.constraints.letters import Name
from mathdsl.elaborate.types.constraints.matrices import (
    ExponentConstraint,
    NumberConstraint,
    RowOfNumbersConstraint,
    SquareConstraint,
    TransposeConstraint,
)
from mathdsl.elaborate.types.constraints.products import ProductConstraint
from mathdsl.elaborate.types.constraints.sums import BareProductConstraint, OuterProductConstraint, SumConstraint
from mathdsl.elaborate.types.constraints.undecided import decide
from mathdsl.elaborate.types.inference.state import Inference, Type, element_of
from mathdsl.elaborate.types.shapes import SCALAR, Shape, rank_of, unknown_shape
from mathdsl.ir.nodes import Element
from mathdsl.ops import ELEMENTWISE
from mathdsl.ops.model import NUMBERS


def infer_elementwise(inference: Inference, term: Elementwise) -> Type:
    """The shape of a sum, the element type of the operation's row."""
    types, outside = list[Type](), inference.facts
    for argument in term.arguments:
        types.append(inference.of(argument))
        if term.op in ("and", "or"):
            inference.facts += facts_of(argument, inference.types.solver.value, term.op == "and")
    inference.facts = outside
    row = ELEMENTWISE[term.op]
    if term.written == "|":
        inference.pending.append(NumberConstraint(term.span, types[0].shape))
    if term.written == "e":
        inference.pending.append(ExponentConstraint(term.span, types[0].shape))
    if row.random:  # a probability is one number
        inference.equate(types[1].shape, SCALAR, term.arguments[1].span, "the probability")
    result = unknown_shape()
    letters = tuple(_letter(a) for a in term.arguments)
    spans = tuple(a.span for a in term.arguments)
    shapes = tuple(t.shape for t in types)
    literals = tuple(isinstance(a, (NumberTerm, SizeTerm, Constant)) for a in term.arguments)
    scales = term.op == "div" and _is_undeclared(term.arguments[1])
    is_sum = term.op in ("add", "sub")
    inference.pending.append(SumConstraint(term.span, shapes, result, letters, is_sum, term.op, spans, literals, scales=scales))
    if is_sum:
        pend_bare_products(inference, term, result)
        for part, beside in (term.arguments, term.arguments[::-1]):
            if isinstance(part, Product) and isinstance(part.right, Transpose) and not isinstance(beside, (NumberTerm, Constant)):
                shapes = (inference.shape(part.left), inference.shape(part.right), inference.shape(beside))
                names = (_letter(part.left), _letter(part.right.body))
                inference.pending.append(OuterProductConstraint(part.span, *shapes, names))
    element = element_of(inference, term, [t.element for t in types], row.signature.operands, row.signature.result)
    return Type(result, element)


def pend_bare_products(inference: Inference, term: Term, beside: Shape) -> None:
    r"""Look at each `a \cdot b` of a sum or of rows: beside a vector it is asked about."""
    bare = inference.types.terms.bare_products
    for part in walk(term) if bare else ():
        if (
            isinstance(part, Product)
            and (term.span, part.span) in bare
            and not any(isinstance(side, Transpose) for side in (part.left, part.right))
        ):
            sides = (inference.shape(part.left), inference.shape(part.right))
            inference.pending.append(BareProductConstraint(part.span, *sides, beside))


def _is_undeclared(term: Term) -> bool:
    """Whether a term is made of lower-case names that nothing declares, and of at least one."""
    names = [t.symbol for t in walk(term) if isinstance(t, Ref)]
    return bool(names) and all(s.is_undeclared and not s.subscripts and not is_capital(s.spelling) for s in names)


def _base(term: Term) -> Term:
    """The base of a power: it is a matrix or a vector where its power is one."""
    return term.base if isinstance(term, PowerTerm) else term


def _letter(term: Term) -> Ref | None:
    """The name that a term is, for what its letter tells."""
    return term if isinstance(term, Ref) else None


def _names(inference: Inference, term: Term) -> tuple[Name, ...]:
    """The names in a sum, a multiple or what else works elementwise and keeps a shape; none where anything else takes part."""
    found: list[Name] = []
    waiting = [term]
    while waiting:
        match waiting.pop():
            case Ref() as name:
                found.append((name, inference.shape(name)))
            case Elementwise(op="div", arguments=(numerator, _)):
                waiting.append(numerator)
            case Elementwise(arguments=(argument,), written="" | "e"):
                waiting.append(argument)
            case Elementwise(op="add" | "sub" | "mul", arguments=arguments):
                waiting.extend(reversed(arguments))
            case Product(sign="" | r"\cdot", left=left, right=right):
                waiting.extend((right, left))
            case PowerTerm(base=base):
                waiting.append(base)
            case NumberTerm() | SizeTerm() | Constant():
                pass
            case _:
                return ()
    return tuple(found)


def infer_product(inference: Inference, term: Product) -> Type:
    """Which product it is, the shapes tell."""
    left, right = term.left, term.right
    a, b = inference.of(left), inference.of(right)
    result = unknown_shape()
    letters = (_letter(_base(left)), _letter(_base(right)))
    covectors = (partial(_is_row, inference, left), partial(_is_covector, inference, right))
    names = (_names(inference, left), _names(inference, right))
    spans = (left.span, right.span)
    inference.pending.append(
        ProductConstraint(term.span, a.shape, b.shape, result, term.sign, letters, covectors, spans, names, term.factors)
    )
    read = left.right if isinstance(left, Product) else left
    if term.application is not None and isinstance(read, Ref):
        inference.pending.extend(decide(term.application, read, inference.shape(read), term.span, arguments=names[1]))
    return Type(result, element_of(inference, term, [a.element, b.element], NUMBERS, None))


def infer_transpose(inference: Inference, term: Transpose) -> Type:
    """A matrix with its axes exchanged, or a covector."""
    inner, result = inference.of(term.body), unknown_shape()
    if isinstance(term.body, Constant):  # `\mathbf{1}^\top` is a row
        row = vector(inference.types)
        inference.types.shapes.unify(inner.shape, row)
        inference.pending.append(RowOfNumbersConstraint(term.span, row))
    inference.pending.append(TransposeConstraint(term.span, inner.shape, result, _letter(term.body)))
    if isinstance(term.body, Ref):
        inference.pending.extend(decide(term.superscript, term.body, inner.shape, term.span))
    return Type(result, inner.element)


def infer_power(inference: Inference, term: PowerTerm) -> Type:
    """The shape of the base: elementwise, or a power of a square matrix."""
    base, exponent = term.base, term.exponent
    a, b = inference.of(base), inference.of(exponent)
    result = unknown_shape()
    if term.integer is not None:
        inference.pending.append(SquareConstraint(term.span, a.shape))
    if isinstance(base, Ref):
        inference.pending.extend(decide(term.superscript, base, a.shape, term.span, is_inverse=term.integer == -1))
    elements = [a.element, b.element, *((Element.REAL,) if term.is_negative else ())]
    spans = (base.span, exponent.span)
    inference.pending.append(SumConstraint(term.span, (a.shape, b.shape), result, (None, None), False, "pow", spans))
    return Type(result, element_of(inference, term, elements, NUMBERS, None))


def _is_row(inference: Inference, term: Term) -> bool:
    """Whether a vector on the left is a row: `x W` before `y`, too."""
    match term:
        case Product(left=left, right=right) if rank_of(inference.shape(left)) == 1 and rank_of(inference.shape(right)) == 2:
            return True
        case _:
            return _is_covector(inference, term)


def _is_covector(inference: Inference, term: Term) -> bool:
    r"""Whether a vector is a row: transposed, with factors that are numbers (`\frac{1}{2} x^\top`), and a row times a matrix."""
    match term:
        case Transpose():
            return True
        case Product(left=left, right=right):
            rank = rank_of(inference.shape(left))
            return _is_covector(inference, right) if rank == 0 else rank == 1 and _is_covector(inference, left)
        case Elementwise(arguments=arguments):
            parts = [part for part in arguments if rank_of(inference.shape(part)) != 0]
            return bool(parts) and all(_is_covector(inference, part) for part in parts)
        case Reduction(body=body):
            return _is_covector(inference, body)
        case _:
            return False
