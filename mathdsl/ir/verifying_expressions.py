"""Verify expressions: every name is in scope, every read fits its array, every part holds what its place needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from mathdsl.ir.nodes import (
    Along,
    Apply,
    Array,
    Axis,
    Element,
    Expr,
    Index,
    IndexValue,
    Literal,
    Padded,
    Read,
    Reduce,
    Select,
    Setting,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of


@dataclass(frozen=True, slots=True)
class Names:
    """What a module declares: arrays, settings and sizes, and the index variables in scope."""

    arrays: Mapping[str, Array]
    settings: Mapping[str, Element]
    sizes: frozenset[str]
    axes: frozenset[str] = frozenset()

    def inside(self, axis: Axis) -> Names:
        return Names(self.arrays, self.settings, self.sizes, self.axes | {axis.name})


def axis_problems(axis: Axis, names: Names) -> Iterator[str]:
    """Its name is new, and its bounds are made of sizes and outer axes."""
    if axis.name in names.sizes:
        yield f"the axis {axis.name} has the name of a size"
    if axis.name in names.axes:
        yield f"the axis {axis.name} is bound inside an axis of that name"
    yield from poly_problems(axis.range.lower, names)
    yield from poly_problems(axis.range.upper, names)


def poly_problems(poly: Poly, names: Names) -> Iterator[str]:
    """It is made of sizes and axes in scope."""
    for name in poly.ordered_names:
        if name not in names.sizes and name not in names.axes:
            yield f"{name} in {poly} is neither a size nor an axis in scope"


def expression_problems(expr: Expr, names: Names) -> Iterator[str]:
    """What is wrong with an expression, outer things first."""
    match expr:
        case Literal():
            return
        case IndexValue(value=poly):
            yield from poly_problems(poly, names)
        case Setting(name=name, element=element):
            if names.settings.get(name) is not element:
                yield f"the setting {name} is not declared as {element.value}"
        case Read(index=index):
            yield from _read_problems(expr, names)
            for entry in index:
                yield from _index_problems(entry, names)
        case Apply(arguments=arguments):
            for argument in arguments:
                yield from expression_problems(argument, names)
        case Reduce(axis=axis, body=body):
            yield from axis_problems(axis, names)
            yield from expression_problems(body, names.inside(axis))
        case Along(axis=axis, body=body, at=at):
            yield from axis_problems(axis, names)
            yield from _index_problems(at, names)
            yield from expression_problems(body, names.inside(axis))
        case Select(condition=condition, then=then, otherwise=otherwise, element=element):
            if element_of(condition) is not Element.BOOLEAN:
                yield f"a selection by a value that is {element_of(condition).value}"
            yield from _same_element((then, otherwise), element, "selection")
            for part in (condition, then, otherwise):
                yield from expression_problems(part, names)
        case Padded(body=body, index=index, bound=bound, size=size, fill=fill, element=element):
            if size not in names.sizes:
                yield f"padding along {size}, which is no size"
            yield from _same_element((body, fill), element, "padding")
            yield from poly_problems(index, names)
            yield from poly_problems(bound, names)
            yield from expression_problems(body, names)
            yield from expression_problems(fill, names)
        case _:
            assert_never(expr)


def _index_problems(entry: Index, names: Names) -> Iterator[str]:
    if isinstance(entry, Poly):
        yield from poly_problems(entry, names)
        return
    if element_of(entry) is not Element.INTEGER:
        yield f"an index that is {element_of(entry).value}"
    yield from expression_problems(entry, names)


def _read_problems(read: Read, names: Names) -> Iterator[str]:
    array = names.arrays.get(read.array)
    if array is None:
        yield f"{read.array} is read and not declared"
        return
    if len(read.index) != len(array.ranges):
        yield f"{read.array} has {len(array.ranges)} axes and is read with {len(read.index)} indices"
    if read.element is not array.element:
        yield f"{read.array} holds {array.element.value} and is read as {read.element.value}"


def _same_element(parts: tuple[Expr, ...], element: Element, word: str) -> Iterator[str]:
    for part in parts:
        if element_of(part) is not element:
            yield f"a {word} of {element.value} with a part that is {element_of(part).value}"
