"""Module instances of one interpretation: sizes, settings, parameters, inputs, and who defines which element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Array, Axis, Call, CallTarget, Equation, Kind, Literal, Module, Range, Result
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import flat_results
from mathdsl.ops import Number
from mathdsl.oracle.errors import OracleError
from mathdsl.oracle.machine import Task

Scope: TypeAlias = dict[str, int]  # the values of sizes, an example's own sizes, and index variables


class Point(NamedTuple):
    """One element of an array of one instance."""

    instance: Instance
    array: str
    at: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.array}[{', '.join(map(str, self.at))}]" if self.at else self.array


@dataclass(frozen=True, slots=True)
class CallResult:
    """Result number `position` of a call, and where it goes."""

    call: Call
    position: int
    target: CallTarget


Definition: TypeAlias = Equation | CallResult


@dataclass(frozen=True, eq=False)
class Instance:
    """A module with values for all it needs; compared by identity.

    `prefix` is its path in the parameters of the whole (`T_f.`, `f.0.`). `given` evaluates an element of an input.
    """

    module: Module
    prefix: str
    scope: Scope
    settings: Mapping[str, Number]
    given: Callable[[Array, tuple[int, ...]], Task[Point]]

    @cached_property
    def arrays(self) -> dict[str, Array]:
        return {array.name: array for array in self.module.arrays}

    @cached_property
    def results(self) -> tuple[Result, ...]:
        return flat_results(self.module.results)

    @cached_property
    def definitions(self) -> dict[str, tuple[Definition, ...]]:
        """For each array the equations and calls that define its elements."""
        found: dict[str, list[Definition]] = {array.name: [] for array in self.module.arrays if array.kind is Kind.VALUE}
        for step in self.module.steps:
            if isinstance(step, Equation):
                found[step.target].append(step)
                continue
            for position, target in enumerate(step.targets):
                if target is not None:
                    found[target.array].append(CallResult(step, position, target))
        return {name: tuple(definitions) for name, definitions in found.items()}


def value_of(poly: Poly, values: dict[str, int]) -> int:
    """The value of a polynomial; an `OracleError` where it is no integer."""
    total = 0
    for monomial, coefficient in poly.terms:
        term = coefficient.numerator
        if coefficient.denominator != 1 or any(power < 0 for _, power in monomial):
            return _fraction_of(poly, values)
        for name, power in monomial:
            term *= values[name] ** power
        total += term
    return total


def _fraction_of(poly: Poly, values: dict[str, int]) -> int:
    try:
        return poly.evaluate(values)
    except (ValueError, ZeroDivisionError) as error:
        raise OracleError(f"{poly} is no integer") from error


def bounds_of(bounds: Range, scope: Scope) -> tuple[int, int]:
    """Both bounds."""
    return value_of(bounds.lower, scope), value_of(bounds.upper, scope)


def values_of(bounds: Range, scope: Scope) -> range:
    """The indices of a range, in order."""
    lower, upper = bounds_of(bounds, scope)
    return range(lower, upper + 1)


def is_inside(array: Array, index: Sequence[int], scope: Scope) -> bool:
    """Whether the array has such an element."""
    if len(index) != len(array.ranges):
        raise OracleError(f"{array.name} has {len(array.ranges)} axes and is read with {len(index)} indices")
    return all(i in values_of(bounds, scope) for i, bounds in zip(index, array.ranges, strict=True))


def match_index(
    entries: Sequence[Poly | Range], axes: Sequence[Axis], index: Sequence[int], scope: Scope
) -> tuple[Scope, list[int]] | None:
    """The scope in which the left side `[entries]` is the element `index`, and the places in its whole ranges.

    None where the left side has no such element.
    """
    names = {axis.name for axis in axes}
    bound: dict[str, int] = {}
    for entry, value in zip(entries, index, strict=True):
        if isinstance(entry, Range):
            continue
        if entry.names & names:
            (name,) = entry.names
            bound[name] = value
        elif value_of(entry, scope) != value:
            return None
    for axis in axes:
        if bound[axis.name] not in values_of(axis.range, scope):
            return None
        scope = scope | {axis.name: bound[axis.name]}
    places: list[int] = []
    for entry, value in zip(entries, index, strict=True):
        if isinstance(entry, Range):
            lower, upper = bounds_of(entry, scope)
            if not lower <= value <= upper:
                return None
            places.append(value - lower)
    return scope, places


def bind_places(axes: Sequence[Axis], places: Sequence[int], scope: Scope) -> Scope:
    """The scope in which each axis stands at its place, counted from 0."""
    for axis, place in zip(axes, places, strict=True):
        scope = scope | {axis.name: value_of(axis.range.lower, scope) + place}
    return scope


def element_of_nested(value: Any, array: Array, index: Sequence[int], scope: Scope) -> Any:
    """The element of nested lists that hold an array."""
    for i, bounds in zip(index, array.ranges, strict=True):
        place = i - value_of(bounds.lower, scope)
        if not isinstance(value, list | tuple) or place >= len(value):
            raise OracleError(f"the value given for {array.name} has no element {list(index)}")
        value = value[place]
    if isinstance(value, list | tuple):
        raise OracleError(f"the value given for {array.name} has more than {len(array.ranges)} axes")
    return value


def default_of(literal: Literal | None, array: Array) -> Number:
    """What an input that was left out holds."""
    if literal is None:
        raise OracleError(f"the argument {array.name} is missing")
    return literal.value
