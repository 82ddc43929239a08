"""Rules of the expression grammar to nodes: one function a rule, named in `EXPRESSION_RULES`.

A function gets the values of the rule's symbols (lexemes and what other functions returned), each with a `span`; a
mistake that only the finished rule shows is raised as `MathdslError`, and the parser goes on at the next statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mathdsl.diagnostics import MathdslError, error
from mathdsl.spans import Span
from mathdsl.syntax.commands import is_known_name
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.nodes import (
    Accent,
    Attribute,
    Bars,
    Binary,
    CaseRow,
    Cases,
    Command,
    Comprehension,
    Dots,
    Expression,
    Fraction,
    Group,
    Hole,
    Identifier,
    Indexing,
    Interval,
    Juxtaposition,
    Keyword,
    ListDisplay,
    Logic,
    Matrix,
    Negative,
    Number,
    Phrase,
    Reduction,
    Relation,
    Root,
    Scripts,
    SetDisplay,
    Slice,
)
from mathdsl.syntax.words import split_named

Values = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Several:
    """The items of a comma list."""

    items: tuple[Any, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class _Script:
    """One `_{..}`, `^{..}` or prime."""

    sign: str
    items: tuple[Expression, ...]
    span: Span


def place(values: Values) -> Span:
    """From the first value to the last."""
    first: Span = values[0].span
    last: Span = values[-1].span
    if first.file != last.file:
        return first
    return Span(first.file, min(first.start, last.start), max(first.end, last.end), first.definition)


def comma_list(values: Values) -> Several:
    return Several(tuple(values[::2]), place(values))


# ---- names and scripts -------------------------------------------------------------------------


def _name(values: Values) -> Identifier:
    return identifier(values[0])


def identifier(lexeme: Lexeme) -> Identifier:
    font, content = split_named(lexeme.text) if lexeme.text.endswith("}") else ("", lexeme.text)
    return Identifier(content, font, span=lexeme.span)


def _number(values: Values) -> Number:
    return Number(values[0].text, span=values[0].span)


def _styled(values: Values) -> Expression:
    font: str = values[0].text[1:]
    inner = values[1] if len(values) == 2 else values[2]
    if isinstance(inner, Lexeme):
        inner = identifier(inner)
    return _with_font(inner, font, place(values))


def _with_font(node: Expression, font: str, span: Span) -> Expression:
    match node:
        case Identifier(font=""):
            return replace(node, font=font, span=span)
        case Number(text):
            return Identifier(text, font, span=span)
        case Accent(_, body):
            return replace(node, body=_with_font(body, font, span), span=span)
        case Scripts(base):
            return replace(node, base=_with_font(base, font, span), span=span)
        case _:
            raise MathdslError(
                error(
                    "E0226",
                    rf"`\{font}` stands around something that is no name",
                    span,
                    help=rf"write `\{font}{{x}}` around the name alone",
                )
            )


def _accented(values: Values) -> Accent:
    inner = values[1] if len(values) == 2 else values[2]
    if isinstance(inner, Lexeme):
        inner = identifier(inner)
    return Accent(values[0].text[1:], inner, span=place(values))


def _script(values: Values) -> _Script:
    if len(values) == 1:
        return _Script("'", (), values[0].span)
    argument = values[1]
    items = argument.items if isinstance(argument, Several) else (argument,)
    return _Script(values[0].text, items, place(values))


def _script_braces(values: Values) -> Several:
    return Several(values[1].items, place(values))


def _one_sided(values: Values) -> Relation:
    hole = Hole(span=values[0].span)
    return Relation((values[0].text,), (hole, values[1]), span=place(values))


def _scripted(values: Values) -> Expression:
    base: Expression = values[0]
    subscripts: tuple[Expression, ...] | None = None
    superscript: Expression | None = None
    for script in values[1:]:
        primes = _primes(script) if isinstance(base, Identifier) else 0
        if primes and isinstance(base, Identifier):
            base = replace(base, primes=base.primes + primes, span=base.span.to(script.span))
        elif script.sign == "_" and subscripts is None:
            subscripts = _spread(script.items)
        elif script.sign != "_" and superscript is None:
            superscript = Identifier(r"\prime", span=script.span) if script.sign == "'" else one(script.items, script.span)
        else:
            kind = "subscripts" if script.sign == "_" else "superscripts"
            raise MathdslError(
                error(
                    "E0213",
                    f"two {kind} stand one after the other",
                    script.span,
                    label="the second one",
                    help="write one script with a comma, or braces around the symbol that the second belongs to",
                )
            )
    if subscripts is None and superscript is None:
        return base
    return Scripts(base, subscripts or (), superscript, span=place(values))


def _primes(script: _Script) -> int:
    """How many primes a script is, 0 if it is none."""
    if script.sign == "'":
        return 1
    if script.sign != "^" or len(script.items) != 1:
        return 0
    match script.items[0]:
        case Identifier(r"\prime"):
            return 1
        case Juxtaposition(factors) if all(isinstance(factor, Identifier) and factor.text == r"\prime" for factor in factors):
            return len(factors)
        case _:
            return 0


def _spread(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    if len(items) == 1 and isinstance(items[0], Group) and items[0].items:
        return items[0].items
    return items


def one(items: tuple[Expression, ...], span: Span) -> Expression:
    """The only item, or the items as a `Group`."""
    return items[0] if len(items) == 1 else Group(items, span=span)


def _numeral(values: Values) -> Expression:
    number = _number(values)
    return _scripted([number, *values[1:]]) if len(values) > 1 else number


def _indexed(values: Values) -> Indexing:
    return Indexing(values[0], values[2].items if len(values) == 4 else (), span=place(values))


def _attribute(values: Values) -> Attribute:
    name = identifier(values[2]).text.removeprefix("\\")
    return Attribute(values[0], name, values[4].items if len(values) == 6 else (), span=place(values))


def _slice(values: Values) -> Slice:
    colon = next(index for index, value in enumerate(values) if isinstance(value, Lexeme) and value.type == "COLON")
    lower = values[colon - 1] if colon else None
    upper = values[colon + 1] if colon + 1 < len(values) else None
    return Slice(lower, upper, span=place(values))


# ---- operators ---------------------------------------------------------------------------------


def _binary(values: Values) -> Binary:
    left, operator, right = values
    if operator.text == "/":
        _check_divisor(operator, right)
    return Binary(operator.text, left, right, span=place(values))


def _check_divisor(slash: Lexeme, divisor: Expression) -> None:
    """`a / b \\cdot c` and `a / b c` are refused; a call after `/` is no product."""
    match divisor:
        case Binary("@" | r"\cdot"):
            pass
        case Juxtaposition(factors) if not _may_be_call(factors):
            pass
        case _:
            return
    raise MathdslError(
        error(
            "E0212",
            "a product directly after `/` has two readings",
            divisor.span,
            label="is all of this divided by, or its first factor only?",
            notes=[r"`\frac{a}{b c}` divides by the product", r"`\frac{a}{b} c` divides by the first factor, then multiplies"],
            help="write `a / (b c)` or `(a / b) c`",
        )
    )


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
    return Negative(values[1], span=place(values))


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
    factors += (_with_keywords(after) if _is_callee(before) else after for before, after in zip(values, values[1:], strict=False))
    return Juxtaposition(tuple(factors), span=place(values))


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
            subscript = one(script.items, script.span)
        elif script.sign == "^" and superscript is None:
            superscript = one(script.items, script.span)
        else:
            raise MathdslError(error("E0213", f"`{values[0].text}` has two scripts of one kind", script.span, label="the second one"))
    return Reduction(values[0].text.removeprefix("\\"), subscript, superscript, values[-1], span=place(values))


# ---- brackets ----------------------------------------------------------------------------------


def _inner(values: Values) -> Any:
    return values[1]


def _braces(values: Values) -> Expression:
    inner: Expression = values[1]
    return replace(inner, span=place(values))


def _group(values: Values) -> Group:
    return Group(_content(values), span=place(values))


def _list(values: Values) -> ListDisplay:
    return ListDisplay(_content(values), span=place(values))


def _content(values: Values) -> tuple[Expression, ...]:
    return values[1].items if len(values) == 3 else ()


def _rows(values: Values) -> Matrix:
    return Matrix(tuple(value.items for value in values if isinstance(value, Several)), span=place(values))


def _set(values: Values) -> Expression:
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


def _comprehension(values: Values) -> Comprehension:
    return Comprehension(values[1], values[3].items, span=place(values))


def _interval(values: Values) -> Interval:
    return Interval(values[0].text == "[", values[4].text == "]", values[1], values[3], span=place(values))


_BAR_KINDS: Mapping[str, Any] = {"LBAR": "|", "LNORM": "||", "LFLOOR": "floor", "LCEIL": "ceil", "LANGLE": "angle"}


def _bars(values: Values) -> Bars:
    return Bars(_BAR_KINDS[values[0].type], values[1].items, span=place(values))


def _fraction(values: Values) -> Fraction:
    return Fraction(values[1], values[2], span=place(values))


def _root(values: Values) -> Root:
    return Root(values[-1], values[2] if len(values) > 2 else None, span=place(values))


def _braced_items(values: Values) -> Several:
    return Several(_content(values), place(values))


def _command(values: Values) -> Command:
    return Command(values[0].text[1:], tuple(value.items for value in values[1:]), span=place(values))


def _cases(values: Values) -> Cases:
    return Cases(tuple(value for value in values if isinstance(value, CaseRow)), span=place(values))


def _case_row(values: Values) -> CaseRow:
    return CaseRow(values[0], None if isinstance(values[2], Lexeme) else values[2], span=place(values))


def _matrix(values: Values) -> Matrix:
    return _rows(values)


EXPRESSION_RULES: Mapping[str, Callable[[Values], Any]] = {
    "accented": _accented,
    "attribute": _attribute,
    "bars": _bars,
    "binary": _binary,
    "braced": _inner,
    "braced_items": _braced_items,
    "braces": _braces,
    "case_row": _case_row,
    "cases": _cases,
    "command": _command,
    "comprehension": _comprehension,
    "conjunction": _conjunction,
    "disjunction": _disjunction,
    "dots": lambda values: Dots(span=values[0].span),
    "fraction": _fraction,
    "group": _group,
    "hole": lambda values: Hole(span=values[0].span),
    "indexed": _indexed,
    "indices": comma_list,
    "interval": _interval,
    "items": comma_list,
    "juxtaposition": _juxtaposition,
    "keyword": lambda values: Keyword(values[0], values[2], span=place(values)),
    "list": _list,
    "matrix": _matrix,
    "matrix_row": comma_list,
    "name": _name,
    "negation": _negation,
    "negative": _negative,
    "number": _number,
    "numeral": _numeral,
    "one_sided": _one_sided,
    "phrase": lambda values: Phrase(values[0].text, span=values[0].span),
    "reduction": _reduction,
    "relation": _relation,
    "root": _root,
    "rows": _rows,
    "script": _script,
    "script_braces": _script_braces,
    "script_items": comma_list,
    "scripted": _scripted,
    "set": _set,
    "slice": _slice,
    "styled": _styled,
}
