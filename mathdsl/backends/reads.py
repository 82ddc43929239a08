"""Reads of arrays: slices, selections, lookups; inside loops, elements taken apart once before the loop."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.joins import Piece, join_box
from mathdsl.backends.partitions import Box
from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, call, const, fmt, method, name, slice_of, subscript, unparse
from mathdsl.backends.storage import Storage
from mathdsl.backends.terms import Part, Scope, Term, aligned, expanded
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Array, Axis, Element, Index, Kind, Range, Read
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE

_NOTHING = Poly(())


@dataclass(frozen=True, slots=True)
class Open:
    """A dimension that still waits for its index."""

    index: Index
    range: Range


@dataclass(frozen=True, slots=True)
class View:
    """A tensor whose trailing dimensions are axes, or still open."""

    node: ast.expr
    dims: tuple[str | Open, ...]
    batch: bool
    element: Element
    source: str | None = None  # what the tensor is, where it may be taken apart once for several reads
    name: str = ""
    part: Part | None = None

    def term(self) -> Term:
        """The tensor, once nothing is open."""
        if any(isinstance(dim, Open) for dim in self.dims):
            raise InternalError("an index of a read was not lowered")
        return Term(self.node, tuple(dim for dim in self.dims if isinstance(dim, str)), self.batch, self.element, part=self.part)


def lower_read(body: Body, read: Read, scope: Scope) -> Term:
    """The elements of an array for every point of the scope's axes."""
    array = body.arrays[read.array]
    waiting = tuple(Open(index, bounds) for index, bounds in zip(read.index, array.ranges, strict=True))
    return _indexed(body, _base(body, array, waiting, scope), scope)


def read_axis(body: Body, term: Term, axis: str, bounds: Range, at: Index, scope: Scope) -> Term:
    """A tensor with one of its axes read at an index (the result of an operation along an axis)."""
    dims = tuple(Open(at, bounds) if a == axis else a for a in term.axes)
    return _indexed(body, View(term.node, dims, term.batch, term.element), scope)


# ---- what an index entry is --------------------------------------------------------------------------


def _is_fixed(body: Body, index: Index, scope: Scope) -> bool:
    """A Python integer here: no tensor dimension, no example's own size, no data."""
    return isinstance(index, Poly) and not scope.order(index.names) and not body.ragged_in(index)


def _shifted_axis(index: Index, scope: Scope) -> tuple[Axis, Poly] | None:
    """`axis + offset` for one tensor dimension."""
    if not isinstance(index, Poly):
        return None
    dims = scope.order(index.names)
    if len(dims) != 1 or (index.terms != Poly.of(dims[0]).terms and index.coefficient(dims[0]) != Poly.of(1)):
        return None
    axis = scope.axis(dims[0])
    assert axis is not None
    return axis, _NOTHING if len(index.terms) == 1 else index - axis.name


# ---- the tensor to start from --------------------------------------------------------------------------


