"""Rules of the statement grammar and of the notations to nodes: one function a rule, named in `STATEMENT_RULES`.

A statement's value is a tuple of nodes: a broken one is empty, one with a comment may bring a `Remark`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import MathdslError, error
from mathdsl.spans import Span
from mathdsl.syntax.blocks import ProgramNotation
from mathdsl.syntax.build_declarations import (
    Declared,
    build_header,
    build_row,
    group_ranges,
    is_comparison,
    join_listed,
    loop_ranges,
    shared_ranges,
    take_elements,
)
from mathdsl.syntax.build_names import Several, Values, comma_list, identifier, one, place
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.messages import as_definition, comma_list_instead, unmarked_range
from mathdsl.syntax.nodes import (
    Accent,
    Assertion,
    Branch,
    Command,
    Declaration,
    Definition,
    Dots,
    EquationGroup,
    Expression,
    For,
    Group,
    Identifier,
    If,
    Indexing,
    Juxtaposition,
    Keyword,
    Leave,
    ListDisplay,
    Logic,
    Node,
    Procedure,
    Relation,
    Remark,
    Return,
    Sampling,
    Scripts,
    SetDisplay,
    Where,
    While,
)
from mathdsl.syntax.requirements import Requirement, attach, build_requirement
from mathdsl.syntax.shape import check_height
from mathdsl.syntax.traversal import descendants


@dataclass(frozen=True, slots=True)
class _Notes:
    """Comments, the tag and the label of a statement."""

    remarks: tuple[Remark, ...]
    tag: str
    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Header:
    """A header's argument; `content` is None when it was reported."""

    content: Any
    span: Span


@dataclass(frozen=True, slots=True)
class _Arm:
    """`condition` is None for `\\algoElse` and for a header that was reported."""

    condition: Expression | None
    body: tuple[Any, ...]
    span: Span


# ---- statements --------------------------------------------------------------------------------


def _statement(values: Values) -> tuple[Any, ...]:
    node = values[0]
    notes = next((value for value in values if isinstance(value, _Notes)), None)
    if isinstance(node, tuple):
        if notes is None or not node or not isinstance(node[0], Definition):
            return node
        return (*_statement([node[0], notes]), *node[1:])
    if isinstance(node, Where) or notes is None:
        return (node,)
    if isinstance(node, Definition):
        return (replace(node, comment="; ".join(remark.text for remark in notes.remarks), tag=notes.tag, label=notes.label),)
    return (*notes.remarks, node)


def _values(values: Values) -> Several:
    check_height(values[::2])
    return comma_list(values)


def _condition(values: Values) -> Expression:
    check_height(values)
    node: Expression = values[0]
    return node


@dataclass(frozen=True, slots=True)
class _Tail:
    r"""A further equation on the line of one, `…, \quad \text{where} \quad z = W x`; `explains`: behind `where`."""

    definition: Definition
    explains: bool
    span: Span


def _definition(values: Values) -> tuple[Definition, ...]:
    return _with_tails(_by_sign([side for side in values if isinstance(side, Several)], _domains(values)), values)


def _by_sign(sides: Sequence[Several], domains: tuple[Expression, ...]) -> Definition:
    target, value = sides
    return _define(target.items, value.items, domains, place(sides), target.span)


def _domains(values: Values) -> tuple[Expression, ...]:
    return next((value for value in values if isinstance(value, tuple)), ())


def _tail(values: Values) -> _Tail:
    sides = [value for value in values if isinstance(value, Several)]
    found = _by_sign(sides, _domains(values)) if len(sides) == 2 else _by_equals(sides[0], _domains(values))
    if found is None:
        raise MathdslError(comma_list_instead(sides[0].items, sides[0].span, "a definition has one value"))
    return _Tail(found, values[0].text == "where", place((values[0], *sides)))


