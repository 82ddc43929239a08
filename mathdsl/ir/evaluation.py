r"""Where the parts of an expression are evaluated: over which axes, and under which conditions.

In `x[t-1] if t > 1 and x[t] > 0 else sum(j in 1..t: y[j])`, the read of `x[t]` is evaluated where `t > 1` holds, that of `x[t-1]` where
the whole condition does, and that of `y[j]` where it does not, for each `j`. What a condition keeps from being wanted has no value, and
must not fail: a branch that is not taken, the right side of `and` and `or` where the left one decides, the filling of padding elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, Self, TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Axis,
    Check,
    Equation,
    Expr,
    Module,
    Reduce,
    Result,
    Select,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, flat_results, map_children, walk


class Surroundings(Protocol):
    """What one wants to know of a place: each node around it adds axes, or a condition that holds there or does not."""

    def inside(self, axes: Iterable[Axis], /) -> Self: ...

    def assuming(self, condition: Expr, holds: bool, /) -> Self: ...


_Place = TypeVar("_Place", bound=Surroundings)


@dataclass(frozen=True, slots=True)
class Place:
    """The axes around a place and the conditions above it, each with whether it holds there; outermost first."""

    axes: tuple[Axis, ...] = ()
    guards: tuple[tuple[Expr, bool], ...] = ()

    def inside(self, axes: Iterable[Axis]) -> Place:
        return Place((*self.axes, *axes), self.guards)

    def assuming(self, condition: Expr, holds: bool) -> Place:
        return Place(self.axes, (*self.guards, (condition, holds)))


def places_of_children(expr: Expr, place: _Place) -> tuple[_Place, ...]:
    """Where each of the expression's `children` is evaluated, if it is evaluated at the place itself."""
    match expr:
        case Select(condition=condition):
            return place, place.assuming(condition, True), place.assuming(condition, False)
        case Apply(op="and" | "or" as op, arguments=(left, _)):
            return place, place.assuming(left, op == "and")
        case Apply(arguments=arguments):
            return (place,) * len(arguments)
        case Reduce(axis=axis):
            return (place.inside((axis,)),)
        case Along(axis=axis, at=at):
            inner = place.inside((axis,))
            return (inner,) if isinstance(at, Poly) else (inner, place)
        case _:
            return (place,) * len(children(expr))


def evaluated_where(expr: Expr, place: _Place) -> Iterator[tuple[Expr, _Place]]:
    """The expression, which is evaluated at the place, and everything inside it, in the order of `walk`, each with its own place."""
    waiting = [(expr, place)]
    while waiting:
        node, at = waiting.pop()
        yield node, at
        inner = children(node)
        if inner:
            waiting += zip(inner[::-1], places_of_children(node, at)[::-1], strict=True)


def placed(expr: Expr, axes: tuple[Axis, ...] = ()) -> Iterator[tuple[Expr, Place]]:
    """`evaluated_where` inside the axes, for those that ask for no more than axes and conditions; found once, as by `walk`."""
    try:
        inner = cast("tuple[Place, ...]", expr.places)
    except AttributeError:
        inner = tuple([place for _, place in evaluated_where(expr, Place())])
        object.__setattr__(expr, "places", inner)
    if axes:
        around = {key: Place((*axes, *place.axes), place.guards) for key, place in {id(place): place for place in inner}.items()}
        inner = tuple([around[id(place)] for place in inner])
    return zip(walk(expr), inner, strict=True)


def map_children_where(expr: Expr, place: _Place, change: Callable[[Expr, _Place], Expr]) -> Expr:
    """The same node with each of its `children` changed, which is given its place; this very node where no child changes."""
    places = iter(places_of_children(expr, place))
    return map_children(expr, lambda child: change(child, next(places)))


# ---- modules -------------------------------------------------------------------------------------


def step_values(step: Step) -> tuple[Abstraction, ...]:
    """The right side of an equation, or the arguments of a call, over all axes around them."""
    if isinstance(step, Equation):
        return (Abstraction(step.axes, step.value),)
    return tuple(Abstraction((*step.axes, *argument.value.axes), argument.value.value) for argument in step.arguments)


def module_values(module: Module) -> Iterator[tuple[Step | Check | Result, Abstraction]]:
    """All that a module evaluates, with what it is evaluated for: the steps, then the checks, then the results."""
    yield from ((step, value) for step in module.steps for value in step_values(step))
    yield from ((check, Abstraction(check.axes, check.condition)) for check in module.checks)
    yield from ((result, result.value) for result in flat_results(module.results))
