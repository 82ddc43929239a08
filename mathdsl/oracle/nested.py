"""Tensors in plain Python: a shape and the elements, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Module
from mathdsl.ops import Number
from mathdsl.oracle.errors import OracleError

Place: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Elements in the order in which their last index counts fastest."""

    shape: tuple[int, ...]
    elements: tuple[Number, ...]

    def at(self, place: Sequence[int]) -> Number:
        """One element; an `OracleError` outside."""
        number = 0
        for index, extent in zip(place, self.shape, strict=True):
            if not 0 <= index < extent:
                raise OracleError(f"a tensor of shape {self.shape} has no element {tuple(place)}")
            number = number * extent + index
        return self.elements[number]

    def lists(self) -> Any:
        """The elements as nested lists."""
        if not self.shape:
            return self.elements[0]
        return [self.part(0, row).lists() for row in range(self.shape[0])]

    def part(self, dimension: int, position: int) -> Tensor:
        """The elements at one position of a dimension."""
        shape = (*self.shape[:dimension], *self.shape[dimension + 1 :])
        return build(shape, lambda place: self.at((*place[:dimension], position, *place[dimension:])))


def build(shape: Sequence[int], element: Callable[[Place], Number]) -> Tensor:
    """The tensor with an element for each place."""
    return Tensor(tuple(shape), tuple(element(place) for place in product(*map(range, shape))))


def reshape(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements in another shape."""
    if prod(shape) != len(tensor.elements):
        raise OracleError(f"a tensor of shape {tensor.shape} has no shape {tuple(shape)}")
    return Tensor(tuple(shape), tensor.elements)


def from_lists(value: Any, rank: int) -> Tensor:
    """Nested lists as a tensor; an empty list has no elements along the axes inside."""
    shape: list[int] = []
    inner = value
    for _ in range(rank):
        shape.append(len(inner) if isinstance(inner, list | tuple) else 0)
        inner = inner[0] if isinstance(inner, list | tuple) and inner else ()
    flat: list[Any] = [value]
    for _ in range(rank):
        flat = [item for items in flat for item in items]
    return Tensor(tuple(shape), tuple(flat))


def stacked(items: Sequence[Tensor], dimension: int) -> Tensor:
    """Tensors of one shape along a new dimension."""
    shape = items[0].shape
    if any(item.shape != shape for item in items):
        raise OracleError("what is stacked has different shapes")
    whole = (*shape[:dimension], len(items), *shape[dimension:])
    return build(whole, lambda place: items[place[dimension]].at((*place[:dimension], *place[dimension + 1 :])))


def joined(parts: Sequence[Tensor], dimension: int) -> Tensor:
    """Tensors one after the other along a dimension."""
    rows = [(part, row) for part in parts for row in range(part.shape[dimension])]
    shape = (*parts[0].shape[:dimension], len(rows), *parts[0].shape[dimension + 1 :])

    def element(place: Place) -> Number:
        part, row = rows[place[dimension]]
        return part.at((*place[:dimension], row, *place[dimension + 1 :]))

    return build(shape, element)


def filled(value: Any, shape: Sequence[int]) -> Tensor:
    number = value.at(()) if isinstance(value, Tensor) else value
    return build(shape, lambda _: number)


def row(whole: Tensor, dimension: int, position: int) -> Tensor:
    """One position of a dimension, which stays with extent 1."""
    shape = [1 if p == dimension else extent for p, extent in enumerate(whole.shape)]
    return build(shape, lambda at: whole.at((*at[:dimension], position, *at[dimension + 1 :])))


def lines(whole: Tensor, place: int, evaluate: Callable[[Sequence[Number]], Any]) -> dict[Place, Any]:
    """What comes of each line of elements along a dimension, by the place in the others."""
    others = (*whole.shape[:place], *whole.shape[place + 1 :])
    return {
        at: evaluate([whole.at((*at[:place], k, *at[place:])) for k in range(whole.shape[place])]) for at in product(*map(range, others))
    }


def reduced(whole: Tensor, place: int, evaluate: Callable[[Sequence[Number]], Number]) -> Tensor:
    """A reduction over one dimension."""
    rows = lines(whole, place, evaluate)
    return build((*whole.shape[:place], *whole.shape[place + 1 :]), lambda at: rows[at])


def added(total: Tensor, addend: Tensor, own: Sequence[int]) -> Tensor:
    """A sum, the addend with some of the axes."""
    return build(total.shape, lambda at: total.at(at) + addend.at([at[p] for p in own]))


def unbound(whole: Tensor, places: Sequence[int]) -> Any:
    """The elements along a dimension; along several, lists in lists."""
    place, *rest = places
    parts = [whole.part(place, position) for position in range(whole.shape[place])]
    return [unbound(part, [p - 1 for p in rest]) for part in parts] if rest else parts


def batched(results: Sequence[Any], extents: tuple[int, ...]) -> Any:
    """The results of all examples of a call, together."""
    first = results[0]
    if isinstance(first, Tensor):
        return Tensor((*extents, *first.shape), tuple(element for result in results for element in result.elements))
    kind = type(first)
    return kind(batched([result[place] for result in results], extents) for place in range(len(first)))


def example(value: Any, at: Place) -> Any:
    """What one example of a call is given: arguments without the call's axes are shared."""
    if isinstance(value, list):
        return [example(item, at) for item in value]
    if isinstance(value, Tensor):
        for position in at if len(value.shape) >= len(at) else ():
            value = value.part(0, position)
    return value


def flat(value: Any) -> list[Any]:
    """The members of tuples in tuples."""
    return [inner for item in value for inner in flat(item)] if isinstance(value, tuple) else [value]


def places_of(axes: Sequence[str], order: Sequence[str]) -> tuple[int, ...]:
    """Where each of the axes stands in the order."""
    return tuple(order.index(axis) for axis in axes)


def lists_of(value: Any) -> Any:
    match value:
        case Tensor():
            return value.lists()
        case tuple():
            return tuple(lists_of(item) for item in value)
        case list():
            return [lists_of(item) for item in value]
        case _:
            return value


def over(order: Sequence[str], values: Sequence[Any], axes: Sequence[Sequence[str]], element: Callable[..., Number]) -> Tensor:
    """The tensor over the axes in an order whose elements are made of those of values with some of the axes; numbers have none."""
    extents: dict[str, int] = {}
    places: list[tuple[int, ...]] = []
    for value, own in zip(values, axes, strict=True):
        places.append(places_of(own, order) if isinstance(value, Tensor) else ())
        for axis, extent in zip(own, value.shape, strict=True) if isinstance(value, Tensor) else ():
            if extents.setdefault(axis, extent) != extent:
                raise OracleError(f"the axis {axis} has {extents[axis]} and {extent} elements")

    def at(place: Place) -> Number:
        parts = zip(values, places, strict=True)
        return element(*(value.at([place[p] for p in own]) if isinstance(value, Tensor) else value for value, own in parts))

    return build([extents[axis] for axis in order], at)


def argument_of(module: Module, name: str, value: Any) -> Any:
    """What a module is given for an input: a number, a tensor or a list of tensors."""
    if name in {size.name for size in module.sizes}:
        return value
    array = module.array(name)
    if array.listed:
        return [from_lists(item, len(array.ranges) - 1) for item in value]
    return from_lists(value, len(array.ranges))