def _with_tails(first: Definition, values: Values) -> tuple[Definition, ...]:
    """All equations of a line: those that explain others before them, and a range at its end for all whose left sides have its index."""
    found: tuple[Definition, ...] = (first,)
    for tail in (value for value in values if isinstance(value, _Tail)):
        found = (tail.definition, *found) if tail.explains else (*found, tail.definition)
    listed = [parts for node in found for part in (node.value, *descendants(node.value)) if (parts := _ends_of_list(part))]
    found = tuple(_with_range(node, listed) for node in found)
    ranges = next((node.domains for node in reversed(found) if node.domains), ())
    letters = {name.text for domain in ranges for name in _names_in(domain)}
    indexed = [bool(letters & {name.text for name in _names_in(node.target)}) for node in found]
    if not any(indexed):
        return found
    return tuple(
        replace(node, domains=ranges if is_indexed else ()) if node.domains in ((), ranges) else node
        for node, is_indexed in zip(found, indexed, strict=True)
    )


def _ends_of_list(node: Node) -> tuple[Scripts, Expression, Expression] | None:
    r"""The family and the ends of a list `l_1, \dots, l_N`."""
    match node:
        case SetDisplay(items) | ListDisplay(items) | Group(items) | Command(arguments=(items, *_)):
            match items:
                case (Scripts(subscripts=(lower,)) as first, *_, Dots(), Scripts(subscripts=(upper,)) as last):
                    return (first, lower, upper) if replace(first, subscripts=(upper,)) == last else None
        case _:
            pass
    return None


def _with_range(node: Definition, listed: Sequence[tuple[Scripts, Expression, Expression]]) -> Definition:
    r"""`l_n = …` beside a list `l_1, \dots, l_N` on its line is meant for `n = 1, \dots, N`."""
    match node.target:
        case Scripts(subscripts=(Identifier() as letter,)) as target if not node.domains:
            for first, lower, upper in listed:
                if replace(first, subscripts=(letter,)) == target:
                    bounds = ListDisplay((lower, Dots(span=letter.span), upper), span=letter.span)
                    return replace(node, domains=(Relation(("=",), (letter, bounds), span=letter.span),))
        case _:
            pass
    return node


def _names_in(node: Expression) -> list[Identifier]:
    return [part for part in (node, *descendants(node)) if isinstance(part, Identifier)]


def _check_arguments(target: Expression) -> None:
    r"""Refuse `P(X = k) \gets e`: the probability of an event is no function of it."""
    match target:
        case Juxtaposition((name, Group(items))):
            event = next((item for item in items if isinstance(item, Keyword)), None)
        case _:
            return
    if event is not None:
        values = (item.value if isinstance(item, Keyword) else item for item in items)
        call = f"{render_expression(name)}({', '.join(map(render_expression, values))})"
        message = f"`{render_expression(event.name)} = {render_expression(event.value)}` is no argument of a function"
        raise MathdslError(error("E0217", message, target.span, help=f"write `{call}` for a function of the value"))


def _define(
    targets: tuple[Expression, ...], items: tuple[Expression, ...], domains: tuple[Expression, ...], span: Span, target_span: Span
) -> Definition:
    for target in targets:
        if not _is_target(target):
            message = "the left side of a definition is a symbol, an element, a tuple of them, or a function with its arguments"
            near = r"write one there, as in `y \gets …`, solved for it; a condition that holds is `\Assert`"
            raise MathdslError(error("E0217", message, target.span, label="this is none", help=near))
        _check_arguments(target)
    value, rest = _as_many(targets, items)
    if rest:
        if not isinstance(next((item for item in rest if not isinstance(item, Identifier)), None), Relation):
            raise MathdslError(
                unmarked_range(rest[0].span)
                if isinstance(value, Relation) and any(isinstance(item, Dots) for item in rest)
                else comma_list_instead((value, *rest), rest[0].span, "a definition has one value")
            )
        domains = (*shared_ranges(group_ranges(rest)), *domains)
    if isinstance(value, Dots):
        raise MathdslError(comma_list_instead((value,), value.span, "an ellipsis stands in a list"))
    return Definition(one(targets, target_span), value, domains, span=span)


def _as_many(targets: tuple[Expression, ...], items: tuple[Expression, ...]) -> tuple[Expression, tuple[Expression, ...]]:
    r"""The value and what stands behind it: of `s, q \gets 0, 1`, as many values as names, the tuple of them."""
    names = targets[0].items if len(targets) == 1 and isinstance(targets[0], Group) else targets
    values = items[: len(names)]
    if not 1 < len(names) == len(values) or any(isinstance(item, Relation | Dots) for item in values):
        return items[0], items[1:]
    return Group(values, span=place(values)), items[len(values) :]


