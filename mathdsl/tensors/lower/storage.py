"""How each array is kept while a body runs: as one tensor, or element by element along the axes that loops define.

A loop defines an array's elements one at a time, so along the positions that loops index, the array is a Python
dictionary from the mathematical index to a tensor (`h_at[t - 1]`), stacked only where it is read as a whole. So is an
array by pieces that is read before its last piece is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Array, Axis, Call, CallTarget, Equation, Loop, Range, ScheduledModule, Stage, Step, Whole
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import stage_steps, step_reads
from mathdsl.tensors.lower.partitions import Box, are_apart, find_gaps, is_inside, partition
from mathdsl.tensors.lower.unsupported import pieces_fill_no_box


@dataclass(frozen=True, slots=True)
class Storage:
    """How one array is kept.

    `elements`: the positions along which the array is kept element by element; `groups`: the different boxes that its
    steps define at the other positions, each with a dictionary of its own. `gaps`: what several keys leave
    undefined, the corner of a grid whose edges alone are defined; `is_triangular`: or a half. `definitions`: how many steps define it,
    from the top-level stage `first` to the stage `last`.
    """

    elements: tuple[int, ...]
    groups: tuple[Box, ...]
    gaps: tuple[Box, ...]
    is_triangular: bool
    definitions: int
    first: int
    last: int

    def may_miss(self, chosen: Box, is_nonnegative: Callable[[Poly], bool]) -> bool:
        """Whether some keys of a box may have no element."""
        return self.is_triangular or not all(are_apart(gap, chosen, is_nonnegative) for gap in self.gaps)

    def covered(self, box: Box) -> list[int]:
        """The groups that a step with this box (over all positions) defines."""
        own = tuple(entry for p, entry in enumerate(box) if p not in self.elements)
        return [number for number, group in enumerate(self.groups) if is_inside(group, own, (*self.groups, own))]


def plan_storage(module: ScheduledModule) -> Mapping[str, Storage]:
    """The storage of every array that steps define."""
    positions: dict[str, set[int]] = {}
    spans: dict[str, tuple[int, int]] = {}
    boxes: dict[str, list[Box]] = {}
    for number, stage in enumerate(module.schedule):
        for step, loops in _steps(stage, frozenset()):
            for target, box, index in _targets(step):
                found = positions.setdefault(target, set())
                found.update(i for i, entry in enumerate(index) if isinstance(entry, Poly) and entry.names & loops)
                spans[target] = (spans.get(target, (number, 0))[0], number)
                boxes.setdefault(target, []).append(box)
    for target in _read_early(module, spans):
        if not positions[target]:
            positions[target] = _split(boxes[target])
    arrays = {array.name: array for array in module.arrays}
    sizes = {size.name for size in module.sizes}
    return {target: _storage(arrays[target], boxes[target], tuple(sorted(p)), spans[target], sizes) for target, p in positions.items()}


def _storage(array: Array, boxes: list[Box], elements: tuple[int, ...], span: tuple[int, int], sizes: Set[str]) -> Storage:
    others = [tuple(entry for p, entry in enumerate(box) if p not in elements) for box in boxes]
    groups = partition(others) if elements else (others[0],)
    if groups is None:
        raise MathdslError(pieces_fill_no_box(array, array.span))
    keys = [tuple(box[p] for p in elements) for box in boxes] if len(elements) > 1 else []
    is_triangular = any(isinstance(entry, Range) and not sizes >= entry.lower.names | entry.upper.names for box in keys for entry in box)
    return Storage(elements, groups, find_gaps(keys) if keys else (), is_triangular, len(boxes), *span)


def equation_box(step: Equation) -> Box:
    """What a left side covers."""
    return box_of(step.index, step.axes)


def call_box(step: Call, target: CallTarget) -> Box:
    """What a result of a call covers."""
    return box_of(target.index, step.axes)


def box_of(index: Sequence[Poly | Range], axes: Sequence[Axis]) -> Box:
    """What is defined at an index for each point of the axes."""
    ranges = {axis.name: axis.range for axis in axes}
    return tuple(entry if isinstance(entry, Range) else next((ranges[n] for n in entry.names if n in ranges), entry) for entry in index)


def group_ranges(storage: Storage, group: int) -> list[Range]:
    """What the elements of a group range over."""
    return [entry for entry in storage.groups[group] if isinstance(entry, Range)]


def group_point(storage: Storage, group: int) -> str:
    """The indices at which one of several groups has a single point each: `_0` for the elements `h_0`."""
    if len(storage.groups) == 1:
        return ""
    points = [entry.constant for entry in storage.groups[group] if isinstance(entry, Poly)]
    return "".join(f"_{point}" for point in points if point is not None and point >= 0)


def _steps(stage: Stage, loops: frozenset[str]) -> list[tuple[Step, frozenset[str]]]:
    match stage:
        case Whole(step=step):
            return [(step, loops)]
        case Loop(axis=axis, body=body):
            return [found for inner in body for found in _steps(inner, loops | {axis.name})]
        case _:
            assert_never(stage)


def looped_positions(module: ScheduledModule) -> frozenset[tuple[str, int]]:
    """The arrays, and their positions, that some loop reads at its index."""
    return frozenset(
        (read.array, place)
        for stage in module.schedule
        for step, loops in _steps(stage, frozenset())
        for read in step_reads(step)
        for place, entry in enumerate(read.index)
        if isinstance(entry, Poly) and entry.names & loops
    )


def _targets(step: Step) -> list[tuple[str, Box, tuple[Poly | Range, ...]]]:
    match step:
        case Equation(target=target, index=index):
            return [(target, equation_box(step), index)]
        case Call(targets=targets):
            return [(target.array, call_box(step, target), target.index) for target in targets if target is not None]
        case _:
            assert_never(step)


def _read_early(module: ScheduledModule, spans: Mapping[str, tuple[int, int]]) -> list[str]:
    """The arrays by pieces that some step reads at or before their last piece's stage."""
    found: dict[str, None] = {}
    for number, stage in enumerate(module.schedule):
        for step in stage_steps([stage]):
            for read in step_reads(step):
                if read.array in spans and number <= spans[read.array][1]:
                    found[read.array] = None
    return list(found)


def _split(boxes: list[Box]) -> set[int]:
    """The positions at which the pieces differ."""
    return {i for i in range(len(boxes[0])) if len({box[i] for box in boxes}) > 1} or {0}


def array_axes(step: Equation) -> tuple[Axis, ...]:
    """The axes of an equation in the order in which the target stores them."""
    by_name = {axis.name: axis for axis in step.axes}
    return tuple(by_name[n] for entry in step.index for n in entry.names if n in by_name)
