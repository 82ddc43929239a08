"""Which step needs which: an edge from the step that defines an element to the step that reads it.

An edge is left out where no element can be both, by the ranges of the axes and the conditions around the read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.analysis.accesses import Access, Write, affine, step_accesses, writes
from mathdsl.analysis.components import ordered, strong_components
from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Module, Range
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import step_reads, step_targets


@dataclass(frozen=True)
class Dependence:
    """`sink` reads, by `access`, an element that `source` defines, by `write`. `facts`: what holds where it does."""

    source: int
    sink: int
    write: Write
    access: Access
    facts: Facts

    def distance(self, source_axis: str, sink_axis: str) -> Poly | None:
        """How many steps along the axis the element is older than its reader; None where data decides."""
        place = self.place(source_axis)
        index = None if place is None else affine(self.access.read.index[place])
        return None if index is None else Poly.of(sink_axis) - index

    def place(self, source_axis: str) -> int | None:
        """The axis of the array that an axis of the source runs over."""
        wanted = Poly.of(source_axis)
        return next((k for k, entry in enumerate(self.write.index) if entry == wanted), None)

    def adding(self, *nonnegative: Poly) -> Dependence:
        """The edge for those elements only that satisfy more."""
        return replace(self, facts=self.facts.adding(*nonnegative))


class Dependences:
    """The edges of one module, found for the steps that are asked for."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._facts = facts_of_module(module)
        self._writers = _Writers(module)

    def among(self, steps: Sequence[int]) -> tuple[Dependence, ...]:
        """The edges between these steps, in the order of the readers."""
        members = set(steps)
        edges: list[Dependence] = []
        for number in steps:
            for access in step_accesses(self._module.steps[number], self._facts):
                is_only = self._writers.is_alone(access.read.array)
                for write in self._writers.of(access):
                    edge = _edge(write, number, access, is_only) if write.step in members else None
                    if edge is not None:
                        edges.append(edge)
        return tuple(edges)


def coarse_components(module: Module) -> tuple[tuple[tuple[int, ...], bool], ...]:
    """Steps that may need each other, by the names of arrays alone, in an order of computation; and whether they may.

    What is no cycle of names is no recurrence: only the other components need a look at indices.
    """
    nodes: dict[str, int] = {}
    successors: dict[int, dict[int, None]] = {}
    for number, step in enumerate(module.steps):
        for array in step_targets(step):
            successors.setdefault(number, {})[nodes.setdefault(array, -len(nodes) - 1)] = None
        for read in step_reads(step):
            successors.setdefault(nodes.setdefault(read.array, -len(nodes) - 1), {})[number] = None
    components = strong_components([*range(len(module.steps)), *nodes.values()], successors)
    found: list[tuple[tuple[int, ...], bool]] = []
    for component in ordered(components, successors):
        steps = tuple(node for node in component if node >= 0)
        if steps:
            found.append((steps, len(component) > 1))
    return tuple(found)


def _edge(write: Write, sink: int, access: Access, is_only: bool) -> Dependence | None:
    """The edge, or None where the element that is read is never one that is written here."""
    constraints = same_element(write, access)
    if not is_only and access.facts.exclude(*constraints):
        return None
    return Dependence(write.step, sink, write, access, access.facts.adding(*constraints))


def same_element(write: Write, access: Access) -> list[Poly]:
    """Polynomials that are at least 0 where the element that is read is one of those written."""
    values: dict[str, Poly] = {}
    constraints: list[Poly] = []
    axes = {axis.name: axis.range for axis in write.axes}
    for entry, index in zip(write.index, access.read.index, strict=True):
        read = affine(index)
        if read is None:
            continue
        if isinstance(entry, Range):
            constraints += [read - entry.lower, entry.upper - read]
        elif entry.names & axes.keys():
            values[next(iter(entry.names))] = read
        else:
            constraints += [read - entry, entry - read]
    for name, read in values.items():
        bounds = axes[name]
        if (bounds.lower.names | bounds.upper.names) & (axes.keys() - values.keys()):
            continue  # the bound depends on an axis whose value only data knows
        constraints += [read - bounds.lower.substitute(values), bounds.upper.substitute(values) - read]
    return constraints


class _Writers:
    """The writes of each array; those at fixed points are found by the point."""

    def __init__(self, module: Module) -> None:
        self._all: defaultdict[str, list[Write]] = defaultdict(list)
        for number, step in enumerate(module.steps):
            for write in writes(number, step):
                self._all[write.array].append(write)
        self._points: dict[str, tuple[int, dict[int, list[Write]], list[Write]]] = {}
        for array, found in self._all.items():
            self._points[array] = _by_point(found)

    def of(self, access: Access) -> list[Write]:
        """The writes that may define what is read."""
        array = access.read.array
        if array not in self._all:
            return []
        place, points, others = self._points[array]
        index = affine(access.read.index[place]) if place >= 0 else None
        if index is None or index.constant is None:
            return self._all[array]
        return [*points.get(index.constant, []), *others]

    def is_alone(self, array: str) -> bool:
        """Whether one write defines the whole array."""
        return len(self._all.get(array, ())) == 1


def _by_point(found: list[Write]) -> tuple[int, dict[int, list[Write]], list[Write]]:
    """The place of the index where most writes have a number, and the writes by that number (-1: no such place)."""
    rank = len(found[0].index)
    counts = [sum(_number(write.index[k]) is not None for write in found) for k in range(rank)]
    if not counts or max(counts) == 0:
        return -1, {}, found
    place = counts.index(max(counts))
    points: defaultdict[int, list[Write]] = defaultdict(list)
    others: list[Write] = []
    for write in found:
        number = _number(write.index[place])
        if number is None:
            others.append(write)
        else:
            points[number].append(write)
    return place, dict(points), others


def _number(entry: Poly | Range) -> int | None:
    return entry.constant if isinstance(entry, Poly) else None
