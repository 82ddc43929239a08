r"""The formulas of lines and declarations: targets, values, domains `(t = 1, \dots, S)`, `symbols \in type`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from mathdsl.render.document.listings import make_range
from mathdsl.render.document.model import Formula, Range
from mathdsl.render.write.latex.expressions import Piece, breaking, piece, write_expression, write_items, write_operand
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
    r"""What an index runs over: `t = 1, \dots, S`, or a formula that says it otherwise."""
    match part:
        case Range(index, run, relation):
            return write_operand(index) + (f" {relation} {write_items(run)}" if run else "")
        case Formula(expression):
            return write_expression(expression)
        case _:
            assert_never(part)


def render_domain(domains: Sequence[Range | Formula]) -> str:
    r"""`(t = 1, \dots, S)`, or `\forall t` where that is all there is."""
    ranges = ", ".join(render_range(domain) for domain in domains)
    runs = all(isinstance(domain, Range) and domain.items and domain.relation == "=" for domain in domains)
    return f"({ranges})" if runs else rf"\forall {ranges}"


def render_type(node: Declaration) -> str:
    """What a declaration says of its symbols: their type, default, initialiser and ranges."""
    if node.relation is not None:
        return write_expression(node.relation)
    parts = ((r"\in", node.type), ("=", node.default), (r"\sim", node.initialiser))
    return ", ".join(
        [
            " ".join(f"{mark} {write_operand(part)}" for mark, part in parts if part is not None),
            *(rf"\text{{{flag}}}" for flag in node.written_flags),
            *(render_range(make_range(one)) for one in node.ranges),
        ]
    )
