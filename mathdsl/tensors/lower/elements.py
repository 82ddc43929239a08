"""Reads of arrays that are kept element by element: one element, a stack of some, or several groups joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Array, Index, Range, Read
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE
from mathdsl.tensors.lower.body import Body, listed, waiting
from mathdsl.tensors.lower.joins import Piece, join_box
from mathdsl.tensors.lower.partitions import Box
from mathdsl.tensors.lower.storage import Storage
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.lower.views import Open, View, depth_of, is_fixed, own_position, shifted_axis, taken_apart
from mathdsl.tensors.statements import NewTable
from mathdsl.tensors.values import INTEGER, At, Each, Entries, Form, Holds, Local, Map, OwnElement, OwnLast, Stack, Value

_NOTHING = Poly(())
_DROPPED = Open(_NOTHING, Range(_NOTHING, _NOTHING))  # a position at which a group has one point, and is read there


@dataclass(frozen=True, slots=True)
class Selection:
    """Which elements of an array to stack: at each of its element positions one index, or a range."""

    chosen: tuple[Poly | Range, ...]
    dims: tuple[str | Open, ...]  # what the stacked tensor's dimensions are


def read_elements(body: Body, read: Read, array: Array, entries: tuple[Open, ...], storage: Storage, scope: Scope) -> View:
    """An array that is kept element by element."""
    elements, groups = storage.elements, storage.groups
    covering = [group for group, box in enumerate(groups) if len(groups) == 1 or _covers(body, box, entries, elements, scope)]
    if not covering:
        return _across(body, read, array, entries, elements, scope)
    may_miss = body.may_be_early(read, scope, covering[0])
    asked = [entries[p] for p in elements]
    entries = _within(entries, elements, groups[covering[0]])
    keys = [entries[p].index for p in elements]
    kept = tuple(entry for p, entry in enumerate(entries) if p not in elements and entry is not _DROPPED)
    form = Form(waiting(len(kept)), array.batch, array.element)
    if all(is_fixed(body, key, scope) for key in keys):
        polys = tuple(body.poly(key) for key in keys if isinstance(key, Poly))
        value = _element(body, array, covering[0], form, polys, [entry.range for entry in kept], may_miss)
        source = (array.name, *(str(one.index) for one in asked), body.asker(may_miss))
        view = View(value, kept, array.batch, array.element, source, array.python)
        return taken_apart(body, array, view, scope, depth_of(body, asked))
    table = table_of(body, array, covering[0]) if not may_miss and (array.name, covering[0]) in body.tables else None
    element = table and _own_element(body, array, table, keys, [entries[p].range for p in elements], scope)
    if element is not None:
        return View(element, kept, True, array.element)
    selection = _selection(body, array, elements, entries, scope)
    stack = _stacked(body, array, covering[0], elements, entries, selection, may_miss)
    return _kept_stack(body, array, View(stack, selection.dims, array.batch, array.element), selection, covering[0], scope)


def table_of(body: Body, array: Array, group: int) -> Local:
    """The table of one group of an array."""
    inner = sum(isinstance(entry, Range) for entry in body.storage[array.name].groups[group])
    return Local(listed(Form(waiting(inner), array.batch, array.element), Holds.TABLE), body.tables[array.name, group])


def _element(body: Body, array: Array, group: int, form: Form, keys: tuple[Value, ...], ranges: Sequence[Range], may_miss: bool) -> Value:
    """One element of a group over ranges; where it may not be there, zeros then."""
    if (array.name, group) not in body.tables:
        return _zeros(body, array, ranges)
    return At(form, table_of(body, array, group), keys, _zeros(body, array, ranges) if may_miss else None)


def _own_element(body: Body, array: Array, table: Local, keys: Sequence[Index], ranges: Sequence[Range], scope: Scope) -> Value | None:
    """`h[S]` of a table: each example's own element; other keys are fixed."""
    owns = [own_position(body, key, scope) if isinstance(key, Poly) else None for key in keys]
    found = [(place, own) for place, own in enumerate(owns) if own is not None]
    if len(found) != 1 or not all(is_fixed(body, key, scope) for key, own in zip(keys, owns, strict=True) if own is None):
        return None
    place, (size, extra) = found[0]
    own_key = keys[place]
    assert isinstance(own_key, Poly)
    own_key = own_key.padded
    index = body.poly(own_key)
    elements: Value = table
    if len(keys) > 1:
        variable = body.variable("k")
        entries = tuple(Local(INTEGER, variable) if i == place else body.poly(key) for i, key in enumerate(keys) if isinstance(key, Poly))
        box = tuple(Range(ranges[i].lower, own_key) if i == place else key for i, key in enumerate(keys) if isinstance(key, Poly))
        is_partial = body.storage[array.name].may_miss(box, body.proves_nonnegative)
        element = At(replace(table.form, holds=Holds.TENSOR), table, entries)
        first = ranges[place].lower
        stop: Value = body.poly(own_key + 1)
        if not body.proves_nonnegative(own_key - first):  # the first is there, also where no turn follows it
            stop = Map(INTEGER, "maximum", (body.poly(first + 1), stop))
        elements = Entries(table.form, variable, body.poly(first), stop, element, is_partial)
    body.own_size(size)
    form = Form(table.axes, True, array.element)
    return OwnElement(form, elements, index, size, extra, is_common=not array.batch and body.module.batched)


