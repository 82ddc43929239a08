r"""A formula of prose as TeX may set it between dollar signs, beside amsmath and amssymb: the author's own commands.

x_t \in \R^{d}   →   x_t \in \mathbb{R}^{d}        x_a_b, \frac{1}, \input{x}, $, {   →   None
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from mathdsl.render.tex_commands import BEYOND_AMS, CAPITALS
from mathdsl.render.tex_reading import KEPT, read_tex
from mathdsl.syntax.display.tex import TexWriter
from mathdsl.syntax.display.tree import Applied, Braced, Macro, Name, Numeral, Row, Script, Sign, Table

Engine = Literal["tex", "mathjax"]

_CAPITALS = re.compile("[A-Z]+")
_SPECIAL = re.compile(r"[%&_#$]")


class _NotKnown(Exception):
    """The engine does not have a command."""


@lru_cache(maxsize=KEPT)
def safe_tex(latex: str, engine: Engine = "tex") -> str | None:
    """The formula as it may be set; None where TeX would stop at it, or do more than set symbols."""
    body = read_tex(latex)
    if body is None:
        return None
    try:
        return _Writer(engine).row(body).strip() or "{}"
    except _NotKnown:
        return None


class _Writer(TexWriter):
    """What the author wrote; arguments, and scripts that are not one letter, stand in braces."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def script(self, script: Script) -> str:
        match script.body:
            case None:
                return script.mark
            case Braced(Row((Sign(text) | Numeral(text),)), has_braces=False) if text.isalnum():
                return script.mark + text
            case Braced(body):
                return f"{script.mark}{{{self.row(body)}}}"

    def words(self, command: str, text: str) -> str:
        return command + "{" + _SPECIAL.sub(r"\\\g<0>", text) + "}"

    def applied(self, node: Applied) -> str:
        if self._engine == "tex":
            if node.command in BEYOND_AMS:
                raise _NotKnown
            if node.command in CAPITALS and not _CAPITALS.fullmatch(self.row(node.arguments[0].body)):
                return super().applied(replace(node, command=r"\mathbf"))
        return super().applied(node)

    def option(self, option: Braced) -> str:
        return f"[{{{self.row(option.body)}}}]"

    def name(self, node: Name) -> str:
        return rf"\mathrm{{{node.text}}}"

    def macro(self, node: Macro) -> str:
        if node.name == "Call":
            callee, items = node.arguments
            return f"{self.row(callee)}({self.row(items)})"
        word, opening, closing = node.reading
        before = rf"\operatorname{{{word}}}" if word else ""
        inner = ", ".join(f"{{{self.row(argument)}}}" for argument in node.arguments)
        return rf"{before}\left{opening}{inner}\right{closing}"

    def table(self, node: Table) -> str:
        inner = r"\\".join(r" \hline" * row.lines + "&".join(map(self.row, row.cells)) for row in node.rows)
        if node.name == "substack":
            return rf"\substack{{{inner}}}"
        head = f"{{{node.columns}}}" if node.columns else ""
        return rf"\begin{{{node.name}}}{head}{inner}\end{{{node.name}}}"
