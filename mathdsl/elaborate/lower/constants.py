"""Initialisers of parameters and buffers as the IR has them."""

from __future__ import annotations

from collections.abc import Set

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.defaults import initialiser_terms
from mathdsl.elaborate.lower.rules import lower_term
from mathdsl.elaborate.lower.state import Lowering
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.names.names import is_capital
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Faulty, Term, walk
from mathdsl.elaborate.types.inference import Inference, infer_term, solve_constraints
from mathdsl.ir import nodes as ir
from mathdsl.ir.traversal import element_of
from mathdsl.ops import ELEMENTWISE
from mathdsl.spans import Span


def initialiser_of(reader: Reader, lowering: Lowering, symbol: Symbol) -> ir.Initialiser:
    """What is written, or the default: as torch.nn.Linear for a matrix, zeros for a vector."""
    rank = len(lowering.types.shapes.known(symbol.shape) or ())
    family = len(symbol.family_ranges or ())
    element_axes = rank - family if family else None
    if symbol.initialiser is not None:
        problems = lowering.types.findings.problems
        before = len(problems)
        terms = initialiser_terms(reader, symbol.initialiser)
        inference = Inference(lowering.types, infer_term)
        for term in terms:
            inference.of(term)
        solve_constraints(inference)
        if problems[before:] or any(isinstance(part, Faulty) for term in terms for part in walk(term)):
            raise MathdslError(*problems[before:])
        scalars = Lowering(inference, lowering.firsts, lower_term, lowering.runtime_names)
        places = (node.span for node in symbol.initialiser.arguments)
        values = tuple(_number(scalars, term, span) for term, span in zip(terms, places, strict=True))
        return ir.Initialiser(symbol.initialiser.kind, values, element_axes)
    if symbol.default is not None or symbol.role is Role.BUFFER:
        value = symbol.default.value if symbol.default is not None else 0.0
        return ir.Initialiser("constant", (ir.Literal(value),), element_axes)
    is_matrix = rank - family >= 2 or rank - family == 0 and is_capital(symbol.spelling)
    return ir.Initialiser("linear" if is_matrix else "zeros", (), element_axes)


def _number(scalars: Lowering, term: Term, span: Span) -> ir.Expr:
    """An argument of a distribution: a number that the constructor can reckon from its own arguments."""
    value = None if scalars.inference.axes(term) else scalars.at(term, ())
    if value is None or element_of(value) is ir.Element.BOOLEAN or not _is_constant(value, scalars.runtime_names):
        raise refuse(
            "E0407",
            "this is no number that the constructor knows",
            span,
            help="write a formula of numbers, settings, and sizes that do not differ between calls",
        )
    return coerce(value, ir.Element.REAL)


def _is_constant(value: ir.Expr, runtime: Set[str]) -> bool:
    match value:
        case ir.Literal() | ir.Setting():
            return True
        case ir.IndexValue(value=poly):
            return not poly.names & runtime
        case ir.Apply(op=op, arguments=arguments):
            return bool(ELEMENTWISE[op].scalar) and all(_is_constant(argument, runtime) for argument in arguments)
        case _:
            return False
