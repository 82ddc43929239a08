"""One procedure or function, from its AST to an IR module: the stages of elaboration in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.diagnostics.model import Diagnostic, MathdslError
from mathdsl.diagnostics.readings.names import PRODUCT_OF_LETTERS
from mathdsl.elaborate.control.bounded_loops import with_bounded_loops
from mathdsl.elaborate.control.computed_ranges import with_fixed_ranges
from mathdsl.elaborate.control.counting_loops import with_counted_turns
from mathdsl.elaborate.control.desugar import SingleAssignment, in_order
from mathdsl.elaborate.control.directions import with_directions
from mathdsl.elaborate.control.families_in_turn import with_loops_for_families
from mathdsl.elaborate.control.iterates import with_iterates
from mathdsl.elaborate.control.left_loops import with_left_loops
from mathdsl.elaborate.control.listed_loops import with_listed_loops
from mathdsl.elaborate.control.loops import with_plain_domains
from mathdsl.elaborate.control.loops_over_elements import with_loops_over_indices
from mathdsl.elaborate.control.named_indices import with_named_indices
from mathdsl.elaborate.control.parted_loops import with_parted_loops
from mathdsl.elaborate.control.plain_targets import with_plain_targets
from mathdsl.elaborate.control.stepped_loops import with_unit_steps
from mathdsl.elaborate.control.unpacked_calls import with_unpacked_calls
from mathdsl.elaborate.core.executed import in_single_assignment
from mathdsl.elaborate.declare.argument_rows import split_rows
from mathdsl.elaborate.declare.declare import declare, declare_function
from mathdsl.elaborate.declare.declared_domains import complete_domains
from mathdsl.elaborate.declare.shadowing import visible_tables
from mathdsl.elaborate.declare.stated import NOTHING_STATED, Statement, apply_stated, warn_of_stated
from mathdsl.elaborate.declare.written import Surroundings, Written
from mathdsl.elaborate.lower.assemble import Assembly
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.families_apart import check_no_element_is_a_name, check_told_apart, tell_families_apart
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.reserved import LETTERS, own_letters
from mathdsl.elaborate.names.usage import measured_names
from mathdsl.elaborate.names.words_in_ranges import with_products_in_ranges
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.argument_axes import check_argument_axes
from mathdsl.elaborate.terms.functions import with_numbers
from mathdsl.elaborate.terms.matrix_constants import check_constants
from mathdsl.elaborate.terms.statements import read_terms, read_value
from mathdsl.elaborate.types.checks import check_defined, check_groups, check_live
from mathdsl.elaborate.types.infer import Reading, infer_types
from mathdsl.elaborate.types.undeclared import owned_rows
from mathdsl.ir import nodes as ir
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import one_line, render_statement, render_statements


def elaborate_procedure(source: ast.Procedure, around: Surroundings) -> tuple[ir.Module, Reading]:
    """A module, and how it was read; raises a `MathdslError` with all its mistakes."""
    reading = _read_procedure(source, around)
    try:
        module = _lower(reading)
        warn_of_stated(reading.declared.reader, reading.declared.stated)
        return module, reading
    except MathdslError:
        _check_stated(source, around, reading)
        raise
    finally:
        _tell(reading, around)


def elaborate_function(node: ast.Definition, own: Sequence[ast.Where], around: Surroundings) -> tuple[ir.Module, Reading]:
    r"""A top-level function, `loss(\hat{y}, y) \gets …`."""
    reading = _read_function(node, replace(around, wheres=tuple(own)))
    try:
        return _lower(reading), reading
    finally:
        _tell(reading, around)


def _read_procedure(source: ast.Procedure, around: Surroundings, *, states: bool = True) -> Reading:
    """A procedure, read and typed, by what prose states of its shapes or without that."""
    of_functions = (name for function in around.functions.values() for one in function.parameters if (name := spelling_of(one)))
    source, shared, argument_rows = split_rows(source, visible_tables(source, around.wheres), of_functions)
    spelled = with_products_in_ranges(source, shared)
    source = with_directions(with_unit_steps(spelled.procedure, shared), shared)
    if source.notation == "module":
        plain = with_named_indices(source, shared)
    else:
        counted = with_counted_turns(with_iterates(source, shared), shared)
        by_indices = with_loops_over_indices(with_bounded_loops(with_left_loops(with_unpacked_calls(counted))), shared)
        plain = with_fixed_ranges(with_named_indices(with_listed_loops(by_indices), shared), shared)
    complete = complete_domains(with_plain_domains(plain), shared)
    if source.notation != "module":
        complete = with_loops_for_families(complete)
    named = tell_families_apart(with_plain_targets(complete), shared)
    parted = tell_families_apart(with_plain_targets(with_parted_loops(complete, shared)), shared)
    around, letters = replace(around, wheres=named.wheres), own_letters(source, shared)
    text, statements = render_statements(source.shown or source.body)

    if source.notation == "module":
        single = SingleAssignment(parted.procedure, parted.families)
    else:
        single = in_single_assignment(in_order(parted), in_order(named), source.span in around.executed)
    own = letters | single.letters  # which stand there without an index
    written = Written.of(single.procedure, single.families, source, around, own, text, statements)
    declared = declare(written, single.procedure, source, argument_rows)
    for word in spelled.words:
        declared.reader.findings.note(PRODUCT_OF_LETTERS, Name(word.text), word.span)
    body = read_terms(declared.reader, single.procedure, declared.stated if states else NOTHING_STATED)
    reading = replace(infer_types(declared, source, body), apart=named.arrays, disorder=single.disorder)
    if single.disorder is not None and reading.types.findings.is_faulty:
        raise single.disorder
    return reading


def _read_function(node: ast.Definition, around: Surroundings) -> Reading:
    """A top-level function, read and typed."""
    if node.function is None:
        raise refuse("E0302", "this is no function", node.span)
    name, parameters = node.function
    spelling, families = spelling_of(name) or Name("f"), Families.of(node, *around.wheres)
    wanted = {s for p in parameters if (s := spelling_of(p)) is not None}
    letters, ranged, own = frozenset(wanted & LETTERS.keys()), measured_names((node,)) - wanted, frozenset((spelling,))
    latex = render_statement(node)
    written = Written(spelling, name.span, 0, latex, around, families, is_function=True, own_letters=letters, ranged=ranged, own=own)
    declared = declare_function(written, parameters, wanted)
    reader = with_numbers(declared.reader, around.functions[spelling])
    body = read_value(reader, node.value, ir.Origin(one_line(node), node.span, node.comment, node.tag or node.label))
    return infer_types(declared, node, body)


def _lower(reading: Reading) -> ir.Module:
    """The module; all mistakes are raised together."""
    types, body, findings = reading.types, reading.body, reading.types.findings
    if not findings.is_faulty and body.result is not None:
        values = [assignment.value for assignment in types.terms.assignments]
        check_defined(types, [*values, *body.terms], [entry.family for entry in reading.firsts.adopted])
        check_constants(types)
        check_argument_axes(reading.inference)
        check_groups(types, body)
        check_live(types, body)
        check_told_apart(types, reading.apart)
        check_no_element_is_a_name(types)
    findings.problems.sort(key=lambda d: (d.span.file, d.span.start))
    if findings.is_faulty or body.result is None:
        raise MathdslError(*findings.problems)
    return Assembly(reading, body.result).module()


def _check_stated(source: ast.Procedure, around: Surroundings, reading: Reading) -> None:
    """Where a program is right but for what prose states of its shapes, refuse the rows that contradict it: one, if that is all."""
    stated = reading.declared.stated
    shapes = [statement.row.span for statement in stated.statements if statement.row.type is not None]
    if not shapes or any(problem.span in shapes for problem in reading.types.findings.problems):
        return

    def contradictions(order: Sequence[Statement]) -> Sequence[Diagnostic]:
        """The mistakes of the rows, read in this order after all else; none where the program itself is wrong."""
        unstated = _read_procedure(source, around, states=False)
        if unstated.types.findings.is_faulty:
            return ()
        apply_stated(unstated.declared.reader, replace(stated, statements=order))
        return unstated.types.findings.problems

    found = contradictions(stated.statements)
    orders = ([*(other for other in stated.statements if other is not one), one] for one in stated.statements if len(found) > 1)
    if alone := next((fewer for order in orders if len(fewer := contradictions(order)) == 1), found):
        raise MathdslError(*alone)


def _tell(reading: Reading, around: Surroundings) -> None:
    """Hand the findings of a program on, and what rules decided in it."""
    for diagnostic in reading.types.findings.told(reading.types.written.name, owned_rows(reading.declared)):
        around.diagnostics.add(diagnostic)
