r"""Indices in parentheses below an array whose elements are written without, too: `x_{(k)}` beside `x_k`, which is asked about.

A letter or a number there may be a place in order of size; `h_{(t-1)}` beside `h_t` groups what is computed, and so does `h_{(0)}` then.
"""

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
    grouped = {_array(node) for node in own if node.in_parentheses and isinstance(node.subscripts[0], ast.Binary)}
    for node in own:
        kinds = ast.Identifier if (array := _array(node)) in grouped else ast.Identifier | ast.Number
        if node.in_parentheses and array is not None and array in plain and isinstance(node.subscripts[0], kinds):
            index = render_expression(node.subscripts[0])
            raise undecided(PLACE_IN_ORDER, node.span, array=readable(array), index=index)
    return item


def _array(node: ast.Scripts) -> Name | None:
    """What has one index below."""
    return word_of(node.base) if len(node.subscripts) == 1 else None
