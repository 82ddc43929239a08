r"""The display tree as TeX: what all forms of it share, and the canonical form, which parses to the same tree.

`parse(render_expression(expression)) == expression`; the forms for readers and for engines differ in the methods they replace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from mathdsl.syntax.display.build import display, display_items, display_operand
from mathdsl.syntax.display.tree import (
    Applied,
    Blank,
    Braced,
    Fence,
    Gap,
    Grouped,
    Macro,
    Name,
    Negated,
    Node,
    Numeral,
    Omitted,
    Operator,
    Power,
    Row,
    Script,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    Words,
)
from mathdsl.syntax.nodes import Expression

_CLOSE = {",": ", ", ":": ":", ".": "."}
"""Signs that do not stand between two spaces."""


class TexWriter:
    """The canonical form."""

    def row(self, row: Row) -> str:
        return "".join(map(self.node, row.parts))

    def node(self, node: Node) -> str:
        match node:
            case Name():
                return self.name(node)
            case Operator(text, is_prefix):
                return text if is_prefix else self.operator(text)
            case Gap():
                return self.gap(node)
            case Sign(text):
                return text
            case Omitted(text):
                return self.omitted(text)
            case Numeral():
                return self.numeral(node)
            case Scripted():
                return self.scripted(node)
            case Fence():
                return self.fence(node)
            case Grouped():
                return self.grouped(node)
            case Power():
                return self.power(node)
            case Applied():
                return self.applied(node)
            case Macro():
                return self.macro(node)
            case Table():
                return self.table(node)
            case Words(command, text):
                return self.words(command, text)
            case Braced(body, has_braces):
                return f"{{{self.row(body)}}}" if has_braces else self.row(body)
            case Blank():
                return " "
            case Negated(Sign(text)):
                return rf"\not{text}"
            case Sides(delimiters, parts):
                sides = [r"\left", *[r"\middle"] * (len(parts) - 1), r"\right"]
                written = [side + delimiter for side, delimiter in zip(sides, delimiters, strict=True)]
                return written[0] + "".join(self.row(part) + side for part, side in zip(parts, written[1:], strict=True))
            case Sized(command, delimiter):
                return command + delimiter
            case _:
                assert_never(node)

    # ---- what the forms differ in ----------------------------------------------------------------

    def name(self, node: Name) -> str:
        text = node.text.replace("_", r"\_")
        return f"\\{node.font}{{{text}}}" if node.font else text

    def operator(self, text: str) -> str:
        return _CLOSE.get(text, f" {text} ")

    def gap(self, node: Gap) -> str:
        return " "

    def omitted(self, text: str) -> str:
        return text

    def numeral(self, node: Numeral) -> str:
        return node.text

    def scripted(self, node: Scripted) -> str:
        return self.node(node.base) + node.limits + "".join(map(self.script, node.scripts))

    def script(self, script: Script) -> str:
        if script.body is None:
            return script.mark
        inner = self.row(script.body.body)
        return f"{script.mark}{{{inner}}}" if script.body.has_braces else script.mark + inner

    def applied(self, node: Applied) -> str:
        option = "" if node.option is None else self.option(node.option)
        return node.command + option + "".join(f"{{{self.row(argument.body)}}}" for argument in node.arguments)

    def option(self, option: Braced) -> str:
        return f"[{self.row(option.body)}]"

    def fence(self, node: Fence) -> str:
        gap = " " if node.opening[-1].isalpha() else ""
        return f"{node.opening}{gap}{self.row(node.body)}{gap}{node.closing}"

    def grouped(self, node: Grouped) -> str:
        return f"{{{self.row(node.body)}}}"

    def power(self, node: Power) -> str:
        return f"{self.row(node.base)} ** {self.row(node.exponent)}"

    def macro(self, node: Macro) -> str:
        return f"\\{node.name}" + "".join(f"{{{self.row(argument)}}}" for argument in node.arguments)

    def words(self, command: str, text: str) -> str:
        return rf"{command}{{{text}}}" if command else rf"\text{{{' ' if text[:1].isalpha() else ''}{text} }}"

    def table(self, node: Table) -> str:
        lines = r" \\ ".join(" & ".join(map(self.row, row.cells)) for row in node.rows)
        return rf"\begin{{{node.name}}} {lines} \end{{{node.name}}}"


_CANONICAL = TexWriter()


def render_expression(node: Expression) -> str:
    """Canonical LaTeX of an expression."""
    return _CANONICAL.row(display(node))


def render_items(nodes: Iterable[Expression]) -> str:
    """A comma list."""
    return _CANONICAL.row(display_items(nodes))


def render_operand(node: Expression) -> str:
    """An operand of a relation, as in a declaration."""
    return _CANONICAL.row(display_operand(node))
