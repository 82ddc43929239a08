"""Statements: loops become index domains, targets become arrays over what all their statements define."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import chain
from typing import assert_never

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.control.loops import shift_of
from mathdsl.elaborate.declare.argument_rows import parameters_of, rows_for
from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.declare.stated import NOTHING_STATED, Stated, apply_stated
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, without_version, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers, unaccent
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.names.versions import shown_definition, without_versions
from mathdsl.elaborate.report import refuse, unsupported, unsupported_statement
from mathdsl.elaborate.terms.callees import names_builtin
from mathdsl.elaborate.terms.collected import Body, Draft, Drafts
from mathdsl.elaborate.terms.conditions import resolve_condition
from mathdsl.elaborate.terms.index_domains import read_domain
from mathdsl.elaborate.terms.indices import as_poly, check_box, computed_bound, ends_a_range, name_of, read_ascending
from mathdsl.elaborate.terms.instances import values_for
from mathdsl.elaborate.terms.missing_ranges import check_ranges
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.reductions import check_is_sequence, is_computed
from mathdsl.elaborate.terms.targets import check_indices, named_range, read_target
from mathdsl.elaborate.terms.terms import Build, CallResult, Faulty, Stacked, Term, TupleTerm, Whole
from mathdsl.elaborate.types.checks import check_sizes_kept
from mathdsl.elaborate.types.domains import fix_domains
from mathdsl.ir.nodes import Origin
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import one_line, render_expression
from mathdsl.syntax.traversal import children, descendants


def read_terms(reader: Reader, procedure: ast.Procedure, stated: Stated) -> Body:
    """The stage of terms: what the statements of a procedure assign, return and check, by what prose states of its shapes."""
    drafts, declared = Drafts(), set(reader.entries.sizes)
    _read_body(reader, procedure.body, drafts)
    check_sizes_kept(reader.types)
    if not drafts.results:
        values = [symbol.spelling for symbol in reader.entries.symbols.values() if symbol.role is Role.VALUE and not symbol.spelling.is_own]
        value = readable(without_version(values[-1])) if values else "…"
        lines = {"module": rf"\Return {value} \\", "docstring": rf"& \indent{{1}} \algoReturn {value} \\"}
        line = lines.get(procedure.notation, rf"\State \Return ${value}$")
        place = procedure.name_span or procedure.span
        reader.findings.report(refuse("E0606", f"`{procedure.name}` returns nothing", place, help=f"write, as its last line, `{line}`"))
        return _with_values(reader, drafts, None, Origin(""), declared, stated)
    result = drafts.results[0]
    shown = "" if result.value is None else "\\Return " + render_expression(without_versions(result.value))
    shown = reader.written.statements.get(result.span, shown)
    return _with_values(reader, drafts, result.value, Origin(shown, result.span, drafts.said), declared, stated)


def read_value(reader: Reader, value: ast.Expression, returned: Origin) -> Body:
    """What a top-level function returns."""
    return _with_values(reader, Drafts(), value, returned, set(reader.entries.sizes), NOTHING_STATED)


def _with_values(
    reader: Reader, drafts: Drafts, result: ast.Expression | None, returned: Origin, declared: Set[Name], stated: Stated
) -> Body:
    fix_domains(reader.types, drafts.drafts)
    _read_values(reader, drafts.drafts)
    apply_stated(reader, stated)
    term = None if result is None else reader.about(returned).resolve(result)
    checks: list[tuple[Term, Origin]] = []
    for assertion, binders in drafts.assertions:
        said = reader.written.statements.get(assertion.span, "")
        words = assertion.words or said or render_expression(without_versions(assertion.condition))
        origin = Origin(words, assertion.span)
        try:
            checks.append((resolve_condition(reader.about(origin).within(*binders), assertion.condition), origin))
        except MathdslError as error:
            reader.findings.report(error)
    sizes = reader.entries.sizes.items()
    reader.terms.bound_sizes.update(entry.name for spelling, entry in sizes if spelling not in declared and entry.value is None)
    return Body(drafts.drafts, drafts.groups, term, returned, checks)


def _read_body(reader: Reader, statements: tuple[ast.Statement, ...], body: Drafts) -> None:
    """Collect the drafts of all statements; a mistake in one does not hide those of others."""
    for statement in statements:
        try:
            _statement(reader, statement, body)
        except MathdslError as error:
            reader.findings.report(error)
            reader.findings.faulty_names |= set(_names_defined(statement))


def _names_defined(statement: ast.Node) -> Iterator[Name]:
    """All names on the left sides of a statement and of those inside it."""
    match statement:
        case ast.Definition(target=target) | ast.Sampling(target=target):
            for node in (target, *descendants(target)):
                spelling = spelling_of(node) if isinstance(node, (ast.Identifier, ast.Accent, ast.Scripts)) else None
                if spelling is not None:
                    yield spelling
        case ast.If() | ast.While() | ast.For() | ast.EquationGroup():
            for child in children(statement):
                yield from _names_defined(child)
        case _:
            pass


def _statement(reader: Reader, statement: ast.Statement, body: Drafts) -> None:
    match statement:
        case ast.Definition():
            _definition(reader, statement, body)
        case ast.Return():
            if body.results:
                raise refuse(
                    "E0606",
                    "a second `\\Return`",
                    statement.span,
                    labels=(Label(body.results[0].span, "the first one"),),
                    help="return a tuple, once, last",
                )
            body.results.append(statement)
            body.said = body.take_remarks()
        case ast.Assertion():
            body.assertions.append((statement, reader.binders))
        case ast.Remark(text=text):
            body.remarks.append(text)
        case ast.EquationGroup(body=inner):
            body.groups.append(statement)
            _read_body(reader, inner, body)
        case ast.For(binding=binding, body=inner):
            found = read_ascending(reader, binding)
            if found is None:
                raise computed_bound(reader, binding) or unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
            check_box(reader, found[1], binding)
            _read_body(reader.within(reader.binder(name_of(found[0]), found[1], found[0].span, shift_of(binding))), inner, body)
        case ast.If():
            raise unsupported("a branch of statements", statement.span, help="use `cases` in the value")
        case ast.While() | ast.Sampling() | ast.Leave():
            raise unsupported_statement(statement)
        case _:
            assert_never(statement)


def _definition(reader: Reader, node: ast.Definition, body: Drafts) -> None:
    if node.function is not None or _is_size(reader, node) or _is_alias(reader, node):
        return
    binders, value = read_domain(reader, node)
    reader = reader.within(*binders)
    latex = reader.written.statements.get(node.span) or one_line(shown_definition(node))
    remarks = "; ".join(remark for remark in (body.take_remarks(), node.comment) if remark)
    origin = Origin(latex, node.span, remarks, node.tag or node.label, tuple(_elements_read(node.value)))
    named, rows = named_range(reader, node)
    if len(node.targets) > 1 and _unpacks_modules(reader, node, node.targets):
        return
    if named is None:
        check_ranges(reader, node)
    targets = tuple(read_target(reader, item) for item in node.targets)
    if named is None:
        for item, defined in zip(node.targets, targets, strict=True):
            if defined is not None:
                check_indices(reader, item, defined)
    body.drafts.append(Draft(targets, reader.binders, value, origin, node, named, rows))


def _elements_read(value: ast.Expression) -> Iterator[tuple[str, Span]]:
    """The names with indices in a value, as they are written, and where."""
    for node in (value, *descendants(value)):
        if isinstance(node, (ast.Scripts, ast.Indexing)):
            yield render_expression(without_versions(node)), node.span


# ---- definitions that are no equations -------------------------------------------------------


def read_functions(reader: Reader, statements: tuple[ast.Statement, ...], rows: tuple[ast.Declaration, ...]) -> None:
    """Functions that a procedure defines for itself, with the rows that declare their arguments; they shadow the document's."""
    own: dict[Name, Span] = {}
    functions = tuple(_functions(statements))
    for name, _, statement, _ in functions:
        if (problem := _indexed(reader, name, statement)) is not None:
            reader.findings.report(problem)
            reader.findings.faulty_names.add(word_of(base_of(name)) or NO_NAME)
    for name, parameters, statement, loops in functions:
        spelling = spelling_of(name)
        if spelling is None or word_of(base_of(name)) in reader.findings.faulty_names:
            continue
        symbols, submodules = reader.entries.symbols, reader.entries.submodules
        symbol = symbols.get((spelling, False)) or symbols.get((spelling, True)) or submodules.get(spelling)
        first = own.get(spelling) or (None if symbol is None else symbol.span)
        if first is not None:
            reader.findings.report(_twice(spelling, first, name.span))
        own[spelling] = name.span
        own_rows = rows_for(parameters_of(statement), rows) if rows else ()
        reader.entries.functions[spelling] = Function(
            spelling, parameters, statement.value, statement.span, False, True, loops, Families.of(statement), own_rows
        )


