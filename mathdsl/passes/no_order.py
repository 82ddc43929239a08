"""Why steps that need each other cannot be put into an order: the cycle, in the author's notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mathdsl.analysis.components import shortest_cycle
from mathdsl.analysis.dependence import Dependence
from mathdsl.analysis.element_names import element_latex
from mathdsl.analysis.recurrences import Unordered, edge_successors, same_loop
from mathdsl.diagnostics.model import Diagnostic, Label
from mathdsl.ir.nodes import Equation, Module, Origin, Range, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import reads
from mathdsl.spans import Span


def explain_no_order(module: Module, unordered: Unordered) -> Diagnostic:
    """E0501 where the steps truly need each other, E0751 to E0753 where only our loops do not reach."""
    by_data = [edge for edge in unordered.edges if _reads_by_data(edge)]
    if by_data:
        return _unsupported(module, by_data[0], "E0751", "a recurrence that reads where data says")
    distances = _distances(module, unordered)
    if not distances:
        return _circular(module, unordered, unordered.edges, {})
    for distance in distances:
        unknown = [edge for edge, value in distance if value is None or value.constant is None]
        if unknown:
            return explain_distance(module, unknown[0])
    zero = [edge for k, edge in enumerate(unordered.edges) if all(_is_zero(distance[k][1]) for distance in distances)]
    if shortest_cycle(unordered.steps, edge_successors(zero)):
        return _circular(module, unordered, zero, _loop_axes(module, unordered))
    if len(distances) == 1 and _pulls_both_ways(distances[0]):
        return _circular(module, unordered, unordered.edges, {})
    return _unsupported(module, unordered.edges[0], "E0753", "a recurrence that needs a skewed or shifted order")


def explain_distance(module: Module, edge: Dependence) -> Diagnostic:
    """E0752: the loop that there is would need more than a fixed number of earlier turns."""
    return _unsupported(module, edge, "E0752", "a recurrence over a distance that is not constant")


def _reads_by_data(edge: Dependence) -> bool:
    return any(not isinstance(index, Poly) and bool(reads(index)) for index in edge.access.read.index)


def _is_zero(distance: Poly | None) -> bool:
    return distance is not None and distance.constant == 0


def _loop_axes(module: Module, unordered: Unordered) -> dict[int, str]:
    """The first index that all the steps share, by step; empty where they share none."""
    first = unordered.steps[0]
    for axis in module.steps[first].axes:
        assigned = same_loop(unordered.steps, unordered.edges, axis.name, module.steps, {})
        if assigned is not None:
            return assigned
    return {}


def _distances(module: Module, unordered: Unordered) -> list[list[tuple[Dependence, Poly | None]]]:
    """For each index that all steps share and along which some edge has a distance, the distance of each edge."""
    found: list[list[tuple[Dependence, Poly | None]]] = []
    for axis in module.steps[unordered.steps[0]].axes:
        assigned = same_loop(unordered.steps, unordered.edges, axis.name, module.steps, {})
        if assigned is not None:
            values = [(edge, edge.distance(assigned[edge.source], assigned[edge.sink])) for edge in unordered.edges]
            is_component = all(value is None or value.names for _, value in values)
            if not is_component or any(value is not None and value.names & {assigned[edge.sink]} for edge, value in values):
                found.append(values)
    return [values for values in found if not _is_contracted(values)]


def _is_contracted(values: list[tuple[Dependence, Poly | None]]) -> bool:
    """Whether the index is a component of a vector: read through a reduction over the whole axis."""
    return any(value is not None and value.names & set(edge.access.bound) for edge, value in values) and not any(
        value is not None and value.constant not in (None, 0) for _, value in values
    )


def _pulls_both_ways(distance: list[tuple[Dependence, Poly | None]]) -> bool:
    signs = {value.constant > 0 for _, value in distance if value is not None and value.constant}
    return len(signs) == 2 and any(edge.source == edge.sink for edge, _ in distance)


def _circular(module: Module, unordered: Unordered, edges: Iterable[Dependence], loop: dict[int, str]) -> Diagnostic:
    """The cycle as a chain of needs."""
    edges = tuple(edges)
    backwards: dict[int, dict[int, None]] = {}
    for edge in edges:
        backwards.setdefault(edge.sink, {})[edge.source] = None
    cycle = shortest_cycle(unordered.steps, backwards)
    chain = [next(e for e in edges if e.sink == sink and e.source == source) for sink, source in pairwise((*cycle, cycle[0]))]
    names = [_written(module, edge.sink, module.steps[edge.sink]) for edge in chain]
    if len(chain) == 1:
        names.append(_read(module, chain[0]))
    else:
        names.append(names[0])
    message = "no order computes this: " + ", which needs ".join([f"{_code(names[0])} needs {_code(names[1])}", *map(_code, names[2:])])
    first, *others = chain
    labels = tuple(Label(_place(module, edge), _needs(module, edge)) for edge in others)
    around = (names[1], names[0], *reversed(names[1:-1]))  # from what is read to what is made of it
    notes = (f"the cycle is {' → '.join(around)}",) if len(chain) > 1 else ()
    return Diagnostic("E0501", "error", message, _place(module, first), _needs(module, first), labels, notes, _help(module, chain, loop))


def _place(module: Module, edge: Dependence) -> Span:
    """Where the read stands in the equation; the whole equation where it is written in another way."""
    origin, wanted = module.steps[edge.sink].origin, _without_braces(_read(module, edge))
    return next((span for text, span in origin.reads if _without_braces(text) == wanted), origin.span)


def _without_braces(latex: str) -> str:
    return re.sub(r"[{}\s]", "", latex)


def _needs(module: Module, edge: Dependence) -> str:
    return f"{_code(_written(module, edge.sink, module.steps[edge.sink]))} needs {_code(_read(module, edge))}"


def _help(module: Module, chain: list[Dependence], loop: dict[int, str]) -> str:
    """The read one step earlier that breaks the cycle, preferably of an array that has an element before the first step."""
    if not loop:
        return "define one of these without the others"
    ranked = sorted(chain, key=lambda edge: not _has_earlier(module, edge, loop))
    for edge in ranked:
        place = edge.place(loop[edge.source])
        if place is None or place not in _shown(module, edge):
            continue
        index = edge.access.read.index[place]
        assert isinstance(index, Poly)
        earlier = tuple(index - 1 if k == place else entry for k, entry in enumerate(edge.access.read.index))
        origin = module.steps[edge.sink].origin
        shifted = element_latex(module.array(edge.access.read.array), earlier, _shown(module, edge), origin)
        reader = _written(module, edge.sink, module.steps[edge.sink])
        return f"if the previous value is meant, read {_code(shifted)} in the equation of {_code(reader)}"
    return "define one of these without the others"


def _has_earlier(module: Module, edge: Dependence, loop: dict[int, str]) -> bool:
    """Whether the array that is read starts before the loop does."""
    place = edge.place(loop[edge.source])
    axis = next((a for a in module.steps[edge.source].axes if a.name == loop[edge.source]), None)
    if place is None or axis is None:
        return False
    return module.array(edge.access.read.array).ranges[place].lower != axis.range.lower


def _unsupported(module: Module, edge: Dependence, code: str, what: str) -> Diagnostic:
    step = module.steps[edge.sink]
    text = f"{what} is not supported yet"
    label = f"{_code(_written(module, edge.sink, step))} needs {_code(_read(module, edge))}"
    return Diagnostic(code, "error", text, step.origin.span, label, help="write the recurrence with a constant distance, such as `h_{t-1}`")


def _written(module: Module, number: int, step: Step) -> str:
    """The element that a step defines."""
    if isinstance(step, Equation):
        return element_latex(module.array(step.target), step.index, _positions(step.index, step.origin), step.origin)
    target = next(target for target in step.targets if target is not None)
    return element_latex(module.array(target.array), target.index, _positions(target.index, step.origin), step.origin)


def _positions(index: Sequence[Poly | Range], origin: Origin) -> tuple[int, ...]:
    """The axes of a defined element that its equation writes: all but those of vector and matrix components."""
    return tuple(k for k, entry in enumerate(index[: origin.indices]) if isinstance(entry, Poly))


def _read(module: Module, edge: Dependence) -> str:
    read = edge.access.read
    return element_latex(module.array(read.array), read.index, _shown(module, edge), module.steps[edge.sink].origin)


def _shown(module: Module, edge: Dependence) -> tuple[int, ...]:
    return _positions(edge.write.index, module.steps[edge.source].origin)


def _code(latex: str) -> str:
    return f"`{latex}`"
