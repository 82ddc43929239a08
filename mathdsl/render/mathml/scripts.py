"""What stands below, above and over a symbol: indices, powers, primes, limits of a reduction, accents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.render.mathml.elements import element, escape, operator
from mathdsl.render.mathml.pieces import Edge, Piece, adjoined, at_least
from mathdsl.render.mathml.symbols import ACCENTS, LARGE_OPERATORS, WIDE_ACCENTS
from mathdsl.syntax.binding import Binds


def comma_list(pieces: Sequence[Piece], *, tight: bool) -> Piece:
    """Pieces with commas between them."""
    if len(pieces) == 1:
        return pieces[0]
    markup = operator(",", tight=tight).join(piece.markup for piece in pieces)
    return Piece(markup, Binds.ITEM, is_tall=any(piece.is_tall for piece in pieces))


def scripted(base: Piece, below: Piece | None, above: Piece | None) -> Piece:
    """A base with its scripts, one over the other."""
    if below is None and above is None:
        return base
    tag = "msub" if above is None else "msup" if below is None else "msubsup"
    scripts = "".join(script.single for script in (below, above) if script is not None)
    before = base.markup.removesuffix(base.closing) if base.closing else ""
    markup = before + element(tag, base.closing or base.single, scripts)
    return Piece(markup, Binds.POSTFIX, base.left, base.right, is_tall=base.is_tall, is_single=not before)


def accented(accent: str, body: Piece) -> Piece:
    """A mark over a body. A line is its border: few fonts have one that grows; an arrow is made smaller, as a script is."""
    if accent == "overline":
        markup = element("mrow", body.markup, style="border-top:.06em solid;padding-top:.1em")
    elif accent == "vec":
        markup = element("mover", body.single, operator(ACCENTS[accent], stretchy="false"))
    elif accent in WIDE_ACCENTS:
        markup = element("mover", body.single, operator(WIDE_ACCENTS[accent], stretchy="true"), accent="true")
    else:
        markup = element("mover", body.single, operator(ACCENTS[accent], stretchy="false"), accent="true")
    return Piece(markup, is_tall=body.is_tall, is_single=True)


def reduction(name: str, below: Piece | None, above: Piece | None, body: Piece) -> Piece:
    """A large operator with its limits: under and over it in a display, beside it in a line."""
    sign = LARGE_OPERATORS.get(name, name)
    attributes = {"lspace": "0", "rspace": "0"}
    if name not in LARGE_OPERATORS:
        attributes["movablelimits"] = "true"
    head = element("mo", escape(sign), **attributes)
    limits = "".join(limit.single for limit in (below, above) if limit is not None)
    if limits:
        tags = ("msub", "msup", "msubsup") if name == "int" else ("munder", "mover", "munderover")
        head = element(tags[0 if above is None else 1 if below is None else 2], head, limits)
    is_large = name in LARGE_OPERATORS
    operation = Piece(head, Binds.ADJOINED, Edge.FUNCTION, Edge.FUNCTION, is_tall=is_large, is_single=True)
    whole = adjoined(operation, body)
    return Piece(whole.markup, Binds.ADJOINED, Edge.FUNCTION, whole.right, is_open=True, is_tall=whole.is_tall)


def power(base: Piece, exponent: Piece, *, needs_no_brackets: bool) -> Piece:
    """`a ** b`."""
    inner = base if needs_no_brackets else at_least(base, Binds.POSTFIX)
    whole = scripted(inner, None, exponent)
    return replace(whole, binds=Binds.FACTOR)
