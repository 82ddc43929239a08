"""How high a formula is: what decides how tall its brackets are."""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from mathdsl.syntax.display.tree import (
    Applied,
    Blank,
    Braced,
    Fence,
    Gap,
    Grouped,
    Macro,
    Name,
    Negated,
    Node,
    Numeral,
    Omitted,
    Operator,
    Power,
    Row,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    Words,
)
from mathdsl.vocabulary import of_kinds, spellings


class Height(IntEnum):
    r"""A line of letters, what stands out of it (a root, scripts of scripts), limits of a word (`\max_i`), a fraction or a sum, rows."""

    LINE = 0
    RAISED = 1
    LIMITED = 2
    FRACTION = 3
    ROWS = 4


_LARGE = spellings(of_kinds("large", "integral"))
_LIMITED = spellings(of_kinds("large", "limit"))
_FRACTIONS = spellings(of_kinds("fraction", "stack"))
_RAISED = frozenset({r"\sqrt", r"\overbrace", r"\underbrace"})


def height(row: Row, *, is_display: bool = True) -> Height:
    """That of the highest node; `is_display`: limits stand below and above their operators."""
    return max([_height(node, is_display) for node in row.parts], default=Height.LINE)


def _height(node: Node, is_display: bool) -> Height:
    match node:
        case Blank() | Gap() | Operator() | Name() | Numeral() | Omitted() | Negated() | Words():
            return Height.LINE
        case Sign(text):
            return Height.FRACTION if text in _LARGE else Height.LINE
        case Braced(body) | Grouped(body) | Fence(_, body):
            return height(body, is_display=is_display)
        case Scripted(base, scripts, limits):
            has_limits = bool(limits) or (is_display and takes_limits(base))
            is_far = any(
                script.body is not None and _is_raised(script.body.body) for script in scripts
            )  # a script of one, or of what is tall
            return max(Height.LIMITED if has_limits else Height.LINE, _height(base, is_display), Height.RAISED if is_far else Height.LINE)
        case Power(base, exponent):
            return max(height(base, is_display=is_display), Height.RAISED if _is_raised(exponent) else Height.LINE)
        case Applied(command, arguments):
            own = Height.FRACTION if command in _FRACTIONS else Height.RAISED if command in _RAISED else Height.LINE
            return max(own, *(height(argument.body, is_display=is_display) for argument in arguments))
        case Macro(_, rows) | Sides(_, rows):
            return max((height(row, is_display=is_display) for row in rows), default=Height.LINE)
        case Sized():
            return Height.FRACTION
        case Table():
            return Height.ROWS
        case _:
            assert_never(node)


def takes_limits(base: Node) -> bool:
    """Whether scripts stand below and above it in a display."""
    match base:
        case Sign(text):
            return text in _LIMITED
        case Name(font="operatorname*") | Words(r"\operatorname*") | Applied(r"\operatorname*" | r"\mathop"):
            return True
        case _:
            return False


def _is_raised(row: Row) -> bool:
    return height(row) > Height.LINE or any(isinstance(part, Scripted) for part in row.parts)
