r"""Loops that update a part of an array and read what they give it, as loops over all of it, with a branch.

for i = 3, …, n: x_i \gets x_{i-1} + x_{i-2}     ->     for i = 1, …, n: if 3 <= i: x_i \gets x_{i-1} + x_{i-2}

What a loop leaves alone, `x_1` and `x_2`, may be more than there is, where it has no turn: an `n` of 1. A turn for each element copies what
there is. Loops that leave at most one element at each end, and those that read nothing of what they give, stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.loops import Loop, binding_over
from mathdsl.elaborate.control.regions import Box, Side, may_leave, what_remains
from mathdsl.elaborate.control.state import State
from mathdsl.elaborate.control.targets import Assigned
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.uses import accesses
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import shifted, transform


def over_whole_axes(state: State, loop: Loop, assigned: list[Assigned]) -> ast.For | None:
    """The loop in which those that do not suffice run over whole axes of what they update; None where all do."""
    axes, wider = dict[Loop, dict[Side, Element]](), dict[Loop, None]()
    for item in assigned:
        element = item.element
        old = None if loop.variable not in element.indices or element.key in state.updates else state.old_array(element)
        if old is None or len(old.boxes) > 1:
            continue
        for axis, index in element.axes.items():
            one = next((one for one in (loop, *item.inner) if one.variable == index), None)
            side = old.boxes[0].sides.get(axis)
            if one is None or side is None or one.lower is None or one.upper is None:
                continue
            whole = Side(side.lower, side.upper)
            axes.setdefault(one, {}).setdefault(whole, element)
            if _leaves_too_much(whole, Side(one.lower, one.upper)):
                uses = accesses(state.reader, loop.node.body, state.scope | {loop.spelling})
                if any(use.use == "read" and use.element.head == element.head for use in uses):
                    wider[one] = None
    for one in wider:
        if len(axes[one]) > 1:
            raise Unproved(next(iter(axes[one].values())))
    return _with(loop.node, {id(one.node): _over(one, whole) for one in wider for whole in axes[one]}) if wider else None


def _leaves_too_much(whole: Side, turns: Side) -> bool:
    box = Box({0: whole})
    return any(may_leave(box, rest) for rest in what_remains(box, Box({0: turns}), frozenset()) or ())


def _over(loop: Loop, whole: Side) -> ast.For:
    """A loop over all of an axis, with a branch for its turns."""
    assert loop.lower is not None
    assert loop.upper is not None
    low = () if loop.lower == whole.lower else (loop.lower,)
    high = () if loop.upper == whole.upper else (loop.upper,)
    span = loop.node.binding.span
    inside = ast.Relation((r"\leq",) * len(low + high), (*low, loop.variable, *high), span=span)
    begin, end = ((whole.lower,), whole.upper) if loop.step > 0 else ((whole.upper, shifted(whole.upper, -1)), whole.lower)
    branch = ast.If((ast.Branch(inside, loop.node.body, span=loop.node.span),), None, span=loop.node.span)
    return replace(loop.node, binding=binding_over(loop.variable, begin, end, span, loop.shift), body=(branch,))


def _with(node: ast.For, wider: dict[int, ast.For]) -> ast.For:
    """A loop with those in it, and itself, as wider ones."""

    def change(below: ast.Node) -> ast.Node:
        return transform(wider.get(id(below), below), change)

    return cast(ast.For, change(node))
