"""Verify a schedule: every step once, and nothing read before it is defined, as far as that can be proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Axis, Call, Equation, Index, Range, Read, ScheduledModule
from mathdsl.ir.placing import Placed, placed_steps
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import stage_steps
from mathdsl.ir.verifying_reads import are_boxes, hull, left_side, surely_meet, unconditional_reads


@dataclass(frozen=True, slots=True)
class _Producer:
    """A placed step and the left side by which it defines an array; `ranges` None where that is no box."""

    placed: Placed
    index: tuple[Poly | Range, ...]
    ranges: tuple[Range, ...] | None


def schedule_problems(module: ScheduledModule) -> Iterator[str]:
    """What is wrong with the schedule of a module."""
    in_order = stage_steps(module.schedule)
    if Counter(map(id, in_order)) != Counter(map(id, module.steps)) and Counter(in_order) != Counter(module.steps):
        scheduled, steps = Counter(in_order), Counter(module.steps)
        yield f"the schedule has {sum((scheduled - steps).values())} steps too many and {sum((steps - scheduled).values())} too few"
        return
    placed = list(placed_steps(module.schedule))
    for one in placed:
        yield from _loop_problems(one)
    producers = _producers(placed)
    for one in placed:
        for read, axes in unconditional_reads(one.step):
            if are_boxes(axes) and any(_is_early(one, read, axes, producer) for producer in producers.get(read.array, ())):
                yield f"{read.array} is read before it is defined"


def _loop_problems(placed: Placed) -> Iterator[str]:
    names = {axis.name for axis in placed.step.axes}
    for loop in placed.loops:
        if len(loop.guards) != len(loop.body):
            yield f"the loop over {loop.axis.name} has {len(loop.body)} stages and {len(loop.guards)} guards"
        if loop.axis.name not in names:
            yield f"a step in the loop over {loop.axis.name} has no such axis"


def _producers(placed: Iterable[Placed]) -> dict[str, list[_Producer]]:
    found: dict[str, list[_Producer]] = {}
    for one in placed:
        match one.step:
            case Equation(target=target, axes=axes, index=index):
                found.setdefault(target, []).append(_Producer(one, index, left_side(index, axes)))
            case Call(targets=targets, axes=axes):
                for goal in targets:
                    if goal is not None:
                        found.setdefault(goal.array, []).append(_Producer(one, goal.index, left_side(goal.index, axes)))
            case _:
                assert_never(one.step)
    return found


def _is_early(reader: Placed, read: Read, axes: tuple[Axis, ...], producer: _Producer) -> bool:
    """Whether the step surely reads an element before the producer defines it.

    Along the loops that both share, the first distance that is not 0 decides: backwards is early enough, forwards is
    not. Where all are 0, the order in the innermost shared body decides.
    """
    if producer.ranges is None:
        return False
    same_iteration: set[int] = set()
    is_ahead = False
    for loop in reader.shared_loops(producer.placed):
        dimension = next(
            (d for d, entry in enumerate(producer.index) if isinstance(entry, Poly) and entry.variable == loop.axis.name), None
        )
        entry = None if dimension is None else read.index[dimension]
        if dimension is None or not isinstance(entry, Poly):
            return False
        distance = (Poly.of(loop.axis.name) - entry).constant
        if distance is None:
            return False
        if loop.descending:
            distance = -distance
        if distance > 0:
            return False
        if distance < 0:
            is_ahead = True
            break
        same_iteration.add(dimension)
    if not is_ahead and producer.placed.path < reader.path:
        return False
    return all(
        dimension in same_iteration or _meets(entry, axes, defined)
        for dimension, (entry, defined) in enumerate(zip(read.index, producer.ranges, strict=True))
    )


def _meets(entry: Index, axes: tuple[Axis, ...], defined: Range) -> bool:
    reached = hull(entry, axes) if isinstance(entry, Poly) else None
    return reached is not None and surely_meet(reached, defined)
