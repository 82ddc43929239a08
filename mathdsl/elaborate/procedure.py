"""One procedure or function, from its AST to an IR module: the stages of elaboration in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mathdsl.diagnostics.model import Diagnostic, Diagnostics, MathdslError
from mathdsl.elaborate import resolve as resolving
from mathdsl.elaborate.assemble import Assembly
from mathdsl.elaborate.declare import Table, declare_inputs, declare_owned, declare_rest, declare_settings, read_table
from mathdsl.elaborate.infer import Inference
from mathdsl.elaborate.names import spelling_of
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.signatures import Signature
from mathdsl.elaborate.spelling import Families
from mathdsl.elaborate.statements import Body, adopt_elements, fix_domains, read_body, read_functions, read_values
from mathdsl.elaborate.symbols import Symbol
from mathdsl.elaborate.terms import Term
from mathdsl.elaborate.unit import Function, Unit
from mathdsl.elaborate.usage import Usage, defined_names
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression, render_statement


@dataclass(frozen=True)
class Surroundings:
    """What a procedure sees of its document."""

    signatures: dict[str, Signature]
    functions: dict[str, Function]
    aliases: dict[str, str]
    wheres: tuple[ast.Where, ...]
    diagnostics: Diagnostics


def elaborate_procedure(procedure: ast.Procedure, around: Surroundings) -> tuple[ir.Module, Unit]:
    """A module; raises a `MathdslError` with all its mistakes."""
    unit = _unit(procedure.name, procedure, around, 0 if procedure.notation == "module" else 1)
    unit.owns_free_names = procedure.owned is None
    unit.span = procedure.name_span
    problems: list[Diagnostic] = []
    usage = Usage.of(procedure.body)
    unit.unpacked = usage.unpacked
    defined = defined_names(unit.families, procedure.body)
    table = _declare(unit, procedure, around, usage, defined)
    read_functions(unit, procedure.body)
    declare_rest(unit, table, defined)
    body = Body()
    read_body(unit, procedure.body, body, problems)
    if problems:
        raise MathdslError(*problems)
    return _finish(unit, body, _return_of(procedure, body), "\n".join(render_statement(s) for s in procedure.body), problems, False), unit


def _unit(name: str, node: ast.Node, around: Surroundings, base: int) -> Unit:
    families = Families()
    families.scan(node, frozenset())
    for where in around.wheres:
        families.scan(where, frozenset())
    signatures, functions = dict(around.signatures), dict(around.functions)
    return Unit(name, base, False, around.diagnostics, families, signatures, functions=functions, aliases=dict(around.aliases))


def _declare(unit: Unit, procedure: ast.Procedure, around: Surroundings, usage: Usage, defined: set[tuple[str, bool]]) -> Table:
    for spelling in usage.inputs_of(procedure):
        unit.header_names.add(spelling)
    table = read_table(unit, procedure.wheres, around.wheres)
    declare_inputs(unit, procedure.inputs, table)
    declare_settings(unit, table, defined)
    declare_owned(unit, procedure.owned or (), table, usage.called, usage.plain)
    return table


def _return_of(procedure: ast.Procedure, body: Body) -> ast.Expression:
    if not body.results:
        raise refuse("E0606", f"`{procedure.name}` returns nothing", procedure.name_span or procedure.span, help="end it with `\\Return e`")
    return body.results[0].value


def elaborate_function(node: ast.Definition, own: Sequence[ast.Where], around: Surroundings) -> tuple[ir.Module, Unit]:
    r"""A top-level function, `loss(\hat{y}, y) \gets …`."""
    match node.target:
        case ast.Juxtaposition(factors=(name, ast.Group(items=parameters))):
            pass
        case _:
            raise refuse("E0302", "this is no function", node.span)
    spelling = spelling_of(name) or "f"
    wheres = tuple(own)
    unit = _unit(spelling, node, replace(around, wheres=wheres), 0)
    for where in wheres:
        unit.families.scan(where, frozenset())
    unit.functions.pop(spelling, None)
    unit.span = name.span
    table = read_table(unit, wheres, ())
    wanted = {s for p in parameters if (s := spelling_of(p)) is not None}
    table.rows = {key: rows for key, rows in table.rows.items() if key[0] in wanted or key[0] in unit.sizes}
    unit.names.taken[spelling] = spelling
    declare_inputs(unit, [ast.Declaration((p,), span=p.span) for p in parameters], table)
    declare_rest(unit, table, set())
    return _finish(unit, Body(), node.value, render_statement(node), [], True), unit


def _finish(unit: Unit, body: Body, result: ast.Expression, latex: str, problems: list[Diagnostic], is_function: bool) -> ir.Module:
    fix_domains(unit, body.drafts)
    read_values(unit, body.drafts, problems)
    term, checks = _result_and_checks(unit, body, result, problems)
    if problems or term is None:
        raise MathdslError(*problems)
    adopted = adopt_elements(unit, body.drafts)
    unit.adopted_symbols = {symbol for _, symbol, _ in adopted}
    inference = Inference(unit)
    _constrain(inference, unit, term, [c for c, _ in checks], adopted, problems)
    if problems:
        raise MathdslError(*problems)
    inference.solve()
    return Assembly(unit, inference, adopted, term, checks, latex, is_function).module()


def _result_and_checks(
    unit: Unit, body: Body, result: ast.Expression, problems: list[Diagnostic]
) -> tuple[Term | None, list[tuple[Term, ir.Origin]]]:
    checks: list[tuple[Term, ir.Origin]] = []
    term: Term | None = None
    unit.result_latex = "\\Return " + render_expression(result)
    try:
        term = resolving.resolve_value(unit, result)
        for assertion, binders in body.assertions:
            with unit.within(binders):
                checks.append(
                    (
                        resolving.resolve_condition(unit, assertion.condition),
                        ir.Origin(render_expression(assertion.condition), assertion.span),
                    )
                )
    except MathdslError as error:
        problems.extend(error.diagnostics)
    return term, checks


def _constrain(
    inference: Inference,
    unit: Unit,
    result: Term,
    checks: list[Term],
    adopted: list[tuple[Symbol, Symbol, Poly]],
    problems: list[Diagnostic],
) -> None:
    for assignment in unit.assignments:
        try:
            inference.assign(assignment)
        except MathdslError as error:
            problems.extend(error.diagnostics)
    try:
        for family, symbol, at in adopted:
            inference.adopt(family, symbol, at)
        inference.of_result(result)
        for check in checks:
            inference.of(check)
    except MathdslError as error:
        problems.extend(error.diagnostics)
