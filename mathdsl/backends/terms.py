"""Tensors with named trailing axes, and how two of them are brought into line."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mathdsl.backends.body import Body
from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, NEW_AXIS, const, method, star, subscript, tuple_of
from mathdsl.ir.nodes import Axis, Element


@dataclass(frozen=True, slots=True)
class Term:
    """A lowered expression: a Python expression and what its dimensions mean.

    A tensor's storage is its leading batch axes (if `batch`), then `axes` in order. `scalar`: a plain Python number.
    """

    node: ast.expr
    axes: tuple[str, ...]
    batch: bool
    element: Element
    scalar: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The index axes that are tensor dimensions here, outermost first, and the branch that the value stands in."""

    axes: tuple[Axis, ...]
    guards: tuple[Term, ...] = ()  # boolean tensors: the value counts only where all hold

    def order(self, names: frozenset[str]) -> tuple[str, ...]:
        """Those of the names in the order of the scope."""
        return tuple(axis.name for axis in self.axes if axis.name in names)

    def axis(self, name: str) -> Axis | None:
        """The axis of that name, if it is a tensor dimension."""
        return next((axis for axis in self.axes if axis.name == name), None)

    def inside(self, axis: Axis) -> Scope:
        """The scope of a reduction's body."""
        return replace(self, axes=(*self.axes, axis))

    def guarded(self, guard: Term) -> Scope:
        """The scope of a branch."""
        return replace(self, guards=(*self.guards, guard))


def common_order(terms: Sequence[Term], scope: Scope) -> tuple[str, ...]:
    """The axes of an elementwise result: those of the largest operand, if it has all, else in the scope's order."""
    union = frozenset(axis for term in terms for axis in term.axes)
    for term in terms:
        if len(term.axes) == len(union) and not term.scalar:
            return term.axes
    return scope.order(union)


def permuted(term: Term, order: Sequence[str]) -> Term:
    """The same tensor with its axes in the order in which they stand in `order` (which may hold more)."""
    wanted = tuple(axis for axis in order if axis in term.axes)
    if wanted == term.axes:
        return term
    count = len(wanted)
    moved = [i for i in range(count) if wanted[i] != term.axes[i]]
    if count == 2 or (len(moved) == 2 and moved == [count - 2, count - 1]):
        node: ast.expr = ast.Attribute(term.node, "mT", ast.Load())
    elif len(moved) == 2:
        node = method(term.node, "transpose", *(const(i - count) for i in moved))
    else:
        source = tuple_of(const(term.axes.index(axis) - count) for axis in wanted)
        node = method(term.node, "movedim", source, tuple_of(const(i - count) for i in range(count)))
    return replace(term, node=node, axes=wanted)


def aligned(term: Term, order: Sequence[str], full: bool = False) -> ast.expr:
    """The tensor viewed with a dimension for each axis of `order`: of extent 1 where it has none.

    Leading dimensions that broadcasting supplies are left out, unless `full`.
    """
    if term.scalar:
        return term.node
    term = permuted(term, order)
    entries: list[ast.expr] = []
    started = term.batch or full
    fresh = False
    for axis in order:
        if axis in term.axes:
            started = True
            if fresh:
                entries.append(EVERYTHING)
        elif started:
            fresh = True
            entries.append(NEW_AXIS)
    if not fresh:
        return term.node
    return subscript(term.node, ELLIPSIS, *entries)


def expanded(body: Body, term: Term, order: Sequence[str], extents: Sequence[ast.expr], batched: bool) -> ast.expr:
    """The tensor with every axis of `order` at its full extent, and with the batch axes where it is to be `batched`."""
    missing = [axis for axis in order if axis not in term.axes]
    if not missing and (term.batch or not batched):
        return permuted(term, order).node
    batch = body.batch() if batched or term.batch else None
    sizes = [extent if axis in missing else const(-1) for axis, extent in zip(order, extents, strict=True)]
    if batch is not None and not sizes:
        return method(aligned(term, order), "expand", batch)  # `expand()` takes no empty list of sizes, but an empty tuple
    lead: list[ast.expr] = [] if batch is None else [star(batch)]
    return method(aligned(term, order), "expand", *lead, *sizes)