def _indexed(reader: Reader, name: ast.Expression, function: ast.Definition) -> MathdslError | None:
    r"""What is wrong with a function that has an index, `\phi_k(u) \gets u^k \quad (k = 0, \dots, 3)`, or a superscript, `f^{(1)}(u)`."""
    plain = unaccent(name)
    if not isinstance(plain, ast.Scripts):
        return None
    head = render_expression(plain.base)
    if plain.superscript is not None:
        what, near = "a function with a superscript in its name", rf"write the label as a subscript, as in `{head}_{{1}}(u)`"
        return unsupported(what, name.span, help=near)
    ranges = {letter for domain in function.domains for letter in bound_names(domain)}
    free = reader.families.index_names & names_below(function.value) - set(parameters_of(function))
    if any(letter in ranges | free for item in plain.subscripts for letter in identifiers(item)):
        _, parameters = function.function or (name, ())
        indices, arguments = (",".join(map(render_expression, items)) for items in (plain.subscripts, parameters))
        what = "a function with an index"
        near = rf"write `{head}_{{{indices},{arguments}}}` for an element of an array, each of whose indices has a range; or make the index"
        return unsupported(what, function.target.span, help=rf"{near} an argument, as in `{head}({arguments},{indices})`")
    return None


def _functions(
    statements: tuple[ast.Statement, ...], loops: tuple[ast.Expression, ...] = ()
) -> Iterator[tuple[ast.Expression, tuple[ast.Expression, ...], ast.Definition, tuple[ast.Expression, ...]]]:
    """The functions that statements define, and the ranges of the loops around each."""
    for statement in statements:
        match statement:
            case ast.Definition(function=(name, parameters)):
                yield name, parameters, statement, loops
            case ast.EquationGroup(body=inner):
                yield from _functions(inner, loops)
            case ast.For(binding=binding, body=inner):
                yield from _functions(inner, (*loops, binding))
            case _:
                pass


