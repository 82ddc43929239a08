"""Arrays whose elements a loop assigns although they have a value: a new version while it runs."""

from __future__ import annotations

from mathdsl.elaborate.control.finishing import finish_update, version_over
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import is_apart
from mathdsl.elaborate.control.state import Update
from mathdsl.elaborate.control.targets import Assigned
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.versions import Meaning


def start_updates(progress: Progress, loop: Loop, assigned: list[Assigned]) -> list[Update]:
    """New versions of the arrays whose elements the loop assigns although they have a value."""
    state, started = progress.state, list[Update]()
    for item in assigned:
        element, key = item.element, item.element.key
        if loop.variable not in element.indices or key in state.updates:
            continue
        old = state.old_array(element)
        loops = (loop, *item.inner)
        box = state.box(element, loops)
        if old is None or all(is_apart(b, box) for b in old.boxes):
            continue
        if element.indices.count(loop.variable) > 1:
            raise Unproved(element)  # `A_{i,i}`: no box
        version = version_over(progress, element, old, box, id(loop.node))
        indexing = [(axis, one) for one in loops for axis, i in element.axes.items() if i == one.variable]
        update = Update(element, old, Meaning(version, state.prefix(element)), box, loop, indexing, item.statement)
        state.updates[key] = update
        started.append(update)
    return started


def stop_updates(progress: Progress, loop: Loop, started: list[Update]) -> None:
    """Behind a loop: what it goes through is no running axis any more, and what it started is finished."""
    for update in progress.state.updates.values():
        update.open = [(axis, one) for axis, one in update.open if one.node is not loop.node]
    for update in started:
        del progress.state.updates[update.element.key]
        finish_update(progress, update.element, update.old, update.meaning, update.box, update.reads_others)
