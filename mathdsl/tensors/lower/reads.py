"""Reads of arrays: where the tensor comes from, then its indices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mathdsl.ir.nodes import Array, Element, Index, Kind, Range, Read
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.lower.body import Body, listed, waiting
from mathdsl.tensors.lower.elements import read_elements
from mathdsl.tensors.lower.indexing import indexed
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.lower.views import Open, View, depth_of, is_fixed, own_position, taken_apart
from mathdsl.tensors.values import INTEGER, TRUTH, All, Along, At, Choose, Form, Local, Map, Owned, Stack, Value


def lower_read(body: Body, read: Read, scope: Scope) -> Value:
    """The elements of an array for every point of the scope's axes."""
    array = body.arrays[read.array]
    whole = _whole(body, read, array, scope)
    if whole is not None:
        return whole
    entries = tuple(Open(index, bounds) for index, bounds in zip(read.index, array.ranges, strict=True))
    view = replace(_base(body, read, array, entries, scope), shown=array.latex if array.kind is Kind.VALUE else array.python)
    value = indexed(body, view, scope)
    if not scope.guards and not scope.axes:
        return value
    storage = body.storage.get(array.name)
    keys = storage.elements if storage is not None else ()
    tests = _tests_of_indices(body, entries, keys if scope.guards else (), scope)
    if storage is not None and keys:
        tests += _tests_of_points(body, read, range(len(storage.groups)), scope)
    return _where_all(body, value, tests, scope)


def _whole(body: Body, read: Read, array: Array, scope: Scope) -> Value | None:
    """The array as it is kept, where each index is an axis that runs over the whole of it, as in most reads; None for any other."""
    storage = body.storage.get(array.name)
    if array.listed or array.name in body.lists or storage is not None and storage.elements:
        return None
    axes = [scope.axis(entry.variable) if isinstance(entry, Poly) and entry.variable is not None else None for entry in read.index]
    names = [axis.name for axis, bounds in zip(axes, array.ranges, strict=True) if axis is not None and axis.range == bounds]
    if len(set(names)) < len(array.ranges):
        return None
    is_owned = array.kind in (Kind.PARAMETER, Kind.BUFFER)
    return Owned(body.form(array, names), array.name) if is_owned else body.local(array, names)


def _tests_of_indices(body: Body, entries: tuple[Open, ...], keys: tuple[int, ...], scope: Scope) -> list[Value]:
    """Whether there is such an element (`y_at[t + 1] if t + 1 <= S else …`): else the branch is not taken, or no point reads it."""
    tests: list[Value] = []
    for position, entry in enumerate(entries):
        if isinstance(entry.index, Poly) and (
            is_fixed(body, entry.index, scope) or position in keys and own_position(body, entry.index, scope)
        ):
            bounds = (entry.range.lower, entry.index), (entry.index, entry.range.upper)
            missing = [pair for pair in bounds if not body.proves_nonnegative(pair[1] - pair[0])]
            tests += [Map(TRUTH, "less_equal", (body.poly(low), body.poly(high))) for low, high in missing]
    return tests


def _tests_of_points(body: Body, read: Read, groups: Iterable[int], scope: Scope) -> list[Value]:
    """Whether the axes have a point (`u_at[n - 1] if 1 <= n - 1 else …`), where only points have their elements by now."""
    missing = [axis.range for axis in scope.axes if not body.known_positive(axis.range.extent)]
    if not missing or not any(body.may_be_early(read, scope, group, has_points=False) for group in groups):
        return []
    return [Map(TRUTH, "less_equal", (body.poly(bounds.lower), body.poly(bounds.upper))) for bounds in missing]


def _where_all(body: Body, value: Value, tests: Sequence[Value], scope: Scope) -> Value:
    """The value where all tests hold, else something harmless."""
    if not tests:
        return value
    harmless = constant({Element.REAL: 1.0, Element.INTEGER: 1, Element.BOOLEAN: True}[value.element])
    found = {axis.name: axis.range.extent for axis in scope.axes if axis.name in value.axes}
    nonnegative: dict[str, Value] = {
        n: body.poly(e) if body.known_nonnegative(e) else Map(INTEGER, "maximum", (constant(0), body.poly(e))) for n, e in found.items()
    }
    other = body.full(harmless, value.element, value.axes, [nonnegative[axis] for axis in value.axes], value.batch)
    return Choose(value.form, tests[0] if len(tests) == 1 else All(TRUTH, tuple(tests)), value, other)


def read_axis(body: Body, value: Along, bounds: Range, at: Index, scope: Scope) -> Value:
    """The result of an operation along an axis, read at an index."""
    dims = tuple(Open(at, bounds) if axis == value.axis else axis for axis in value.axes)
    return indexed(body, View(value, dims, value.batch, value.element, name=value.op, shown=value.op), scope)


def _base(body: Body, read: Read, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    storage = body.storage.get(array.name)
    if array.kind in (Kind.PARAMETER, Kind.BUFFER):
        owned = Owned(body.form(array), array.name)
        return taken_apart(body, array, View(owned, entries, False, array.element, name=array.python), scope, 0)
    if array.listed and array.kind is Kind.INPUT or array.name in body.lists:
        return _listed(body, array, entries, scope)
    if storage is not None and storage.elements:
        return read_elements(body, read, array, entries, storage, scope)
    local = body.local(array)
    return taken_apart(body, array, View(local, entries, array.batch, array.element, array.name, local.name), scope, 0)


def _listed(body: Body, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    """An array that is a list along axis 0."""
    form = Form(waiting(len(entries) - 1), array.batch, array.element)
    local = Local(listed(form), body.locals[array.name])
    first = entries[0]
    if isinstance(first.index, Poly) and is_fixed(body, first.index, scope):
        value = At(form, local, (body.poly(first.index - first.range.lower),))
        rest = View(value, entries[1:], array.batch, array.element, name=array.python)
        return taken_apart(body, array, rest, scope, depth_of(body, [first]))
    stack = Stack(body.form(array), local, 0)
    stacked = body.define_view(0, ("stack", array.name), f"{local.name}_all", stack)
    return taken_apart(body, array, View(stacked, entries, array.batch, array.element, name=array.python), scope, 0)