def _twice(spelling: Name, first: Span, second: Span) -> MathdslError:
    return refuse(
        "E0303",
        f"`{readable(spelling)}` is defined twice",
        second,
        labels=(Label(first, "defined here first"),) if first.file else (),
        help="give one of them another name",
    )


def _is_size(reader: Reader, node: ast.Definition) -> bool:
    """`L \\gets |S|`, `S \\algoEq x.\\sz{1}`, and where it ends a range, `m \\gets \\lfloor n/2 \\rfloor`: a name for a size."""
    spelling = spelling_of(node.target)
    if spelling is None or node.domains or reader.binders or not isinstance(node.value, (ast.Bars, ast.Attribute, ast.Binary)):
        return False
    if not _mentions_size(node.value) and not (
        isinstance(node.value, ast.Bars) and node.value.kind in ("floor", "ceil") and ends_a_range(reader, spelling)
    ):
        return False
    if any(is_computed(reader, bars.items[0]) for bars in _lengths_inside(node.value)):
        return False
    value, symbol = as_poly(reader, node.value), reader.entries.symbols.get((spelling, False))
    if value is None or not value.has_whole_terms or symbol is not None and symbol.role is not Role.VALUE:
        return False
    for bars in _lengths_inside(node.value):
        check_is_sequence(reader, bars.items[0], bars)
    reader.entries.symbols.pop((spelling, False), None)
    name = reader.entries.size(spelling, node.target.span)
    if not reader.types.solver.unify(value, name) and not reader.types.solver.define(next(iter(name.names)), value):
        raise refuse("E0404", f"`{readable(spelling)}` is another size already", node.span)
    reader.types.solver.measured |= name.names - reader.types.solver.solution.keys()
    return True


