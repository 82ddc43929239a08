"""How each array is kept while a body runs: as one tensor, or element by element along the axes that loops define.

A loop defines an array's elements one at a time, so along the positions that loops index, the array is a Python
dictionary from the mathematical index to a tensor (`h_at[t - 1]`), stacked only where it is read as a whole. So is an
array by pieces that is read before its last piece is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from mathdsl.ir.nodes import Axis, Call, CallTarget, Equation, Loop, Module, Range, Stage, Step, Whole
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import stage_steps, step_reads, step_targets


@dataclass(frozen=True, slots=True)
class Storage:
    """`elements`: the positions along which the array is kept element by element. `definitions`: how many steps define it."""

    elements: tuple[int, ...]
    definitions: int
    first: int  # the top-level stage that defines its first elements, and its last
    last: int


def plan_storage(module: Module) -> Mapping[str, Storage]:
    """The storage of every array that steps define."""
    positions: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    spans: dict[str, tuple[int, int]] = {}
    pieces: dict[str, list[tuple[Poly | Range, ...]]] = {}
    for number, stage in enumerate(module.schedule):
        for step, loops in _steps(stage, ()):
            for target, index in _targets(step):
                positions.setdefault(target, set()).update(
                    i for i, entry in enumerate(index) if isinstance(entry, Poly) and entry.names & loops and len(entry.terms) == 1
                )
                counts[target] = counts.get(target, 0) + 1
                spans[target] = (spans.get(target, (number, 0))[0], number)
                pieces.setdefault(target, []).append(index)
    early = _read_early(module, spans)
    for target in early:
        if not positions[target]:
            positions[target] = _split(pieces[target])
    return {target: Storage(tuple(sorted(positions[target])), counts[target], *spans[target]) for target in counts}


def _steps(stage: Stage, loops: tuple[str, ...]) -> list[tuple[Step, frozenset[str]]]:
    match stage:
        case Whole(step=step):
            return [(step, frozenset(loops))]
        case Loop(axis=axis, body=body):
            return [found for inner in body for found in _steps(inner, (*loops, axis.name))]
        case _:
            assert_never(stage)


def _targets(step: Step) -> list[tuple[str, tuple[Poly | Range, ...]]]:
    match step:
        case Equation(target=target, index=index):
            return [(target, index)]
        case Call(targets=targets):
            return [(target.array, target.index) for target in targets if isinstance(target, CallTarget)]
        case _:
            assert_never(step)


def _read_early(module: Module, spans: Mapping[str, tuple[int, int]]) -> list[str]:
    """The arrays by pieces that some step reads at or before their last piece's stage."""
    found: dict[str, None] = {}
    for number, stage in enumerate(module.schedule):
        for step in stage_steps([stage]):
            for read in step_reads(step):
                if read.array in spans and number <= spans[read.array][1]:
                    found[read.array] = None
    return list(found)


def _split(pieces: list[tuple[Poly | Range, ...]]) -> set[int]:
    """The positions at which the pieces differ."""
    return {i for i in range(len(pieces[0])) if any(isinstance(p[i], Poly) and not _is_axis(p[i]) for p in pieces)} or {0}


def _is_axis(entry: Poly | Range) -> bool:
    return isinstance(entry, Poly) and len(entry.terms) == 1 and len(entry.names) == 1 and entry.terms[0][1] == 1


def array_axes(step: Equation) -> tuple[Axis, ...]:
    """The axes of an equation in the order in which the target stores them."""
    by_name = {axis.name: axis for axis in step.axes}
    return tuple(by_name[n] for entry in step.index for n in entry.names if n in by_name)


__all__ = ["Storage", "array_axes", "plan_storage", "step_targets"]
