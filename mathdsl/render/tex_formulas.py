r"""A formula of prose as TeX may set it between dollar signs, beside amsmath and amssymb: the author's own commands.

x_t \in \R^{d}   →   x_t \in \mathbb{R}^{d}        x_a_b, \frac{1}, \input{x}, $, {   →   None
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, assert_never

from mathdsl.render.tex_commands import BEYOND_AMS, CAPITALS, NOTATION
from mathdsl.render.tex_reading import read_tex
from mathdsl.render.tex_tree import (
    Applied,
    Blank,
    Braced,
    Macro,
    Negated,
    Node,
    Row,
    Script,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    TableRow,
    Words,
)

Engine = Literal["tex", "mathjax"]

_CAPITALS = re.compile(r"\{[A-Z]+\}")
_SPECIAL = re.compile(r"[%&_#$]")
_WRAPPED = {"{": r"\{", "}": r"\}"}


class _NotKnown(Exception):
    """The engine does not have a command."""


def safe_tex(latex: str, names: Collection[str] = (), engine: Engine = "tex") -> str | None:
    """The formula as it may be set; None where TeX would stop at it, or do more than set symbols.

    `names`: commands (with backslash) that the program uses as names, which are set as upright words.
    """
    body = read_tex(latex, names)
    if body is None:
        return None
    try:
        return _Writer(engine).body(body).strip() or "{}"
    except _NotKnown:
        return None


class _Writer:
    """A tree as TeX; arguments, and scripts that are not one letter, stand in braces."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def body(self, body: Row) -> str:
        return "".join(map(self._node, body.parts))

    def _node(self, node: Node) -> str:
        match node:
            case Blank():
                return " "
            case Sign(text):
                return text
            case Negated(Sign(text)):
                return rf"\not{text}"
            case Braced(body):
                return f"{{{self.body(body)}}}"
            case Scripted(base, limits, scripts):
                return self._node(base) + limits + "".join(map(self._script, scripts))
            case Applied():
                return self._applied(node)
            case Words(command, text):
                return command + "{" + _SPECIAL.sub(r"\\\g<0>", text) + "}"
            case Sides(delimiters, parts):
                sides = [r"\left", *[r"\middle"] * (len(parts) - 1), r"\right"]
                written = [side + delimiter for side, delimiter in zip(sides, delimiters, strict=True)]
                return written[0] + "".join(self.body(part) + side for part, side in zip(parts, written[1:], strict=True))
            case Sized(command, delimiter):
                return command + delimiter
            case Macro():
                return self._macro(node)
            case Table(name, columns, rows):
                return self._table(name, columns, rows)
            case _:
                assert_never(node)

    def _script(self, script: Script) -> str:
        match script.body:
            case None:
                return script.mark
            case Braced(Row((Sign(text),)), has_braces=False) if text.isalnum():
                return script.mark + text
            case body:
                return script.mark + self._node(body)

    def _applied(self, node: Applied) -> str:
        command, arguments = node.command, "".join(map(self._node, node.arguments))
        if self._engine == "tex":
            if command in BEYOND_AMS:
                raise _NotKnown
            if command in CAPITALS and not _CAPITALS.fullmatch(arguments):
                command = r"\mathbf"
        return command + ("" if node.option is None else f"[{self._node(node.option)}]") + arguments

    def _macro(self, node: Macro) -> str:
        word, opening, closing, _ = NOTATION[node.command]
        before = rf"\operatorname{{{word}}}" if word else ""
        inner = ", ".join(map(self._node, node.arguments))
        return rf"{before}\left{_WRAPPED.get(opening, opening)}{inner}\right{_WRAPPED.get(closing, closing)}"

    def _table(self, name: str, columns: str, rows: Sequence[TableRow]) -> str:
        inner = r"\\".join(r" \hline" * row.lines + "&".join(map(self.body, row.cells)) for row in rows)
        if name == "substack":
            return rf"\substack{{{inner}}}"
        head = f"{{{columns}}}" if columns else ""
        return rf"\begin{{{name}}}{head}{inner}\end{{{name}}}"