def _kept_stack(body: Body, array: Array, view: View, selection: Selection, group: object, scope: Scope) -> View:
    """Elements stacked before the loops that read them, if all of them are there."""
    if array.name not in body.complete:
        return view
    key = (array.name, group, selection.chosen)
    whole = body.define_view(0, key, body.locals[array.name], view.value, is_given=True)
    return taken_apart(body, array, replace(view, value=whole, source=key, name=whole.name), scope, 0)


def _across(body: Body, read: Read, array: Array, entries: tuple[Open, ...], positions: tuple[int, ...], scope: Scope) -> View:
    """A read that several groups answer together: their tensors joined."""
    keys = [entries[p].index for p in positions]
    is_single = all(is_fixed(body, key, scope) for key in keys)
    missing = [body.may_be_early(read, scope, group, is_one_of_many=True) for group in range(len(body.storage[array.name].groups))]
    last = _last(body, array, entries, positions, scope) if is_single and not any(missing) else None
    if last is not None:
        return last
    if is_single:
        rest_entries = tuple(entry for p, entry in enumerate(entries) if p not in positions)
        selection = Selection(tuple(key for key in keys if isinstance(key, Poly)), rest_entries)
    else:
        selection = _selection(body, array, positions, entries, scope)
    chosen = dict(zip(positions, selection.chosen, strict=True))
    pieces: list[Piece] = []
    for group, box in enumerate(body.storage[array.name].groups):
        inner = _within(entries, positions, box)
        stack = _stacked(body, array, group, positions, inner, selection, missing[group])
        rest = iter(box)
        whole = [chosen.get(p) if p in positions else next(rest) for p in range(len(entries))]
        pieces.append(
            Piece(tuple(entry for p, entry in enumerate(whole) if entry is not None and not _is_point(chosen, p)), stack, NOWHERE)
        )
    full = [chosen.get(p, array.ranges[p]) for p in range(len(entries))]
    joined = join_box(body, array, pieces, tuple(entry for entry in full if isinstance(entry, Range)))
    if is_single:
        key = (array.name, "across", tuple(keys), body.asker(any(missing)))
        local = body.define_view(len(body.loops), key, body.locals[array.name], joined, is_given=True)
        return View(local, selection.dims, array.batch, array.element)
    view = View(joined, selection.dims, array.batch, array.element)
    return _kept_stack(body, array, view, selection, "all", scope)


def _last(body: Body, array: Array, entries: tuple[Open, ...], positions: tuple[int, ...], scope: Scope) -> View | None:
    """`h[S]` where one group has the element 0 and another one all that follow: none is copied to take one of them."""
    groups = body.storage[array.name].groups
    places = [p for p in range(len(entries)) if p not in positions]
    differing = [i for i in range(len(places)) if len({box[i] for box in groups}) > 1]
    if len(groups) != 2 or len(differing) != 1:
        return None
    entry = entries[places[differing[0]]]
    first, rest = sorted(range(2), key=lambda group: isinstance(groups[group][differing[0]], Range))
    own = own_position(body, entry.index, scope) if isinstance(entry.index, Poly) else None
    ends = groups[first][differing[0]], groups[rest][differing[0]]
    if own is None or own[1] or Poly.of(own[0]) != entry.range.upper or ends != (_NOTHING, Range(Poly.of(1), entry.range.upper)):
        return None
    keys = tuple(body.poly(index) for index in (entries[p].index for p in positions) if isinstance(index, Poly))
    tables = [table_of(body, array, group) for group in (first, rest)]
    elements = [At(replace(table.form, holds=Holds.TENSOR), table, keys) for table in tables]
    kept = _within(entries, positions, groups[rest])
    dims = tuple(kept[p] for p in places if p != places[differing[0]] and kept[p] is not _DROPPED)
    before = sum(kept[p] is not _DROPPED for p in places[: differing[0]])
    body.own_size(own[0])
    form = Form(waiting(len(dims)), True, array.element)
    return View(OwnLast(form, elements[0], elements[1], before, own[0]), dims, True, array.element)


def _is_point(chosen: Mapping[int, Poly | Range], position: int) -> bool:
    return isinstance(chosen.get(position), Poly)