def _is_target(node: Expression) -> bool:
    match node:
        case Identifier():
            return True
        case Accent(_, base) | Scripts(base) | Indexing(base):
            return _is_target(base)
        case Group(items) | ListDisplay(items):
            return bool(items) and all(_is_target(item) for item in items)
        case Juxtaposition((callee, Group() as arguments)):
            return not arguments.is_conditional and _is_target(callee)
        case _:
            return False


def _by_equals(side: Several, domains: tuple[Expression, ...]) -> Definition | None:
    """The definition `x = e`."""
    items: tuple[Expression, ...] = side.items
    for position, item in enumerate(items):
        parts = _split_equation(item)
        if parts is not None:
            targets = (*items[:position], parts[0])
            return _define(targets, (parts[1], *items[position + 1 :]), domains, side.span, place(targets))
    return None


def _plain(values: Values) -> tuple[Definition | Where | Assertion, ...] | Sampling:
    r"""A statement without `\gets`: a definition by `=`, a sampling by `\sim`, a declaration by `\in`, or a mistake."""
    items: tuple[Expression, ...] = values[0].items
    match next((item for item in items if isinstance(item, Relation)), None):
        case Relation((r"\in", *_)):
            return _declaring(values[0], _domains(values))
        case _:
            pass
    found = _by_equals(values[0], _domains(values))
    if found is not None:
        return _with_tails(found, values)
    match items:
        case (Relation((r"\sim",), (target, distribution)),):
            return Sampling(target, distribution, span=values[0].span)
        case _:
            raise MathdslError(
                error(
                    "E0217",
                    "this is not a statement",
                    values[0].span,
                    label="nothing is defined, returned or asserted here",
                    help=as_definition(items),
                )
            )


def _declaring(side: Several, ranges: tuple[Expression, ...]) -> tuple[Where | Assertion, ...]:
    r"""A line that declares, `x \in \mathbb{R}^n`, as the row of a table; conditions on it hold."""
    rows, conditions = build_requirement(tuple(Declared(item, None, (), item.span) for item in side.items), "")
    table = Where((*rows[:-1], replace(rows[-1], ranges=(*rows[-1].ranges, *ranges))), span=side.span)
    return table, *(Assertion(condition, span=condition.span) for condition in conditions)


def _split_equation(node: Expression) -> tuple[Expression, Expression] | None:
    """Target and value of `x = e`; the value may itself be a condition."""
    match node:
        case Relation(("=",), (target, value)):
            return target, value
        case Relation(("=", *operators), (target, *operands)):
            if "=" in operators:
                advice = r"keep the first and the last member; a comparison stands in parentheses, `x \gets (a = b)`"
                raise MathdslError(error("E0217", "two signs `=` stand in one definition", node.span, help=advice))
            return target, Relation(tuple(operators), tuple(operands), span=place(operands))
        case Logic(operator, (first, *rest)) if operator != "not":
            parts = _split_equation(first)
            return None if parts is None else (parts[0], replace(node, operands=(parts[1], *rest)))
        case _:
            return None


def _result(values: Values) -> Return:
    items = values[1].items
    behind = next((item for item in items[1:] if isinstance(item, Relation | Dots)), None)
    if behind is not None:
        what = "an ellipsis" if isinstance(behind, Dots) else "a range"
        help_text = r"write `(a, b)` for several values, `(x_1, \dots, x_n)` for a list"
        raise MathdslError(error("E0220", f"{what} stands in a result without parentheses", behind.span, help=help_text))
    return Return(items[0] if len(items) == 1 else Group(items, span=place(items)), span=place(values))


def _domain(values: Values) -> tuple[Expression, ...]:
    return shared_ranges(group_ranges(values[1].items))


def _note_text(lexeme: Lexeme) -> str:
    return " ".join(lexeme.text[lexeme.text.index("{") + 1 : -1].split())


