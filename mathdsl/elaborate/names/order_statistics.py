r"""Indices in parentheses below an array whose elements are written without, too: `x_{(k)}` beside `x_k`, which is asked about."""

from __future__ import annotations

from mathdsl.diagnostics.readings.notation import PLACE_IN_ORDER
from mathdsl.elaborate.names.names import Name, readable, word_of
from mathdsl.elaborate.report import undecided
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants


def check_parentheses(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program, beside the tables of its document, in which no array has an index both with and without parentheses."""
    own = [node for node in descendants(item) if isinstance(node, ast.Scripts)]
    tables = [node for other in others for node in descendants(other) if isinstance(node, ast.Scripts)]
    plain = {_array(node) for node in (*own, *tables) if not node.in_parentheses}
    for node in own:
        array = _array(node) if node.in_parentheses else None
        if array is not None and array in plain:
            index = render_expression(node.subscripts[0])
            raise undecided(PLACE_IN_ORDER, node.span, array=readable(array), index=index)
    return item


def _array(node: ast.Scripts) -> Name | None:
    """What has one index below."""
    return word_of(node.base) if len(node.subscripts) == 1 else None
