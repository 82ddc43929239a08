"""Arrays whose elements a loop assigns although they have a value: a new version while it runs."""

from __future__ import annotations

from itertools import chain, pairwise

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control.finishing import finish_update, version_over
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.progress import Progress
from mathdsl.elaborate.control.regions import is_apart
from mathdsl.elaborate.control.state import Update
from mathdsl.elaborate.control.targets import Assigned
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.uses import reads
from mathdsl.elaborate.names.names import NO_NAME, readable, word_of
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.elaborate.report import refuse
from mathdsl.ops import find_along
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants


def check_along(progress: Progress, loop: Loop, assigned: list[Assigned]) -> None:
    r"""Refuse `x_k \gets \softmax_k(x_k)` in a loop over `k`: of the values before the loop, or of those that earlier turns gave?"""
    state, scope = progress.state, progress.state.scope | {loop.spelling}
    heads = {item.element.head for item in assigned if state.exists(item.element)}
    products = (node for node in descendants(loop.node) if heads and isinstance(node, ast.Juxtaposition))
    for called, operand in chain.from_iterable(pairwise(node.factors) for node in products):
        match called:
            case ast.Scripts(base=name, subscripts=(index,)) if (
                index == loop.variable and find_along((word_of(name) or NO_NAME).bare) is not None
            ):
                read = next((e for e in reads(state.reader, operand, scope) if e.head in heads and loop.variable in e.indices), None)
            case _:
                continue
        if read is not None:
            letter = readable(loop.spelling)
            raise refuse(
                "E0505",
                f"`{render_expression(called)}` goes along `{letter}`, and elements of `{readable(read.head)}` change in the loop over it",
                called.span,
                labels=(Label(loop.node.binding.span, f"the loop over `{letter}`"),),
                help=f"give the result a name of its own, or assign the whole outside of the loop over `{letter}`",
            )


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
        finish_update(progress, update.element, update.old, update.meaning, update.box, update)
