"""Dimensions of torch tensors brought into line: permuted, of extent 1 where there is none, expanded, read at entries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, NEW_AXIS, const, method, star, subscript, tuple_of
from mathdsl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Spelled:
    """A Python expression of a tensor and the axes that its last dimensions are; of a number (`scalar`), none."""

    node: ast.expr
    axes: tuple[str, ...]
    batch: bool
    scalar: bool = False


def permuted(value: Spelled, order: Sequence[str]) -> Spelled:
    """The same tensor with its axes in the order in which they stand in `order` (which may hold more)."""
    wanted = tuple(axis for axis in order if axis in value.axes)
    if wanted == value.axes:
        return value
    count = len(wanted)
    moved = [i for i in range(count) if wanted[i] != value.axes[i]]
    if count == 2 or (len(moved) == 2 and moved == [count - 2, count - 1]):
        node: ast.expr = ast.Attribute(value.node, "mT", ast.Load())
    elif len(moved) == 2:
        node = method(value.node, "transpose", *(const(i - count) for i in moved))
    else:
        source = tuple_of(const(value.axes.index(axis) - count) for axis in wanted)
        node = method(value.node, "movedim", source, tuple_of(const(i - count) for i in range(count)))
    return replace(value, node=node, axes=wanted)


def aligned(value: Spelled, order: Sequence[str], full: bool = False) -> ast.expr:
    """The tensor viewed with a dimension for each axis of `order`: of extent 1 where it has none.

    Leading dimensions that broadcasting supplies are left out, unless `full`.
    """
    if value.scalar:
        return value.node
    value = permuted(value, order)
    entries: list[ast.expr] = []
    started = value.batch or full
    fresh = False
    for axis in order:
        if axis in value.axes:
            started = True
            if fresh:
                entries.append(EVERYTHING)
        elif started:
            fresh = True
            entries.append(NEW_AXIS)
    return subscript(value.node, ELLIPSIS, *entries) if fresh else value.node


def expanded(value: Spelled, order: Sequence[str], sizes: Sequence[ast.expr], batch: ast.expr | None) -> ast.expr:
    """The tensor with every axis of `order` at a size (-1: its own), after the batch axes where there is a `batch`."""
    if batch is not None and not sizes:
        return method(aligned(value, order), "expand", batch)  # `expand()` takes no empty list of sizes, but an empty tuple
    lead: list[ast.expr] = [] if batch is None else [star(batch)]
    return method(aligned(value, order), "expand", *lead, *sizes)


def full_rank(value: Spelled, order: tuple[str, ...], batch: ast.expr | None) -> ast.expr:
    """The tensor with a dimension for each axis of `order` (of extent 1 where it has none), and the batch axes."""
    node = aligned(value, order, full=True)
    if batch is None or value.batch:
        return node
    return expanded(Spelled(node, order, value.batch), order, [const(-1)] * len(order), batch)


def entries_of(node: ast.expr, entries: Sequence[ast.expr], batch: bool) -> ast.expr:
    """`node[..., entries]` without what says nothing."""
    if all(entry is EVERYTHING for entry in entries):
        return node
    shown = list(entries)
    if batch:
        while shown[0] is EVERYTHING:
            del shown[0]
        return subscript(node, ELLIPSIS, *shown)
    while shown[-1] is EVERYTHING:
        del shown[-1]
    return subscript(node, *shown)
