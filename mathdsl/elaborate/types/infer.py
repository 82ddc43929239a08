"""The stage of types: shapes, sizes, element types and first indices of all terms; mistakes are collected."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.declare import Declared
from mathdsl.elaborate.names.families_apart import Apart
from mathdsl.elaborate.terms.collected import Body
from mathdsl.elaborate.types.checks import check_common_ranges
from mathdsl.elaborate.types.domains import Adopted, adopt_elements
from mathdsl.elaborate.types.first_indices import FirstIndices, settle_first_indices
from mathdsl.elaborate.types.inference import (
    Inference,
    infer_adopted,
    infer_assignment,
    infer_result,
    infer_term,
    solve_constraints,
)
from mathdsl.elaborate.types.inference.calls import check_tokens
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.undeclared import undeclared_names
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Reading:
    """A program whose statements are read and typed, and what is wrong with it: what is written out, read back in words, and listed."""

    declared: Declared
    body: Body
    inference: Inference
    firsts: FirstIndices
    apart: tuple[Apart, ...] = ()  # arrays of one letter
    disorder: MathdslError | None = None  # why its statements cannot be executed in their order

    @property
    def types(self) -> Types:
        """What the solvers found."""
        return self.inference.types


def infer_types(declared: Declared, source: ast.Procedure | ast.Definition, body: Body) -> Reading:
    """The types of all terms, and where axes begin; beside undeclared names, what types contradict is a consequence."""
    types = declared.reader.types
    before = len(types.findings.problems)
    inference = Inference(types, infer_term)
    adopted = _constrain(inference, body)
    solve_constraints(inference)
    firsts = settle_first_indices(inference, body.terms, adopted)
    if not types.findings.is_faulty:
        for site in inference.sites:
            check_tokens(types, site)
        check_common_ranges(types)
    undeclared = undeclared_names(declared, source, body, firsts)
    if undeclared is not None:
        types.findings.problems[before:] = [undeclared]
    return Reading(declared, body, inference, firsts)


def _constrain(inference: Inference, body: Body) -> list[Adopted]:
    """Type all statements; returns the header symbols that are elements of families."""
    types, findings = inference.types, inference.types.findings
    adopted: list[Adopted] = []
    try:
        adopted = adopt_elements(types, body.drafts)
    except MathdslError as error:
        findings.report(error)
    for assignment in types.terms.assignments:
        try:
            infer_assignment(inference, assignment)
        except MathdslError as error:
            findings.report(error)
            findings.faulty_names.add(assignment.symbol.spelling)
    for entry in adopted:
        try:
            infer_adopted(inference, entry)
        except MathdslError as error:
            findings.report(error)
    if body.result is not None:
        infer_result(inference, body.result)
    for check, _ in body.checks:
        inference.of(check)
    return adopted
