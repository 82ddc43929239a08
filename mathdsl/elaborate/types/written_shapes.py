"""Shapes as an author would write them, for messages and tables."""

from __future__ import annotations

import re
from itertools import islice

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.entries import written_extreme
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.terms.terms import Ref, walk
from mathdsl.elaborate.types.shapes import Shape, expand
from mathdsl.elaborate.types.sizes import is_first, is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.names import index_letter
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span

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


def as_declared(types: Types, symbol: Symbol) -> str:
    r"""How an array could be declared: `x \in \mathbb{R}^{d}`; one that is read by its elements, `e_t \in \mathbb{R}, t = 1, \dots, T`."""
    sizes = expand(symbol.shape).prefix
    for read in types.terms.references_to(symbol) if sizes else ():
        letters = [index_letter(at.variable) for at in read.positions if isinstance(at, Poly) and at.variable is not None]
        if len(read.positions) == len(letters) == len(sizes):
            lowers = [types.solver.value(types.lower(symbol, axis)) for axis in range(len(sizes))]
            firsts = [Poly.of(1) if any(map(is_unknown, lower.names)) else lower for lower in lowers]
            ends = (
                rf"{letter} = {show_size(types, first)}, \dots, {show_size(types, first + size - 1)}"
                for letter, first, size in zip(letters, firsts, sizes, strict=True)
            )
            below = ",".join((*map(readable, symbol.spelling.labels), *letters))
            return rf"{readable(symbol.spelling.word)}_{{{below}}} \in \mathbb{{R}}, {', '.join(ends).replace('?', 'n')}"
    return rf"{symbol.latex} \in \mathbb{{R}}^{{d}}"


def where_sizes_are(types: Types, place: Span, *shapes: Shape) -> tuple[Label, ...]:
    """The symbols that gave the sizes in some shapes at a place, where the program declares them: `W`, which is m × n."""
    sizes = [types.solver.value(size) for shape in shapes for size in expand(shape).prefix]
    near = sorted(_symbols_of(types, place), key=lambda symbol: len(expand(symbol.shape).prefix))
    symbols = [s for s in dict.fromkeys((*near, *types.entries.symbols.values())) if s.span.file and s.role is not Role.VALUE]
    found: dict[Symbol, None] = {}
    for name in dict.fromkeys(name for size in sizes for name in size.ordered_names):
        of = (s for s in symbols if any(types.solver.value(axis) == Poly.of(name) for axis in expand(s.shape).prefix))
        found |= dict.fromkeys(symbol for symbol in islice(of, 1) if not is_unknown(name))
    return tuple(Label(symbol.span, f"`{symbol.latex}` is {a_shape(show_shape(types, symbol.shape))}") for symbol in found)


def _symbols_of(types: Types, place: Span) -> list[Symbol]:
    """The symbols that a value at a place is computed from: those that stand there, then those that these are computed from."""
    values = types.terms.assignments
    parts = [part for one in values if one.value.span.contains(place) for part in walk(one.value) if place.contains(part.span)]
    found = list(dict.fromkeys(part.symbol for part in parts if isinstance(part, Ref)))
    for symbol in found:  # which grows
        inside = (part for one in values if one.symbol is symbol for part in walk(one.value) if isinstance(part, Ref))
        found += dict.fromkeys(part.symbol for part in inside if part.symbol not in found)
    return found


def a_shape(shown: str) -> str:
    """A shape in words: `a matrix, m × n`."""
    match shown.count("×"):
        case 0:
            return "a scalar" if shown == SCALAR else f"a vector of size {shown}"
        case 1:
            return f"a matrix, {shown}"
        case _:
            return f"an array, {shown}"


def _factor(size: str) -> str:
    """`n + 1` in parentheses, a function's argument as it stands."""
    return f"({size})" if " + " in (outside := _PARENTHESES.sub("", size)) or " - " in outside else size
