r"""Statements, declarations and documents to canonical LaTeX; `parse(render(document)) == document`."""

from __future__ import annotations

from typing import assert_never

from mathdsl.diagnostics import InternalError
from mathdsl.syntax.latex_expressions import render_expression, render_items, render_operand
from mathdsl.syntax.nodes import (
    Assertion,
    Declaration,
    Definition,
    Document,
    Dots,
    EquationGroup,
    Expression,
    For,
    If,
    Item,
    ListDisplay,
    Procedure,
    Relation,
    Remark,
    Return,
    Sampling,
    Statement,
    Where,
    While,
)

__all__ = ["render_declaration", "render_document", "render_expression", "render_statement"]

_INDENT = "  "


def render_document(document: Document) -> str:
    """All items, one line a statement."""
    lines: list[str] = []
    before: Item | None = None
    for item in document.items:
        if isinstance(item, Where) and isinstance(before, Procedure):
            lines.append(r"\Comment{for all programs} \\")  # directly after a program the table would be that program's own
        lines += _item(item)
        before = item
    return "\n".join(lines) + "\n" if lines else ""


def _item(item: Item) -> list[str]:
    match item:
        case Procedure():
            return _procedure(item)
        case Where():
            return _where(item)
        case Definition():
            return [render_statement(item)]
        case _:
            assert_never(item)


def _procedure(node: Procedure) -> list[str]:
    body = [*_body(node.body), *(_INDENT + line for where in node.wheres for line in _where(where))]
    match node.notation:
        case "module":
            return [rf"\Module{{{_plain_name(node.name)}}}{{{_module_header(node)}}}", *body, r"\EndModule"]
        case "docstring":
            name = f"\\{node.name}" if node.name.isalpha() else _plain_name(node.name)
            return [rf"\algoProc{{{name}}}({_declarations(node.inputs)}) \\", *body, r"\algoEndProc \\"]
        case "algorithmic":
            raise InternalError("the algorithmic notation is not rendered")


def _plain_name(name: str) -> str:
    return name if name.isalpha() else rf"\mathrm{{{name}}}"


def _module_header(node: Procedure) -> str:
    inputs = _declarations(node.inputs)
    return inputs if node.owned is None else f"{inputs} ; {_declarations(node.owned)}"


# ---- statements --------------------------------------------------------------------------------


def render_statement(node: Statement) -> str:
    r"""A statement in one string, ended by `\\`; a block has a line for each of its parts."""
    return "\n".join(_statement(node))


def _statement(node: Statement) -> list[str]:
    match node:
        case Definition():
            return [_definition(node)]
        case Sampling(target, distribution):
            return [rf"{render_operand(target)} \sim {render_operand(distribution)} \\"]
        case Return(value):
            return [rf"\Return {render_expression(value)} \\"]
        case Assertion(condition):
            return [rf"\Assert {render_expression(condition)} \\"]
        case Remark(text):
            return [rf"\Comment{{{text}}} \\"]
        case EquationGroup(body):
            return [r"\begin{group}", *_body(body), r"\end{group} \\"]
        case For(binding, body):
            return [rf"\algoFor{{{render_expression(binding)}}} \\", *_body(body), r"\algoEndFor \\"]
        case If():
            return _branches(node)
        case While():
            raise InternalError("the algorithmic notation is not rendered")
        case _:
            assert_never(node)


def _body(statements: tuple[Statement, ...]) -> list[str]:
    return [_INDENT + line for statement in statements for line in _statement(statement)]


def _branches(node: If) -> list[str]:
    lines: list[str] = []
    for position, branch in enumerate(node.branches):
        command = r"\algoElseIf" if position else r"\algoIf"
        lines += (rf"{command}{{{render_expression(branch.condition)}}} \\", *_body(branch.body))
    if node.otherwise is not None:
        lines += (r"\algoElse \\", *_body(node.otherwise))
    return [*lines, r"\algoEndIf \\"]


def _definition(node: Definition) -> str:
    value = render_expression(node.value)
    if not node.domains and value.endswith(")") and r"\dots" in value and " = " in value:
        value = f"{{{value}}}"  # a final parenthesis that holds a range would be read as the domain
    text = rf"{render_expression(node.target)} \gets {value}"
    if node.domains and all(_is_range(domain) for domain in node.domains):
        text += rf" \quad ({_ranges(node.domains)})"
    elif node.domains:
        text += rf" \quad \forall {_ranges(node.domains)}"
    if node.tag:
        text += rf" \tag{{{node.tag}}}"
    if node.comment:
        text += rf" \Comment{{{node.comment}}}"
    return text + r" \\"


def _is_range(node: Expression) -> bool:
    r"""Whether a range can be written `t = a, \dots, b`."""
    match node:
        case Relation(("=",), (_, ListDisplay(items))):
            dots = [position for position, item in enumerate(items) if isinstance(item, Dots)]
            return dots[:1] == [len(items) - 2] and len(items) > 2 and not any(isinstance(item, Relation) for item in items)
        case _:
            return False


def _ranges(nodes: tuple[Expression, ...]) -> str:
    return ", ".join(_range(node) for node in nodes)


def _range(node: Expression) -> str:
    match node:
        case Relation(("=",), (index, ListDisplay(items))) if _is_range(node):
            return f"{render_operand(index)} = {render_operand(items[0])}, {render_items(items[1:])}"
        case _:
            return render_expression(node)


# ---- declarations ------------------------------------------------------------------------------


def _where(node: Where) -> list[str]:
    return [r"\begin{where}", *(_INDENT + _row(row) for row in node.rows), r"\end{where}"]


def _row(row: Declaration) -> str:
    description = f" & {row.description}" if row.description else ""
    return render_declaration(row) + description + r" \\"


def _declarations(declarations: tuple[Declaration, ...]) -> str:
    return ", ".join(render_declaration(declaration) for declaration in declarations)


def render_declaration(node: Declaration) -> str:
    r"""`symbols \in type = default \sim initialiser, ranges`, without the description."""
    if node.relation is not None:
        return render_expression(node.relation)
    text = ", ".join(render_operand(symbol) for symbol in node.symbols)
    if node.type is not None:
        text += rf" \in {render_operand(node.type)}"
    if node.default is not None:
        text += f" = {render_operand(node.default)}"
    if node.initialiser is not None:
        text += rf" \sim {render_operand(node.initialiser)}"
    text += "".join(rf" \text{{ {flag}}}" for flag in node.flags)
    return f"{text}, {_ranges(node.ranges)}" if node.ranges else text
