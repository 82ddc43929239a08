"""Inlines to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

from mathdsl.render.markdown.escaping import code_span, escape_text, web_address
from mathdsl.render.markdown.formulas import inline_formula
from mathdsl.render.model import Code, Inline, Inlines, LineBreak, Link, Math, Picture, Reference, Styled, Text, name_picture

Numbers = Mapping[str, str]
"""What a reference to each label reads as."""

NO_NUMBERS: Numbers = MappingProxyType({})
_TAGS = {"superscript": "sup", "subscript": "sub", "deleted": "s"}
_MARKS = {"emphasis": ("*", "em"), "strong": ("**", "strong")}


def write_inlines(inlines: Inlines, numbers: Numbers = NO_NUMBERS, *, in_table: bool = False) -> str:
    """Inlines side by side."""
    return "".join(_write(inline, numbers, in_table) for inline in inlines)


def _write(inline: Inline, numbers: Numbers, in_table: bool) -> str:
    match inline:
        case Text(text):
            return escape_text(text)
        case Math(latex):
            return inline_formula(latex, in_table=in_table)
        case Code(text):
            return code_span(text, in_table=in_table)
        case Styled(style, body):
            return _styled(style, write_inlines(body, numbers, in_table=in_table))
        case Link(target, body):
            address, shown = web_address(target), write_inlines(body, numbers, in_table=in_table)
            return shown if address is None else f"[{shown}](<{address}>)"
        case Reference(kind, labels):
            return _reference(kind, labels, numbers)
        case LineBreak():
            return "<br>"
        case Picture():
            return write_inlines(name_picture(inline), numbers, in_table=in_table)
        case _:
            assert_never(inline)


def _styled(style: str, shown: str) -> str:
    """Asterisks mark words; what begins or ends otherwise needs tags to be marked."""
    inner = shown.strip()
    if not inner:
        return shown
    if style == "footnote":
        return f" ({inner})"
    if style in _TAGS:
        return f"<{_TAGS[style]}>{inner}</{_TAGS[style]}>"
    if style not in _MARKS:
        return shown
    mark, tag = _MARKS[style]
    before, after = shown[: len(shown) - len(shown.lstrip())], shown[len(shown.rstrip()) :]
    if inner[0].isalnum() and inner[-1].isalnum():
        return f"{before}{mark}{inner}{mark}{after}"
    return f"{before}<{tag}>{inner}</{tag}>{after}"


def _reference(kind: str, labels: tuple[str, ...], numbers: Numbers) -> str:
    if kind == "cite" or not all(label in numbers for label in labels):
        return f"\\[{escape_text(', '.join(labels))}\\]"
    shown = ", ".join(numbers[label] for label in labels)
    return f"({shown})" if kind == "eqref" else shown
