"""Where the steps of a schedule stand: which comes before which, and in which loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Loop, Stage, Step, Whole


@dataclass(frozen=True, slots=True)
class Placed:
    """A step, its place at each level of the schedule, and the loops around it, outermost first."""

    step: Step
    path: tuple[int, ...]
    loops: tuple[Loop, ...]

    def shared_loops(self, other: Placed) -> tuple[Loop, ...]:
        """The loops that two steps stand in together, outermost first."""
        level = 0
        while level < len(self.loops) and self.path[: level + 1] == other.path[: level + 1]:
            level += 1
        return self.loops[:level]


def placed_steps(stages: Iterable[Stage], path: tuple[int, ...] = (), loops: tuple[Loop, ...] = ()) -> Iterator[Placed]:
    """The steps of a schedule in their order."""
    for position, stage in enumerate(stages):
        match stage:
            case Whole(step=step):
                yield Placed(step, (*path, position), loops)
            case Loop(body=body):
                yield from placed_steps(body, (*path, position), (*loops, stage))
            case _:
                assert_never(stage)
