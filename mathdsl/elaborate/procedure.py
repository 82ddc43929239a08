"""One procedure or function, from its AST to an IR module: the stages of elaboration in order."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from mathdsl.diagnostics.model import Diagnostic, Label, MathdslError
from mathdsl.elaborate.control.covers import Cover, check_cover, check_covered
from mathdsl.elaborate.control.desugar import one_line, to_single_assignment, written_statements
from mathdsl.elaborate.control.sizes_kept import assigned_whole, check_sizes_kept
from mathdsl.elaborate.control.standing import integer_names
from mathdsl.elaborate.control.updates import Carried, carrying_what_is_unproved
from mathdsl.elaborate.control.versions import without_versions
from mathdsl.elaborate.declare.argument_rows import split_rows
from mathdsl.elaborate.declare.declared_domains import complete_domains
from mathdsl.elaborate.declare.inputs import declare_inputs
from mathdsl.elaborate.declare.owned import declare_owned, declare_settings
from mathdsl.elaborate.declare.rows import declare_rest
from mathdsl.elaborate.declare.shadowing import visible_tables
from mathdsl.elaborate.declare.stated import NOTHING_STATED, Stated, apply_stated, read_stated, warn_of_stated
from mathdsl.elaborate.declare.tables import Table, read_table
from mathdsl.elaborate.declare.written import Surroundings, Written
from mathdsl.elaborate.findings import Findings
from mathdsl.elaborate.lower.assemble import Assembly
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.entries import Entries
from mathdsl.elaborate.names.families_apart import check_no_element_is_a_name, check_told_apart, tell_families_apart
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.python_names import PythonNames, plain_stems
from mathdsl.elaborate.names.reserved import LETTERS, own_letters
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.names.usage import (
    measured_names,
    names_below,
)
from mathdsl.elaborate.reading import Reading
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms import conditions
from mathdsl.elaborate.terms.argument_axes import check_argument_axes
from mathdsl.elaborate.terms.collected import Terms
from mathdsl.elaborate.terms.drafts import Body
from mathdsl.elaborate.terms.matrix_constants import check_constants
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.resolve import resolve_expression
from mathdsl.elaborate.terms.sequences import check_common_ranges
from mathdsl.elaborate.terms.statements import read_body, read_functions, read_values
from mathdsl.elaborate.terms.terms import Term
from mathdsl.elaborate.types.checks import check_defined, check_groups
from mathdsl.elaborate.types.domains import Adopted, adopt_elements, fix_domains
from mathdsl.elaborate.types.first_indices import settle_first_indices
from mathdsl.elaborate.types.inference import Inference, infer_adopted, infer_assignment, infer_result, infer_term, solve_constraints
from mathdsl.elaborate.types.inference.calls import check_tokens
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir import nodes as ir
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression, render_statement
from mathdsl.syntax.traversal import descendants


def elaborate_procedure(written: ast.Procedure, around: Surroundings) -> tuple[ir.Module, Reading]:
    """A module, and how it was read; raises a `MathdslError` with all its mistakes."""
    reading = _read_procedure(written, around)
    try:
        module = _assemble(reading)
        warn_of_stated(reading.reader, reading.stated)
        return module, reading
    except MathdslError:
        _check_stated(written, around, reading)
        raise
    finally:
        _tell(reading.reader, around)


def _check_stated(written: ast.Procedure, around: Surroundings, reading: Reading) -> None:
    """Where a program is right but for what prose states of its shapes, refuse the rows that contradict it: one, if that is all."""
    count = len(reading.stated.statements)

    def contradictions(order: Sequence[int]) -> list[Diagnostic]:
        """What is wrong with the rows, read in this order after all else; nothing where the program itself is wrong."""
        unstated = _read_procedure(written, around, states=False)
        if unstated.reader.findings.is_faulty:
            return []
        apply_stated(unstated.reader, replace(unstated.stated, statements=[unstated.stated.statements[k] for k in order]))
        return unstated.reader.findings.problems

    shapes = [statement.row.span for statement in reading.stated.statements if statement.row.type is not None]
    if not shapes or any(problem.span in shapes for problem in reading.reader.findings.problems):
        return
    found = contradictions(range(count))
    orders = [[*range(last), *range(last + 1, count), last] for last in range(count)] if len(found) > 1 else []
    alone = next((fewer for order in orders if len(fewer := contradictions(order)) == 1), found)
    if alone:
        raise MathdslError(*alone)


def _tell(reader: Reader, around: Surroundings) -> None:
    """Hand the findings of a program on, and what rules decided in it."""
    for diagnostic in reader.findings.told(reader.written.name):
        around.diagnostics.add(diagnostic)


def _read_procedure(written: ast.Procedure, around: Surroundings, *, states: bool = True) -> Reading:
    """A procedure, read and typed, by what prose states of its shapes or without that."""
    return carrying_what_is_unproved(lambda carried: _read_carrying(written, around, carried, states), {})


def _read_carrying(written: ast.Procedure, around: Surroundings, carried: Carried, states: bool) -> Reading:
    """A procedure, read and typed, in which statements carry arrays whole."""
    written, shared, argument_rows = split_rows(written, visible_tables(written, around.wheres))
    apart = tell_families_apart(complete_domains(written, shared), shared)
    around = replace(around, wheres=apart.wheres)
    single = to_single_assignment(apart.procedure, apart.wheres, carried)
    procedure = single.procedure
    program = replace(
        Written.of(procedure, around),
        own_letters=own_letters(written, shared),
        assigned_whole=assigned_whole(written.body),
        statements=written_statements(written.body),
    )
    reader = _unit(program, program.own | {head for head, _ in program.defined})
    table, stated = _declare(reader, procedure)
    reader.entries.integers = _integers(reader, procedure, written, apart.wheres)
    read_functions(reader, procedure.body, argument_rows)
    declare_rest(reader, table)
    body = Body()
    declared = set(reader.entries.sizes)
    read_body(reader, procedure.body, body)
    check_sizes_kept(reader.types)
    if not body.results:
        reader.findings.report(_returns_nothing(procedure))
    result = body.results[0].value if body.results else None
    shown = "" if result is None else "\\Return " + render_expression(without_versions(result))
    returned = ir.Origin(shown, body.results[0].span) if body.results else ir.Origin("")
    latex = "\n".join(render_statement(s) for s in written.body)
    reading = _infer(reader, body, result, latex, returned, declared, single.covers, stated if states else NOTHING_STATED)
    return replace(reading, stated=stated, apart=apart.arrays)


def _unit(written: Written, named: Set[Name]) -> Reader:
    """The tables of a program, in which `named` have the Python names of their own letters."""
    functions = {name: function for name, function in written.around.functions.items() if name not in written.own}
    entries = Entries(PythonNames(plain=plain_stems(named)), written.size_inputs, functions, dict(written.around.aliases))
    findings, terms = Findings(), Terms()
    types = Types(written, entries, findings, terms)
    return Reader(written, entries, findings, terms, types, resolve_expression, written.families)


def _integers(reader: Reader, procedure: ast.Procedure, written: ast.Procedure, wheres: tuple[ast.Where, ...]) -> frozenset[Name]:
    """The names of integers that no statement moves: declared ones, and in module notation those whose every value is one."""
    declared = {s.spelling for s in reader.entries.symbols.values() if s.declared and s.element is ir.Element.INTEGER}
    targets = (node.target for node in descendants(written) if declared and isinstance(node, ast.Definition))
    fixed = declared.difference(*map(names_below, targets))
    if procedure.notation != "module":
        return frozenset(fixed)
    rows = (*(procedure.owned or ()), *(row for where in (*procedure.wheres, *wheres) for row in where.rows))
    return integer_names(procedure, rows)[1] | fixed


def _declare(reader: Reader, procedure: ast.Procedure) -> tuple[Table, Stated]:
    written = reader.written
    stated = read_stated(reader, procedure.wheres, written.around.wheres)
    table = read_table(reader, procedure.wheres, written.around.wheres, written.mentioned)
    declare_inputs(reader, procedure.inputs, table)
    declare_settings(reader, table)
    declare_owned(reader, procedure.owned or (), table)
    _check_order(reader)
    return table, stated


def _check_order(reader: Reader) -> None:
    """Optional inputs come last."""
    optional: Symbol | None = None
    for entry in reader.entries.inputs:
        for symbol in entry if isinstance(entry, tuple) else (entry,):
            if symbol.default is not None:
                optional = optional or symbol
            elif optional is not None:
                later = refuse(
                    "E0607",
                    f"`{symbol.latex}` has no default and stands after `{optional.latex}`, which has one",
                    symbol.span,
                    labels=(Label(optional.span, "this one may be left out"),),
                    help="put the optional inputs last",
                )
                reader.findings.report(later)
                return


def _returns_nothing(procedure: ast.Procedure) -> MathdslError:
    return refuse("E0606", f"`{procedure.name}` returns nothing", procedure.name_span or procedure.span, help="end it with `\\Return e`")


def elaborate_function(node: ast.Definition, own: Sequence[ast.Where], around: Surroundings) -> tuple[ir.Module, Reading]:
    r"""A top-level function, `loss(\hat{y}, y) \gets …`."""
    reading = _read_function(node, own, around)
    try:
        return _assemble(reading), reading
    finally:
        _tell(reading.reader, around)


def _read_function(node: ast.Definition, own: Sequence[ast.Where], around: Surroundings) -> Reading:
    """A top-level function, read and typed."""
    if node.function is None:
        raise refuse("E0302", "this is no function", node.span)
    name, parameters = node.function
    spelling = spelling_of(name) or Name("f")
    wheres = tuple(own)
    wanted = {s for p in parameters if (s := spelling_of(p)) is not None}
    written = Written(
        spelling,
        name.span,
        0,
        around,
        Families.of(node, *wheres),
        is_function=True,
        own_letters=frozenset(wanted & LETTERS.keys()),
        bounding=measured_names((node,)) - wanted,
        own=frozenset((spelling,)),
    )
    reader = _unit(written, wanted)
    table = read_table(reader, wheres, ())
    table.rows = {key: rows for key, rows in table.rows.items() if key[0] in wanted or key[0] in reader.entries.sizes}
    reader.entries.names.taken.add(spelling)
    returned = ir.Origin(one_line(node), node.span, node.comment, node.tag or node.label)
    declare_inputs(reader, [ast.Declaration((p,), span=p.span) for p in parameters], table)
    declare_rest(reader, table)
    return _infer(reader, Body(), node.value, render_statement(node), returned, set(reader.entries.sizes))


def _infer(
    reader: Reader,
    body: Body,
    result: ast.Expression | None,
    latex: str,
    returned: ir.Origin,
    declared: Set[Name],
    covers: tuple[Cover, ...] = (),
    stated: Stated = NOTHING_STATED,
) -> Reading:
    """From statements to terms with types; mistakes are collected, and types are checked beside names that are missing."""
    fix_domains(reader.types, body.drafts)
    read_values(reader, body.drafts)
    apply_stated(reader, stated)
    term, checks = _result_and_checks(reader, body, result, returned)
    reader.terms.bound_sizes = {
        entry.name for spelling, entry in reader.entries.sizes.items() if spelling not in declared and entry.value is None
    }
    inference = Inference(reader.types, infer_term)
    for cover in covers:
        check_cover(reader.types, cover)
    adopted = _constrain(inference, reader, body, term, [c for c, _ in checks])
    solve_constraints(inference)
    firsts = settle_first_indices(inference, [*(c for c, _ in checks), *(() if term is None else (term,))], adopted)
    if not reader.findings.is_faulty:
        for cover in covers:
            check_covered(reader.types, cover)
        for site in inference.sites:
            check_tokens(reader.types, site)
        check_common_ranges(reader)
    return Reading(reader, inference, firsts, body, term, checks, latex, returned)


def _assemble(reading: Reading) -> ir.Module:
    """The module; all mistakes are raised together."""
    reader, term, checks = reading.reader, reading.result, reading.checks
    if not reader.findings.is_faulty and term is not None:
        families = [entry.family for entry in reading.firsts.adopted]
        check_defined(reader.types, [*(a.value for a in reader.terms.assignments), term, *(c for c, _ in checks)], families)
        check_constants(reader)
        check_argument_axes(reader, reading.inference)
        check_groups(reader.types, reading.body)
        check_told_apart(reader, reading.apart)
        check_no_element_is_a_name(reader)
    reader.findings.problems.sort(key=lambda d: (d.span.file, d.span.start))
    if reader.findings.problems or reader.findings.calls_faulty or term is None:
        raise MathdslError(*reader.findings.problems)
    return Assembly(reading, term).module()


def _result_and_checks(
    reader: Reader, body: Body, result: ast.Expression | None, returned: ir.Origin
) -> tuple[Term | None, list[tuple[Term, ir.Origin]]]:
    checks: list[tuple[Term, ir.Origin]] = []
    term: Term | None = None
    if result is not None:
        term = reader.about(returned).resolve(result)
    for assertion, binders in body.assertions:
        words = assertion.words or render_expression(without_versions(assertion.condition))
        origin = ir.Origin(words, assertion.span)
        try:
            checks.append((conditions.resolve_condition(reader.about(origin).within(*binders), assertion.condition), origin))
        except MathdslError as error:
            reader.findings.report(error)
    return term, checks


def _constrain(inference: Inference, reader: Reader, body: Body, result: Term | None, checks: list[Term]) -> list[Adopted]:
    """Type all statements; returns the header symbols that are elements of families."""
    adopted: list[Adopted] = []
    try:
        adopted = adopt_elements(reader.types, body.drafts)
    except MathdslError as error:
        reader.findings.report(error)
    for assignment in reader.terms.assignments:
        try:
            infer_assignment(inference, assignment)
        except MathdslError as error:
            reader.findings.report(error)
            reader.findings.faulty_names.add(assignment.symbol.spelling)
    for entry in adopted:
        try:
            infer_adopted(inference, entry)
        except MathdslError as error:
            reader.findings.report(error)
    if result is not None:
        infer_result(inference, result)
    for check in checks:
        inference.of(check)
    return adopted
