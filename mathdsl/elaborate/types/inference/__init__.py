"""The types of terms: a shape and an element type for each, by constraints that are solved in any order."""

from mathdsl.elaborate.types.inference.rules import infer_term
from mathdsl.elaborate.types.inference.solve import solve_constraints, solve_what_is_known
from mathdsl.elaborate.types.inference.state import Inference
from mathdsl.elaborate.types.inference.statements import infer_adopted, infer_assignment, infer_result

__all__ = ["Inference", "infer_adopted", "infer_assignment", "infer_result", "infer_term", "solve_constraints", "solve_what_is_known"]
