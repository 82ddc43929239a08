"""Which rule infers the type of which term."""

from __future__ import annotations

from typing import assert_never

from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Build,
    CallResult,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Faulty,
    Flattened,
    Fold,
    NumberTerm,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    Repeated,
    SizeTerm,
    Stacked,
    Term,
    Transpose,
    TupleTerm,
    Undefined,
    Updated,
)
from mathdsl.elaborate.types.inference.arithmetic import infer_elementwise, infer_power, infer_product, infer_transpose
from mathdsl.elaborate.types.inference.calls import infer_call
from mathdsl.elaborate.types.inference.cases import infer_cases, infer_updated
from mathdsl.elaborate.types.inference.reductions import infer_along, infer_cross_entropy, infer_fold, infer_reduction
from mathdsl.elaborate.types.inference.references import infer_reference
from mathdsl.elaborate.types.inference.sequences import infer_build, infer_concatenation, infer_flattened, infer_repeated, infer_stacked
from mathdsl.elaborate.types.inference.state import Inference, Type, unknown_type
from mathdsl.elaborate.types.shapes import SCALAR, ElementUnknown, unknown_shape
from mathdsl.ir.nodes import Element


def infer_term(inference: Inference, term: Term) -> Type:
    """The type of a term, by the types of its parts."""
    match term:
        case NumberTerm() | SizeTerm() | Constant():
            return _literal(term)
        case Ref():
            return infer_reference(inference, term)
        case Elementwise():
            return infer_elementwise(inference, term)
        case Product():
            return infer_product(inference, term)
        case Transpose():
            return infer_transpose(inference, term)
        case PowerTerm():
            return infer_power(inference, term)
        case Reduction():
            return infer_reduction(inference, term)
        case Fold():
            return infer_fold(inference, term)
        case AlongTerm():
            return infer_along(inference, term)
        case CrossEntropyTerm():
            return infer_cross_entropy(inference, term)
        case Build():
            return infer_build(inference, term)
        case Stacked():
            return infer_stacked(inference, term)
        case Concatenation():
            return infer_concatenation(inference, term)
        case Flattened():
            return infer_flattened(inference, term)
        case Repeated():
            return infer_repeated(inference, term)
        case CaseTerm():
            return infer_cases(inference, term)
        case Updated():
            return infer_updated(inference, term)
        case CallResult(call=call, position=position):
            return infer_call(inference, call)[position]
        case Faulty() | Undefined():
            return unknown_type()
        case TupleTerm(items=items) if any(isinstance(item, Faulty) for item in items):
            return unknown_type()
        case TupleTerm():
            raise refuse("E0409", "a tuple stands where one value is wanted", term.span, help="unpack it first, as in `(a, b) \\gets …`")
        case _:
            assert_never(term)


def _literal(term: NumberTerm | SizeTerm | Constant) -> Type:
    match term:
        case NumberTerm(value=bool()):
            return Type(SCALAR, Element.BOOLEAN)
        case NumberTerm(value=int()):
            return Type(SCALAR, ElementUnknown(leaning=Element.INTEGER))
        case NumberTerm():
            return Type(SCALAR, Element.REAL)
        case SizeTerm():
            return Type(SCALAR, Element.INTEGER)
        case Constant():
            return Type(unknown_shape(), ElementUnknown(leaning=Element.INTEGER))
