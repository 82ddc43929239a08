"""What an index runs over, as an author writes it."""

from __future__ import annotations

from mathdsl.render.model import Formula, Range
from mathdsl.syntax.nodes import Dots, Expression, ListDisplay, Relation


def make_range(binding: Expression) -> Range | Formula:
    r"""`t = 1, \dots, S` without the brackets that its items have in the AST."""
    match binding:
        case Relation(("=",), (index, ListDisplay(items))) if any(isinstance(item, Dots) for item in items):
            return Range(index, items)
        case _:
            return Formula(binding)
