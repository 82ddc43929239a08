"""Initialisers of parameters and buffers as the IR has them."""

from __future__ import annotations

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.defaults import initialiser_terms
from mathdsl.elaborate.inference import Inference, infer_term, solve_constraints
from mathdsl.elaborate.lowering import Lowering, coerce, lower_term
from mathdsl.elaborate.names import is_capital
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.unit import Unit
from mathdsl.ir import nodes as ir


def initialiser_of(unit: Unit, lowering: Lowering, symbol: Symbol) -> ir.Initialiser:
    """What is written, or the default: as torch.nn.Linear for a matrix, zeros for a vector."""
    rank = len(unit.shapes.known(symbol.shape) or ())
    family = len(symbol.family_ranges or ())
    element_axes = rank - family if family else None
    if symbol.initialiser is not None:
        terms = initialiser_terms(unit, symbol.initialiser)
        if unit.problems:
            raise MathdslError(*unit.problems)
        inference = Inference(unit, infer_term)
        for term in terms:
            inference.of(term)
        solve_constraints(inference)
        scalars = Lowering(unit, inference, lower_term)
        values = tuple(coerce(scalars.at(term, ()), ir.Element.REAL) for term in terms)
        return ir.Initialiser(symbol.initialiser.kind, values, element_axes)
    if symbol.default is not None or symbol.role is Role.BUFFER:
        value = symbol.default.value if symbol.default is not None else 0.0
        return ir.Initialiser("constant", (ir.Literal(value),), element_axes)
    is_matrix = rank - family >= 2 or rank - family == 0 and is_capital(symbol.spelling)
    return ir.Initialiser("linear" if is_matrix else "zeros", (), element_axes)
