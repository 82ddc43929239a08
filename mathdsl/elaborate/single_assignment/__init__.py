"""Control flow to equations: branches become `cases`, reassignments and element updates become versions."""

from mathdsl.elaborate.single_assignment.desugar import SingleAssignment, to_single_assignment

__all__ = ["SingleAssignment", "to_single_assignment"]
