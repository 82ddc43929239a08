"""Which elements of an array live only for one turn of a loop: they need no dictionary key, or no dictionary at all.

    for t: f_at[t] = sigmoid(…); h_at[t] = f_at[t] * …      →      for t: f = sigmoid(…); h_at[t] = f * …
    s_at[0] = u; for k: s_at[k] = g * s_at[k - 1]; s_at[D]   →      s = u; for k: s = g * s; s

In the first form every read is in the turn that defines the element. In the second, every read is of the element that
was assigned last: at the loop's index after the definition, one turn back before it, and the last one after the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from mathdsl.ir.nodes import Call, Equation, Index, Loop, Range, ScheduledModule, Stage, Step, Whole
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.ir.traversal import flat_results, reads, step_reads


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: the numbers of the stages around it, outermost first, and the loops among them."""

    step: Step
    path: tuple[int, ...]
    loops: tuple[Loop, ...]
    is_guarded: bool


@dataclass(frozen=True, slots=True)
class Access:
    """A definition or a read of an array."""

    place: Place | None  # None: a result or a check
    index: tuple[Index | Range, ...]


def places(stages: Sequence[Stage], path: tuple[int, ...] = (), loops: tuple[Loop, ...] = (), is_guarded: bool = False) -> list[Place]:
    """Every step of a schedule with its place."""
    found: list[Place] = []
    for number, stage in enumerate(stages):
        match stage:
            case Whole(step=step):
                guarded = is_guarded or (bool(loops) and len(path) == len(loops) and loops[-1].guards[number] is not None)
                found.append(Place(step, (*path, number), loops, guarded))
            case Loop(body=body):
                guarded = is_guarded or (bool(loops) and loops[-1].guards[number] is not None)
                found += places(body, (*path, number), (*loops, stage), guarded)
            case _:
                assert_never(stage)
    return found


class Turns:
    """Accesses of every array of one module."""

    def __init__(self, module: ScheduledModule) -> None:
        self._definitions: dict[str, list[Access]] = {}
        self._reads: dict[str, list[Access]] = {}
        for place in places(module.schedule):
            for name, index in _targets(place.step):
                self._definitions.setdefault(name, []).append(Access(place, index))
            for read in step_reads(place.step):
                self._reads.setdefault(read.array, []).append(Access(place, read.index))
        outside = (*(check.condition for check in module.checks), *(result.value.value for result in flat_results(module.results)))
        for read in (read for expr in outside for read in reads(expr)):
            self._reads.setdefault(read.array, []).append(Access(None, read.index))

    def keys(self, array: str, elements: tuple[int, ...]) -> tuple[int, ...]:
        """The element positions that a dictionary of the array needs as its key; none: a plain local does."""
        kept = tuple(p for p in elements if not self._lives_one_turn(array, p))
        return () if len(kept) == 1 and self._is_carried(array, kept[0], [p for p in elements if p not in kept]) else kept

    def _lives_one_turn(self, array: str, position: int) -> bool:
        """All definitions and reads stand in one loop, at its index."""
        loop: tuple[int, ...] | None = None
        for access in (*self._definitions[array], *self._reads.get(array, ())):
            found = _loop_of(access, position)
            if found is None or (loop is not None and found != loop):
                return False
            loop = found
        return loop is not None

    def _is_carried(self, array: str, position: int, dropped: Sequence[int]) -> bool:
        """Each read finds the element that was assigned last: one loop assigns, after base cases at fixed indices."""
        steps = [d for d in self._definitions[array] if _loop_of(d, position) is not None]
        if len(steps) != 1 or steps[0].place is None or steps[0].place.is_guarded:
            return False
        around = _loop_of(steps[0], position)
        assert around is not None
        loop = steps[0].place.loops[len(around) - 1]
        bases: list[tuple[tuple[int, ...], Poly]] = []
        for base in (d for d in self._definitions[array] if d is not steps[0]):
            entry = base.index[position]
            if not _is_before(base, around) or not isinstance(entry, Poly) or any(_loop_of(base, p) is None for p in dropped):
                return False
            assert base.place is not None
            bases.append((base.place.path, entry))
        carried = _Carried(position, loop, around, steps[0].place.path, tuple(sorted(bases, key=lambda base: base[0])))
        return all(carried.finds_latest(read) for read in self._reads.get(array, ()))


@dataclass(frozen=True, slots=True)
class _Carried:
    """An array whose element at one position a loop assigns, after base cases in the order in which they stand."""

    position: int
    loop: Loop
    around: tuple[int, ...]
    defined: tuple[int, ...]
    bases: tuple[tuple[tuple[int, ...], Poly], ...]

    def finds_latest(self, read: Access) -> bool:
        """Whether the read's element is the one that was assigned last before it."""
        index = read.index[self.position]
        if not isinstance(index, Poly):
            return False
        path = None if read.place is None else read.place.path
        axis, here = self.loop.axis, Poly.of(self.loop.axis.name)
        first, last = (axis.range.upper, axis.range.lower) if self.loop.descending else (axis.range.lower, axis.range.upper)
        before = first + 1 if self.loop.descending else first - 1
        depth = len(self.around)
        if path is not None and path[:depth] == self.around:
            if index == here:
                return path > self.defined
            return index == here + before - first and path <= self.defined and bool(self.bases) and self.bases[-1][1] == before
        if any(isinstance(name, OwnSize) for name in index.names):
            return False
        if path is not None and path[: depth - 1] != self.around[:-1]:
            return False
        if path is None or path[depth - 1] > self.around[-1]:
            return index == last and (not self.bases or self.bases[-1][1] == before)
        earlier = [entry for base, entry in self.bases if base < path]
        return bool(earlier) and index == earlier[-1]


def _is_before(definition: Access, around: tuple[int, ...]) -> bool:
    """Whether a definition stands before the loop, in the same block, in every case."""
    place = definition.place
    if place is None or place.is_guarded or len(place.path) != len(around):
        return False
    return place.path[:-1] == around[:-1] and place.path[-1] < around[-1]


def _loop_of(access: Access, position: int) -> tuple[int, ...] | None:
    """The path of the enclosing loop whose index alone stands at the position."""
    entry = access.index[position]
    if access.place is None or not isinstance(entry, Poly):
        return None
    for depth, loop in enumerate(access.place.loops):
        if entry == Poly.of(loop.axis.name):
            return access.place.path[: depth + 1]
    return None


def _targets(step: Step) -> list[tuple[str, tuple[Index | Range, ...]]]:
    match step:
        case Equation(target=target, index=index):
            return [(target, index)]
        case Call(targets=targets):
            return [(target.array, target.index) for target in targets if target is not None]
        case _:
            assert_never(step)
