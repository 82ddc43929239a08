r"""Expressions of the AST to MathML Core, in parentheses wherever the canonical LaTeX needs braces to be read again as the same tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import assert_never

from mathdsl.render.mathml.blocks import cases, fraction, matrix, root
from mathdsl.render.mathml.elements import THIN, element, escape, operator, space, words
from mathdsl.render.mathml.names import identifier, primed, upright
from mathdsl.render.mathml.pieces import Edge, Piece, adjoined, at_least, fenced
from mathdsl.render.mathml.scripts import accented, comma_list, power, reduction, scripted
from mathdsl.render.mathml.symbols import BARS, MACRO_NAMES, SIGNS
from mathdsl.syntax.binding import OPERATORS, Binds
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

LOGIC = {"and": (r"\land", Binds.CONJUNCTION), "or": (r"\lor", Binds.DISJUNCTION)}


def sign(command: str, *, tight: bool = False, form: str = "") -> str:
    """An operator, a relation or a mark by its canonical spelling; one without a row is a word. `form`: where nothing tells it."""
    character, attributes = SIGNS.get(command, (command.removeprefix("\\"), {}))
    if tight and not character.isalpha():
        return operator(character, tight=True)
    return element("mo", escape(character), **attributes, **({"form": form} if form else {}))


def piece(node: Expression, *, tight: bool = False) -> Piece:
    """A node as a piece; `tight`: in a script, where signs stand without spaces."""
    match node:
        case Number(text):
            return Piece(element("mn", escape(text.replace("-", "−"))), Binds.FACTOR, is_single=True)
        case Identifier(r"\prime", font=""):
            return primed(Piece(""), 1)
        case Identifier():
            return identifier(node)
        case Dots():
            return Piece(element("mi", "…"), Binds.ITEM, is_single=True)
        case Hole():
            return Piece(element("mi", "⋅"), Binds.ITEM, is_single=True)
        case Phrase(text):
            left = Edge.WORDS if text[:1].isalpha() else Edge.ORDINARY
            return Piece(words(text), left=left, right=Edge.WORDS, is_single=True)
        case Accent(accent, body):
            return accented(accent, piece(body, tight=tight))
        case Scripts():
            return _scripts(node, tight)
        case Juxtaposition(factors):
            return _juxtaposition(factors, tight)
        case Binary():
            return _binary(node, tight)
        case Negative(operand):
            return _prefixed(operator("−", tight=tight, form="prefix"), at_least(piece(operand, tight=tight), Binds.LOOSE), Binds.SUM)
        case Reduction():
            return _reduction(node, tight)
        case Relation(operators, operands):
            return _relation(operators, operands, tight)
        case Logic():
            return _logic(node, tight)
        case _:
            return _bracketed(node, tight)


def pieces(nodes: Sequence[Expression], tight: bool) -> tuple[Piece, ...]:
    return tuple(map(partial(piece, tight=tight), nodes))  # a tree may be deep: no generator, which would be a call more a level


def items(nodes: Sequence[Expression], *, tight: bool = False) -> Piece:
    """A comma list; nothing where there are no nodes."""
    return comma_list(pieces(nodes, tight), tight=tight)


def _bracketed(
    node: Group
    | ListDisplay
    | SetDisplay
    | Comprehension
    | Matrix
    | Fraction
    | Root
    | Bars
    | Interval
    | Command
    | Cases
    | Indexing
    | Attribute
    | Slice
    | Keyword,
    tight: bool,
) -> Piece:
    match node:
        case Group(inner, square):
            return fenced("[" if square else "(", (items(inner, tight=tight),), "]" if square else ")")
        case ListDisplay(inner):
            return fenced("[", (items(inner, tight=tight),), "]")
        case SetDisplay(inner):
            return fenced("{", (items(inner, tight=tight),), "}")
        case Comprehension(body, conditions):
            parts = (piece(body, tight=tight), items(conditions, tight=tight))
            return fenced("{", parts, "}", sign(";", tight=tight))
        case Bars(kind, inner):
            opening, closing = BARS[kind]
            return fenced(opening, (items(inner, tight=tight),), closing)
        case Interval(has_lower, has_upper, lower, upper):
            return fenced("[" if has_lower else "(", (items((lower, upper), tight=tight),), "]" if has_upper else ")")
        case Matrix(rows):
            return matrix([pieces(row, tight) for row in rows])
        case Fraction(numerator, denominator):
            return fraction(piece(numerator, tight=tight), piece(denominator, tight=tight))
        case Root(radicand, degree):
            return root(piece(radicand, tight=tight), None if degree is None else piece(degree, tight=True))
        case Cases(rows):
            return cases([(piece(row.value), None if row.condition is None else piece(row.condition)) for row in rows])
        case Command(macro, arguments):
            return _command(macro, arguments, tight)
        case Indexing(base, inner):
            return _after(_operand(base, tight), fenced("[", (items(inner, tight=tight),), "]"))
        case Attribute(base, attribute, inner):
            word = upright("size" if attribute == "sz" else attribute)
            named = Piece(_operand(base, tight).markup + sign(".") + word.markup)
            return _after(named, fenced("(", (items(inner, tight=tight),), ")"))
        case Slice(lower, upper):
            ends = ("" if end is None else piece(end, tight=tight).markup for end in (lower, upper))
            return Piece(sign(":").join(ends), Binds.ITEM)
        case Keyword(keyword, value):
            return Piece(sign(r"\gets", tight=tight).join(part.markup for part in pieces((keyword, value), tight)), Binds.ITEM)
        case _:
            assert_never(node)


def _operand(base: Expression, tight: bool) -> Piece:
    """What an index or an attribute belongs to."""
    return at_least(piece(base, tight=tight), Binds.POSTFIX)


def _after(base: Piece, brackets: Piece) -> Piece:
    return replace(adjoined(base, brackets, ""), binds=Binds.POSTFIX)


def _command(macro: str, arguments: tuple[tuple[Expression, ...], ...], tight: bool) -> Piece:
    r"""`\cat{a, b}` as concat(a, b), `\Call{F}{a}` as F(a), `\drop{x}{p}` as dropout(x, p)."""
    if macro == "Call" and len(arguments) > 1:
        function, inner = _callee(arguments[0], tight), arguments[1]
    else:
        function, inner = upright(MACRO_NAMES.get(macro, macro)), tuple(item for argument in arguments for item in argument)
    return adjoined(function, fenced("(", (items(inner, tight=tight),), ")"), "")


def _callee(written: tuple[Expression, ...], tight: bool) -> Piece:
    match written:
        case (Identifier(text, font="", primes=0),) if len(text) > 1:
            return upright(text.removeprefix("\\"))
        case _:
            return items(written, tight=tight)


def _scripts(node: Scripts, tight: bool) -> Piece:
    written = piece(node.base, tight=tight)
    base = written if isinstance(node.base, Number | Scripts) else at_least(written, Binds.POSTFIX)
    below = items(node.subscripts, tight=True) if node.subscripts else None
    match node.superscript:
        case None:
            return scripted(base, below, None)
        case Identifier(r"\prime", font=""):
            return scripted(primed(base, 1), below, None)
        case superscript:
            return scripted(base, below, piece(superscript, tight=True))


def _juxtaposition(factors: tuple[Expression, ...], tight: bool) -> Piece:
    whole = at_least(piece(factors[0], tight=tight), Binds.FACTOR, closed=True)
    for before, factor in pairwise(factors):
        part = piece(factor, tight=tight)
        if not (factor is factors[-1] and isinstance(factor, Reduction)):
            part = at_least(part, Binds.FACTOR, closed=True)
        whole = adjoined(whole, part, space(THIN) if _begins_anew(before, factor) else None)
    return replace(whole, binds=Binds.ADJOINED, is_open=isinstance(factors[-1], Reduction))


def _begins_anew(before: Expression, factor: Expression) -> bool:
    """Whether a factor would be taken for a part of the one before it: digits for its digits, a list for its index."""
    match factor:
        case Number() | Scripts(Number()) | Binary("**"):
            return not isinstance(before, Phrase)
        case ListDisplay() | Interval(True) | Group(square=True):
            return True
        case _:
            return False


def _prefixed(mark: str, operand: Piece, binds: Binds) -> Piece:
    return Piece(mark + operand.markup, binds, right=operand.right, is_tall=operand.is_tall)


def _binary(node: Binary, tight: bool) -> Piece:
    """A sum may have more terms than Python allows calls: its operators are taken one after the other."""
    chain = [node]
    while isinstance(left := chain[-1].left, Binary):
        chain.append(left)
    whole = piece(left, tight=tight)
    for part in reversed(chain):
        if part.operator == "**":
            exponent = at_least(piece(part.right, tight=True), Binds.FACTOR)
            whole = power(whole, exponent, needs_no_brackets=isinstance(part.left, Number | Scripts))
        else:
            whole = joined(part, whole, tight)
    return whole


def joined(node: Binary, left: Piece, tight: bool = False) -> Piece:
    """An operator between what stands left of it and its right operand."""
    binds, right_binds = OPERATORS[node.operator]
    is_product = binds >= Binds.LOOSE
    left = at_least(left, binds, closed=is_product)
    written = piece(node.right, tight=tight)
    right = at_least(written, right_binds)
    markup = left.markup + sign(node.operator, tight=tight) + right.markup
    is_open = is_product and right.is_open and right is written
    return Piece(markup, binds, left.left, right.right, is_open, left.is_tall or right.is_tall)


def _reduction(node: Reduction, tight: bool) -> Piece:
    match node.subscript:
        case None:
            below = None
        case Group(inner) if len(inner) > 1 and not any(isinstance(item, Keyword) for item in inner):
            below = items(inner, tight=True)
        case subscript:
            below = piece(subscript, tight=True)
    above = None if node.superscript is None else piece(node.superscript, tight=True)
    body = piece(node.body, tight=tight)
    return reduction(node.operator, below, above, body if isinstance(node.body, Negative) else at_least(body, Binds.LOOSE))


def _relation(operators: tuple[str, ...], operands: tuple[Expression, ...], tight: bool) -> Piece:
    """A chain; the hole of a one-sided condition stays empty."""
    parts = ["" if isinstance(operands[0], Hole) else at_least(piece(operands[0], tight=tight), Binds.JOIN).markup]
    rest = [at_least(piece(operand, tight=tight), Binds.JOIN) for operand in operands[1:]]
    parts += [sign(operator, tight=tight) + operand.markup for operator, operand in zip(operators, rest, strict=True)]
    return Piece("".join(parts), Binds.RELATION, is_tall=any(operand.is_tall for operand in rest))


def _logic(node: Logic, tight: bool) -> Piece:
    operands = pieces(node.operands, tight)
    if node.operator == "not":
        mark = operator("¬", tight=True, form="prefix")
        return _prefixed(mark, at_least(operands[0], Binds.NEGATION), Binds.NEGATION)
    command, binds = LOGIC[node.operator]
    inner = [at_least(operand, Binds(binds + 1)) for operand in operands]
    markup = sign(command, tight=tight).join(operand.markup for operand in inner)
    return Piece(markup, binds, is_tall=any(operand.is_tall for operand in inner))