def _notes(values: Values) -> _Notes:
    remarks = tuple(Remark(_note_text(value), span=value.span) for value in values if value.type == "COMMENT")
    tags = [value for value in values if value.type == "TAG"]
    labels = [value for value in tags if value.text.startswith(r"\label")]
    tag = next((_note_text(value) for value in tags if value not in labels), "")
    return _Notes(remarks, tag, _note_text(labels[0]) if labels else "", place(values))


def _remarks(values: Values) -> tuple[Remark, ...]:
    return tuple(Remark(_note_text(value), span=value.span) for value in values[:-1])


def _broken(values: Values) -> tuple[Remark, ...]:
    return tuple(remark for value in values if isinstance(value, _Notes) for remark in value.remarks)


# ---- blocks ------------------------------------------------------------------------------------


_Own: TypeAlias = Where | Requirement
"""What stands in a block and belongs to the program around it."""


def _body(values: Iterable[Any]) -> tuple[tuple[Any, ...], tuple[_Own, ...]]:
    """The statements of a block, and the tables and requirements in it."""
    nodes = [node for value in values if isinstance(value, tuple) for node in value]
    return tuple(node for node in nodes if not isinstance(node, _Own)), tuple(node for node in nodes if isinstance(node, _Own))


def _equation_group(values: Values) -> tuple[Any, ...]:
    body, own = _body(values)
    return EquationGroup(body, span=place(values)), *own


def _for(values: Values) -> tuple[Any, ...]:
    """A loop; over several ranges, a loop for each, the first outside, and a branch for a condition behind one."""
    body, own = _body(values)
    bindings = values[1].content
    if not bindings:
        return own
    span, (first, *others) = place(values), loop_ranges(bindings)
    for binding in reversed(others):
        body = (If((Branch(binding, body, span=span),), None, span=span) if is_comparison(binding) else For(binding, body, span=span),)
    return For(first, body, span=span), *own


def _while(values: Values, *, until: bool = False) -> tuple[Any, ...]:
    body, own = _body(values)
    condition, bound = (*(value for value in values if isinstance(value, _Header)), None)[:2]
    if condition is None or condition.content is None:
        return own
    return While(condition.content, bound.content if bound else None, body, until, span=place(values)), *own


def _branch(values: Values) -> _Arm:
    return _arm(values[0].content, values)


def _elseif(values: Values) -> _Arm:
    arm: _Arm = values[1]
    return replace(arm, span=place(values))


def _arm(condition: Expression | None, values: Values) -> _Arm:
    nodes = tuple(node for value in values[1:] for node in value)
    return _Arm(condition, nodes, place((values[0], *nodes)))


def _if(values: Values) -> tuple[Any, ...]:
    arms = [value for value in values if isinstance(value, _Arm)]
    own = tuple(node for arm in arms for node in arm.body if isinstance(node, _Own))
    last_else = isinstance(values[-2], _Arm) and values[-2].condition is None and len(arms) > 1
    tests = arms[:-1] if last_else else arms
    branches = tuple(Branch(arm.condition, _body([arm.body])[0], span=arm.span) for arm in tests if arm.condition is not None)
    if not branches:
        return own
    return If(branches, _body([arms[-1].body])[0] if last_else else None, span=place(values)), *own


# ---- headers, procedures, tables ---------------------------------------------------------------


def _head(values: Values) -> _Header:
    inner = values[1]
    span = place(values)
    if isinstance(inner, Lexeme) and inner.type == "ERROR":
        return _Header(None, span)
    if isinstance(inner, Lexeme) and inner.type == "RHEAD":
        return _Header((), span)
    return _Header(inner.items if isinstance(inner, Several) else inner, span)


def _head_owned(values: Values) -> _Header:
    cut = next(index for index, value in enumerate(values) if isinstance(value, Lexeme) and value.type == "SEMICOLON")
    inputs, owned = (
        tuple(item for value in part if isinstance(value, Several) for item in value.items) for part in (values[:cut], values[cut:])
    )
    return _Header((inputs, owned), place(values))


def _header(values: Values) -> Several:
    return Several(build_header(values[0].items), values[0].span)


