"""Expressions in the LaTeX that readers see: standard commands only, parentheses where the display tree has them."""

from __future__ import annotations

from collections.abc import Iterable

from mathdsl.dataclass import dataclass
from mathdsl.render.write.latex.escaping import escape_text
from mathdsl.render.write.latex.names import name, word
from mathdsl.syntax.display.build import display, display_items, display_operand
from mathdsl.syntax.display.heights import Height, height
from mathdsl.syntax.display.tex import TexWriter
from mathdsl.syntax.display.tree import Braced, Fence, Gap, Grouped, Macro, Name, Numeral, Power, Row, Scripted, Table
from mathdsl.syntax.nodes import Expression

_OPERATORS = {
    "@": r" \mathbin{@} ",
    "||": r" \mathbin{\|} ",
    "*": r" \ast ",
    r"\algoIs": r" \mathrel{\text{is}} ",
    r"\gets": r" \leftarrow ",
    ";": r" \mathrel{;} ",
    ":": "{:}",
    ".": ".",
}
"""Signs that are written otherwise than in the canonical form."""

_GAPS = {"": " ", r"\,": r" \, "}


@dataclass(frozen=True, slots=True)
class Piece:
    """LaTeX of a formula, and how high it is."""

    latex: str
    height: Height = Height.LINE

    @property
    def is_high(self) -> bool:
        """Whether it is set as in a display, with room for fractions and limits."""
        return self.height >= Height.LIMITED


def write_expression(node: Expression) -> str:
    """An expression."""
    return _IN_LINE.row(display(node))


def write_items(nodes: Iterable[Expression]) -> str:
    """A comma list; nothing where there are no nodes."""
    return _IN_LINE.row(display_items(nodes))


def write_operand(node: Expression) -> str:
    """One side of a relation."""
    return _IN_LINE.row(display_operand(node))


def write_row(row: Row) -> str:
    """Parts of formulas, side by side."""
    return _IN_LINE.row(row).strip()


def piece(node: Expression) -> Piece:
    """An expression with its height."""
    row = display(node)
    return Piece(_IN_LINE.row(row), height(row))


def breaking(node: Expression) -> str:
    """An expression whose lines may also end after commas."""
    return _BREAKING.row(display(node))


class _Writer(TexWriter):
    """The form for readers; `is_script`: nothing is large there; `breaks_at_commas`: lines of a long formula may end in more places."""

    def __init__(self, *, is_script: bool = False, breaks_at_commas: bool = False) -> None:
        self._is_script = is_script
        self._breaks = breaks_at_commas
        self._operators = _OPERATORS | {",": "," if is_script else r",\mdslbreak " if breaks_at_commas else ", "}

    def name(self, node: Name) -> str:
        return name(node)

    def operator(self, text: str) -> str:
        return self._operators.get(text) or f" {text} "

    def gap(self, node: Gap) -> str:
        return _GAPS.get(node.command, node.command)

    def omitted(self, text: str) -> str:
        return ""

    def numeral(self, node: Numeral) -> str:
        """`1e-5` is a power of ten."""
        digits, mark, exponent = node.text.lower().partition("e")
        power = f"10^{{{exponent.removeprefix('+')}}}" if mark else digits
        latex = power if not mark or digits == "1" else rf"{digits} \cdot {power}"
        return f"({latex})" if node.in_brackets else latex

    def scripted(self, node: Scripted) -> str:
        r"""Primes go into the superscript: TeX takes only one on each side of what is below."""
        primes = [script for script in node.scripts if script.body is None]
        if len(primes) == len(node.scripts):
            return self.node(node.base) + "'" * len(primes)
        inner = {script.mark: _IN_SCRIPT.row(script.body.body) for script in node.scripts if script.body is not None}
        if primes:
            inner["^"] = " ".join([r"\prime" * len(primes), *([inner["^"]] if "^" in inner else [])])
        scripts = (mark + (latex if len(latex) == 1 else f"{{{latex}}}") for mark, latex in inner.items())
        return self.node(node.base) + "".join(scripts)

    def option(self, option: Braced) -> str:
        return f"[{{{_IN_SCRIPT.row(option.body)}}}]"

    def fence(self, node: Fence) -> str:
        r"""As high as what they hold; delimiters of a fraction are `\Bigl( \Bigr)`, between which a line may end."""
        opening, inner, closing = node.opening, self.row(node.body), node.closing
        gap = " " if opening[-1].isalpha() and inner[:1].isalpha() else ""
        tall = height(node.body)
        if tall < Height.LIMITED:
            if self._breaks and inner.startswith(opening):
                return rf"{opening}\mdslbreak {inner}\mdslbreak {closing}"
            return f"{opening}{gap}{inner}{closing}"
        if tall < Height.ROWS and not self._is_script:
            return rf"\Bigl{opening}{gap}{inner}\Bigr{closing}"
        return rf"\left{opening}{gap}{inner}\right{closing}"

    def grouped(self, node: Grouped) -> str:
        match node.needed_by:
            case "readers":
                return self.fence(Fence("(", node.body, ")"))
            case "TeX":
                return f"{{{self.row(node.body)}}}"
            case "grammar":
                return self.row(node.body)

    def power(self, node: Power) -> str:
        return f"{{{self.row(node.base)}}}^{{{_IN_SCRIPT.row(node.exponent)}}}"

    def macro(self, node: Macro) -> str:
        r"""`\cat{a, b}` as concat(a, b), `\Call{F}{a}` as F(a), `\drop{x}{p}` as dropout(x, p)."""
        match node:
            case Macro("Call", (callee, items)):
                return self._callee(callee) + self.fence(Fence("(", items, ")"))
            case _:
                name_of, opening, closing = node.reading
                function = word(name_of, "mathrm" if node.name == "sz" else "operatorname") if name_of else ""
                return function + self.fence(Fence(opening, node.items, closing))

    def _callee(self, row: Row) -> str:
        """The name of a module is a word, also where it is written as bare letters."""
        match row.parts:
            case (Name(text, ""),) if len(text) > 1:
                return word(text.removeprefix("\\"), "mathrm")
            case _:
                return self.row(row)

    def words(self, command: str, text: str) -> str:
        return rf"{command}{{{text}}}" if command else rf"\text{{{escape_text(text)}}}"

    def table(self, node: Table) -> str:
        return super().table(node) if self is _IN_LINE else _IN_LINE.table(node)


_IN_LINE = _Writer()
_IN_SCRIPT = _Writer(is_script=True)
_BREAKING = _Writer(breaks_at_commas=True)
