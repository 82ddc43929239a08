"""Where values go: whole arrays, arrays by pieces, elements of tables; the author's equations above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import Array, Axis, CallTarget, Equation, Kind, Origin, Range, Read
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.lower.aliases import find_aliases
from mathdsl.tensors.lower.body import Body, listed
from mathdsl.tensors.lower.elements import table_of
from mathdsl.tensors.lower.joins import Piece, join_pieces
from mathdsl.tensors.lower.operands import lower_whole
from mathdsl.tensors.lower.partitions import Box
from mathdsl.tensors.lower.storage import Storage, array_axes, equation_box, group_point, group_ranges
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.statements import Comment, ForEach, Let, NewTable, Shape, Store, StoreAll
from mathdsl.tensors.values import At, Cut, Entry, Holds, Local, Pick, Slice, Unbind, Value

_DEFINITION = r"\gets"  # in every equation


@dataclass(slots=True)
class Stores:
    """Writes what steps compute into the arrays of a body."""

    body: Body
    aliases: Mapping[str, Equation]
    pending: dict[str, list[Equation | Piece]] = field(default_factory=dict)

    @staticmethod
    def of(body: Body) -> Stores:
        """A writer that has written nothing; an array that is computed under a second name has that name alone."""
        aliases = find_aliases(body.module)
        for array, step in reversed(list(aliases.items())):
            body.locals[array] = body.locals[step.target]
        return Stores(body, aliases)

    # ---- whole arrays ------------------------------------------------------------------------------

    def piece(self, array: Array, piece: Equation | Piece) -> None:
        """A part of an array that is kept as one tensor; with the last part, the array."""
        waiting = self.pending.setdefault(array.name, [])
        waiting.append(piece)
        if len(waiting) == self.body.storage[array.name].definitions:
            pieces = [part if isinstance(part, Piece) else self._lowered(part) for part in waiting]
            origins = [origin for part in waiting if isinstance(part, Equation) for origin in self.origins(part)]
            alias = self.aliases.get(array.name)
            while alias is not None:
                origins.append(alias.origin)
                alias = self.aliases.get(alias.target)
            self.assign(array, join_pieces(self.body, array, pieces), origins)

    def _lowered(self, step: Equation) -> Piece:
        axes = array_axes(step)
        batched = self.body.arrays[step.target].batch
        value = lower_whole(self.body, step.value, [axis.name for axis in axes], Scope(axes), batched)
        return Piece(equation_box(step), value, step.origin.span)

    def origins(self, step: Equation) -> list[Origin]:
        """The equation to write above a step: none above an element that is a given symbol (`h_0`), which nobody defined."""
        value = step.value
        is_given = isinstance(value, Read) and self.body.arrays[value.array].kind is not Kind.VALUE
        return [] if is_given and _DEFINITION not in step.origin.latex and not step.origin.comment else [step.origin]

    def assign(self, array: Array, value: Value, origins: Sequence[Origin]) -> None:
        """A whole array under its equations."""
        body = self.body
        self.comment(origins)
        body.made[value] = body.locals[array.name]
        body.write(Let(Local(value.form, body.locals[array.name]), value, Shape(array.ranges, array.batch)))

    def comment(self, origins: Sequence[Origin]) -> None:
        """The author's equations above a statement."""
        if origins:
            self.body.write(Comment(tuple(dict.fromkeys(origins))))

    # ---- elements ----------------------------------------------------------------------------------

    def store(self, array: Array, index: Sequence[Poly], box: Box, value: Value, scope: Scope, origins: Sequence[Origin]) -> None:
        """Put a tensor, whose axes are those of `index` in order, into the tables of the array's groups."""
        body = self.body
        self.comment(origins)
        group = self.group_of(array, box)
        if group is not None:
            self._store(array, index, group, value, scope)
            return
        whole = Local(value.form, body.names.fresh(f"{array.python}_new"))
        body.write(Let(whole, value))
        storage = body.storage[array.name]
        for group in storage.covered(box):
            self._store(array, index, group, _part(body, index, box, storage, group, whole, scope), scope)

    def element_target(self, target: CallTarget, box: Box) -> tuple[At, Shape] | None:
        """Where a call puts one element at once, and its shape."""
        body = self.body
        array, storage = body.arrays[target.array], body.storage[target.array]
        group = self.group_of(array, box) if storage.elements else None
        if group is None or any(isinstance(target.index[p], Range) for p in storage.elements):
            return None
        self.new_table(array, group)
        keys = tuple(body.poly(key) for key in (target.index[p] for p in storage.elements) if isinstance(key, Poly))
        table = table_of(body, array, group)
        return At(replace(table.form, holds=Holds.TENSOR), table, keys), self._note(array, group)

    def _note(self, array: Array, group: int) -> Shape:
        return Shape(tuple(group_ranges(self.body.storage[array.name], group)), array.batch)

    def _store(self, array: Array, index: Sequence[Poly], group: int, value: Value, scope: Scope) -> None:
        storage = self.body.storage[array.name]
        spread = [p for p in storage.elements if scope.order(index[p].names)]
        if spread:
            self._spread(array, index, group, value, spread, scope)
        else:
            self.set_element(array, group, [self.body.poly(index[p]) for p in storage.elements], value)

    def set_element(self, array: Array, group: int, keys: Sequence[Value], value: Value) -> None:
        """One element."""
        body = self.body
        note = self._note(array, group)
        if (array.name, group) in body.tables:
            table = table_of(body, array, group)
            body.write(Store(At(replace(table.form, holds=Holds.TENSOR), table, tuple(keys)), value, note))
        else:
            self.new_table(array, group, first=(tuple(keys), value), note=note)

    def _spread(self, array: Array, index: Sequence[Poly], group: int, value: Value, spread: list[int], scope: Scope) -> None:
        """A tensor that covers several elements: taken apart into them."""
        body = self.body
        keys = body.storage[array.name].elements
        axis = scope.axis(scope.order(index[spread[0]].names)[0])
        assert axis is not None
        rest = tuple(a for a in value.axes if a != axis.name)
        form = replace(value.form, axes=rest)
        parts = Unbind(listed(form), value, (value.axes.index(axis.name),), ())
        if len(keys) == 1:
            self.update(array, group, parts, body.poly(axis.range.lower))
            return
        within = Scope(tuple(a for a in scope.axes if a.name != axis.name))

        def put(item: Value) -> None:
            if len(spread) > 1:
                self._spread(array, index, group, item, spread[1:], within)
            else:
                self.set_element(array, group, [body.poly(index[p]) for p in keys], item)

        self.for_each(array, group, parts, axis, put)

    def for_each(self, array: Array, group: int, items: Value, axis: Axis, put: Callable[[Value], None]) -> None:
        """Each element of a list into the array's table, under the keys that an axis counts through."""
        body = self.body
        self.new_table(array, group)
        item = body.variable(f"{array.python}_{index_letter(axis.name)}")
        start = body.poly(axis.range.lower)
        with body.loop(axis) as opened:
            put(Local(replace(items.form, holds=Holds.TENSOR), item))
            block = body.block
        body.write(ForEach(axis.name, opened.variable, item, items, start, tuple(block)))

    def update(self, array: Array, group: int, items: Value, start: Value) -> None:
        """Several elements at once, from a list and the index of its first element."""
        if (array.name, group) in self.body.tables:
            self.body.write(StoreAll(table_of(self.body, array, group), items, start))
        else:
            self.new_table(array, group, items=(items, start))

    def group_of(self, array: Array, box: Box) -> int | None:
        """The group that is all of a box; None where it covers several."""
        storage = self.body.storage[array.name]
        own = tuple(entry for p, entry in enumerate(box) if p not in storage.elements)
        return storage.groups.index(own) if own in storage.groups else None

    def new_table(
        self,
        array: Array,
        group: int,
        first: tuple[tuple[Value, ...], Value] | None = None,
        items: tuple[Value, Value] | None = None,
        note: Shape | None = None,
    ) -> None:
        """A table of an array, made with its first elements or before them."""
        body = self.body
        if (array.name, group) in body.tables:
            return
        body.tables[array.name, group] = body.names.fresh(f"{array.python}{group_point(body.storage[array.name], group)}_at")
        body.write(NewTable(table_of(body, array, group), len(body.storage[array.name].elements), first, items, note))


def _part(body: Body, index: Sequence[Poly], box: Box, storage: Storage, group: int, whole: Local, scope: Scope) -> Value:
    """The part of a definition that lies in one group."""
    own = iter(storage.groups[group])
    entries: dict[str, Entry] = {}
    axes = list(whole.axes)
    for p, entry in enumerate(box):
        part = None if p in storage.elements else next(own)
        if part is None or part == entry or isinstance(entry, Poly):
            continue
        axis = scope.order(index[p].names)[0]
        if isinstance(part, Poly):
            entries[axis] = Pick(body.poly(part - entry.lower))
            axes.remove(axis)
        else:
            start, stop = part.lower - entry.lower, part.upper - entry.lower + 1
            last = None if part.upper == entry.upper else body.poly(stop)
            entries[axis] = Cut(body.poly(start) if start.terms else None, last)
    return Slice(replace(whole.form, axes=tuple(axes)), whole, tuple(entries.get(axis) for axis in whole.axes))