def _mentions_size(node: ast.Node) -> bool:
    return any(isinstance(inner, ast.Attribute) for inner in _inside(node)) or any(_lengths_inside(node))


def _lengths_inside(node: ast.Node) -> Iterator[ast.Bars]:
    return (inner for inner in _inside(node) if isinstance(inner, ast.Bars) and inner.kind == "|")


def _inside(node: ast.Node) -> Iterator[ast.Node]:
    return chain([node], descendants(node))


def _is_alias(reader: Reader, node: ast.Definition) -> bool:
    r"""`\sigma \gets \Sigmoid`."""
    target, value = spelling_of(node.target), word_of(node.value)
    if target is None or value is None or node.domains or reader.binders:
        return False
    if not names_builtin(reader, value):
        return False
    reader.entries.aliases[target] = value.bare
    return True


def _unpacks_modules(reader: Reader, node: ast.Definition, items: tuple[ast.Expression, ...]) -> bool:
    """`(T_f, T_i) \\gets T_s`: names for the elements of a stack."""
    spelling = spelling_of(node.value)
    if spelling is None or spelling not in reader.entries.submodules:
        return False
    entry = reader.entries.submodules[spelling]
    entry.used = True
    for position, item in enumerate(items):
        name = spelling_of(unaccent(item))
        if name is None:
            raise refuse("E0302", "a module is unpacked into names", item.span)
        first = entry.parts[0].range.lower if entry.parts and entry.parts[0].range is not None else Poly.of(0)
        reader.entries.module_aliases[name] = (spelling, first + position)
    return True


# ---- values ----------------------------------------------------------------------------------


def _read_values(reader: Reader, drafts: list[Draft]) -> None:
    """Read the values of all statements."""
    for draft in drafts:
        if draft.names_range is not None:
            continue
        try:
            value = reader.about(draft.origin).within(*draft.binders).resolve(draft.value)
            _assign(reader, draft, value)
        except MathdslError as error:
            reader.findings.report(error)


def _is_listed(reader: Reader, value: Term) -> bool:
    """Whether a value is a Python list on the outside."""
    match value:
        case CallResult(call=call, position=position):
            signature = reader.entries.submodules[call.submodule].signature
            return signature is not None and signature.results[position].listed
        case Build(listed=listed) | Stacked(listed=listed):
            return listed
        case _:
            return False


def _assign(reader: Reader, draft: Draft, value: Term) -> None:
    for target, item in zip(draft.targets, value.items if isinstance(value, TupleTerm) else (value,), strict=False):
        if target is not None and all(isinstance(p, Whole) for p in target.positions):
            target.symbol.listed = target.symbol.listed or _is_listed(reader, item)
    if len(draft.targets) == 1:
        target = draft.targets[0]
        assert target is not None
        if isinstance(value, TupleTerm):
            raise refuse(
                "E0409",
                f"`{target.symbol.latex}` gets {len(value.items)} values",
                draft.node.target.span,
                labels=(Label(value.span, "they come from here"),),
                help="unpack them, `(a, b) \\gets …`",
            )
        reader.terms.assignments.append(draft.assignment(target, value))
        return
    if isinstance(value, Faulty):
        return
    for target, item in zip(draft.targets, values_for(value, len(draft.targets), draft.node.target.span), strict=True):
        if target is not None:
            reader.terms.assignments.append(draft.assignment(target, item))
