"""Which elements of which arrays a step defines and reads, and what is known about the indices there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from mathdsl.analysis.facts import Facts, own_size
from mathdsl.ir.evaluation import evaluated_where, step_values
from mathdsl.ir.nodes import Apply, Axis, Call, Equation, Expr, Index, IndexValue, Module, Range, Read, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import map_polys


@dataclass(frozen=True)
class Write:
    """Elements that a step defines: `index` has an axis of the step alone, a polynomial without axes, or a range."""

    step: int
    array: str
    axes: tuple[Axis, ...]
    index: tuple[Poly | Range, ...]


@dataclass(frozen=True)
class Access:
    """A read with the facts that hold where it is evaluated.

    After `batch_axes`, an example's own sizes in indices have names of their own (`own_size`): they are not the padded
    extents. `bound`: the axes of reductions around it.
    """

    read: Read
    facts: Facts
    bound: tuple[str, ...]


def writes(number: int, step: Step) -> tuple[Write, ...]:
    """What the step defines; `number` is its place in the module."""
    match step:
        case Equation(target=target, axes=axes, index=index):
            return (Write(number, target, axes, index),)
        case Call(targets=targets, axes=axes):
            return tuple(Write(number, target.array, axes, target.index) for target in targets if target is not None)
        case _:
            assert_never(step)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What is known at a place; `bound`: the axes of reductions around it."""

    facts: Facts
    ragged: tuple[str, ...]
    bound: tuple[str, ...] = ()

    def inside(self, axes: Iterable[Axis]) -> _Surroundings:
        return replace(self, facts=self.facts.inside(axes), bound=self.bound + tuple(axis.name for axis in axes))

    def assuming(self, condition: Expr, holds: bool) -> _Surroundings:
        return replace(self, facts=self.facts.assuming(_condition_with_own_sizes(condition, self.ragged), holds))


def step_accesses(step: Step, module: Module, facts: Facts) -> tuple[Access, ...]:
    """Every read of the step, in order; `facts` hold in the whole module."""
    values = step_values(step)
    return tuple(access for value in values for access in accesses(value.value, facts.inside(value.axes), module.ragged))


def accesses(expr: Expr, facts: Facts, ragged: tuple[str, ...] = ()) -> Iterator[Access]:
    """Every read in the expression, with the facts at its place: axes around it and conditions above it."""
    for node, place in evaluated_where(expr, _Surroundings(facts, ragged)):
        if isinstance(node, Read):
            named = map_polys(node, lambda poly: with_own_sizes(poly, ragged)) if ragged else node
            assert isinstance(named, Read)
            yield Access(named, place.facts, place.bound)


def with_own_sizes(poly: Poly, ragged: tuple[str, ...]) -> Poly:
    """The polynomial with the names of an example's own sizes."""
    if not poly.names.intersection(ragged):
        return poly
    return poly.substitute({size: Poly.of(own_size(size)) for size in ragged})


def _condition_with_own_sizes(condition: Expr, ragged: tuple[str, ...]) -> Expr:
    if not ragged:
        return condition
    match condition:
        case IndexValue(value=value):
            return IndexValue(with_own_sizes(value, ragged))
        case Apply(op=op, arguments=arguments, element=element):
            return Apply(op, tuple(_condition_with_own_sizes(a, ragged) for a in arguments), element)
        case _:
            return condition


def affine(entry: Index) -> Poly | None:
    """The index as a polynomial; None for one that depends on data."""
    return entry if isinstance(entry, Poly) else None
