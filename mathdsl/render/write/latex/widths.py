"""How wide a formula or a text will be, roughly and without TeX: enough to share out the columns of a table."""

from __future__ import annotations

import re
from typing import assert_never

from mathdsl.render.document.model import (
    Code,
    Formula,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Math,
    Picture,
    Reference,
    Styled,
    Text,
    name_picture,
)
from mathdsl.render.write.latex.expressions import write_expression
from mathdsl.vocabulary import of_kinds, spellings

_TOKEN = re.compile(r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_NARROW, _LETTER, _CAPITAL, _SIGN = 0.3, 0.5, 0.75, 1.2
_SILENT = spellings(of_kinds("font", "accent", "wide", "line", "root", "class", "text", "named", "side", "size", "style")) | frozenset(
    r"\limits \operatorname* \mdslbreak \allowbreak \char".split()
)
_RELATIONS = frozenset("+-=<>") | spellings(of_kinds("rel", "bin"))
_SCRIPT, _TYPEWRITER = 0.7, 0.525


def estimate_width(latex: str) -> float:
    """Ems of a formula on one line."""
    width, _ = _measure(_TOKEN.findall(latex), 0)
    return width


def inlines_width(inlines: Inlines) -> float:
    """Ems of inlines on one line."""
    return sum(_inline_width(inline) for inline in inlines)


def _inline_width(inline: Inline) -> float:
    match inline:
        case Text(text):
            return sum(_CAPITAL if character.isupper() or character in "%&#@+=<>" else _LETTER for character in text)
        case Math(latex):
            return estimate_width(latex)
        case Formula(expression):
            return estimate_width(write_expression(expression))
        case Code(text):
            return _TYPEWRITER * len(text)
        case Styled(_, body) | Link(_, body):
            return inlines_width(body)
        case Reference() | LineBreak():
            return 1.0
        case Picture():
            return inlines_width(name_picture(inline))
        case _:
            assert_never(inline)


def _measure(tokens: list[str], position: int) -> tuple[float, int]:
    """The widest row of tokens up to the end of their group, and where the group ends."""
    row, widest, scale = 0.0, 0.0, 1.0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token == "}" or token.startswith(r"\end{"):
            break
        if token in "_^":
            scale = _SCRIPT
            continue
        if token == r"\\":
            row, widest = 0.0, max(row, widest)
            continue
        if token == r"\frac":
            upper, position = _group(tokens, position)
            lower, position = _group(tokens, position)
            width = max(upper, lower) + 0.3
        elif token == "{" or token.startswith(r"\begin{"):
            width, position = _measure(tokens, position)
            width += 0.0 if token == "{" else 1.5
        else:
            width = _width_of(token)
        row += scale * width
        scale = 1.0 if token.strip() else scale
    return max(row, widest), position


def _group(tokens: list[str], position: int) -> tuple[float, int]:
    if tokens[position : position + 1] == ["{"]:
        return _measure(tokens, position + 1)
    return 0.0, position


def _width_of(token: str) -> float:
    if token.isspace() or token in _SILENT:
        return 0.0
    if token in _RELATIONS:
        return _SIGN
    if token == r"\quad" or token == "&":
        return 1.0
    if token.startswith("\\") and len(token) > 2:
        return 0.65 if token[1:] not in ("dots", "sum", "prod") else 1.1
    if len(token) == 1 and token.isupper():
        return _CAPITAL
    return _LETTER if token.isalnum() else _NARROW + 0.1
