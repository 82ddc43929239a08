r"""The formulas of lines and declarations: targets, values, domains `(t = 1, \dots, S)`, `symbols \in type`."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.document.listings import are_runs, display_range, display_type, make_range
from mathdsl.render.document.model import Formula, Range
from mathdsl.render.write.latex.expressions import Piece, breaking, piece, write_expression, write_row
from mathdsl.render.write.latex.widths import estimate_width
from mathdsl.syntax.nodes import Declaration, Expression

ARROWS = {"gets": r"\leftarrow", "sim": r"\sim"}
"""What stands between the two sides of an `Assignment`."""

_LONG = 24.0  # ems of a formula whose lines may also end after commas


def formula(node: Expression) -> Piece:
    """An expression that stands in a line; a long one may be broken after its commas too."""
    whole = piece(node)
    return Piece(breaking(node), whole.height) if estimate_width(whole.latex) > _LONG else whole


def inline(node: Expression) -> str:
    """A formula in dollar signs, with room for what is high."""
    return dollars(formula(node))


def comma_list(nodes: Sequence[Expression]) -> str:
    """Formulas of their own, so that a line may end between them."""
    return ", ".join(inline(node) for node in nodes)


def dollars(whole: Piece) -> str:
    style = r"\displaystyle " if whole.is_high else ""
    return f"${style}{whole.latex}$"


def render_range(part: Range | Formula) -> str:
    """What an index runs over."""
    return write_row(display_range(part))


def render_domain(domains: Sequence[Range | Formula]) -> str:
    r"""`(t = 1, \dots, S)`, or `\forall t` where that is all there is."""
    ranges = ", ".join(map(render_range, domains))
    return f"({ranges})" if are_runs(domains) else rf"\forall {ranges}"


def render_type(node: Declaration) -> str:
    """What a declaration says of its symbols: their type, default, initialiser and ranges."""
    if node.relation is not None:
        return write_expression(node.relation)
    flags = (rf"\text{{{flag}}}" for flag in node.written_flags)
    return ", ".join([write_row(display_type(node)), *flags, *(render_range(make_range(one)) for one in node.ranges)])
