"""Verify expressions: every name is in scope, every read fits its array, every part holds what its place needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from mathdsl.dataclass import dataclass
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


def axis_problems(axis: Axis, names: Names) -> list[str]:
    """Its name is new, and its bounds are made of sizes and outer axes."""
    problems: list[str] = []
    if axis.name in names.sizes:
        problems.append(f"the axis {axis.name} has the name of a size")
    if axis.name in names.axes:
        problems.append(f"the axis {axis.name} is bound inside an axis of that name")
    return [*problems, *poly_problems(axis.range.lower, names), *poly_problems(axis.range.upper, names)]


def poly_problems(poly: Poly, names: Names) -> list[str]:
    """It is made of sizes and axes in scope."""
    unknown = [name for name in poly.ordered_names if name not in names.sizes and name not in names.axes]
    return [f"{name} in {poly} is neither a size nor an axis in scope" for name in unknown]


def expression_problems(expr: Expr, names: Names) -> list[str]:
    """What is wrong with an expression, outer things first."""
    problems: list[str] = []
    _look_at(expr, names, problems)
    return problems


def _look_at(expr: Expr, names: Names, problems: list[str]) -> None:
    match expr:
        case Literal():
            return
        case IndexValue(value=poly):
            problems += poly_problems(poly, names)
        case Setting(name=name, element=element):
            if names.settings.get(name) is not element:
                problems.append(f"the setting {name} is not declared as {element.value}")
        case Read(index=index):
            problems += _read_problems(expr, names)
            for entry in index:
                _look_at_index(entry, names, problems)
        case Apply(arguments=arguments):
            for argument in arguments:
                _look_at(argument, names, problems)
        case Reduce(axis=axis, body=body):
            problems += axis_problems(axis, names)
            _look_at(body, names.inside(axis), problems)
        case Along(axis=axis, body=body, at=at):
            problems += axis_problems(axis, names)
            _look_at_index(at, names, problems)
            _look_at(body, names.inside(axis), problems)
        case Select(condition=condition, then=then, otherwise=otherwise, element=element):
            if element_of(condition) is not Element.BOOLEAN:
                problems.append(f"a selection by a value that is {element_of(condition).value}")
            problems += _same_element((then, otherwise), element, "selection")
            for part in (condition, then, otherwise):
                _look_at(part, names, problems)
        case _:
            assert_never(expr)


def _look_at_index(entry: Index, names: Names, problems: list[str]) -> None:
    if isinstance(entry, Poly):
        problems += poly_problems(entry, names)
        return
    if element_of(entry) is not Element.INTEGER:
        problems.append(f"an index that is {element_of(entry).value}")
    _look_at(entry, names, problems)


def _read_problems(read: Read, names: Names) -> list[str]:
    array = names.arrays.get(read.array)
    if array is None:
        return [f"{read.array} is read and not declared"]
    problems: list[str] = []
    if len(read.index) != len(array.ranges):
        problems.append(f"{read.array} has {len(array.ranges)} axes and is read with {len(read.index)} indices")
    if read.element is not array.element:
        problems.append(f"{read.array} holds {array.element.value} and is read as {read.element.value}")
    return problems


def _same_element(parts: tuple[Expr, ...], element: Element, word: str) -> list[str]:
    wrong = [element_of(part) for part in parts if element_of(part) is not element]
    return [f"a {word} of {element.value} with a part that is {found.value}" for found in wrong]
