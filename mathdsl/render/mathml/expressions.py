r"""The display tree of a program's formula as MathML Core: what stands beside what decides the space between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from mathdsl.render.mathml.elements import THIN, WORD_SPACE, bracket, element, escape, operator, space, stackable, words
from mathdsl.render.mathml.symbols import (
    ACCENTS,
    FONTS,
    ITALIC_LETTERS,
    LARGE_OPERATORS,
    PRIMES,
    SIGNS,
    UPRIGHT_LETTERS,
    WIDE_ACCENTS,
)
from mathdsl.syntax.display.build import display, display_items, display_parts
from mathdsl.syntax.display.heights import Height, height, takes_limits
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
from mathdsl.vocabulary import VOCABULARY

_VALUE, _CONDITION = {"style": "text-align:left;padding-left:0"}, {"style": "text-align:left"}
_PREFIXES = {"-": "−", r"\lnot": "¬"}
_SIDE_LIMITS = r"\int"
_PRIME = Row((Name(r"\prime"),))


class Edge(Enum):
    """What a piece begins or ends with: it decides the space to its neighbour, as the classes of atoms do in TeX."""

    ORDINARY = auto()
    BRACKET = auto()
    FUNCTION = auto()
    FRACTION = auto()
    WORDS = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """Markup: one element (`is_single`) or several side by side.

    `closing`: the bracket that ends it, to which scripts are attached, where it is no taller than a line.
    """

    markup: str
    left: Edge = Edge.ORDINARY
    right: Edge = Edge.ORDINARY
    is_single: bool = False
    closing: str = ""

    @property
    def single(self) -> str:
        """As one element, for a place that takes one."""
        return self.markup if self.is_single else element("mrow", self.markup)


def render_mathml_row(expression: Expression) -> str:
    """Elements side by side, to be composed with others and put into `wrap_mathml`."""
    return _IN_LINE.row(display(expression)).markup


def render_items_row(nodes: Iterable[Expression]) -> str:
    """A comma list without brackets."""
    return _IN_LINE.row(display_items(nodes)).markup


def render_parts(expression: Expression) -> tuple[str, ...]:
    """Rows of MathML that look like the whole, side by side; each but the first begins with a sign, before which a line may end."""
    return tuple(_IN_LINE.row(part).markup for part in display_parts(expression))


def sign(command: str, *, tight: bool = False, form: str = "") -> str:
    """An operator, a relation or a mark by its canonical spelling; one without a row is a word. `form`: where nothing tells it."""
    character, attributes = SIGNS.get(command, (command.removeprefix("\\"), {}))
    if tight and not character.isalpha():
        return operator(character, tight=True)
    return element("mo", escape(character), **attributes, **({"form": form} if form else {}))


class _Writer:
    """`is_tight`: in a script, where signs stand without spaces."""

    def __init__(self, *, is_tight: bool = False) -> None:
        self._is_tight = is_tight

    def row(self, row: Row) -> Piece:
        """Nodes side by side, with the space that their edges ask for."""
        match row.parts:
            case (only,):
                return self._node(only)
            case parts:
                return self._beside(parts)

    def _beside(self, parts: Sequence[Node]) -> Piece:
        markup = ""
        pieces = [self._node(node) for node in parts]
        for at, (node, piece) in enumerate(zip(parts, pieces, strict=True)):
            if isinstance(node, Gap) and not _is_prefix(parts[at - 1]):
                markup += _space(node, pieces[at - 1].right, pieces[at + 1].left)
            markup += piece.markup
        return Piece(markup, pieces[0].left, pieces[-1].right) if pieces else Piece("")

    def _node(self, node: Node) -> Piece:
        match node:
            case Name():
                return _name(node)
            case Operator(text, is_prefix=True) if text in _PREFIXES:
                return Piece(operator(_PREFIXES[text], tight=self._is_tight or text == r"\lnot", form="prefix"))
            case Operator(text, breaks=breaks):
                return Piece(sign(text, tight=self._is_tight, form="infix" if breaks else ""))
            case Numeral(text):
                return Piece(element("mn", escape(text.replace("-", "−"))), is_single=True)
            case Scripted():
                return self._scripted(node)
            case Fence(opening, body, closing):
                return self._fence(opening, body, closing)
            case Grouped(body, "readers"):
                return self._fence("(", body, ")")
            case Grouped(body) | Braced(body):
                return self.row(body)
            case Sign(text):
                return _sign(text)
            case Power(base, exponent):
                return _with_scripts(self.row(base), None, _IN_SCRIPT.row(exponent))
            case Applied():
                return self._applied(node)
            case Macro():
                return self._macro(node)
            case Table():
                return self._table(node)
            case Words(_, text):
                return Piece(words(text), Edge.WORDS if text[:1].isalpha() else Edge.ORDINARY, Edge.WORDS, is_single=True)
            case Gap() | Omitted() | Blank():
                return Piece("")
            case Negated() | Sides() | Sized():
                raise AssertionError("no program's formula has these")
            case _:
                assert_never(node)

    def _fence(self, opening: str, body: Row, closing: str) -> Piece:
        """Delimiters as tall as what stands between them."""
        inner, is_tall = self.row(body).markup, height(body) >= Height.FRACTION
        left, right = (bracket(_character(one), closes=one == closing, stretches=is_tall) for one in (opening, closing))
        markup = left + inner + right
        if is_tall:  # the delimiters reach over what stands in their row
            return Piece(element("mrow", markup), Edge.BRACKET, Edge.BRACKET, is_single=True)
        return Piece(markup, Edge.BRACKET, Edge.BRACKET, closing=right)

    # ---- scripts ---------------------------------------------------------------------------------

    def _scripted(self, node: Scripted) -> Piece:
        primes = sum(_is_prime(script) for script in node.scripts)
        raised = {script.mark: script.body.body for script in node.scripts if script.body is not None and not _is_prime(script)}
        below, above = (_IN_SCRIPT.row(raised[mark]) if mark in raised else None for mark in "_^")
        base = self._node(node.base)
        if takes_limits(node.base) or node.base == Sign(_SIDE_LIMITS):
            return _with_limits(base, below, above, stand_beside=node.base == Sign(_SIDE_LIMITS))
        return _with_scripts(_primed(base, primes), below, above)

    def _applied(self, node: Applied) -> Piece:
        first = self.row(node.arguments[0].body)
        match node:
            case Applied(r"\frac", (_, denominator)):
                fraction = element("mfrac", first.single, self.row(denominator.body).single)
                return Piece(fraction, Edge.FRACTION, Edge.FRACTION, is_single=True)
            case Applied(r"\sqrt", _, Braced(degree)):
                return Piece(element("mroot", first.single, _IN_SCRIPT.row(degree).single), is_single=True)
            case Applied(r"\sqrt"):
                return Piece(element("msqrt", first.markup), is_single=True)
            case _:
                return _accented(node.command.removeprefix("\\"), first)

    def _macro(self, node: Macro) -> Piece:
        r"""`\cat{a, b}` as concat(a, b), `\Call{F}{a}` as F(a), `\drop{x}{p}` as dropout(x, p)."""
        match node:
            case Macro("Call", (Row((Name(text, ""),)), items)) if len(text) > 1:
                function, fence = _upright(text.removeprefix("\\")), self._fence("(", items, ")")
            case Macro("Call", (callee, items)):
                function, fence = self.row(callee), self._fence("(", items, ")")
            case _:
                word, opening, closing = node.reading
                fence = self._fence(opening, node.items, closing)
                if not word:
                    return fence
                function = _upright(word)
        return Piece(function.markup + fence.markup, function.left, Edge.BRACKET)

    def _table(self, node: Table) -> Piece:
        if node.name == "cases":
            pairs = (row.cells for row in node.rows)
            cells = [(_IN_LINE.row(value).markup, _IN_LINE.row(condition).markup) for value, condition in pairs]
            table = stackable(cells, _VALUE, _CONDITION)
            return Piece(element("mrow", bracket("{", closes=False, stretches=True), table), Edge.FRACTION, is_single=True)
        lines = (element("mtr", *(element("mtd", self.row(cell).markup) for cell in row.cells)) for row in node.rows)
        opening, closing = (bracket(one, closes=one == "]", stretches=True) for one in "[]")
        return Piece(element("mrow", opening, element("mtable", *lines), closing), Edge.BRACKET, Edge.BRACKET, is_single=True)


_IN_LINE = _Writer()
_IN_SCRIPT = _Writer(is_tight=True)


def _space(gap: Gap, before: Edge, after: Edge) -> str:
    """The space between two factors."""
    match before, after:
        case (Edge.WORDS, _) | (_, Edge.WORDS):
            return space(WORD_SPACE)
        case _ if gap.command:
            return space(THIN)
        case (Edge.FUNCTION | Edge.FRACTION, Edge.BRACKET):
            return ""
        case (Edge.FUNCTION | Edge.FRACTION, _) | (_, Edge.FUNCTION | Edge.FRACTION):
            return space(THIN)
        case _:
            return ""


def _is_prefix(node: Node) -> bool:
    return isinstance(node, Operator) and node.is_prefix


def _character(delimiter: str) -> str:
    return VOCABULARY[delimiter].shown if delimiter in VOCABULARY else delimiter


def _sign(text: str) -> Piece:
    r"""A large operator, a word with limits, `\dots`, the hole `\cdot`."""
    if text in (r"\dots", r"\cdot"):
        return Piece(element("mi", "…" if text == r"\dots" else "⋅"), is_single=True)
    return _head(text.removeprefix("\\"))


def _head(name: str) -> Piece:
    """What a reduction begins with."""
    attributes = {"lspace": "0", "rspace": "0", **({} if name in LARGE_OPERATORS else {"movablelimits": "true"})}
    return Piece(element("mo", escape(LARGE_OPERATORS.get(name, name)), **attributes), Edge.FUNCTION, Edge.FUNCTION, is_single=True)


# ---- names -------------------------------------------------------------------------------------


def _name(node: Name) -> Piece:
    r"""A letter is slanted, a word of `\mathrm` and the name of a function upright, a bare word is its letters, as TeX prints it."""
    text, font = node.text, node.font
    command = text.removeprefix("\\")
    if font == "operatorname*":
        return _head(text)
    if font in FONTS:
        letters = text if command == text else ITALIC_LETTERS.get(command) or UPRIGHT_LETTERS.get(command) or command
        return Piece(element("mi", escape("".join(FONTS[font].get(letter, letter) for letter in letters))), is_single=True)
    if font not in ("", "mathit"):
        return _upright(command)
    if command == text:
        return Piece("".join(element("mi", escape(letter)) for letter in text), is_single=len(text) == 1)
    if node == Name(r"\prime"):
        return _primed(Piece(""), 1)
    if command in ITALIC_LETTERS:
        return Piece(element("mi", ITALIC_LETTERS[command]), is_single=True)
    return _upright(UPRIGHT_LETTERS.get(command, command))


def _upright(text: str) -> Piece:
    """A word, which keeps a distance from its neighbours; a letter does not."""
    if len(text) == 1:
        return Piece(element("mi", escape(text), mathvariant="normal"), is_single=True)
    return Piece(element("mi", escape(text)), Edge.FUNCTION, Edge.FUNCTION, is_single=True)


# ---- scripts and accents ------------------------------------------------------------------------


def _is_prime(script: Script) -> bool:
    return script.body is None or (script.mark == "^" and script.body.body == _PRIME)


def _primed(base: Piece, count: int) -> Piece:
    """With primes after it, as large as it is: fonts raise them themselves."""
    if not count:
        return base
    whole, rest = divmod(count, len(PRIMES) - 1)
    signs = [PRIMES[-1]] * whole + [PRIMES[rest]] * (rest > 0)
    return Piece(base.markup + "".join(operator(prime, tight=True) for prime in signs), base.left, base.right)


def _with_scripts(base: Piece, below: Piece | None, above: Piece | None) -> Piece:
    """A base with its scripts, one over the other."""
    if below is None and above is None:
        return base
    tag = "msub" if above is None else "msup" if below is None else "msubsup"
    scripts = "".join(script.single for script in (below, above) if script is not None)
    before = base.markup.removesuffix(base.closing) if base.closing else ""
    return Piece(before + element(tag, base.closing or base.single, scripts), base.left, base.right, is_single=not before)


def _with_limits(head: Piece, below: Piece | None, above: Piece | None, *, stand_beside: bool) -> Piece:
    """A large operator with its limits: under and over it in a display, beside it in a line."""
    tags = ("msub", "msup", "msubsup") if stand_beside else ("munder", "mover", "munderover")
    limits = "".join(limit.single for limit in (below, above) if limit is not None)
    return replace(head, markup=element(tags[0 if above is None else 1 if below is None else 2], head.markup, limits))


def _accented(accent: str, body: Piece) -> Piece:
    """A mark over a body. A line is its border: few fonts have one that grows; an arrow is made smaller, as a script is."""
    if accent == "overline":
        markup = element("mrow", body.markup, style="border-top:.06em solid;padding-top:.1em")
    elif accent == "vec":
        markup = element("mover", body.single, operator(ACCENTS[accent], stretchy="false"))
    elif accent in WIDE_ACCENTS:
        markup = element("mover", body.single, operator(WIDE_ACCENTS[accent], stretchy="true"), accent="true")
    else:
        markup = element("mover", body.single, operator(ACCENTS[accent], stretchy="false"), accent="true")
    return Piece(markup, is_single=True)
