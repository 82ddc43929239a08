"""From syntax to terms: what each name, index, call and operator of an expression stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from mathdsl.elaborate.names.classify import on_value
from mathdsl.elaborate.names.names import spelling_of
from mathdsl.elaborate.names.reserved import read_pi
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms import application, conditions, reductions, sequences
from mathdsl.elaborate.terms.callees import names_builtin
from mathdsl.elaborate.terms.elements import resolve_indexing
from mathdsl.elaborate.terms.grouping import as_operand, bare_products
from mathdsl.elaborate.terms.identifiers import resolve_identifier
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.scripts import resolve_scripts
from mathdsl.elaborate.terms.terms import (
    Elementwise,
    NumberTerm,
    PowerTerm,
    Product,
    SizeTerm,
    Term,
    TupleTerm,
)
from mathdsl.syntax import nodes as ast

ELEMENTWISE = {"+": "add", "-": "sub", "*": "mul", r"\odot": "mul", r"\circ": "mul", "/": "div", r"\bmod": "mod"}


def resolve_expression(reader: Reader, node: ast.Expression) -> Term:
    """The term of an expression, by the terms of its parts."""
    match node:
        case ast.Number() | ast.Identifier() | ast.Accent() | ast.Scripts() | ast.Indexing() | ast.Attribute():
            return _resolve_name(reader, node)
        case ast.Group(items=items):
            return _group(reader, node, items)
        case ast.Juxtaposition():
            return application.resolve_juxtaposition(reader, node)
        case ast.Binary():
            return _binary(reader, node)
        case ast.Negative(operand=operand):
            return _negative(reader, node, operand)
        case ast.Fraction(numerator=numerator, denominator=denominator):
            return Elementwise("div", (reader.resolve(as_operand(numerator)), reader.resolve(as_operand(denominator))), span=node.span)
        case ast.Factorial(operand=operand):
            return Elementwise("factorial", (reader.resolve(operand),), span=node.span)
        case ast.Root(radicand=radicand, degree=None):
            return Elementwise("sqrt", (reader.resolve(as_operand(radicand)),), span=node.span)
        case ast.Root(radicand=radicand, degree=degree) if degree is not None:
            inverse = Elementwise("div", (NumberTerm(1.0, span=node.span), reader.resolve(degree)), span=node.span)
            return Elementwise("pow", (reader.resolve(as_operand(radicand)), inverse), span=node.span)
        case ast.Logic(operator="or", operands=(ast.Reduction() as reduction, other)) if reductions.may_be_of_nothing(reduction):
            return reductions.resolve_reduction(reader, reduction, reader.resolve(other))
        case ast.Relation() | ast.Logic():
            return conditions.resolve_condition(reader, node)
        case ast.Cases():
            return conditions.resolve_cases(reader, node)
        case ast.Reduction():
            return reductions.resolve_reduction(reader, node)
        case ast.Bars():
            return reductions.resolve_bars(reader, node)
        case ast.Command():
            return application.resolve_command(reader, node)
        case ast.Comprehension() | ast.ListDisplay() | ast.SetDisplay():
            return sequences.resolve_collection(reader, node)
        case ast.Matrix():
            return sequences.resolve_matrix(reader, node)
        case ast.Root() | ast.Interval() | ast.Slice() | ast.Keyword() | ast.Dots() | ast.Hole() | ast.Phrase():
            raise refuse("E0309", f"{_part_of_speech(node)} has no value of its own", node.span, help=_where_it_belongs(node))
        case _:
            assert_never(node)


def _part_of_speech(node: ast.Expression) -> str:
    match node:
        case ast.Dots():
            return "an ellipsis"
        case ast.Slice():
            return "a slice"
        case ast.Keyword():
            return "a named argument"
        case ast.Phrase(text=text):
            return f"the phrase “{text}”"
        case ast.Interval():
            return "an interval"
        case _:
            return "this"


def _where_it_belongs(node: ast.Expression) -> str:
    match node:
        case ast.Dots():
            between = r"between terms each that is written must be one step after the one before it: `x_1 + x_2 + \dots + x_n`"
            return r"an ellipsis stands in a list, between its first elements and its last, `\cat{h_1, \dots, h_S}`; " + between
        case ast.Slice():
            return "a slice stands in brackets after an array: `x[a:b]`"
        case ast.Keyword():
            return "named arguments stand in the parentheses of a call"
        case ast.Interval():
            return "an interval stands in a table, as the type of a setting"
        case _:
            return "say it in symbols"


def _resolve_name(reader: Reader, node: ast.Number | ast.Identifier | ast.Accent | ast.Scripts | ast.Indexing | ast.Attribute) -> Term:
    node_ = unaccent(node)
    match node_:
        case ast.Number(text=text):
            return NumberTerm(int(text) if text.isdigit() else float(text), span=node.span)
        case ast.Scripts():
            return resolve_scripts(reader, node_)
        case ast.Indexing(base=base, items=(item,)) if not isinstance(item, ast.Slice) and names_builtin(reader, spelling_of(base)):
            argument = ast.Group((item,), square=True, span=node.span)
            return application.resolve_juxtaposition(reader, ast.Juxtaposition((base, argument), span=node.span))
        case ast.Indexing():
            return resolve_indexing(reader, node_)
        case ast.Attribute():
            size = as_poly(reader, node_)
            if size is None:
                raise refuse(
                    "E0408",
                    f"`.{node_.name}` gives the size of an axis of an array",
                    node.span,
                    help=r"write `x.\sz{1}` for the first axis of `x`",
                )
            return SizeTerm(size, span=node.span)
        case _:
            return resolve_identifier(reader, node_)


def _group(reader: Reader, node: ast.Group, items: tuple[ast.Expression, ...]) -> Term:
    if any(isinstance(item, ast.Keyword) for item in items):
        raise refuse("E0307", "a named argument stands outside a call", node.span, help="put the function's name before the parenthesis")
    if len(items) == 1:
        return reader.resolve(items[0])
    return TupleTerm(tuple(reader.resolve(item) for item in items), span=node.span)


def _binary(reader: Reader, node: ast.Binary) -> Term:
    # A long sum is a left-leaning chain; it is read with a loop, so that its length is not limited.
    chain: list[ast.Binary] = []
    first: ast.Expression = node
    while isinstance(first, ast.Binary) and first.operator in ("+", "-"):
        chain.append(first)
        first = first.left
    if not chain:
        return _product(reader, node)
    term = reader.resolve(as_operand(first))
    parts = (first, *(link.right for link in chain))
    reader.terms.bare_products.update((node.span, span) for part in parts for span in bare_products(part))
    for link in reversed(chain):
        reader = reader.behind(_last_reduction(link.left))
        term = Elementwise(ELEMENTWISE[link.operator], (term, reader.resolve(as_operand(link.right))), span=link.span)
    return term


def _last_reduction(node: ast.Expression) -> ast.Reduction | None:
    r"""The reduction that a term of a sum ends with: `\sum_i x_i` of `2 \sum_i x_i`."""
    match node:
        case ast.Reduction():
            return node
        case ast.Juxtaposition(factors=(*_, last)) | ast.Binary(right=last) | ast.Negative(operand=last):
            return _last_reduction(last)
        case _:
            return None


def _product(reader: Reader, node: ast.Binary) -> Term:
    if node.operator != "||":
        node = replace(node, left=as_operand(node.left), right=as_operand(node.right))
    match node.operator:
        case "*" | r"\odot" | r"\circ" | "/" | r"\bmod":
            return Elementwise(ELEMENTWISE[node.operator], (reader.resolve(node.left), reader.resolve(node.right)), span=node.span)
        case "@" | r"\cdot" | r"\times" | r"\otimes":
            left, right = read_pi(reader, (node.left, node.right))
            return Product(node.operator, reader.resolve(left), reader.resolve(right), span=node.span)
        case "**":
            return PowerTerm(reader.resolve(node.left), reader.resolve(node.right), on_value(node.right), span=node.span)
        case "||":
            return sequences.concatenate(reader, node)
        case _:
            near = r"between values stand `+`, `-`, `\cdot`, `\odot`, `\otimes`, `/` and `||`; a set stands behind `\in`"
            raise refuse("E0309", f"`{node.operator}` cannot stand here", node.span, help=near)


def _negative(reader: Reader, node: ast.Negative, operand: ast.Expression) -> Term:
    inner = reader.resolve(as_operand(operand))
    if isinstance(inner, NumberTerm) and not isinstance(inner.value, bool):
        return NumberTerm(-inner.value, span=node.span)
    return Elementwise("neg", (inner,), span=node.span)