def _base(body: Body, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    storage = body.storage.get(array.name)
    if array.kind in (Kind.PARAMETER, Kind.BUFFER):
        node = name(body.owned(array))
        return _taken_apart(body, array, View(node, entries, False, array.element), scope, 0)
    if array.listed and array.kind is Kind.INPUT:
        return _listed(body, array, entries, scope)
    if storage is not None and storage.elements:
        return _elements(body, array, entries, storage, scope)
    local = body.locals[array.name]
    return _taken_apart(body, array, View(name(local), entries, array.batch, array.element, array.name, local), scope, 0)


def _listed(body: Body, array: Array, entries: tuple[Open, ...], scope: Scope) -> View:
    """An input that is a Python list along axis 0."""
    local = body.locals[array.name]
    first = entries[0]
    if _is_fixed(body, first.index, scope):
        assert isinstance(first.index, Poly)
        node = subscript(name(local), body.poly(first.index - first.range.lower))
        return _taken_apart(body, array, View(node, entries[1:], array.batch, array.element), scope, body.depth(first.index))
    dim = const(-len(entries))
    stacked = body.define_view(0, f"stack {array.name}", f"{local}_all", call("torch.stack", name(local), dim))
    return _taken_apart(body, array, View(name(stacked), entries, array.batch, array.element), scope, 0)


def _elements(body: Body, array: Array, entries: tuple[Open, ...], storage: Storage, scope: Scope) -> View:
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
    if all(_is_fixed(body, key, scope) for key in keys):
        polys = [body.poly(key) for key in keys if isinstance(key, Poly)]
        node = subscript(name(body.dicts[array.name, covering[0]]), *polys) if polys else name(body.locals[array.name])
        source = f"{array.name}{[str(index) for index in at]}"
        view = View(node, kept, array.batch, array.element, source, array.python)
        return _taken_apart(body, array, view, scope, depth)
    local = body.dicts[array.name, covering[0]]
    element = _own_element(body, local, keys, [entries[p].range for p in storage.keys], scope)
    if element is not None:
        return View(element, kept, True, array.element)
    selection = _selection(body, array, storage.keys, entries, scope)
    node = _stacked(body, array, local, storage.keys, entries, selection)
    return _kept_stack(body, array, View(node, selection.dims, array.batch, array.element), selection, str(covering[0]), scope)


def _own_element(body: Body, local: str, keys: Sequence[Index], ranges: Sequence[Range], scope: Scope) -> ast.expr | None:
    """`h[S]` of a dictionary: each example's own element; other keys are fixed."""
    owns = [_own_position(body, key, scope) if isinstance(key, Poly) else None for key in keys]
    found = [(place, own) for place, own in enumerate(owns) if own is not None]
    if len(found) != 1 or not all(_is_fixed(body, key, scope) for key, own in zip(keys, owns, strict=True) if own is None):
        return None
    place, (index, size, extra) = found[0]
    elements = name(local)
    if len(keys) > 1:
        variable = ast.Name(body.variable("k"), ast.Load())
        polys = [variable if i == place else body.poly(key) for i, key in enumerate(keys) if isinstance(key, Poly)]
        source = call("range", body.poly(ranges[place].lower), ast.BinOp(index, ast.Add(), const(1)))
        generator = ast.comprehension(ast.Name(variable.id, ast.Store()), source, [], 0)
        elements = ast.DictComp(variable, subscript(name(local), *polys), [generator])
    return call(body.helper("_own_element"), elements, index, body.own(size), *([const(extra)] if extra else []))


def _kept_stack(body: Body, array: Array, view: View, selection: Selection, group: str, scope: Scope) -> View:
    """Elements stacked before the loops that read them, if all of them are there."""
    if array.name not in body.complete:
        return view
    key = f"{array.name} {group} at {'; '.join(str(c) for c in selection.chosen)}"
    whole = body.define_view(0, key, body.locals[array.name], view.node, is_given=True)
    return _taken_apart(body, array, replace(view, node=name(whole), source=key, name=whole), scope, 0)


def _across(body: Body, array: Array, entries: tuple[Open, ...], positions: tuple[int, ...], scope: Scope) -> View:
    """A read that several groups answer together: their tensors joined."""
    keys = [entries[p].index for p in positions]
    is_single = all(_is_fixed(body, key, scope) for key in keys)
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
    node = join_box(array, pieces, tuple(entry for entry in full if isinstance(entry, Range)))
    if is_single:
        at = "; ".join(str(key) for key in keys)
        local = body.define_view(len(body.loops), f"{array.name} across at {at}", array.python, node)
        return View(name(local), selection.dims, array.batch, array.element)
    view = View(node, selection.dims, array.batch, array.element)
    return _kept_stack(body, array, view, selection, "all", scope)


def _is_point(chosen: Mapping[int, Poly | Range], position: int) -> bool:
    return isinstance(chosen.get(position), Poly)


_DROPPED = Open(_NOTHING, Range(_NOTHING, _NOTHING))  # a position at which a group has one point, and is read there


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
        shifted = _shifted_axis(entry.index, scope)
        if shifted is not None:
            read = Range(shifted[0].range.lower + shifted[1], shifted[0].range.upper + shifted[1])
        elif isinstance(entry.index, Poly) and not scope.order(entry.index.names):
            read = Range(entry.index, entry.index)
        else:
            read = entry.range
        if not (body.known_nonnegative(read.lower - bounds.lower) and body.known_nonnegative(bounds.upper - read.upper)):
            return False
    return True


def _own_position(body: Body, index: Poly, scope: Scope) -> tuple[ast.expr, str, int] | None:
    """`S + c` for a ragged size: the padded index, the size, c."""
    ragged = body.ragged_in(index)
    if len(ragged) != 1 or scope.order(index.names):
        return None
    extra = (index - ragged[0]).constant
    return None if extra is None else (body.poly(index), ragged[0], extra)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which elements of an array to stack: at each of its element positions one index, or a range."""

    chosen: tuple[Poly | Range, ...]
    dims: tuple[str | Open, ...]  # what the stacked tensor's dimensions are


def _selection(body: Body, array: Array, positions: tuple[int, ...], entries: tuple[Open, ...], scope: Scope) -> Selection:
    """All that a read needs; of a complete array, only what is the same for all turns of the open loops."""
    is_complete = array.name in body.complete
    chosen: list[Poly | Range] = []
    dims: list[str | Open | None] = list(entries)
    for p in positions:
        entry = entries[p]
        shifted = _shifted_axis(entry.index, scope)
        if _is_fixed(body, entry.index, scope) and isinstance(entry.index, Poly) and not (is_complete and body.depth(entry.index)):
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
    node = subscript(name(local), *key)
    ranges = {p: c if isinstance(c, Range) else None for p, c in zip(positions, selection.chosen, strict=True)}
    inside = [p for p, entry in enumerate(entries) if p not in positions and entry is not _DROPPED]
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


def _taken_apart(body: Body, array: Array, view: View, scope: Scope, depth: int) -> View:
    """Where a loop reads the tensor at its index: unbound once, before the loop, then indexed as a tuple."""
    places = [
        i
        for i, dim in enumerate(view.dims)
        if isinstance(dim, Open) and isinstance(dim.index, Poly) and _is_fixed(body, dim.index, scope) and body.depth(dim.index) > depth
    ]
    if not places:
        return view
    node, remaining = view.node, len(view.dims)
    made = _unbound(body, node, [i - remaining if view.batch else i for i in places])
    local = body.define_view(depth, f"parts {places} {view.source} {unparse(node)}", f"{array.python.replace('.', '_')}_at", made)
    node = name(local)
    for i in places:
        entry = view.dims[i]
        assert isinstance(entry, Open)
        assert isinstance(entry.index, Poly)
        node = subscript(node, body.poly(entry.index - entry.range.lower))
    return replace(view, node=node, dims=tuple(dim for i, dim in enumerate(view.dims) if i not in places))


def _unbound(body: Body, node: ast.expr, dims: Sequence[int]) -> ast.expr:
    """`node.unbind(d)`; for several dimensions, from the first inwards."""
    if len(dims) == 1:
        return method(node, "unbind", const(dims[0]))
    row = ast.Name(body.names.fresh("row"), ast.Load())
    inner = _unbound(body, row, [d if d < 0 else d - 1 for d in dims[1:]])
    generator = ast.comprehension(ast.Name(row.id, ast.Store()), method(node, "unbind", const(dims[0])), [], 0)
    return ast.ListComp(inner, [generator])


# ---- indices that remain -------------------------------------------------------------------------------


def _indexed(body: Body, view: View, scope: Scope) -> Term:
    view = _chunked(body, view, scope)
    view = _sliced(body, view, scope)
    while any(isinstance(dim, Open) for dim in view.dims):
        place = next(i for i, dim in enumerate(view.dims) if isinstance(dim, Open))
        view = _gathered(body, view, place, scope)
    return view.term()


def _chunked(body: Body, view: View, scope: Scope) -> View:
    """One of several equal parts of a dimension: the tensor is split once, so that its gradient is put together once."""
    if view.source is None:
        return view
    for place, dim in enumerate(view.dims):
        shifted = _shifted_axis(dim.index, scope) if isinstance(dim, Open) else None
        if shifted is None or not isinstance(dim, Open) or shifted[0].name in view.dims:
            continue
        axis, offset = shifted
        if axis.range == dim.range:
            continue
        extent = axis.range.extent
        count, number = _times(dim.range.extent, extent), _times(axis.range.lower + offset - dim.range.lower, extent)
        if count is None or number is None or count < 2:
            continue
        at = place - len(view.dims) if view.batch else place
        part = Part(view.node, f"{view.source} {unparse(view.node)}", count, at, number, view.name)
        dims = (*view.dims[:place], axis.name, *view.dims[place + 1 :])
        return replace(view, node=chunk(body, part), dims=dims, source=None, part=part)
    return view


def chunk(body: Body, part: Part) -> ast.expr:
    """The part, of a whole that is split once."""
    parts = method(part.whole, "chunk", const(part.count), const(part.dim))
    local = body.define_view(len(body.loops), chunk_key(part), f"{part.name}_parts", parts)
    return subscript(name(local), const(part.number))


def chunk_key(part: Part) -> str:
    """What the view of the split whole is known by."""
    return f"chunks {part.dim} {part.count} {part.source}"


def _times(value: Poly, unit: Poly) -> int | None:
    """How often the unit fits: an integer without names."""
    quotient = value.divided_by(unit) if unit.names else None
    return None if quotient is None else quotient.constant


def _sliced(body: Body, view: View, scope: Scope) -> View:
    """Fixed indices select, shifted axes slice: one subscript for all of them."""
    entries: list[ast.expr] = []
    dims: list[str | Open] = []
    seen = {dim for dim in view.dims if isinstance(dim, str)}
    for dim in view.dims:
        entry: ast.expr = EVERYTHING
        kept: str | Open | None = dim
        if isinstance(dim, Open):
            shifted = _shifted_axis(dim.index, scope)
            if _is_fixed(body, dim.index, scope):
                assert isinstance(dim.index, Poly)
                entry, kept = _position(body, dim.index, dim.range), None
            elif shifted is not None and shifted[0].name not in seen and not body.ragged_in(shifted[1]):
                axis, offset = shifted
                entry, kept = _slice(body, axis, offset, dim.range), axis.name
                seen.add(axis.name)
        entries.append(entry)
        if kept is not None:
            dims.append(kept)
    is_same = all(entry is EVERYTHING for entry in entries) and not any(isinstance(dim, Open) for dim in dims)
    part = view.part if is_same else None
    return replace(view, node=_subscripted(view.node, entries, view.batch), dims=tuple(dims), part=part)


def _subscripted(node: ast.expr, entries: list[ast.expr], batch: bool) -> ast.expr:
    """`node[..., entries]` without what says nothing."""
    if all(entry is EVERYTHING for entry in entries):
        return node
    if batch:
        while entries and entries[0] is EVERYTHING:
            entries = entries[1:]
        return subscript(node, ELLIPSIS, *entries)
    while entries and entries[-1] is EVERYTHING:
        entries = entries[:-1]
    return subscript(node, *entries)


def _position(body: Body, index: Poly, bounds: Range) -> ast.expr:
    """The storage index of a fixed element; the last one is -1, so that nothing wraps."""
    offset = index - bounds.lower
    if not body.known_nonnegative(offset) and index == bounds.upper:
        return const(-1)
    return body.poly(offset)


def _slice(body: Body, axis: Axis, offset: Poly, bounds: Range) -> ast.expr:
    """The storage positions of `axis + offset`."""
    if not offset.terms and axis.range == bounds:
        return EVERYTHING
    start = axis.range.lower + offset - bounds.lower
    short = bounds.upper - axis.range.upper - offset
    if not start.terms and not short.terms:
        return EVERYTHING
    first = None if not start.terms else body.poly(start)
    if not short.terms:
        return slice_of(first, None)
    cut = short.constant
    if cut is not None and cut > 0 and body.known_nonnegative(start):
        return slice_of(first, const(-cut))
    stop = axis.range.upper + offset - bounds.lower + 1
    last = body.poly(stop)
    return slice_of(first, last if body.known_nonnegative(stop) else call("max", const(0), last))


def _gathered(body: Body, view: View, place: int, scope: Scope) -> View:
    """One open dimension read at an index that is a tensor."""
    dim = view.dims[place]
    assert isinstance(dim, Open)
    if isinstance(dim.index, Poly):
        reverse = _reversed(body, view, place, scope)
        if reverse is not None:
            return reverse
        own = _own_position(body, dim.index, scope)
        if own is not None:
            return _own_selected(body, view, place, dim, own)
        where = expressions.lower_index(body, dim.index, scope)
        where = replace(where, node=call("torch.clamp", where.node, body.poly(dim.range.lower), body.poly(dim.range.upper)))
    else:
        where = expressions.tensor(body, expressions.lower(body, dim.index, scope))
        if scope.guards and not body.is_checked(dim.index, dim.range):
            where = replace(where, node=call("torch.clamp", where.node, body.poly(dim.range.lower), body.poly(dim.range.upper)))
    if dim.range.lower.terms:
        where = replace(where, node=fmt("{0} - {1}", where.node, body.poly(dim.range.lower)))
    others = tuple(d for i, d in enumerate(view.dims) if i != place)
    free = not set(where.axes) & {d for d in others if isinstance(d, str)} and not _shares_open(others, where, scope)
    if free and not view.batch and place == 0:
        return _lookup(body, view, where, others)
    if free and not where.batch:
        entries = [EVERYTHING] * len(view.dims)
        entries[place] = where.node
        dims = (*view.dims[:place], *where.axes, *view.dims[place + 1 :])
        return replace(view, node=_subscripted(view.node, entries, view.batch), dims=dims)
    return _along_dim(body, view, place, where, scope)


def _shares_open(others: Sequence[str | Open], where: Term, scope: Scope) -> bool:
    """Whether an open dimension will still bring in one of the axes of the index."""
    return any(isinstance(d, Open) and isinstance(d.index, Poly) and set(scope.order(d.index.names)) & set(where.axes) for d in others)


def _lookup(body: Body, view: View, where: Term, others: tuple[str | Open, ...]) -> View:
    """Rows of an unbatched table."""
    if len(view.dims) == 2 and view.element is Element.REAL:
        node = call("torch.nn.functional.embedding", where.node, view.node)
    else:
        node = subscript(view.node, where.node)
    return replace(view, node=node, dims=(*where.axes, *others), batch=where.batch)


def _reversed(body: Body, view: View, place: int, scope: Scope) -> View | None:
    """`c - axis` over a whole range: a flip, where no example has a size of its own in it."""
    dim = view.dims[place]
    assert isinstance(dim, Open)
    assert isinstance(dim.index, Poly)
    dims = scope.order(dim.index.names)
    if len(dims) != 1 or dim.index.coefficient(dims[0]) != Poly.of(-1) or body.ragged_in(dim.index) or dims[0] in view.dims:
        return None
    axis = scope.axis(dims[0])
    assert axis is not None
    least = dim.index.substitute({axis.name: axis.range.upper})
    greatest = dim.index.substitute({axis.name: axis.range.lower})
    entries = [EVERYTHING] * len(view.dims)
    entries[place] = _slice(body, Axis(axis.name, Range(least, greatest)), Poly(()), dim.range)
    node = method(_subscripted(view.node, entries, view.batch), "flip", const(place - len(view.dims)))
    return replace(view, node=node, dims=(*view.dims[:place], axis.name, *view.dims[place + 1 :]))


def _own_selected(body: Body, view: View, place: int, dim: Open, own: tuple[ast.expr, str, int]) -> View:
    """`h[S]`: one element, each example's own where lengths are given."""
    _, size, extra = own
    assert isinstance(dim.index, Poly)
    position = _position(body, dim.index, dim.range)
    offset = Poly.of(extra) - dim.range.lower
    arguments = [view.node, const(place - len(view.dims)), position, body.own(size)]
    if offset.terms:
        arguments.append(body.poly(offset))
    node = call(body.helper("_own_select"), *arguments)
    return replace(view, node=node, dims=(*view.dims[:place], *view.dims[place + 1 :]), batch=True)


def _along_dim(body: Body, view: View, place: int, where: Term, scope: Scope) -> View:
    """A batched table read at a batched index, or an index that shares axes with the table: `take_along_dim`."""
    others = [d for i, d in enumerate(view.dims) if i != place]
    named = [d for d in others if isinstance(d, str)]
    fresh = [axis for axis in where.axes if axis not in named]
    hole = fresh[0] if len(fresh) == 1 else "?"
    labels: list[str] = []
    for i, d in enumerate(view.dims):
        labels.append(hole if i == place else d if isinstance(d, str) else f"?{i}")
    lead = fresh if len(fresh) > 1 else []
    order = (*lead, *labels)
    batch = view.batch or where.batch
    table = Term(view.node, tuple(labels), view.batch, view.element)
    index = Term(where.node, where.axes, where.batch, where.element)
    extents: list[ast.expr] = [const(1)] * len(order)
    left = _full_rank(body, table, order, extents, batch)
    right = _full_rank(body, index, order, extents, batch)
    dim = labels.index(hole) - len(labels)
    node = call("torch.take_along_dim", left, right, const(dim))
    if len(fresh) != 1:
        node = method(node, "squeeze", const(dim))
    dims: list[str | Open] = list(lead)
    for i, d in enumerate(view.dims):
        if i != place:
            dims.append(d)
        elif len(fresh) == 1:
            dims.append(hole)
    return View(node, tuple(dims), batch, view.element)


def _full_rank(body: Body, term: Term, order: tuple[str, ...], extents: list[ast.expr], batch: bool) -> ast.expr:
    """The tensor with a dimension for each axis of `order` (of extent 1 where it has none), and the batch axes."""
    viewed = Term(aligned(term, order, full=True), order, term.batch, term.element)
    return expanded(body, viewed, order, extents, batch)
