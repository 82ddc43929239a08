"""Reads of arrays that are kept element by element: one element, a stack of some, or several groups joined."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mathdsl.backends.body import Body
from mathdsl.backends.joins import Piece, join_box
from mathdsl.backends.partitions import Box
from mathdsl.backends.python_ast import call, const, method, name, subscript, tuple_of
from mathdsl.backends.storage import Storage
from mathdsl.backends.terms import Scope
from mathdsl.backends.views import Open, View, is_fixed, own_position, shifted_axis, taken_apart
from mathdsl.ir.nodes import Array, Index, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE

_NOTHING = Poly(())
_DROPPED = Open(_NOTHING, Range(_NOTHING, _NOTHING))  # a position at which a group has one point, and is read there


@dataclass(frozen=True, slots=True)
class Selection:
    """Which elements of an array to stack: at each of its element positions one index, or a range."""

    chosen: tuple[Poly | Range, ...]
    dims: tuple[str | Open, ...]  # what the stacked tensor's dimensions are


def read_elements(body: Body, array: Array, entries: tuple[Open, ...], storage: Storage, scope: Scope) -> View:
    """An array that is kept element by element."""
    elements, groups = storage.elements, storage.groups
    covering = [group for group, box in enumerate(groups) if len(groups) == 1 or _covers(body, box, entries, elements, scope)]
    if not covering:
        return _across(body, array, entries, elements, scope)
    at = [entries[p].index for p in elements]
    depth = max((body.depth(index) for index in at if isinstance(index, Poly)), default=0)
    entries = _within(entries, elements, groups[covering[0]])
    entries = tuple(_DROPPED if p in elements and p not in storage.keys else entry for p, entry in enumerate(entries))
    keys = [entries[p].index for p in storage.keys]
    kept = tuple(entry for p, entry in enumerate(entries) if p not in elements and entry is not _DROPPED)
    if all(is_fixed(body, key, scope) for key in keys):
        polys = [body.poly(key) for key in keys if isinstance(key, Poly)]
        node = subscript(name(body.dicts[array.name, covering[0]]), *polys) if polys else name(body.locals[array.name])
        source = f"{array.name}{[str(index) for index in at]}"
        view = View(node, kept, array.batch, array.element, source, array.python)
        return taken_apart(body, array, view, scope, depth)
    local = body.dicts[array.name, covering[0]]
    element = _own_element(body, array, local, keys, [entries[p].range for p in storage.keys], scope)
    if element is not None:
        return View(element, kept, True, array.element)
    selection = _selection(body, array, storage.keys, entries, scope)
    node = _stacked(body, array, local, storage.keys, entries, selection)
    return _kept_stack(body, array, View(node, selection.dims, array.batch, array.element), selection, str(covering[0]), scope)


def _own_element(body: Body, array: Array, local: str, keys: Sequence[Index], ranges: Sequence[Range], scope: Scope) -> ast.expr | None:
    """`h[S]` of a dictionary: each example's own element; other keys are fixed."""
    owns = [own_position(body, key, scope) if isinstance(key, Poly) else None for key in keys]
    found = [(place, own) for place, own in enumerate(owns) if own is not None]
    if len(found) != 1 or not all(is_fixed(body, key, scope) for key, own in zip(keys, owns, strict=True) if own is None):
        return None
    place, (index, size, extra) = found[0]
    elements = name(local)
    if len(keys) > 1:
        variable = ast.Name(body.variable("k"), ast.Load())
        polys = [variable if i == place else body.poly(key) for i, key in enumerate(keys) if isinstance(key, Poly)]
        source = call("range", body.poly(ranges[place].lower), ast.BinOp(index, ast.Add(), const(1)))
        box = tuple(Range(ranges[i].lower, key) if i == place else key for i, key in enumerate(keys) if isinstance(key, Poly))
        there = (
            [ast.Compare(tuple_of(polys), [ast.In()], [name(local)])]
            if body.storage[array.name].may_miss(box, body.proves_nonnegative)
            else []
        )
        generator = ast.comprehension(ast.Name(variable.id, ast.Store()), source, list[ast.expr](there), 0)
        elements = ast.DictComp(variable, subscript(name(local), *polys), [generator])
    shift = [const(extra)] if extra else []
    batch = None if array.batch else body.batch()
    if batch is not None:
        return call(body.helper("_common_element"), elements, index, body.own(size), batch, *shift)
    return call(body.helper("_own_element"), elements, index, body.own(size), *shift)


