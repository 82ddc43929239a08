r"""Norms: `\lVert x \rVert`, with `_1`, `_2`, `_p`, `_\infty` of vectors and `_F` of matrices."""

from __future__ import annotations

from mathdsl.elaborate.names import word_of
from mathdsl.elaborate.report import unsupported
from mathdsl.elaborate.terms import Elementwise, Fold, NumberTerm, SizeTerm, Term
from mathdsl.elaborate.unit import Unit
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def resolve_norm(unit: Unit, inner: ast.Expression, subscripts: tuple[ast.Expression, ...], span: Span) -> Term:
    """The norm that bars and their subscript write."""
    if len(subscripts) > 1:
        raise unsupported("a norm with several subscripts", span)
    body = unit.resolve(inner)
    kind = subscripts[0] if subscripts else ast.Number("2", span=span)
    match word_of(kind):
        case "F":
            return _root(_total(_squares(body, span), span), span)
        case "2":
            return _root(_total(_squares(body, span), span, is_vector=True), span)
        case "1":
            return _total(Elementwise("abs", (body,), span=span), span, is_vector=True)
        case r"\infty":
            return Fold("max", Elementwise("abs", (body,), span=span), all_axes=True, is_vector=True, span=span)
        case _:
            return _power_norm(unit, body, kind, span)


def _power_norm(unit: Unit, body: Term, kind: ast.Expression, span: Span) -> Term:
    """`(\\sum_i |x_i|^p)^{1/p}` for a number or a scalar `p`."""
    exponent = unit.resolve(kind)
    if not isinstance(exponent, (NumberTerm, SizeTerm)):
        raise unsupported("a norm of this order", kind.span, help=r"norms are `_1`, `_2`, `_p` for a number `p`, `_\infty`, `_F`")
    powers = Elementwise("pow", (Elementwise("abs", (body,), span=span), exponent), span=span)
    inverse = Elementwise("div", (NumberTerm(1.0, span=span), exponent), span=span)
    return Elementwise("pow", (_total(powers, span, is_vector=True), inverse), span=span)


def _squares(body: Term, span: Span) -> Term:
    return Elementwise("mul", (body, body), span=span)


def _total(body: Term, span: Span, is_vector: bool = False) -> Term:
    return Fold("sum", body, all_axes=True, is_vector=is_vector, span=span)


def _root(body: Term, span: Span) -> Term:
    return Elementwise("sqrt", (body,), span=span)
