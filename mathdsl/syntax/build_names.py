"""Names, numbers, scripts and indices to nodes, and what all rules' functions share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import MathdslError, ambiguous, error
from mathdsl.diagnostics.readings import notation
from mathdsl.spans import Span
from mathdsl.syntax.commands import SIGNS
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.nodes import (
    Accent,
    Attribute,
    Expression,
    Group,
    Hole,
    Identifier,
    Indexing,
    Juxtaposition,
    Number,
    Relation,
    Scripts,
    Slice,
)
from mathdsl.syntax.words import split_named

Values = Sequence[Any]
_NO_LABEL = "a sign is a label of a name, as in `w^*`; the positive part is written `(x)_+`"


@dataclass(frozen=True, slots=True)
class Several:
    """The items of a comma list."""

    items: tuple[Any, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Script:
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


def build_name(values: Values) -> Identifier:
    return identifier(values[0])


def identifier(lexeme: Lexeme) -> Identifier:
    font, content = split_named(lexeme.text) if lexeme.text.endswith("}") else ("", lexeme.text)
    return Identifier(content, font, span=lexeme.span)


def build_number(values: Values) -> Number:
    text = _digits(values[0])
    value = float(text)
    if math.isinf(value) or not value and any(digit in text.lower().partition("e")[0] for digit in "123456789"):
        message = f"this number is too {'large' if value else 'small'} for a real number of 64 bits"
        raise MathdslError(
            error("E0229", message, values[0].span, help=r"real numbers lie between `5e-324` and `1.8e308`; `\infty` is infinite")
        )
    return Number(text, span=values[0].span)


def _digits(lexeme: Lexeme) -> str:
    r"""A number as it is computed with: `10000` of `10{,}000` and of `10\,000`, `0.5` of `.5`; `1{,}234` may have a decimal comma."""
    text = lexeme.text.replace(r"\,", "")
    first, *rest = text.partition(".")[0].split("{,}")
    if rest:
        are_thousands = len(first) < 4 and first[0] != "0" and all(len(part) == 3 for part in rest)
        if not are_thousands or "." not in text and rest[-1:] == rest != ["000"]:
            whole, decimal = (text.replace("{,}", mark) for mark in ("", "."))
            raise MathdslError(ambiguous(notation.COMMA_IN_A_NUMBER, lexeme.span, number=text, whole=whole, decimal=decimal))
    return "0" * text.startswith(".") + text.replace("{,}", "")


def build_styled(values: Values) -> Expression:
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
        case Juxtaposition((Identifier() | Scripts() as name, Group() as group)):
            return replace(node, factors=(_with_font(name, font, name.span), group), span=span)
        case _:
            raise MathdslError(
                error(
                    "E0226",
                    rf"`\{font}` stands around something that is no name",
                    span,
                    help=rf"write `\{font}{{x}}` around the name alone",
                )
            )


def build_accented(values: Values) -> Accent:
    inner = values[1] if len(values) == 2 else values[2]
    if isinstance(inner, Lexeme):
        inner = identifier(inner)
    return Accent(values[0].text[1:], inner, span=place(values))


def build_script(values: Values) -> Script:
    if len(values) == 1:
        return Script("'", (), values[0].span)
    argument = values[1]
    items = argument.items if isinstance(argument, Several) else (argument,)
    return Script(values[0].text, items, place(values))


def build_positive(values: Values) -> Script:
    """The sign below a parenthesis that stands for the positive part."""
    return Script("_", (Identifier("+", span=place(values)),), place(values))


def build_script_braces(values: Values) -> Several:
    return Several(values[1].items, place(values))


def build_one_sided(values: Values) -> Relation:
    hole = Hole(span=values[0].span)
    return Relation((values[0].text,), (hole, values[1]), span=place(values))


def _check_transposes(subscripts: tuple[Expression, ...], superscript: Expression | None) -> None:
    r"""Refuse a transpose or a prime in a script that holds an index, too: `W^{(k)^\top}`, `W_{k^T}`."""
    for item in subscripts if superscript is None else (*subscripts, superscript):
        match item:
            case Scripts(_, _, Identifier("T" | r"\top" | r"\intercal" | r"\prime")) | Juxtaposition(
                (Group(), Identifier("T" | r"\prime"))
            ):
                pass
            case _:
                continue
        help_text = r"write it above the element, as in `{W^{(k)}}^\top`"
        raise MathdslError(error("E0209", "a transpose or a prime stands among indices", item.span, help=help_text))


def build_scripted(values: Values) -> Expression:
    base: Expression = values[0]
    subscripts: tuple[Expression, ...] | None = None
    superscript: Expression | None = None
    for script in values[1:]:
        primes = _primes(script)
        primed = _primed(base, primes) if primes else None
        if primed is not None:
            base = replace(primed, span=base.span.to(script.span))
        elif script.sign == "_" and subscripts is None:
            subscripts = _spread(script.items)
            if isinstance(script.items[0], Group) and len(subscripts) == 1 and isinstance(subscripts[0], Identifier | Number):
                raise MathdslError(error("E0213", "an index stands in parentheses", script.span, help="write it without them"))
            if _is_positive_part(subscripts) and not (
                isinstance(base, Identifier | Accent) or isinstance(base, Group) and len(base.items) == 1
            ):
                raise _not_a_parenthesis(script)
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
    _check_transposes(subscripts or (), superscript)
    if superscript == Identifier("+") and base in (Identifier("R", "mathbb"), Identifier(r"\R")) and not subscripts:
        sign, superscript = superscript.span, None  # `\mathbb{R}^+` is `\mathbb{R}_{>0}`
        subscripts = (Relation((">",), (Hole(span=sign), Number("0", span=sign)), span=sign),)
    match base:
        case Group(items=(Identifier() | Accent() as name,), square=True) if subscripts and not _is_positive_part(subscripts):
            if not any(isinstance(item, Relation) for item in subscripts):
                base = name  # `[H]_{i,j}` is an element of `H`
        case _:
            pass
    if superscript is not None and is_sign(superscript) and not isinstance(base, Accent) and getattr(base, "font", "mathbb") == "mathbb":
        raise MathdslError(error("E0208", f"`^{superscript.text}` is no label of a name", superscript.span, help=_NO_LABEL))
    return Scripts(base, subscripts or (), superscript, span=place(values))


def _is_positive_part(subscripts: tuple[Expression, ...]) -> bool:
    return any(isinstance(item, Identifier) and item.text == "+" for item in subscripts)


def is_sign(superscript: Expression) -> TypeGuard[Identifier]:
    """Whether a superscript is a sign, which is a label and nothing else: `w^*`, `m^{+}`."""
    return isinstance(superscript, Identifier) and superscript.text in SIGNS


def _not_a_parenthesis(script: Script) -> MathdslError:
    what = "`_+` is the positive part of a parenthesis, and none stands before it"
    help_text = r"write `(x)_+` for `\max(x, 0)`; part of a name is an accent, a prime or a word: `\hat{x}`, `x_{\mathrm{new}}`"
    return MathdslError(error("E0208", what, script.span, help=help_text))


def _primes(script: Script) -> int:
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


def _primed(name: Expression, primes: int) -> Identifier | Accent | None:
    r"""A name with primes, also behind an accent: `\hat{x}'` is `\hat{x'}`; None for what is no name."""
    match name:
        case Identifier():
            return replace(name, primes=name.primes + primes)
        case Accent(body=body) if (inner := _primed(body, primes)) is not None:
            return replace(name, body=inner)
        case _:
            return None


def _spread(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    if len(items) == 1 and isinstance(items[0], Group) and items[0].items:
        return items[0].items
    return tuple(map(_without_spaces, items))


def _without_spaces(item: Expression) -> Expression:
    """`t j` in a script as `tj`: TeX prints both alike, so they mean the same; `2 j` is a product."""
    factors = item.factors if isinstance(item, Juxtaposition) else ()
    letters = [one.text for one in factors if isinstance(one, Identifier) and one == Identifier(one.text) and len(one.text) == 1]
    return Identifier("".join(letters), span=item.span) if factors and len(letters) == len(factors) else item


def one(items: tuple[Expression, ...], span: Span) -> Expression:
    """The only item, or the items as a `Group`."""
    return items[0] if len(items) == 1 else Group(items, span=span)


def build_numeral(values: Values) -> Expression:
    number = build_number(values)
    return build_scripted([number, *values[1:]]) if len(values) > 1 else number


def build_indexed(values: Values) -> Indexing:
    return Indexing(values[0], values[2].items if len(values) == 4 else (), span=place(values))


def build_attribute(values: Values) -> Attribute:
    name = identifier(values[2]).text.removeprefix("\\")
    return Attribute(values[0], name, values[4].items if len(values) == 6 else (), span=place(values))


def build_slice(values: Values) -> Slice:
    colon = next(index for index, value in enumerate(values) if isinstance(value, Lexeme) and value.type == "COLON")
    lower = values[colon - 1] if colon else None
    upper = values[colon + 1] if colon + 1 < len(values) else None
    return Slice(lower, upper, span=place(values))
