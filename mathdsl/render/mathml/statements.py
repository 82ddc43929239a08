r"""The formulas of statements and declarations as rows: `target ← value  (t = 1, …, S)`, `symbols ∈ type = default`."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.render.mathml.elements import QUAD, WORD_SPACE, bracket, operator, space, words
from mathdsl.render.mathml.expressions import items, piece, sign
from mathdsl.render.mathml.pieces import at_least
from mathdsl.syntax.binding import Binds
from mathdsl.syntax.latex import is_range
from mathdsl.syntax.nodes import Declaration, Definition, Expression, ListDisplay, Relation, Sampling

_BETWEEN_RANGES = operator(",") + space(WORD_SPACE)


def render_items_row(nodes: Sequence[Expression]) -> str:
    """A comma list without brackets."""
    return items(nodes).markup


def render_range_row(node: Expression) -> str:
    r"""A range as an author writes it, `t = 1, …, S`; any other expression as it is (`t ∈ {1, …, S}`)."""
    match node:
        case Relation(("=",), (index, ListDisplay(ends))) if is_range(node):
            return _operand(index) + sign("=") + items(ends).markup
        case _:
            return piece(node).markup


def render_definition_row(node: Definition) -> str:
    """A definition with its domain; its tag and its comment are the page's to place."""
    row = piece(node.target).markup + sign(r"\gets") + piece(node.value).markup
    if not node.domains:
        return row
    ranges = _BETWEEN_RANGES.join(render_range_row(domain) for domain in node.domains)
    if all(is_range(domain) for domain in node.domains):
        opening, closing = (bracket(sign, closes=sign == ")", stretches=False) for sign in "()")
        return row + space(QUAD) + opening + ranges + closing
    return row + space(QUAD) + operator("∀", form="prefix") + ranges


def render_sampling_row(node: Sampling) -> str:
    return _operand(node.target) + sign(r"\sim") + _operand(node.distribution)


def render_declaration_row(node: Declaration) -> str:
    """A declaration without its description; flags stand as words."""
    flags = "".join(space(WORD_SPACE) + words(flag) for flag in node.written_flags)
    if node.relation is not None:
        return piece(node.relation).markup + flags
    row = operator(",").join(_operand(symbol) for symbol in node.symbols)
    for mark, part in ((r"\in", node.type), ("=", node.default), (r"\sim", node.initialiser)):
        if part is not None:
            row += sign(mark) + _operand(part)
    row += flags
    return _BETWEEN_RANGES.join((row, *(render_range_row(one) for one in node.ranges)))


def _operand(node: Expression) -> str:
    return at_least(piece(node), Binds.JOIN).markup
