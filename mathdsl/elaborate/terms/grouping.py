r"""Brackets as larger parentheses: directly after a function or the sign of a reduction, `\exp\{c\}`, `\sum_i [a_i + b_i]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.types import LIST_OF_EQUAL_VALUES, POWER_OR_LIST
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def as_arguments(node: ast.Expression) -> ast.Expression:
    r"""What stands directly after a function: brackets are its parenthesis, so that `\max\{a, b\}^2` is the square of the value."""
    match node:
        case ast.SetDisplay(items=(inner,)):
            return ast.Group((inner,), span=node.span)
        case ast.SetDisplay() | ast.ListDisplay() | ast.Comprehension():
            return ast.Group((node,), span=node.span)
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return replace(node, base=as_arguments(base))
        case ast.Binary(operator="**", left=left):
            return replace(node, left=as_arguments(left))
        case ast.Factorial(operand=operand):
            return replace(node, operand=as_arguments(operand))
        case _:
            return node


def as_body(node: ast.Expression) -> ast.Expression:
    r"""The body of a reduction: one element in brackets at its beginning is in a parenthesis."""
    match node:
        case ast.SetDisplay(items=(inner,)):
            return ast.Group((inner,), span=node.span)
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return replace(node, base=as_body(base))
        case ast.Binary(left=left):
            return replace(node, left=as_body(left))
        case ast.Negative(operand=operand):
            return replace(node, operand=as_body(operand))
        case ast.Juxtaposition(factors=(first, *others)):
            return replace(node, factors=(as_body(first), *others))
        case _:
            return node


def as_operand(node: ast.Expression) -> ast.Expression:
    r"""What stands beside an operator: one value in braces is in a parenthesis, as in `b + \{a + b\}`; a power of it has two readings."""
    match node:
        case ast.SetDisplay(items=(inner,)) if not isinstance(inner, ast.Dots):
            return ast.Group((inner,), span=node.span)
        case ast.Scripts(base=ast.SetDisplay(items=(inner,)), superscript=ast.Number()) if not isinstance(inner, ast.Number):
            raise _power_or_list(node, inner)
        case _:
            return node


def check_repeated(reader: Reader, node: ast.Scripts, value: ast.Expression) -> None:
    r"""`\{a + b\}^2` can be a power: a sum in braces is often in a parenthesis; `\{a\}^2` is a list, and noted."""
    if not isinstance(node.superscript, ast.Number) or node.superscript.text == "1":
        return
    if isinstance(value, ast.Binary) and value.operator in ("+", "-"):
        raise _power_or_list(node, value)
    if not isinstance(value, ast.Number):
        reader.findings.note(LIST_OF_EQUAL_VALUES, render_expression(node), node.span)


def _power_or_list(node: ast.Scripts, value: ast.Expression) -> MathdslError:
    shown, inner, count = render_expression(node), render_expression(value), render_expression(node.superscript or value)
    return undecided(POWER_OR_LIST, node.span, written=shown, inner=inner, count=count)


def find_set(node: ast.Expression) -> ast.SetDisplay | ast.Comprehension | None:
    """The set of several elements that a body is, scripts or not."""
    match node:
        case ast.SetDisplay(items=items):
            return node if len(items) > 1 else None
        case ast.Comprehension():
            return node
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return find_set(base)
        case _:
            return None


def is_family(node: ast.Expression) -> bool:
    r"""Whether a set is over a range: `\{x_1, \dots, x_n\}`, `\{x_t ; t \in I\}`."""
    match node:
        case ast.SetDisplay(items=items):
            return any(isinstance(item, ast.Dots) for item in items)
        case _:
            return isinstance(node, ast.Comprehension)


def bare_products(node: ast.Expression) -> Iterator[Span]:
    r"""The `a \cdot b` that is a term of a sum or a row of `cases`, without a parenthesis of its own."""
    match node:
        case ast.Binary(operator=r"\cdot"):
            yield node.span
        case ast.Negative(operand=operand):
            yield from bare_products(operand)
        case ast.Binary(operator="*" | r"\odot" | "/", left=left, right=right):
            yield from bare_products(left)
            yield from bare_products(right)
        case _:
            pass
