"""Whatever stands between delimiters or in the braces of a command to nodes."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.syntax.build_names import Several, Values, place
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.nodes import (
    Bars,
    CaseRow,
    Cases,
    Command,
    Comprehension,
    Expression,
    Fraction,
    Group,
    Interval,
    ListDisplay,
    Logic,
    Matrix,
    Relation,
    Root,
    SetDisplay,
)
from mathdsl.syntax.pairs import BARS


def build_braced(values: Values) -> Several:
    """An argument in braces; the braces count for the place of the whole command, not of the argument."""
    return Several((values[1],), place(values))


def build_braces(values: Values) -> Expression:
    inner: Expression = values[1]
    return replace(inner, span=place(values))


def build_group(values: Values) -> Group:
    return Group(_content(values), values[0].text == "[", span=place(values))


def build_list(values: Values) -> ListDisplay:
    return ListDisplay(_content(values), values[0].text != "[", span=place(values))


def _content(values: Values) -> tuple[Expression, ...]:
    return values[1].items if len(values) == 3 else ()


def build_rows(values: Values) -> Matrix:
    return Matrix(tuple(value.items for value in values if isinstance(value, Several)), span=place(values))


def build_set(values: Values) -> Expression:
    items = _content(values)
    parts = _such_that(items[0]) if items else None
    if parts is not None:
        return Comprehension(parts[0], (parts[1], *items[1:]), span=place(values))
    return SetDisplay(items, span=place(values))


def _such_that(node: Expression) -> tuple[Expression, Expression] | None:
    r"""The first `\mid` directly inside braces divides a body from its condition."""
    match node:
        case Relation(operators, operands) if r"\mid" in operators:
            at = operators.index(r"\mid")
            return _chain(operators[:at], operands[: at + 1]), _chain(operators[at + 1 :], operands[at + 1 :])
        case Logic(operator, (first, *rest)) if operator != "not":
            parts = _such_that(first)
            return None if parts is None else (parts[0], replace(node, operands=(parts[1], *rest)))
        case _:
            return None


def _chain(operators: tuple[str, ...], operands: tuple[Expression, ...]) -> Expression:
    return Relation(operators, operands, span=place(operands)) if operators else operands[0]


def build_comprehension(values: Values) -> Comprehension:
    return Comprehension(values[1], values[3].items, span=place(values))


def build_interval(values: Values) -> Interval:
    return Interval(values[0].text == "[", values[4].text == "]", values[1], values[3], span=place(values))


def build_bars(values: Values) -> Bars:
    return Bars(BARS[values[0].type], values[1].items, span=place(values))


def build_fraction(values: Values) -> Fraction:
    return Fraction(values[1].items[0], values[2].items[0], span=place(values))


def build_root(values: Values) -> Root:
    return Root(values[-1].items[0], values[2] if len(values) > 2 else None, span=place(values))


def build_braced_items(values: Values) -> Several:
    return Several(_content(values), place(values))


def build_command(values: Values) -> Command:
    return Command(values[0].text[1:], tuple(value.items for value in values[1:]), span=place(values))


def build_cases(values: Values) -> Cases:
    return Cases(tuple(value for value in values if isinstance(value, CaseRow)), span=place(values))


def build_case_row(values: Values) -> CaseRow:
    return CaseRow(values[0], None if isinstance(values[2], Lexeme) else values[2], span=place(values))


def build_matrix(values: Values) -> Matrix:
    return build_rows(values)
