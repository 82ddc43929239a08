"""Shapes as an author would write them, for messages and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.entries import written_extreme
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.terms.terms import Ref, walk
from mathdsl.elaborate.types.shapes import Shape, expand, find_element
from mathdsl.elaborate.types.sizes import is_first, is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import Element
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
    r"""The row that would declare an array: `x \in \mathbb{R}^{d}`; of one read by its elements, `e_t \in \mathbb{R}, t = 1, \dots, T`."""
    shape = expand(symbol.shape)
    kind = r"\mathbb{Z}" if find_element(symbol.element) is Element.INTEGER else r"\mathbb{R}"
    inner = list(shape.prefix)
    scripts, ranges = list(map(readable, symbol.spelling.labels)), list[str]()
    letters = next(_letters_of(types, symbol), ())
    for axis, letter in enumerate(letters):
        first = types.solver.value(types.lower(symbol, axis))
        first = Poly.of(1) if any(map(is_unknown, first.names)) else first
        end = show_size(types, first + inner.pop(0) - 1).replace("?", "n")
        ranges.append(rf"{letter} = {show_size(types, first)}, \dots, {end}")
    above = letters[-1:] if symbol.has_superscript else ()
    scripts += letters[: len(letters) - len(above)]
    name = readable(symbol.spelling.word) + (f"_{{{','.join(scripts)}}}" if scripts else "") + "".join(f"^{{{one}}}" for one in above)
    sizes = [show_size(types, size).replace("?", "d") for size in inner] or ["d"] * (shape.rest is not None and not letters)
    factors = r" \times ".join(map(_factor, sizes) if len(sizes) > 1 else sizes)
    exponent = f"^{{{factors}}}" if sizes else ""
    return rf"{name if letters else symbol.latex} \in {kind}{exponent}" + "".join(f", {one}" for one in ranges)


def _letters_of(types: Types, symbol: Symbol) -> Iterator[tuple[str, ...]]:
    """The index letters by which elements of a family are read, where each index is a letter."""
    for read in types.terms.references_to(symbol):
        binders = {binder.name: readable(binder.spelling) for binder in read.binders}
        variables = [at.variable for at in read.positions if isinstance(at, Poly) and at.variable is not None]
        letters = [binders.get(variable, index_letter(variable)) for variable in variables]
        if 0 < len(read.positions) == len(letters) <= len(expand(symbol.shape).prefix):
            yield tuple(letters)


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
