"""Rules of the expression grammar to nodes: one function a rule, named in `EXPRESSION_RULES`.

A function gets the values of the rule's symbols (lexemes and what other functions returned), each with a `span`; a
mistake that only the finished rule shows is raised as `MathdslError`, and the parser goes on at the next statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mathdsl.diagnostics import MathdslError, ambiguous, error
from mathdsl.diagnostics.readings import notation
from mathdsl.spans import Span
from mathdsl.syntax.build_brackets import (
    build_bars,
    build_braced,
    build_braced_items,
    build_braces,
    build_case_row,
    build_cases,
    build_command,
    build_comprehension,
    build_fraction,
    build_group,
    build_interval,
    build_list,
    build_matrix,
    build_root,
    build_rows,
    build_set,
)
from mathdsl.syntax.build_declarations import group_ranges
from mathdsl.syntax.build_names import (
    Values,
    build_accented,
    build_attribute,
    build_indexed,
    build_name,
    build_number,
    build_numeral,
    build_one_sided,
    build_positive,
    build_script,
    build_script_braces,
    build_scripted,
    build_slice,
    build_styled,
    comma_list,
    one,
    place,
)
from mathdsl.syntax.commands import is_known_name
from mathdsl.syntax.display.tex import render_expression
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.nodes import (
    Accent,
    Binary,
    Dots,
    Expression,
    Factorial,
    Group,
    Hole,
    Identifier,
    Indexing,
    Juxtaposition,
    Keyword,
    Logic,
    Negative,
    Phrase,
    Reduction,
    Relation,
    Scripts,
)


def _binary(values: Values) -> Binary:
    left, operator, right = values
    if operator.text == "/":
        _check_divisor(operator, right)
    if operator.text in ("+", "-"):
        _check_remainder(left, operator.text, right, place(values))
    return Binary(operator.text, left, right, span=place(values))


def _check_remainder(first: Expression | None, sign: str, value: Expression, span: Span) -> None:
    r"""`a + b \bmod c` and `-a \bmod c` are refused: the remainder may be that of all that stands before."""
    while isinstance(value, Binary) and value.operator != r"\bmod":
        value = value.left
    if isinstance(value, Binary):
        before = sign if first is None else f"{render_expression(first)} {sign}"
        left, of = render_expression(value.left), render_expression(value.right)
        raise MathdslError(ambiguous(notation.REMAINDER_BEHIND_A_SUM, span, before=before, value=left, of=of))


def _check_divisor(slash: Lexeme, divisor: Expression) -> None:
    """`a / b \\cdot c` and `a / b c` are refused; a call after `/` is no product."""
    match divisor:
        case Binary("@" | r"\cdot"):
            pass
        case Juxtaposition(factors) if not _may_be_call(factors):
            pass
        case _:
            return
    raise MathdslError(ambiguous(notation.PRODUCT_BEHIND_SLASH, divisor.span, label="is all of this divided by, or its first factor only?"))


def _may_be_call(factors: tuple[Expression, ...]) -> bool:
    head, rest = factors[0], factors[1:]
    while isinstance(head, Scripts | Indexing):
        head = head.base
    if isinstance(head, Identifier) and head.text.startswith("\\") and is_known_name(head.text) and not isinstance(rest[0], Group):
        return len(rest) == 1 or (len(rest) == 2 and isinstance(rest[1], Group))
    last = rest[0]
    while isinstance(last, Scripts | Indexing):
        last = last.base
    return len(rest) == 1 and isinstance(last, Group)


def _negative(values: Values) -> Negative:
    _check_remainder(None, "-", values[1], place(values))
    return Negative(values[1], span=place(values))


def _factorial(values: Values) -> Factorial:
    operand = values[0]
    if isinstance(operand, Scripts) and operand.superscript is not None:
        plain = replace(operand, superscript=None) if operand.subscripts else operand.base
        base, exponent = render_expression(plain), render_expression(operand.superscript)
        raise MathdslError(ambiguous(notation.FACTORIAL_BEHIND_A_POWER, place(values), base=base, exponent=exponent))
    return Factorial(operand, span=place(values))


def _relation(values: Values) -> Relation:
    return Relation(tuple(value.text for value in values[1::2]), tuple(values[::2]), span=place(values))


def _disjunction(values: Values) -> Logic:
    return Logic("or", tuple(values[::2]), span=place(values))


def _conjunction(values: Values) -> Logic:
    return Logic("and", tuple(values[::2]), span=place(values))


def _negation(values: Values) -> Logic:
    return Logic("not", (values[1],), span=place(values))


def _juxtaposition(values: Values) -> Juxtaposition:
    factors = [values[0]]
    factors += (_with_keywords(after) if _is_callee(before) else after for before, after in pairwise(values))
    return Juxtaposition(tuple(factors), span=place(values))


def _dotted(values: Values) -> Juxtaposition:
    r"""`x_1 x_2 \cdots x_n`."""
    factors = tuple(Dots(span=value.span) if isinstance(value, Lexeme) else value for value in values)
    return Juxtaposition(factors, span=place(values))


def _is_callee(node: Expression) -> bool:
    match node:
        case Identifier() | Accent():
            return True
        case Scripts(base) | Indexing(base):
            return _is_callee(base)
        case _:
            return False


def _with_keywords(node: Expression) -> Expression:
    """`f(x = a)`: directly in the parentheses of a call, `=` after a name gives a keyword."""
    match node:
        case Scripts(base) | Indexing(base):
            return replace(node, base=_with_keywords(base))
        case Group(items):
            return replace(node, items=tuple(_keyword_of(item) for item in items))
        case _:
            return node


def _keyword_of(item: Expression) -> Expression:
    match item:
        case Relation(("=",), (name, value)) if _is_callee(name):
            return Keyword(name, value, span=item.span)
        case _:
            return item


def _reduction(values: Values) -> Reduction:
    subscript: Expression | None = None
    superscript: Expression | None = None
    for script in values[1:-1]:
        if script.sign == "_" and subscript is None:
            subscript = one(group_ranges(script.items), script.span)
        elif script.sign == "^" and superscript is None:
            superscript = one(script.items, script.span)
        else:
            raise MathdslError(error("E0213", f"`{values[0].text}` has two scripts of one kind", script.span, label="the second one"))
    return Reduction(values[0].text.removeprefix("\\"), subscript, superscript, values[-1], span=place(values))


EXPRESSION_RULES: Mapping[str, Callable[[Values], Any]] = {
    "accented": build_accented,
    "attribute": build_attribute,
    "bars": build_bars,
    "binary": _binary,
    "braced": build_braced,
    "braced_items": build_braced_items,
    "braces": build_braces,
    "case_row": build_case_row,
    "cases": build_cases,
    "command": build_command,
    "comprehension": build_comprehension,
    "conjunction": _conjunction,
    "disjunction": _disjunction,
    "dotted": _dotted,
    "dots": lambda values: Dots(values[0].text == r"\to", span=values[0].span),
    "factorial": _factorial,
    "fraction": build_fraction,
    "group": build_group,
    "hole": lambda values: Hole(span=values[0].span),
    "indexed": build_indexed,
    "indices": comma_list,
    "interval": build_interval,
    "items": comma_list,
    "juxtaposition": _juxtaposition,
    "keyword": lambda values: Keyword(values[0], values[2], span=place(values)),
    "list": build_list,
    "matrix": build_matrix,
    "matrix_row": comma_list,
    "name": build_name,
    "negation": _negation,
    "negative": _negative,
    "number": build_number,
    "numeral": build_numeral,
    "one_sided": build_one_sided,
    "phrase": lambda values: Phrase(values[0].text, span=values[0].span),
    "positive": build_positive,
    "reduction": _reduction,
    "relation": _relation,
    "root": build_root,
    "rows": build_rows,
    "script": build_script,
    "script_braces": build_script_braces,
    "script_items": comma_list,
    "scripted": build_scripted,
    "set": build_set,
    "slice": build_slice,
    "styled": build_styled,
}
