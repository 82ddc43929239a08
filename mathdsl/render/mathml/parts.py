"""A long formula in parts, between which a line may end: before the signs of its sums, of the products in them, and of conditions."""

from __future__ import annotations

from mathdsl.render.mathml.expressions import LOGIC, joined, piece, sign
from mathdsl.render.mathml.pieces import Piece, at_least
from mathdsl.syntax.binding import OPERATORS, Binds
from mathdsl.syntax.nodes import Binary, Expression, Logic

_UNBROKEN = frozenset({"**", "/"})


def render_parts(expression: Expression) -> tuple[str, ...]:
    """Rows of MathML that look like the whole, side by side; each but the first begins with a sign."""
    _, rows = _parts(expression)
    return tuple(rows)


def _parts(node: Expression) -> tuple[Piece, list[str]]:
    """The whole, and its rows; the operators of a chain are taken one after the other."""
    chain: list[Binary] = []
    while isinstance(node, Binary) and node.operator not in _UNBROKEN:
        chain.append(node)
        node = node.left
    whole = piece(node)
    rows = _conditions(node) if isinstance(node, Logic) and node.operator in LOGIC and not chain else [whole.markup]
    for part in reversed(chain):
        binds, right_binds = OPERATORS[part.operator]
        left = at_least(whole, binds, closed=binds >= Binds.LOOSE)
        if left is not whole:
            rows = [left.markup]
        written, ends = _parts(part.right)
        right = at_least(written, right_binds)
        first, *others = ends if right is written else [right.markup]
        rows += [sign(part.operator, form="infix") + first, *others]
        whole = joined(part, whole)
    return whole, rows


def _conditions(node: Logic) -> list[str]:
    """The operands of `∧` or `∨`."""
    command, binds = LOGIC[node.operator]
    first, *others = (at_least(piece(operand), Binds(binds + 1)).markup for operand in node.operands)
    return [first, *(sign(command, form="infix") + other for other in others)]
