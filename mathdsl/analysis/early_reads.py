r"""Elements that a step may ask for before they are defined, because a condition says that it does not use them.

    for j in 1..n-1:   s[i, j] = abs(x[i] - x[j]) if j <= i - 1 else s[i, j-1]      (all i at once)
    for i in 2..n:     s[i, 0] = u[i-1];   u[i] = s[i, n-1]

No point uses `s[i, 0]` in the first loop, since `1 <= i - 1`; computed for all points at once, the branch asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from mathdsl.analysis.accesses import Access, Write, writes
from mathdsl.analysis.dependence import Dependence, same_element
from mathdsl.analysis.facts import Facts
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Axis, Read, ScheduledModule, Step
from mathdsl.ir.placing import Placed, placed_steps
from mathdsl.ir.sizes import Poly


@dataclass(frozen=True, slots=True)
class Order:
    """Where the steps of a scheduled module stand, and what defines each array there."""

    placed: Mapping[int, Placed]  # by the identity of the step
    writers: Mapping[str, tuple[tuple[Placed, Write], ...]]

    @staticmethod
    def of(module: ScheduledModule) -> Order:
        """The order of a module's schedule."""
        placed = tuple(placed_steps(module.schedule))
        writers: defaultdict[str, list[tuple[Placed, Write]]] = defaultdict(list)
        for one in placed:
            for write in writes(0, one.step):
                writers[write.array].append((one, write))
        return Order({id(one.step): one for one in placed}, {array: tuple(found) for array, found in writers.items()})

    def may_be_early(
        self, step: Step, read: Read, axes: Iterable[Axis], facts: Facts, keys: Collection[int], is_asked: Callable[[Write], bool]
    ) -> bool:
        """Whether, whatever the conditions are, the step asks for an element that is not defined yet, of writes that `is_asked` takes.

        The elements lie at the positions `keys`; `axes` are those around that have a point.
        """
        reader = self.placed[id(step)]
        access = Access(replace(read, index=tuple(read.index[p] for p in keys)), facts.inside(axes), ())
        found = ((producer, write) for producer, write in self.writers.get(read.array, ()) if is_asked(write))
        return any(not _is_before(producer, _at(write, keys), reader, access) for producer, write in found)


def _at(write: Write, keys: Collection[int]) -> Write:
    """What is defined, at some positions alone."""
    index = tuple(write.index[p] for p in keys)
    names = {name for entry in index if isinstance(entry, Poly) for name in entry.names}
    return replace(write, index=index, axes=tuple(axis for axis in write.axes if axis.name in names))


def _is_before(producer: Placed, write: Write, reader: Placed, access: Access) -> bool:
    """Whether each element that both are about is defined before it is read, provably.

    Along the loops that both stand in, the first distance that is not 0 decides; where all are 0, the order of the steps.
    """
    constraints = same_element(write, access)
    if access.facts.exclude(*constraints):
        return True
    edge = Dependence(0, 0, write, access, access.facts.adding(*constraints))
    for loop in reader.shared_loops(producer):
        distance = edge.distance(loop.axis.name, loop.axis.name)
        if distance is None:
            return False
        ahead = -distance if loop.descending else distance
        if edge.facts.proves_nonnegative(ahead - 1):
            return True
        if not edge.facts.proves_nonnegative(ahead):
            return False
        edge = edge.adding(-ahead)
    return producer.path < reader.path
