"""The types of reads: an array without the axes that are indexed, and the axes of indices that are arrays."""

from __future__ import annotations

from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.terms import Ref, SliceIndex, Term, Whole
from mathdsl.elaborate.types.constraints.axes import GatherConstraint
from mathdsl.elaborate.types.inference.state import Inference, Type, unknown_type
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, unify_elements, unknown_shape
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly


def infer_reference(inference: Inference, term: Ref) -> Type:
    """An array without the axes that are indexed."""
    symbol = term.symbol
    if symbol.spelling in inference.types.findings.faulty_names:
        return unknown_type()
    symbol.shape = inference.types.shapes.split(symbol.shape, len(term.positions))
    shape = expand(symbol.shape)
    if len(shape.prefix) < len(term.positions):
        count = len(shape.prefix)
        have = f"has {count} {'axis' if count == 1 else 'axes'}" if count else "is a scalar"
        raise refuse(
            "E0402",
            f"`{symbol.latex}` {have}, and {len(term.positions)} are indexed",
            term.span,
            help="index fewer axes, or declare its shape",
        )
    kept: list[Poly] = []
    gathers: list[Term] = []
    for axis, position in enumerate(term.positions):
        match position:
            case Poly():
                continue
            case Whole():
                kept.append(_whole_size(term, axis, shape))
            case SliceIndex(range=bounds):
                kept.append(bounds.extent)
            case _:
                gathers.append(position)
                _check_index(inference, position, symbol.latex)
                _take_base(inference, term, axis, position)
    first = len(term.positions)
    rest = Shape((*kept, *(_whole_size(term, axis, shape) for axis in range(first, len(shape.prefix)))), shape.rest)
    if not gathers:
        return Type(rest, symbol.element)
    return Type(_gather(inference, term, gathers, rest), symbol.element)


def _whole_size(term: Ref, axis: int, shape: Shape) -> Poly:
    """The size of an axis that is read whole: without the elements that a header gives."""
    whole = term.symbol.whole
    return whole.extent if whole is not None and axis == 0 else shape.prefix[axis]


def _check_index(inference: Inference, position: Term, latex: str) -> None:
    if not unify_elements(inference.of(position).element, Element.INTEGER):
        raise refuse(
            "E0406",
            f"an index of `{latex}` must be an integer",
            position.span,
            help=r"round it with `\lfloor … \rfloor`, or declare an index type",
        )


def _take_base(inference: Inference, term: Ref, axis: int, position: Term) -> None:
    """An axis that is indexed by an index type takes that type's base."""
    if not isinstance(position, Ref) or position.symbol.value_range is None:
        return
    lower, symbol = position.symbol.value_range.lower, term.symbol
    known = inference.types.lower(symbol, axis)
    if not inference.types.solver.unify(known, lower):
        raise refuse(
            "E0504",
            f"`{symbol.latex}` is indexed from {known} and from {lower}",
            term.span,
            help="give both index types the same first value",
        )


def _gather(inference: Inference, term: Ref, gathers: list[Term], rest: Shape) -> Shape:
    """The axes of an index that is an array, then those of what it picks."""
    shapes = [inference.shape(g) for g in gathers]
    if all(expand(s).rest is None and not expand(s).prefix for s in shapes):
        return rest
    if len(gathers) > 1 or len(term.positions) > 1:
        if any(expand(s).prefix for s in shapes):
            raise unsupported("an index that is itself an array, beside another index", term.span)
        for position, shape in zip(gathers, shapes, strict=True):  # still open, as in `q_t \gets \psi_{t+1,q_{t+1}}`
            inference.equate(shape, SCALAR, position.span, "an index beside another one")
        return rest
    result = unknown_shape()
    inference.pending.append(GatherConstraint(term.span, shapes[0], rest, result))
    return result
