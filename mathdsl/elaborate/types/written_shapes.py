"""Shapes as an author would write them, for messages and tables."""

from __future__ import annotations

import re

from mathdsl.elaborate.names.entries import written_extreme
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.types.shapes import Shape, expand
from mathdsl.elaborate.types.sizes import is_first, is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.sizes import Poly

SCALAR = "scalar"
"""The shape without axes."""

_NAME = re.compile(r"\?\d+|[^\W\d]\w*")
_POWER = re.compile(r"\*\*(\d+)")
_PARENTHESES = re.compile(r"\([^()]*\)")


def show_size(types: Types, size: Poly) -> str:
    """A size in the author's symbols; an unknown one is a question mark, and what is not known to begin elsewhere begins at the base."""
    entries = {entry.name: entry for entry in types.entries.sizes.values()}

    def written(name: re.Match[str]) -> str:
        entry = entries.get(Name(name[0]))
        if entry is None:
            return "?" if is_unknown(name[0]) else name[0]
        return readable(entry.spelling) if entry.value is None else written_extreme(entry.value, lambda poly: show_size(types, poly))

    size = types.solver.value(size)
    size = size.substitute({name: Poly.of(types.written.base) for name in size.names if is_first(name)})
    powers = _POWER.sub(lambda power: f"^{power[1]}" if len(power[1]) == 1 else f"^{{{power[1]}}}", str(size))
    return _NAME.sub(written, powers.replace("*", " "))


def show_shape(types: Types, shape: Shape) -> str:
    """`S × d_h`; `scalar` without axes; an open rest is `…`."""
    shape = expand(shape)
    parts = [show_size(types, size) for size in shape.prefix] + (["…"] if shape.rest is not None else [])
    return " × ".join(_factor(part) for part in parts) if len(parts) > 1 else parts[0] if parts else SCALAR


def _factor(size: str) -> str:
    """`n + 1` in parentheses, a function's argument as it stands."""
    return f"({size})" if " + " in (outside := _PARENTHESES.sub("", size)) or " - " in outside else size
