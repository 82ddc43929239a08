"""Which elements of which arrays a step defines and reads, and what is known about the indices there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from mathdsl.analysis.facts import Facts, assuming, own_size
from mathdsl.ir.nodes import (
    Along,
    Apply,
    Axis,
    Call,
    Equation,
    Expr,
    Index,
    IndexValue,
    Literal,
    Module,
    Padded,
    Range,
    Read,
    Reduce,
    Select,
    Setting,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, map_polys


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


def step_accesses(step: Step, module: Module, facts: Facts) -> tuple[Access, ...]:
    """Every read of the step, in order; `facts` hold in the whole module."""
    inside = facts.inside(step.axes)
    match step:
        case Equation(value=value):
            return tuple(accesses(value, inside, module.ragged))
        case Call(arguments=arguments):
            values = [argument.value for argument in arguments]
            return tuple(access for value in values for access in accesses(value.value, inside.inside(value.axes), module.ragged))
        case _:
            assert_never(step)


def accesses(expr: Expr, facts: Facts, ragged: tuple[str, ...] = (), bound: tuple[str, ...] = ()) -> Iterator[Access]:
    """Every read in the expression, with the facts at its place: axes around it and conditions above it."""

    def within(child: Expr, more: Facts = facts, axes: tuple[str, ...] = ()) -> Iterator[Access]:
        return accesses(child, more, ragged, bound + axes)

    match expr:
        case Read():
            named = map_polys(expr, lambda poly: with_own_sizes(poly, ragged)) if ragged else expr
            assert isinstance(named, Read)
            yield Access(named, facts, bound)
            for child in children(expr):
                yield from within(child)
        case Reduce(axis=axis, body=body):
            yield from within(body, facts.inside((axis,)), (axis.name,))
        case Along(axis=axis, body=body, at=at):
            yield from within(body, facts.inside((axis,)), (axis.name,))
            if not isinstance(at, Poly):
                yield from within(at)
        case Select(condition=condition, then=then, otherwise=otherwise):
            yield from within(condition)
            named_condition = _condition_with_own_sizes(condition, ragged)
            yield from within(then, assuming(named_condition, True, facts))
            yield from within(otherwise, assuming(named_condition, False, facts))
        case Padded(body=body, index=index, bound=last, fill=fill):
            yield from within(body, facts.adding(with_own_sizes(last - index, ragged)))
            yield from within(fill, facts.adding(with_own_sizes(index - last - 1, ragged)))
        case Apply(op="and", arguments=(left, right)):
            yield from within(left)
            yield from within(right, assuming(_condition_with_own_sizes(left, ragged), True, facts))
        case Apply(op="or", arguments=(left, right)):
            yield from within(left)
            yield from within(right, assuming(_condition_with_own_sizes(left, ragged), False, facts))
        case Apply(arguments=arguments):
            for argument in arguments:
                yield from within(argument)
        case Literal() | IndexValue() | Setting():
            return
        case _:
            assert_never(expr)


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
