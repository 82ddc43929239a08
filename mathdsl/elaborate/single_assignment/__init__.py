"""Control flow to equations: branches become `cases`, reassignments and element updates become versions."""

from mathdsl.elaborate.single_assignment.covers import Cover, check_cover
from mathdsl.elaborate.single_assignment.desugar import SingleAssignment, one_line, to_single_assignment, written_statements
from mathdsl.elaborate.single_assignment.versions import without_versions

__all__ = ["Cover", "SingleAssignment", "check_cover", "one_line", "to_single_assignment", "without_versions", "written_statements"]
