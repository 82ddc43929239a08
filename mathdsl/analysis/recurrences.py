"""Recurrences: sets of steps that need each other, and a nest of loops that computes them (Allen and Kennedy's method).

For each strongly connected component of the dependences one loop along an index, up or down; the dependences that the
loop carries are then taken away and the rest is looked at again, so that nested loops fall out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from mathdsl.analysis.components import ordered, strong_components
from mathdsl.analysis.dependence import Dependence, Dependences, coarse_components
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Axis, Call, Module, SizeKind, Step
from mathdsl.ir.sizes import Poly


@dataclass(frozen=True)
class Recurrence:
    """Steps that one loop computes.

    `axes` is the loop's index in each step. `carried` are the dependences that the loop satisfies, `live` those that
    order the steps inside one turn, `parts` one turn in such an order.
    """

    steps: tuple[int, ...]
    axes: tuple[str, ...]
    descending: bool
    carried: tuple[Dependence, ...]
    live: tuple[Dependence, ...]
    parts: tuple[int | Recurrence, ...]

    @property
    def inner(self) -> tuple[Recurrence, ...]:
        """The recurrences inside one turn."""
        return tuple(part for part in self.parts if isinstance(part, Recurrence))


@dataclass(frozen=True)
class Unordered:
    """Steps that need each other in a way for which no loop was found; `edges` are the dependences among them."""

    steps: tuple[int, ...]
    edges: tuple[Dependence, ...]


@dataclass(frozen=True)
class Analysis:
    """The components of a module in an order that respects their dependences."""

    parts: tuple[int | Recurrence | Unordered, ...]

    @property
    def recurrences(self) -> tuple[Recurrence, ...]:
        return tuple(part for part in self.parts if isinstance(part, Recurrence))

    @property
    def unordered(self) -> tuple[Unordered, ...]:
        return tuple(part for part in self.parts if isinstance(part, Unordered))


def analyse_recurrences(module: Module) -> Analysis:
    """Every component of the module: a step alone, a recurrence with its loops, or one that has no order.

    Several passes ask, and most leave the steps as they are: the latest answers are kept. That is right since an answer depends on what
    a `_System` holds alone, none of which ever changes.
    """
    return _analysed(_System(module))


class _System:
    """What the analysis of a module looks at; equal where the steps are the same objects, since comparing them takes as long as it does."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._key = (tuple(map(id, module.steps)), module.sizes, module.ragged)

    def __hash__(self) -> int:
        return hash(self._key[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _System) and self._key == other._key


@lru_cache(maxsize=32)
def _analysed(system: _System) -> Analysis:
    module = system.module
    search, dependences = _Search(module), Dependences(module)
    parts: list[int | Recurrence | Unordered] = []
    for steps, may_recur in coarse_components(module):
        parts += search.parts(steps, dependences.among(steps) if may_recur else (), {})
    return Analysis(tuple(parts))


def has_recurrence(module: Module) -> bool:
    """Whether some steps of the module need each other, in whatever order."""
    return any(isinstance(part, Unordered) or (isinstance(part, Recurrence) and part.carried) for part in analyse_recurrences(module).parts)


def has_order(module: Module) -> bool:
    """Whether loops order all of the module's steps."""
    return not analyse_recurrences(module).unordered


class _Search:
    """The search for loops in one module."""

    def __init__(self, module: Module) -> None:
        self._steps = module.steps
        self._hyper = {size.name for size in module.sizes if size.kind is SizeKind.HYPERPARAMETER}

    def parts(
        self, nodes: Sequence[int], edges: Iterable[Dependence], looped: dict[int, tuple[str, ...]]
    ) -> tuple[int | Recurrence | Unordered, ...]:
        """The components of `nodes` under `edges`; `looped` are the axes of each step that outer loops run over."""
        by_sink: defaultdict[int, list[Dependence]] = defaultdict(list)
        for edge in edges:
            by_sink[edge.sink].append(edge)
        found: list[int | Recurrence | Unordered] = []
        for component in _components(nodes, edges):
            members = set(component)
            inside = tuple(edge for node in component for edge in by_sink[node] if edge.source in members)
            if inside:
                found.append(self._loop(component, inside, looped))
            else:
                found.append(self._forced_loop(component[0], looped))
        return tuple(found)

    def _forced_loop(self, node: int, looped: dict[int, tuple[str, ...]]) -> int | Recurrence:
        """A call of a stack's element runs in a loop over the elements, though no turn needs another."""
        step = self._steps[node]
        if isinstance(step, Call) and step.at is not None:
            for axis in step.axes:
                if axis.name in step.at.names and axis.name not in looped.get(node, ()):
                    inner = self._forced_loop(node, {**looped, node: (*looped.get(node, ()), axis.name)})
                    return Recurrence((node,), (axis.name,), False, (), (), (inner,))
        return node

    def _loop(
        self, component: tuple[int, ...], edges: tuple[Dependence, ...], looped: dict[int, tuple[str, ...]]
    ) -> Recurrence | Unordered:
        """The cheapest nest of loops for the component."""
        options: list[tuple[tuple[object, ...], Recurrence]] = []
        seed = self._steps[component[0]]
        for place, axis in enumerate(seed.axes):
            if axis.name in looped.get(component[0], ()):
                continue
            assigned = same_loop(component, edges, axis.name, self._steps, looped)
            if assigned is None or not all(self._may_loop(node, name, looped) for node, name in assigned.items()):
                continue
            for descending in (False, True):
                option = self._option(component, edges, looped, assigned, descending)
                if option is not None:
                    is_runtime = not (axis.range.extent.names <= self._hyper)
                    options.append(((*_cost(option), is_runtime, place, descending), option))
        if not options:
            return Unordered(component, edges)
        return min(options, key=lambda option: option[0])[1]

    def _may_loop(self, node: int, name: str, looped: dict[int, tuple[str, ...]]) -> bool:
        """Whether the bounds of the axis are known before the loop: they name no axis that is not looped over yet."""
        step = self._steps[node]
        bounds = next(axis.range for axis in step.axes if axis.name == name)
        others = {axis.name for axis in step.axes} - set(looped.get(node, ()))
        return not others & (bounds.lower.names | bounds.upper.names)

    def _option(
        self,
        component: tuple[int, ...],
        edges: tuple[Dependence, ...],
        looped: dict[int, tuple[str, ...]],
        assigned: dict[int, str],
        descending: bool,
    ) -> Recurrence | None:
        """The loop along these axes with what is inside it; None where it breaks a dependence or carries none."""
        carried: list[Dependence] = []
        live: list[Dependence] = []
        for edge in edges:
            distance = edge.distance(assigned[edge.source], assigned[edge.sink])
            if distance is None:
                return None
            ahead = -distance if descending else distance
            if edge.facts.proves_nonnegative(ahead - 1):
                carried.append(edge)
            elif edge.facts.proves_nonnegative(ahead):
                live.append(edge.adding(-ahead))
            else:
                return None
        if not carried:
            return None
        outer = {node: (*looped.get(node, ()), axis) for node, axis in assigned.items()}
        parts: list[int | Recurrence] = []
        for part in self.parts(component, live, {**looped, **outer}):
            if isinstance(part, Unordered):
                return None
            parts.append(part)
        axes = tuple(assigned[node] for node in component)
        return Recurrence(component, axes, descending, tuple(carried), tuple(live), tuple(parts))


def _components(nodes: Sequence[int], edges: Iterable[Dependence]) -> tuple[tuple[int, ...], ...]:
    successors = edge_successors(edges)
    return ordered(strong_components(nodes, successors), successors)


def edge_successors(edges: Iterable[Dependence]) -> dict[int, dict[int, None]]:
    """For each step those that need it, in a fixed order."""
    successors: dict[int, dict[int, None]] = {}
    for edge in edges:
        successors.setdefault(edge.source, {})[edge.sink] = None
    return successors


def same_loop(
    component: tuple[int, ...],
    edges: tuple[Dependence, ...],
    axis: str,
    steps: Sequence[Step],
    looped: dict[int, tuple[str, ...]],
) -> dict[int, str] | None:
    """The axis of each step that runs with `axis` of the first one, found along the reads; None where one has none."""
    neighbours: defaultdict[int, list[Dependence]] = defaultdict(list)
    for edge in edges:
        neighbours[edge.source].append(edge)
        neighbours[edge.sink].append(edge)
    assigned = {component[0]: axis}
    waiting = [component[0]]
    while waiting:
        node = waiting.pop()
        for edge in neighbours[node]:
            if edge.source in assigned and edge.sink not in assigned:
                place = edge.place(assigned[edge.source])
                other = None if place is None else _unit_axis(edge.access.read.index[place], steps[edge.sink].axes)
                node_found = edge.sink
            elif edge.sink in assigned and edge.source not in assigned:
                other = _source_axis(edge, assigned[edge.sink])
                node_found = edge.source
            else:
                continue
            if other is not None and other not in looped.get(node_found, ()):
                assigned[node_found] = other
                waiting.append(node_found)
    return assigned if len(assigned) == len(component) else None


def _unit_axis(index: object, axes: tuple[Axis, ...]) -> str | None:
    """The axis that an index moves with, `t` in `t - 1`."""
    if not isinstance(index, Poly):
        return None
    found = [axis.name for axis in axes if axis.name in index.names and index.coefficient(axis.name) == Poly.of(1)]
    return found[0] if len(found) == 1 else None


def _source_axis(edge: Dependence, sink_axis: str) -> str | None:
    """The axis of the source at the place where the read moves with an axis of the sink."""
    for entry, index in zip(edge.write.index, edge.access.read.index, strict=True):
        if isinstance(index, Poly) and index.coefficient(sink_axis) == Poly.of(1) and isinstance(entry, Poly):
            names = [axis.name for axis in edge.write.axes if entry == Poly.of(axis.name)]
            if names:
                return names[0]
    return None


def _cost(recurrence: Recurrence) -> tuple[tuple[int, ...], ...]:
    """How many steps run at each depth of loops, deepest first: what runs in the fewest sequential turns is cheapest."""
    counts: defaultdict[int, int] = defaultdict(int)
    waiting = [(recurrence, 1)]
    while waiting:
        part, depth = waiting.pop()
        nested = {step for inner in part.inner for step in inner.steps}
        counts[depth] += sum(step not in nested for step in part.steps)
        waiting += [(inner, depth + 1) for inner in part.inner]
    deepest = max(counts)
    return ((deepest, *(counts[depth] for depth in range(deepest, 0, -1))),)
