"""Shapes as an author would write them, for messages and tables."""

from __future__ import annotations

import re

from mathdsl.elaborate.names import readable
from mathdsl.elaborate.shapes import Shape, expand
from mathdsl.elaborate.sizes import is_unknown
from mathdsl.elaborate.unit import Unit
from mathdsl.ir.sizes import Poly

SCALAR = "scalar"
"""The shape without axes."""

_PARENTHESES = re.compile(r"\([^()]*\)")


def show_size(unit: Unit, size: Poly) -> str:
    """A size in the author's symbols; an unknown one is a question mark."""
    size = unit.sizes_solver.value(size)
    text = str(size)
    spellings = {entry.name: readable(entry.spelling) for entry in unit.sizes.values()}
    for name in sorted(size.names, key=len, reverse=True):
        text = (
            text.replace(name, "?" if is_unknown(name) else spellings.get(name, name))
            if name not in spellings
            else _swap(text, name, spellings[name])
        )
    return text.replace("*", " ")


def _swap(text: str, name: str, spelling: str) -> str:
    return re.sub(rf"(?<![\w\\{{]){re.escape(name)}(?![\w}}])", lambda _: spelling, text)


def show_shape(unit: Unit, shape: Shape) -> str:
    """`S × d_h`; `scalar` without axes; an open rest is `…`."""
    shape = expand(shape)
    parts = [show_size(unit, size) for size in shape.prefix] + (["…"] if shape.rest is not None else [])
    return " × ".join(_factor(part) for part in parts) if len(parts) > 1 else parts[0] if parts else SCALAR


def _factor(size: str) -> str:
    """`n + 1` in parentheses, a function's argument as it stands."""
    return f"({size})" if " + " in (outside := _PARENTHESES.sub("", size)) or " - " in outside else size