def _within(entries: tuple[Open, ...], positions: tuple[int, ...], box: Box) -> tuple[Open, ...]:
    """The entries against the ranges of a group."""
    rest = iter(box)
    found: list[Open] = []
    for p, entry in enumerate(entries):
        own = None if p in positions else next(rest)
        found.append(entry if own is None else _DROPPED if isinstance(own, Poly) else Open(entry.index, own))
    return tuple(found)


def _covers(body: Body, box: Box, entries: tuple[Open, ...], positions: tuple[int, ...], scope: Scope) -> bool:
    """Whether a group holds all that is read, provably."""
    others = [entry for p, entry in enumerate(entries) if p not in positions]
    for own, entry in zip(box, others, strict=True):
        bounds = Range(own, own) if isinstance(own, Poly) else own
        shifted = shifted_axis(entry.index, scope)
        if shifted is not None:
            read = Range(shifted[0].range.lower + shifted[1], shifted[0].range.upper + shifted[1])
        elif isinstance(entry.index, Poly) and not scope.order(entry.index.names):
            read = Range(entry.index, entry.index)
        else:
            read = entry.range
        if not (body.known_nonnegative(read.lower - bounds.lower) and body.known_nonnegative(bounds.upper - read.upper)):
            return False
    return True


def _selection(body: Body, array: Array, positions: tuple[int, ...], entries: tuple[Open, ...], scope: Scope) -> Selection:
    """All that a read needs; of a complete array, only what is the same for all turns of the open loops."""
    is_complete = array.name in body.complete
    chosen: list[Poly | Range] = []
    dims: list[str | Open | None] = list(entries)
    for p in positions:
        entry = entries[p]
        shifted = shifted_axis(entry.index, scope)
        if is_fixed(body, entry.index, scope) and isinstance(entry.index, Poly) and not (is_complete and body.depth(entry.index)):
            chosen.append(entry.index)
            dims[p] = None
            continue
        if shifted is not None and not body.ragged_in(shifted[1]) and shifted[0].name not in dims:
            bounds = Range(shifted[0].range.lower + shifted[1], shifted[0].range.upper + shifted[1])
            if not (is_complete and body.depth(bounds.lower + bounds.upper)):
                chosen.append(bounds)
                dims[p] = shifted[0].name
                continue
        chosen.append(entry.range)
    return Selection(tuple(chosen), tuple(dim for dim in dims if dim is not None and dim is not _DROPPED))


def _stacked(
    body: Body, array: Array, group: int, positions: tuple[int, ...], entries: tuple[Open, ...], selection: Selection, may_miss: bool
) -> Value:
    """The selected elements of a group as one tensor."""
    letters = [body.variable("k" * (i + 1)) for i in range(len(positions))]
    keys = tuple(body.poly(c) if isinstance(c, Poly) else Local(INTEGER, v) for c, v in zip(selection.chosen, letters, strict=True))
    ranges = {p: c if isinstance(c, Range) else None for p, c in zip(positions, selection.chosen, strict=True)}
    inside = [p for p, entry in enumerate(entries) if p not in positions and entry is not _DROPPED]
    form = Form(waiting(len(inside)), array.batch, array.element)
    has_gaps = any(ranges.values()) and body.storage[array.name].may_miss(selection.chosen, body.proves_nonnegative)
    value = _element(body, array, group, form, keys, [entries[q].range for q in inside], may_miss or has_gaps)
    for p, variable in reversed(list(zip(positions, letters, strict=True))):
        bounds = ranges[p]
        if bounds is None:
            continue
        items = Each(listed(form), variable, variable, body.poly(bounds.lower), body.poly(bounds.upper + 1), value)
        place = len(inside) - sum(q > p for q in inside)
        form = replace(form, axes=waiting(len(inside) + 1))
        is_sure = body.known_positive(bounds.extent)
        extents = [ranges.get(q) or entries[q].range for q in sorted(inside)]
        empty = None if is_sure else isinstance(value, At) and _first_element(body, array, group) or _zeros(body, array, extents)
        value = Stack(form, items, place, empty)
        inside.append(p)
    return value


def _first_element(body: Body, array: Array, group: int) -> Value | None:
    """The element that a group's table is made with, of those that are made outside of loops."""
    table = table_of(body, array, group)
    made = (one for one in body.block if isinstance(one, NewTable) and one.table.name == table.name and one.first is not None)
    found = next(made, None)
    return None if found is None or found.first is None else At(replace(table.form, holds=Holds.TENSOR), table, found.first[0])


def _zeros(body: Body, array: Array, ranges: Sequence[Range]) -> Value:
    """An element where there is none."""
    return body.full(constant(0), array.element, waiting(len(ranges)), [body.count(bounds) for bounds in ranges], array.batch)
