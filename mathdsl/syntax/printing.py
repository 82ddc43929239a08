"""A readable text form of the AST: one node a line, its parts indented below it, each with the name of its field."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mathdsl.syntax.display.tex import render_expression
from mathdsl.syntax.nodes import Document, Dots, Identifier, Node, Number

_INDENT = "  "
_WIDTH = 100


def print_document(document: Document) -> str:
    """The whole tree, ended by a line break."""
    return "".join(f"{print_node(item)}\n" for item in document.items)


def print_node(node: Node) -> str:
    """One node and what is below it."""
    return "\n".join(_lines(node))


def _lines(node: Node) -> list[str]:
    short = _short(node)
    if short is not None and len(short) <= _WIDTH:
        return [short]
    lines = [type(node).__name__]
    for name, value in _parts(node):
        lines += _field_lines(name, value)
    return lines


def _field_lines(name: str, value: Any) -> list[str]:
    if isinstance(value, Node):
        first, *rest = _lines(value)
        return [f"{_INDENT}{name}: {first}", *(_INDENT + line for line in rest)]
    if isinstance(value, tuple):
        short = _short_value(value)
        if short is not None and len(short) <= _WIDTH:
            return [f"{_INDENT}{name}: {short}"]
        return [f"{_INDENT}{name}:", *(_INDENT * 2 + line for part in value for line in _part_lines(part))]
    return [f"{_INDENT}{name}: {value}"]


def _part_lines(part: Any) -> list[str]:
    if isinstance(part, Node):
        return _lines(part)
    if isinstance(part, tuple):
        return ["row", *(_INDENT + line for cell in part for line in _part_lines(cell))]
    return [repr(part)]


def _parts(node: Node) -> list[tuple[str, Any]]:
    """Fields that say something: neither places nor what was left at its default."""
    shown = [field for field in fields(node) if field.repr]
    parts = [(field.name, getattr(node, field.name), field.default) for field in shown]
    return [(name, value) for name, value, default in parts if value is not None and value != default]


def _short(node: Node) -> str | None:
    """The node on one line, if no statement stands in it; None when it is too long to be of use."""
    match node:
        case Identifier() | Number() | Dots():
            return render_expression(node)
        case _:
            return _short_parts(node)


def _short_parts(node: Node) -> str | None:
    parts = [(name, _short_value(value)) for name, value in _parts(node)]
    if any(text is None for _, text in parts) or isinstance(getattr(node, "body", None), tuple):
        return None
    values = (f"{name}={value}" if position else str(value) for position, (name, value) in enumerate(parts))
    text = f"{type(node).__name__}({', '.join(values)})"
    return text if len(text) <= _WIDTH else None


def _short_value(value: Any) -> str | None:
    if isinstance(value, Node):
        return _short(value)
    if isinstance(value, tuple):
        parts = [_short_value(part) for part in value]
        return None if any(part is None for part in parts) else f"[{', '.join(str(part) for part in parts)}]"
    return str(value) if isinstance(value, str) else repr(value)
