"""Which elements of which arrays a step defines and reads, and what is known about the indices there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from mathdsl.analysis.facts import Facts
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import evaluated_where, step_values
from mathdsl.ir.nodes import Axis, Call, Equation, Expr, Index, Range, Read, Step
from mathdsl.ir.sizes import Poly


@dataclass(frozen=True)
class Write:
    """Elements that a step defines: `index` has an axis of the step alone, a polynomial without axes, or a range."""

    step: int
    array: str
    axes: tuple[Axis, ...]
    index: tuple[Poly | Range, ...]


@dataclass(frozen=True)
class Access:
    """A read with the facts that hold where it is evaluated; `bound`: the axes of reductions around it."""

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
    bound: tuple[str, ...] = ()

    def inside(self, axes: Iterable[Axis]) -> _Surroundings:
        return _Surroundings(self.facts.inside(axes), (*self.bound, *(axis.name for axis in axes)))

    def assuming(self, condition: Expr, holds: bool) -> _Surroundings:
        return _Surroundings(self.facts.assuming(condition, holds), self.bound)


def step_accesses(step: Step, facts: Facts) -> tuple[Access, ...]:
    """Every read of the step, in order; `facts` hold in the whole module."""
    values = step_values(step)
    return tuple(access for value in values for access in accesses(value.value, facts.inside(value.axes)))


def accesses(expr: Expr, facts: Facts) -> Iterator[Access]:
    """Every read in the expression, with the facts at its place: axes around it and conditions above it."""
    for node, place in evaluated_where(expr, _Surroundings(facts)):
        if isinstance(node, Read):
            yield Access(node, place.facts, place.bound)


def affine(entry: Index) -> Poly | None:
    """The index as a polynomial; None for one that depends on data."""
    return entry if isinstance(entry, Poly) else None