def _kept_stack(body: Body, array: Array, view: View, selection: Selection, group: str, scope: Scope) -> View:
    """Elements stacked before the loops that read them, if all of them are there."""
    if array.name not in body.complete:
        return view
    key = f"{array.name} {group} at {'; '.join(str(c) for c in selection.chosen)}"
    whole = body.define_view(0, key, body.locals[array.name], view.node, is_given=True)
    return taken_apart(body, array, replace(view, node=name(whole), source=key, name=whole), scope, 0)


def _across(body: Body, array: Array, entries: tuple[Open, ...], positions: tuple[int, ...], scope: Scope) -> View:
    """A read that several groups answer together: their tensors joined."""
    keys = [entries[p].index for p in positions]
    is_single = all(is_fixed(body, key, scope) for key in keys)
    last = _last(body, array, entries, positions, scope) if is_single else None
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
        node = _stacked(body, array, body.dicts[array.name, group], positions, inner, selection)
        rest = iter(box)
        whole = [chosen.get(p) if p in positions else next(rest) for p in range(len(entries))]
        pieces.append(Piece(tuple(entry for p, entry in enumerate(whole) if entry is not None and not _is_point(chosen, p)), node, NOWHERE))
    full = [chosen.get(p, array.ranges[p]) for p in range(len(entries))]
    node = join_box(body, array, pieces, tuple(entry for entry in full if isinstance(entry, Range)))
    if is_single:
        at = "; ".join(str(key) for key in keys)
        local = body.define_view(len(body.loops), f"{array.name} across at {at}", body.locals[array.name], node, is_given=True)
        return View(name(local), selection.dims, array.batch, array.element)
    view = View(node, selection.dims, array.batch, array.element)
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
    if own is None or own[2] or entry.index != entry.range.upper or ends != (_NOTHING, Range(Poly.of(1), entry.range.upper)):
        return None
    keys = [body.poly(index) for index in (entries[p].index for p in positions) if isinstance(index, Poly)]
    elements = [subscript(name(body.dicts[array.name, group]), *keys) for group in (first, rest)]
    dim = const(differing[0] - len(places))
    kept = _within(entries, positions, groups[rest])
    dims = tuple(kept[p] for p in places if p != places[differing[0]])
    return View(call(body.helper("_own_last"), *elements, dim, body.own(own[1])), dims, True, array.element)


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


def _stacked(body: Body, array: Array, local: str, positions: tuple[int, ...], entries: tuple[Open, ...], selection: Selection) -> ast.expr:
    """The selected elements of a dictionary as one tensor."""
    letters = [body.variable("k" * (i + 1)) for i in range(len(positions))]
    key = [body.poly(c) if isinstance(c, Poly) else name(v) for c, v in zip(selection.chosen, letters, strict=True)]
    ranges = {p: c if isinstance(c, Range) else None for p, c in zip(positions, selection.chosen, strict=True)}
    inside = [p for p, entry in enumerate(entries) if p not in positions and entry is not _DROPPED]
    node: ast.expr = subscript(name(local), *key)
    is_looked_up = any(not isinstance(entries[p].index, Poly) for p in positions)  # at data: an element that is not there is a mistake
    if any(ranges.values()) and not is_looked_up and body.storage[array.name].may_miss(selection.chosen, body.proves_nonnegative):
        none = body.full(const(0), array.element, [body.extent(entries[q].range) for q in inside], batched=array.batch)
        node = method(name(local), "get", tuple_of(key), none)
    for p, variable in reversed(list(zip(positions, letters, strict=True))):
        bounds = ranges[p]
        if bounds is None:
            continue
        source = call("range", body.poly(bounds.lower), body.poly(bounds.upper + 1))
        items = ast.ListComp(node, [ast.comprehension(ast.Name(variable, ast.Store()), source, [], 0)])
        dim = const(-sum(q > p for q in inside) - 1)
        if body.known_positive(bounds.extent):
            node = call("torch.stack", items, dim)
        else:
            extents = [body.extent(ranges.get(q) or entries[q].range) for q in sorted(inside)]
            empty = body.full(const(0), array.element, extents, batched=array.batch)
            node = call(body.helper("_stack"), items, dim, ast.Lambda(_no_arguments(), empty))
        inside.append(p)
    return node


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])