def _procedure(notation: ProgramNotation, values: Values) -> tuple[Any, ...]:
    name = values[1].content
    headers = [value.content for value in values[2:3] if isinstance(value, _Header)]
    statements, own = _body(value for value in values if isinstance(value, tuple))
    if name is None:
        return ()
    header = headers[0] if headers else ()
    inputs, owned = header if header and isinstance(header[0], tuple) else (header or (), None)
    body = () if header is None else statements
    wheres = tuple(node for node in own if isinstance(node, Where))
    text = identifier(name).text.removeprefix("\\")
    inputs, listed = take_elements(inputs)
    wheres = (*wheres, Where(listed, span=place(listed))) if listed else wheres
    procedure = Procedure(text, notation, inputs, owned, body, wheres, name_span=name.span, span=place(values))
    procedure = procedure if headers else replace(procedure, takes_required=True)
    requirements = [node for node in own if isinstance(node, Requirement)]
    return (attach(procedure, requirements) if requirements else procedure,)


def _requirement(values: Values) -> tuple[Any, ...]:
    rows = [value for value in values if isinstance(value, tuple)]
    declarations = tuple(declaration for row in rows for declaration in row[0])
    conditions = tuple(condition for row in rows for condition in row[1])
    comment = "; ".join(row[2] for row in rows if row[2])
    return (Requirement(declarations, conditions, values[0].type == "ENSURE", comment, span=place(values)),)


def _required(values: Values) -> tuple[Any, Any, str] | None:
    if isinstance(values[0], tuple):
        return values[0]
    remarks = _broken(values)
    return ((), (), "; ".join(remark.text for remark in remarks)) if remarks else None


def _required_content(values: Values) -> tuple[Any, Any, str]:
    comment = "; ".join(remark.text for remark in values[1].remarks) if len(values) == 2 else ""
    return (*build_requirement(values[0].items, comment), comment)


def _where(values: Values) -> Where:
    return Where(join_listed(tuple(value for value in values if isinstance(value, Declaration))), span=place(values))


def _row(values: Values) -> Declaration | None:
    return values[0] if isinstance(values[0], Declaration) else None


def _row_content(values: Values) -> Declaration:
    described = len(values) == 2 and values[1].type == "DESCRIPTION"
    description = " ".join(values[1].text.lstrip("&").split()) if described else ""
    return build_row(values[0].items, description, place(values))


def _declared(values: Values) -> Declared:
    check_height(value for value in values if isinstance(value, Node))
    flags = tuple(value.text for value in values if isinstance(value, Lexeme) and value.type == "FLAG")
    typed = len(values) > 1 and isinstance(values[1], Lexeme) and values[1].type == "COLON"
    said = next((_note_text(value) for value in values if isinstance(value, Lexeme) and value.type == "SAID"), "")
    return Declared(values[0], values[2] if typed else None, flags, place(values), said)


def _start(values: Values) -> tuple[Any, ...]:
    return tuple(node for value in values for node in value)


STATEMENT_RULES: Mapping[str, Callable[[Values], Any]] = {
    "algorithm": partial(_procedure, "docstring"),
    "assertion": lambda values: Assertion(values[1], span=place(values)),
    "branch": _branch,
    "broken": _broken,
    "condition": _condition,
    "declarations": comma_list,
    "declared": _declared,
    "definition": _definition,
    "domain": _domain,
    "else": partial(_arm, None),
    "elseif": _elseif,
    "equation_group": _equation_group,
    "for": _for,
    "head_binding": _head,
    "head_condition": _head,
    "head_inputs": _head,
    "head_name": _head,
    "head_owned": _head_owned,
    "header": _header,
    "if": _if,
    "module": partial(_procedure, "module"),
    "leave": lambda values: Leave("break" if values[0].text.casefold().endswith("break") else "continue", span=place(values)),
    "notes": _notes,
    "plain": _plain,
    "procedure": partial(_procedure, "algorithmic"),
    "remarks": _remarks,
    "repeat": partial(_while, until=True),
    "required": _required,
    "required_content": _required_content,
    "requirement": _requirement,
    "result": _result,
    "row": _row,
    "row_content": _row_content,
    "start": _start,
    "statement": _statement,
    "tail": _tail,
    "values": _values,
    "where": _where,
    "while": _while,
}
