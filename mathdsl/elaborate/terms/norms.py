r"""Norms: `\lVert x \rVert`, with `_1`, `_2`, `_p`, `_\infty` of vectors and `_F` of matrices."""

from __future__ import annotations

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Elementwise, Fold, NumberTerm, Ref, SizeTerm, Term
from mathdsl.elaborate.types.shapes import expand
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def resolve_norm(reader: Reader, inner: ast.Expression, subscripts: tuple[ast.Expression, ...], span: Span) -> Term:
    """The norm that bars and their subscript write."""
    if len(subscripts) > 1:
        raise unsupported("a norm with several subscripts", span, help=r"write the norms out, as in `\sqrt{\sum_j \lVert A_j \rVert_2^2}`")
    body = reader.resolve(inner)
    kind = subscripts[0] if subscripts else ast.Number("2", span=span)
    match word_of(kind):
        case "F":
            return Fold("norm", body, all_axes=True, span=span)
        case "2":
            return Fold("norm", body, all_axes=True, is_vector=True, span=span)
        case "1":
            return _total(Elementwise("abs", (body,), span=span), span)
        case r"\infty":
            return Fold("max", Elementwise("abs", (body,), span=span), all_axes=True, is_vector=True, span=span)
        case _:
            return _power_norm(reader, body, kind, span)


def _power_norm(reader: Reader, body: Term, kind: ast.Expression, span: Span) -> Term:
    """`(\\sum_i |x_i|^p)^{1/p}` for a number or a scalar `p`; the gradient at 0 is 0, as torch's."""
    exponent = reader.resolve(kind)
    if isinstance(exponent, Ref) and expand(exponent.symbol.shape).prefix[len(exponent.positions) :]:
        name, labels = exponent.symbol.latex, (Label(exponent.symbol.span, "the array"),) if exponent.symbol.span.file else ()
        what = f"`{name}` is an array here, and the order of a norm is a number"
        raise refuse("E0409", what, kind.span, labels=labels, help="take another letter for one of the two")
    if not isinstance(exponent, (NumberTerm, SizeTerm)):
        raise unsupported("a norm of this order", kind.span, help=r"norms are `_1`, `_2`, `_p` for a number `p`, `_\infty`, `_F`")
    order = exponent.value if isinstance(exponent, NumberTerm) else None
    if order == 0:
        help_text = r"write how many elements are not zero as `\sum_{i=1}^{n} \mathbb{1}[x_i \neq 0]`"
        raise unsupported("a norm of order 0", kind.span, help=help_text)
    size = Elementwise("abs", (body,), span=span)
    power = "pow_from_0" if order is not None and 0 < order < 1 else "pow"
    total = _total(Elementwise(power, (size, exponent), span=span), span)
    inverse = Elementwise("div", (NumberTerm(1.0, span=span), exponent), span=span)
    return Elementwise("pow" if order is not None and order < 0 else "pow_from_0", (total, inverse), span=span)


def _total(body: Term, span: Span) -> Term:
    return Fold("sum", body, all_axes=True, is_vector=True, span=span)
