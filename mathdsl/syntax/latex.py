r"""Statements, declarations and documents to canonical LaTeX; `parse(render(document)) == document`."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span
from mathdsl.syntax.display.tex import render_expression, render_items, render_operand
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
    Leave,
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
from mathdsl.syntax.traversal import statements_in

__all__ = ["is_range", "one_line", "render_declaration", "render_document", "render_expression", "render_statement", "render_statements"]

_INDENT = "  "


def render_document(document: Document) -> str:
    """All items, one line a statement."""
    lines: list[str] = []
    before: Item | None = None
    stands_alone = any(isinstance(item, Procedure) and item.notation == "algorithmic" for item in document.items)
    for item in document.items:
        if isinstance(item, Where) and isinstance(before, Procedure):
            lines.append(r"\Comment{for all programs} \\")  # directly after a program the table would be that program's own
        if isinstance(item, Definition) and stands_alone:  # beside environments of programs it needs one too
            lines += (r"\begin{mathdsl}", *_item(item), r"\end{mathdsl}")
        else:
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
    tables = [_INDENT + line for where in node.wheres for line in _where(where)]
    match node.notation:
        case "module":
            body = [*_texts(node.body, _PLAIN), *tables]
            return [rf"\Module{{{_plain_name(node.name)}}}{{{_module_header(node)}}}", *body, r"\EndModule"]
        case "docstring":
            name = f"\\{node.name}" if node.name.isalpha() else _plain_name(node.name)
            body = [*_texts(node.body, _PLAIN), *tables]
            return [rf"\algoProc{{{name}}}({_declarations(node.inputs)}) \\", *body, r"\algoEndProc \\"]
        case "algorithmic":
            body = [*_texts(node.body, _LINES), *(_INDENT + line for where in node.wheres[:-1] for line in _where(where))]
            lines = [rf"\Procedure{{{node.name}}}{{{_formula(_module_header(node))}}}", *body, r"\EndProcedure"]
            after = [line for where in node.wheres[-1:] for line in _where(where)]
            return [r"\begin{algorithmic}[1]", *(_INDENT + line for line in lines), r"\end{algorithmic}", *after]


def _texts(statements: tuple[Statement, ...], style: _Style) -> list[str]:
    return [text for text, _ in _body(statements, style)]


def _formula(text: str) -> str:
    return f"${text}$" if text else ""


def _plain_name(name: str) -> str:
    return name if name.isalpha() else rf"\mathrm{{{name}}}"


def _module_header(node: Procedure) -> str:
    inputs = _declarations(node.inputs)
    return inputs if node.owned is None else f"{inputs} ; {_declarations(node.owned)}"


# ---- statements --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Style:
    r"""How a notation writes its statements: what stands before and after one and around a formula, the prefix of its commands."""

    before: str
    after: str
    formula: str
    prefix: str
    else_if: str


_Line: TypeAlias = tuple[str, Statement | None]  # and the statement that it is, where it is a whole one

_PLAIN = _Style("", r" \\", "", r"\algo", "ElseIf")
_LINES = _Style(r"\State ", "", "$", "\\", "ElsIf")


def render_statement(node: Statement) -> str:
    r"""A statement in one string, ended by `\\`; a block has a line for each of its parts."""
    return "\n".join([text for text, _ in _statement(node, _PLAIN)])


def render_statements(statements: tuple[Statement, ...]) -> tuple[str, dict[Span, str]]:
    """Statements in one string, and each definition, result and condition by its place: in one line, without what stands beside it."""
    lines = [line for statement in statements for line in _statement(statement, _PLAIN)]
    asserted = (node for node in statements_in(statements) if isinstance(node, Assertion))
    alone = {node.span: render_expression(node.condition) for node in asserted}
    alone |= {node.span: _alone(text, node) for text, node in lines if isinstance(node, Definition | Return)}
    return "\n".join([text for text, _ in lines]), alone


def one_line(node: Definition | Return) -> str:
    """A statement in one line, without its comment, its tag and its label."""
    return _alone(render_statement(node), node)


def _alone(text: str, node: Definition | Return) -> str:
    return " ".join(text.removesuffix(_PLAIN.after).removesuffix(_beside(node)).split())


def _statement(node: Statement, style: _Style) -> list[_Line]:
    sign = style.formula
    match node:
        case Definition():
            text = _definition(node, style)
        case Sampling(target, distribution):
            text = rf"{sign}{render_operand(target)} \sim {render_operand(distribution)}{sign}"
        case Return(value):
            text = rf"\Return {sign}{render_expression(value)}{sign}"
        case Leave(word):
            text = rf"\{word.title()}"
        case Assertion(condition):
            text = rf"\Assert {sign}{render_expression(condition)}{sign}"
        case Remark(remark):
            text = rf"\Comment{{{remark}}}"
        case EquationGroup(body):
            end = "" if style is _LINES else style.after
            return [(r"\begin{group}", None), *_body(body, style), (r"\end{group}" + end, None)]
        case For(binding, body):
            return _block(style, "For", _range(binding), body)
        case If():
            return _branches(node, style)
        case While(condition, bound, body, until):
            header, option = render_expression(condition), "" if bound is None else f"[{render_expression(bound)}]"
            lines = _block(style, "While", header, body, option)
            if until:
                closing = f"{style.prefix}Until{{{style.formula}{header}{style.formula}}}{option}{style.after}"
                lines = [(f"{style.prefix}Repeat{style.after}", None), *lines[1:-1], (closing, None)]
            return lines
        case _:
            assert_never(node)
    return [(style.before + text + style.after, node)]


def _body(statements: tuple[Statement, ...], style: _Style) -> list[_Line]:
    return [(_INDENT + text, node) for statement in statements for text, node in _statement(statement, style)]


def _block(style: _Style, name: str, header: str, body: tuple[Statement, ...], option: str = "") -> list[_Line]:
    opening = f"{style.prefix}{name}{{{style.formula}{header}{style.formula}}}{option}{style.after}"
    return [(opening, None), *_body(body, style), (f"{style.prefix}End{name}{style.after}", None)]


def _branches(node: If, style: _Style) -> list[_Line]:
    lines: list[_Line] = []
    for position, branch in enumerate(node.branches):
        command = style.prefix + (style.else_if if position else "If")
        condition = f"{style.formula}{render_expression(branch.condition)}{style.formula}"
        lines += ((f"{command}{{{condition}}}{style.after}", None), *_body(branch.body, style))
    if node.otherwise is not None:
        lines += ((f"{style.prefix}Else{style.after}", None), *_body(node.otherwise, style))
    return [*lines, (f"{style.prefix}EndIf{style.after}", None)]


def _definition(node: Definition, style: _Style) -> str:
    value = render_expression(node.value)
    if not node.domains and value.endswith(")") and r"\dots" in value and " = " in value:
        value = f"{{{value}}}"  # a final parenthesis that holds a range would be read as the domain
    text = rf"{render_expression(node.target)} \gets {value}"
    if node.domains and all(is_range(domain) for domain in node.domains):
        text += rf" \quad ({_ranges(node.domains)})"
    elif node.domains:
        text += rf" \quad \forall {_ranges(node.domains)}"
    return f"{style.formula}{text}{style.formula}{_beside(node)}"


def _beside(node: Definition | Return) -> str:
    if isinstance(node, Return):
        return ""
    marks = (rf" \tag{{{node.tag}}}" if node.tag else "", rf" \label{{{node.label}}}" if node.label else "")
    return "".join(marks) + (rf" \Comment{{{node.comment}}}" if node.comment else "")


def is_range(node: Expression) -> bool:
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
        case Relation(("=",), (index, ListDisplay(items))) if is_range(node):
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
    flags = "".join(rf" \text{{ {flag}}}" for flag in node.flags)
    if node.relation is not None:
        return render_expression(node.relation) + flags
    text = ", ".join(render_operand(symbol) for symbol in node.symbols)
    text += "".join(f" {sign} {render_operand(part)}" for sign, part in node.parts) + flags
    return f"{text}, {_ranges(node.ranges)}" if node.ranges else text
