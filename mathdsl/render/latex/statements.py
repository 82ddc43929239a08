r"""The formulas of lines and declarations: targets, values, domains `(t = 1, \dots, S)`, `symbols \in type`."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.latex.expressions import items, piece
from mathdsl.render.latex.pieces import IN_LINE, Height, Piece, Setting, at_least
from mathdsl.render.latex.widths import estimate_width
from mathdsl.syntax.binding import Binds
from mathdsl.syntax.latex import is_range
from mathdsl.syntax.nodes import Declaration, Expression, ListDisplay, Relation

_LONG = 24.0  # ems of a formula whose lines may also end after commas
_BREAKING = Setting(breaks_at_commas=True)


def formula(node: Expression) -> Piece:
    """An expression that stands in a line; a long one may be broken after its commas too."""
    if is_range(node):
        return Piece(render_range(node))
    whole = piece(node)
    return piece(node, _BREAKING) if estimate_width(whole.latex) > _LONG else whole


def inline(node: Expression) -> str:
    """A formula in dollar signs, with room for what is high."""
    return dollars(formula(node))


def comma_list(nodes: Sequence[Expression]) -> str:
    """Formulas of their own, so that a line may end between them."""
    return ", ".join(inline(node) for node in nodes)


def dollars(whole: Piece) -> str:
    style = r"\displaystyle " if whole.height is not Height.LINE else ""
    return f"${style}{whole.latex}$"


def render_range(node: Expression) -> str:
    r"""A range as an author writes it, `t = 1, \dots, S`; any other expression as it is."""
    match node:
        case Relation(("=",), (index, ListDisplay(ends))) if is_range(node):
            return f"{operand(index)} = {items(ends).latex}"
        case _:
            return piece(node).latex


def render_domain(domains: Sequence[Expression]) -> str:
    r"""`(t = 1, \dots, S)`, or `\forall t` where that is all there is."""
    ranges = ", ".join(render_range(domain) for domain in domains)
    return f"({ranges})" if all(is_range(domain) for domain in domains) else rf"\forall {ranges}"


def render_type(node: Declaration) -> str:
    """What a declaration says of its symbols: their type, default, initialiser and ranges."""
    if node.relation is not None:
        return piece(node.relation).latex
    parts = ((r"\in", node.type), ("=", node.default), (r"\sim", node.initialiser))
    return ", ".join([" ".join(f"{mark} {operand(part)}" for mark, part in parts if part is not None), *map(render_range, node.ranges)])


def operand(node: Expression) -> str:
    """One side of a relation."""
    return at_least(piece(node), Binds.JOIN, IN_LINE).latex
