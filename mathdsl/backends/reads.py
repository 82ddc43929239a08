"""Reads of arrays: where the tensor comes from, then its indices."""

from __future__ import annotations

import ast
from dataclasses import replace

from mathdsl.backends.body import Body
from mathdsl.backends.elements import read_elements
from mathdsl.backends.indexing import indexed
from mathdsl.backends.python_ast import call, const, name, subscript
from mathdsl.backends.terms import Scope, Term
from mathdsl.backends.views import Open, View, is_fixed, own_position, taken_apart
from mathdsl.ir.nodes import Array, Element, Index, Kind, Range, Read
from mathdsl.ir.sizes import Poly


def lower_read(body: Body, read: Read, scope: Scope) -> Term:
    """The elements of an array for every point of the scope's axes."""
    array = body.arrays[read.array]
    waiting = tuple(Open(index, bounds) for index, bounds in zip(read.index, array.ranges, strict=True))
    term = indexed(body, _base(body, array, waiting, scope), scope)
    storage = body.storage.get(array.name)
    keys = storage.keys if storage is not None and scope.guards else ()
    return _where_there(body, term, waiting, keys, scope) if scope.guards or scope.axes else term


def _where_there(body: Body, term: Term, entries: tuple[Open, ...], keys: tuple[int, ...], scope: Scope) -> Term:
    """An element that may not be there (`y_at[t + 1] if t + 1 <= S else …`): then the branch is not taken, or no point reads it."""
    tests: list[ast.expr] = []
    for position, entry in enumerate(entries):
        if isinstance(entry.index, Poly) and (
            is_fixed(body, entry.index, scope) or position in keys and own_position(body, entry.index, scope)
        ):
            bounds = (entry.range.lower, entry.index), (entry.index, entry.range.upper)
            missing = [pair for pair in bounds if not body.proves_nonnegative(pair[1] - pair[0])]
            tests += [ast.Compare(body.poly(low), [ast.LtE()], [body.poly(high)]) for low, high in missing]
    if not tests:
        return term
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    number = const({Element.REAL: 1.0, Element.INTEGER: 1, Element.BOOLEAN: True}[term.element])
    extents = {axis.name: axis.range.extent for axis in scope.axes if axis.name in term.axes}
    nonnegative = {n: body.poly(e) if body.known_nonnegative(e) else call("max", const(0), body.poly(e)) for n, e in extents.items()}
    harmless = body.full(number, term.element, [nonnegative[axis] for axis in term.axes], term.batch)
    return replace(term, node=ast.IfExp(test, term.node, harmless))


def read_axis(body: Body, term: Term, axis: str, bounds: Range, at: Index, scope: Scope) -> Term:
    """A tensor with one of its axes read at an index (the result of an operation along an axis)."""
    dims = tuple(Open(at, bounds) if a == axis else a for a in term.axes)
    return indexed(body, View(term.node, dims, term.batch, term.element), scope)


def _base(body: Body, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    storage = body.storage.get(array.name)
    if array.kind in (Kind.PARAMETER, Kind.BUFFER):
        node = name(body.owned(array))
        return taken_apart(body, array, View(node, entries, False, array.element, name=array.python), scope, 0)
    if array.listed and array.kind is Kind.INPUT or array.name in body.lists:
        return _listed(body, array, entries, scope)
    if storage is not None and storage.elements:
        return read_elements(body, array, entries, storage, scope)
    local = body.locals[array.name]
    return taken_apart(body, array, View(name(local), entries, array.batch, array.element, array.name, local), scope, 0)


def _listed(body: Body, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    """An array that is a Python list along axis 0."""
    local = body.locals[array.name]
    first = entries[0]
    if is_fixed(body, first.index, scope):
        assert isinstance(first.index, Poly)
        node = subscript(name(local), body.poly(first.index - first.range.lower))
        return taken_apart(
            body, array, View(node, entries[1:], array.batch, array.element, name=array.python), scope, body.depth(first.index)
        )
    dim = const(-len(entries))
    stacked = body.define_view(0, f"stack {array.name}", f"{local}_all", call("torch.stack", name(local), dim))
    return taken_apart(body, array, View(name(stacked), entries, array.batch, array.element, name=array.python), scope, 0)
