r"""Expressions of the AST to the LaTeX that readers see: standard commands only, parentheses wherever the canonical form has braces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from mathdsl.render.latex.escaping import escape_text
from mathdsl.render.latex.names import OPERATORS as NAMED_OPERATORS
from mathdsl.render.latex.names import name, word
from mathdsl.render.latex.pieces import IN_LINE, IN_SCRIPT, Height, Piece, Setting, at_least, beside, fenced, highest, listed
from mathdsl.render.mathml.symbols import LARGE_OPERATORS, MACRO_NAMES
from mathdsl.syntax.binding import OPERATORS, Binds
from mathdsl.syntax.latex_expressions import takes_no_index
from mathdsl.syntax.nodes import (
    Accent,
    Attribute,
    Bars,
    Binary,
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

_SIGNS = {"@": r"\mathbin{@}", "||": r"\mathbin{\|}", "*": r"\ast", r"\algoIs": r"\mathrel{\text{is}}"}
"""Operators and relations that are written otherwise than in the canonical form."""

_BARS = {
    "|": (r"\lvert", r"\rvert"),
    "||": (r"\lVert", r"\rVert"),
    "floor": (r"\lfloor", r"\rfloor"),
    "ceil": (r"\lceil", r"\rceil"),
    "angle": (r"\langle", r"\rangle"),
}
_LOGIC = {"and": (r"\land", Binds.CONJUNCTION), "or": (r"\lor", Binds.DISJUNCTION)}


def piece(node: Expression, setting: Setting = IN_LINE) -> Piece:
    """A node as a piece of a formula."""
    match node:
        case Number(text):
            return _number(text)
        case Identifier():
            return Piece(name(node) + "'" * node.primes, Binds.POSTFIX if node.primes else Binds.PRIMARY)
        case Accent(accent, body):
            inner = piece(body, setting)
            return Piece(rf"\{accent}{{{inner.latex}}}", height=inner.height)
        case Dots():
            return Piece(r"\dots", Binds.ITEM)
        case Hole():
            return Piece(r"\cdot", Binds.ITEM)
        case Phrase(text):
            return Piece(rf"\text{{{escape_text(text)}}}")
        case Scripts():
            return _scripts(node, setting)
        case Juxtaposition(factors):
            return _juxtaposition(factors, setting)
        case Binary():
            return _binary(node, setting)
        case Negative(operand):
            inner = at_least(piece(operand, setting), Binds.LOOSE, setting)
            return Piece(f"-{inner.latex}", Binds.SUM, height=inner.height)
        case Reduction():
            return _reduction(node, setting)
        case Relation(operators, operands):
            return _relation(operators, operands, setting)
        case Logic():
            return _logic(node, setting)
        case Indexing() | Attribute() | Slice() | Keyword():
            return _selected(node, setting)
        case _:
            return _bracketed(node, setting)


def items(nodes: Sequence[Expression], setting: Setting = IN_LINE) -> Piece:
    """A comma list; nothing where there are no nodes."""
    return listed(_pieces(nodes, setting), setting)


def _pieces(nodes: Sequence[Expression], setting: Setting) -> tuple[Piece, ...]:
    return tuple(piece(node, setting) for node in nodes)


def _number(text: str) -> Piece:
    """`1e-5` is a power of ten."""
    digits, mark, exponent = text.lower().partition("e")
    if not mark:
        return Piece(text, Binds.FACTOR)
    power = f"10^{{{exponent.removeprefix('+')}}}"
    return Piece(power, Binds.FACTOR) if digits == "1" else Piece(rf"{digits} \cdot {power}", Binds.TIGHT)


def _bracketed(
    node: Group | ListDisplay | SetDisplay | Comprehension | Matrix | Fraction | Root | Bars | Interval | Command | Cases, setting: Setting
) -> Piece:
    match node:
        case Group(inner, square):
            return fenced("[" if square else "(", items(inner, setting), "]" if square else ")", setting)
        case ListDisplay(inner):
            return fenced("[", items(inner, setting), "]", setting)
        case SetDisplay(inner):
            return fenced(r"\{", items(inner, setting), r"\}", setting)
        case Comprehension(body, conditions):
            parts = (piece(body, setting), items(conditions, setting))
            whole = Piece(r" \mathrel{;} ".join(part.latex for part in parts), height=highest(parts))
            return fenced(r"\{", whole, r"\}", setting)
        case Bars(kind, inner):
            opening, closing = _BARS[kind]
            return fenced(opening, items(inner, setting), closing, setting)
        case Interval(has_lower, has_upper, lower, upper):
            return fenced("[" if has_lower else "(", items((lower, upper), setting), "]" if has_upper else ")", setting)
        case Matrix(rows):
            lines = r" \\ ".join(" & ".join(piece(cell).latex for cell in row) for row in rows)
            return Piece(rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}", height=Height.ROWS)
        case Fraction(numerator, denominator):
            latex = rf"\frac{{{piece(numerator, setting).latex}}}{{{piece(denominator, setting).latex}}}"
            return Piece(latex, height=Height.FRACTION)
        case Root(radicand, degree):
            inside = piece(radicand, setting)
            option = "" if degree is None else f"[{{{piece(degree, IN_SCRIPT).latex}}}]"
            return Piece(rf"\sqrt{option}{{{inside.latex}}}", height=inside.height)
        case Cases(rows):
            tests = (r"\text{otherwise}" if row.condition is None else piece(row.condition).latex for row in rows)
            lines = r" \\ ".join(f"{piece(row.value).latex} & {test}" for row, test in zip(rows, tests, strict=True))
            return Piece(rf"\begin{{cases}} {lines} \end{{cases}}", height=Height.ROWS)
        case Command(macro, arguments):
            return _command(macro, arguments, setting)
        case _:
            assert_never(node)


def _callee(written: tuple[Expression, ...], setting: Setting) -> Piece:
    """The name of a module is a word, also where it is written as bare letters."""
    match written:
        case (Identifier(text, font="", primes=0),) if len(text) > 1:
            return Piece(word(text.removeprefix("\\"), "mathrm"))
        case _:
            return items(written, setting)


def _command(macro: str, arguments: tuple[tuple[Expression, ...], ...], setting: Setting) -> Piece:
    r"""`\cat{a, b}` as concat(a, b), `\Call{F}{a}` as F(a), `\drop{x}{p}` as dropout(x, p)."""
    if macro == "Call" and len(arguments) > 1:
        function, inner = _callee(arguments[0], setting), arguments[1]
    else:
        function = Piece(word(MACRO_NAMES.get(macro, macro), "operatorname"))
        inner = tuple(item for argument in arguments for item in argument)
    return beside(function, fenced("(", items(inner, setting), ")", setting), "")


def _selected(node: Indexing | Attribute | Slice | Keyword, setting: Setting) -> Piece:
    match node:
        case Indexing(base, inner):
            return beside(_operand(base, setting), fenced("[", items(inner, setting), "]", setting), "")
        case Attribute(base, attribute, inner):
            named = Piece(_operand(base, setting).latex + "." + word("size" if attribute == "sz" else attribute, "mathrm"), Binds.POSTFIX)
            return beside(named, fenced("(", items(inner, setting), ")", setting), "")
        case Slice(lower, upper):
            ends = ("" if end is None else piece(end, setting).latex for end in (lower, upper))
            return Piece("{:}".join(ends), Binds.ITEM)
        case Keyword(keyword, value):
            return Piece(rf"{piece(keyword, setting).latex} \leftarrow {piece(value, setting).latex}", Binds.ITEM)
        case _:
            assert_never(node)


def _operand(base: Expression, setting: Setting) -> Piece:
    """What an index or an attribute belongs to."""
    inner = piece(base, setting)
    inner = replace(inner, latex=f"{{{inner.latex}}}") if takes_no_index(base) else at_least(inner, Binds.POSTFIX, setting)
    return replace(inner, binds=Binds.POSTFIX)


def _scripts(node: Scripts, setting: Setting) -> Piece:
    r"""Primes go into the superscript: TeX takes only one on each side of what is below."""
    base, above = node.base, "" if node.superscript is None else piece(node.superscript, IN_SCRIPT).latex
    if isinstance(base, Identifier):
        latex, height = name(base), Height.LINE
        if base.primes:
            above = (r"\prime" * base.primes + " " + above).strip()
    else:
        inner = piece(base, setting)
        needs_brackets = not isinstance(base, Number | Scripts) or inner.binds < Binds.FACTOR
        inner = at_least(inner, Binds.POSTFIX, setting) if needs_brackets else inner
        latex, height = f"{{{inner.latex}}}" if isinstance(base, Scripts) else inner.latex, inner.height
    if node.subscripts:
        latex += f"_{_script(items(node.subscripts, IN_SCRIPT).latex)}"
    if above:
        latex += f"^{_script(above)}"
    return Piece(latex, Binds.POSTFIX, height=height)


def _script(latex: str) -> str:
    """A script, without braces where one character stands in it."""
    return latex if len(latex) == 1 else f"{{{latex}}}"


def _juxtaposition(factors: tuple[Expression, ...], setting: Setting) -> Piece:
    whole = at_least(piece(factors[0], setting), Binds.FACTOR, setting, closed=True)
    for before, factor in pairwise(factors):
        part = piece(factor, setting)
        if not (factor is factors[-1] and isinstance(factor, Reduction)):
            part = at_least(part, Binds.FACTOR, setting, closed=True)
        whole = beside(whole, part, _gap(before, factor))
    return replace(whole, binds=Binds.ADJOINED, is_open=isinstance(factors[-1], Reduction))


def _gap(before: Expression, factor: Expression) -> str:
    """Room around words, and before what would be taken for a part of the factor before it: digits for its digits, a list for its index."""
    match factor:
        case Phrase(text):
            return r"\ " if text[:1].isalpha() else ""
        case _ if isinstance(before, Phrase):
            return r"\ "
        case Number() | Scripts(Number()) | Binary("**"):
            return r" \, "
        case ListDisplay() | Interval(True) | Group(square=True):
            return r" \, "
        case Group():
            return ""
        case _:
            return " "


def _binary(node: Binary, setting: Setting) -> Piece:
    """A sum may have more terms than Python allows calls: its operators are taken one after the other."""
    chain = [node]
    while isinstance(left := chain[-1].left, Binary):
        chain.append(left)
    whole = piece(left, setting)
    for part in reversed(chain):
        whole = _power(part, whole, setting) if part.operator == "**" else _joined(part, whole, setting)
    return whole


def _power(node: Binary, base: Piece, setting: Setting) -> Piece:
    exponent = at_least(piece(node.right, IN_SCRIPT), Binds.FACTOR, IN_SCRIPT)
    inner = base if isinstance(node.left, Number | Scripts) and base.binds >= Binds.FACTOR else at_least(base, Binds.POSTFIX, setting)
    return Piece(f"{{{inner.latex}}}^{{{exponent.latex}}}", Binds.FACTOR, height=inner.height)


def _joined(node: Binary, left: Piece, setting: Setting) -> Piece:
    binds, right_binds = OPERATORS[node.operator]
    is_product = binds >= Binds.LOOSE
    left = at_least(left, binds, setting, closed=is_product)
    written = piece(node.right, setting)
    right = at_least(written, right_binds, setting)
    latex = f"{left.latex} {_SIGNS.get(node.operator, node.operator)} {right.latex}"
    return Piece(latex, binds, is_product and right.is_open and right is written, max(left.height, right.height))


def _reduction(node: Reduction, setting: Setting) -> Piece:
    command = "\\" + node.operator
    is_large = node.operator in LARGE_OPERATORS
    latex = command if is_large or command in NAMED_OPERATORS else rf"\operatorname*{{{node.operator}}}"
    match node.subscript:
        case None:
            below = ""
        case Group(inner) if len(inner) > 1 and not any(isinstance(item, Keyword) for item in inner):
            below = items(inner, IN_SCRIPT).latex
        case subscript:
            below = piece(subscript, IN_SCRIPT).latex
    if below:
        latex += f"_{_script(below)}"
    if node.superscript is not None:
        latex += f"^{_script(piece(node.superscript, IN_SCRIPT).latex)}"
    written = piece(node.body, setting)
    body = written if isinstance(node.body, Negative) else at_least(written, Binds.LOOSE, setting)
    height = Height.FRACTION if is_large or below else Height.LINE
    return Piece(f"{latex} {body.latex}", Binds.ADJOINED, is_open=True, height=max(height, body.height))


def _relation(operators: tuple[str, ...], operands: tuple[Expression, ...], setting: Setting) -> Piece:
    """A chain; the hole of a one-sided condition stays empty."""
    parts = [Piece("") if isinstance(node, Hole) else at_least(piece(node, setting), Binds.JOIN, setting) for node in operands]
    latex = parts[0].latex
    for operator, part in zip(operators, parts[1:], strict=True):
        latex += f" {_SIGNS.get(operator, operator)} {part.latex}"
    return Piece(latex.strip(), Binds.RELATION, height=highest(parts))


def _logic(node: Logic, setting: Setting) -> Piece:
    operands = _pieces(node.operands, setting)
    if node.operator == "not":
        inner = at_least(operands[0], Binds.NEGATION, setting)
        return Piece(rf"\lnot {inner.latex}", Binds.NEGATION, height=inner.height)
    command, binds = _LOGIC[node.operator]
    parts = [at_least(operand, Binds(binds + 1), setting) for operand in operands]
    return Piece(f" {command} ".join(part.latex for part in parts), binds, height=highest(parts))
