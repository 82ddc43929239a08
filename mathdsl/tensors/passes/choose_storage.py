r"""Tables keep no more steps than are read: all of them, those of one turn of a loop, the last one, or the last few.

Before → after::

    for t: f_at[t] = sigmoid(…); h_at[t] = f_at[t] * …      →      for t: f = sigmoid(…); h_at[t] = f * …
    s_at[0] = u; for k: s_at[k] = g * s_at[k - 1]; s_at[D]   →      s = u; for k: s = g * s; s
    f_at[0] = u; f_at[1] = v;                                →      f_before = u; f = v
    for k: f_at[k] = f_at[k - 1] + f_at[k - 2]                      for k: f_before_2 = f_before; f_before = f; f = f_before + f_before_2

In the first form every read is in the turn that defines the element, which needs no key. In the second, every read is of the element
that was assigned last: at the loop's index after the definition, one turn back before it, and the last one after the loop. In the
third, of those of the last few turns, which move on when a turn begins. A table without keys is a local, or one for each turn.
A table declines that is read as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import (
    Between,
    Declare,
    ForEach,
    IfMissing,
    Let,
    Loop,
    NewTable,
    Receive,
    Statement,
    Store,
    StoreAll,
    TensorProgram,
)
from mathdsl.tensors.traversal import children, values_of, with_values
from mathdsl.tensors.values import INTEGER, At, Form, Holds, Integer, Local, Submodule, Value

_LONGEST_WINDOW = 4  # turns; more are a table


def choose_storage(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with tables of the elements that are needed together, and locals for those of which one is."""
    accesses = _Accesses(program)
    count = Counter(array for array, _ in program.tables)
    locals_ = dict(program.arrays)
    chosen: dict[str, _Kept] = {}
    for array, table in program.tables:
        found = accesses.of_table.get(table, [])
        if table not in accesses.whole and any(access.is_definition for access in found):
            kept, window = _kept_keys(found)
            if len(kept) < len(found[0].keys):
                local = locals_[array] if count[array] == 1 or kept else names.fresh(f"{locals_[array]}_part")
                older = () if window is None else tuple(names.fresh(f"{local}_before") for _ in range(window.length))
                chosen[table] = _Kept(kept, (local, *older), window)
    taken = {name for pair in (*program.arrays, *program.tables) for name in pair}
    freed = {f"{table}_2": table for table, kept in chosen.items() if not kept.keys and f"{table}_2" not in taken}
    rewriting = _Rewriting(chosen, freed)
    tables = tuple((array, table) for array, table in program.tables if table not in chosen or chosen[table].keys)
    return replace(program, tables=tables, statements=rewriting.block(program.statements))


# ---- where tables are defined and read -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands: the numbers of the statements around it, outermost first, and the loops among them."""

    path: tuple[int, ...] = ()
    loops: tuple[tuple[tuple[int, ...], Loop], ...] = ()
    is_guarded: bool = False


@dataclass(frozen=True, slots=True)
class _Access:
    """A definition or a read of an element."""

    place: _Place
    keys: tuple[Value, ...]
    is_definition: bool

    def key(self, position: int) -> Poly | None:
        """A key as a number."""
        key = self.keys[position]
        return key.value if isinstance(key, Integer) else None

    def loop(self, position: int) -> tuple[int, ...] | None:
        """The path of the enclosing loop whose index alone is the key."""
        key = self.key(position)
        return next((path for path, loop in self.place.loops if key == Poly.of(loop.axis)), None)


class _Accesses:
    """All accesses of a program by their tables, and the tables that are read as a whole."""

    def __init__(self, program: TensorProgram) -> None:
        self._tables = {table for _, table in program.tables}
        self.of_table: dict[str, list[_Access]] = {}
        self.whole: set[str] = set()
        self._block(program.statements, _Place())

    def _block(self, statements: Sequence[Statement], around: _Place) -> None:
        for number, statement in enumerate(statements):
            place = replace(around, path=(*around.path, number))
            match statement:
                case Store(element=At(of=Local(name=table), keys=keys), value=value):
                    self._read(value, place)
                    self._add(table, keys, place, is_definition=True)
                    continue
                case NewTable(table=table, first=(keys, _)):
                    self._add(table.name, keys, place, is_definition=True)
                case NewTable(table=table, items=(_, _)) | StoreAll(table=table):
                    self.whole.add(table.name)
                case Receive(targets=targets):
                    for target in targets:
                        if isinstance(target, At) and isinstance(target.of, Local):
                            self._add(target.of.name, target.keys, place, is_definition=True)
                case Loop(body=body):
                    self._block(body, replace(place, loops=(*place.loops, (place.path, statement))))
                case ForEach(body=body):
                    self._block(body, place)
                case Between(body=body):
                    self._block(body, replace(place, is_guarded=True))
                case IfMissing(then=then, otherwise=otherwise):
                    self._block((*then, *otherwise), place)
                case _:
                    pass
            for value in values_of(statement):
                self._read(value, place)

    def _read(self, value: Value, place: _Place) -> None:
        match value:
            case At(of=Local(name=table), keys=keys, default=None) if table in self._tables:
                self._add(table, keys, place, is_definition=False)
            case Local(name=table) if table in self._tables:
                self.whole.add(table)
            case _:
                for child in children(value):
                    self._read(child, place)

    def _add(self, table: str, keys: tuple[Value, ...], place: _Place, is_definition: bool) -> None:
        self.of_table.setdefault(table, []).append(_Access(place, keys, is_definition))


# ---- which keys are needed -----------------------------------------------------------------------


def _kept_keys(accesses: Sequence[_Access]) -> tuple[tuple[int, ...], _Window | None]:
    """The positions of the keys that a table needs; none: a local does, or those of a window."""
    positions = range(len(accesses[0].keys))
    kept = tuple(p for p in positions if not _lives_one_turn(accesses, p))
    carried = _carried(accesses, kept[0], [p for p in positions if p not in kept]) if len(kept) == 1 else None
    if carried is None:
        return kept, None
    reads = [access for access in accesses if not access.is_definition]
    if all(map(carried.finds_latest, reads)):
        return (), None
    window = carried.window(reads)
    return (kept, None) if window is None else ((), window)


def _lives_one_turn(accesses: Sequence[_Access], position: int) -> bool:
    """All definitions and reads stand in one loop, at its index."""
    loops = {access.loop(position) for access in accesses}
    return len(loops) == 1 and None not in loops


def _carried(accesses: Sequence[_Access], position: int, dropped: Sequence[int]) -> _Carried | None:
    """One loop assigns, after base cases at fixed indices; None of what is defined otherwise."""
    definitions = [access for access in accesses if access.is_definition]
    steps = [definition for definition in definitions if definition.loop(position) is not None]
    if len(steps) != 1 or steps[0].place.is_guarded:
        return None
    around = steps[0].loop(position)
    assert around is not None
    bases: list[tuple[tuple[int, ...], Poly]] = []
    for base in definitions:
        key = base.key(position)
        if base is steps[0]:
            continue
        if not _is_before(base.place, around) or key is None or any(base.loop(p) is None for p in dropped):
            return None
        bases.append((base.place.path, key))
    loop = next(loop for path, loop in steps[0].place.loops if path == around)
    return _Carried(position, loop, around, steps[0].place.path, tuple(bases))


def _is_before(place: _Place, around: tuple[int, ...]) -> bool:
    """Whether a definition stands before the loop, in the same block, in every case."""
    return not place.is_guarded and place.path[:-1] == around[:-1] and place.path[-1] < around[-1]


@dataclass(frozen=True, slots=True)
class _Carried:
    """A table whose element at one position a loop assigns, after base cases in the order in which they stand."""

    position: int
    loop: Loop
    around: tuple[int, ...]
    defined: tuple[int, ...]
    bases: tuple[tuple[tuple[int, ...], Poly], ...]

    @property
    def turn(self) -> int:
        """What the index grows by from turn to turn."""
        return -1 if self.loop.is_descending else 1

    @property
    def first(self) -> Poly:
        """The index before that of the first turn."""
        return _number(self.loop.start) - self.turn

    @property
    def last(self) -> Poly:
        """The index of the last turn."""
        return _number(self.loop.stop) - self.turn

    def finds_latest(self, read: _Access) -> bool:
        """Whether the read's element is the one that was assigned last before it."""
        key, path = read.key(self.position), read.place.path
        if key is None:
            return False
        here, depth = Poly.of(self.loop.axis), len(self.around)
        if path[:depth] == self.around:
            if key == here:
                return path > self.defined
            return key == here - self.turn and path <= self.defined and bool(self.bases) and self.bases[-1][1] == self.first
        if path[: depth - 1] != self.around[:-1]:
            return False
        if path[depth - 1] > self.around[-1]:
            return key == self.last and (not self.bases or self.bases[-1][1] == self.first)
        earlier = [entry for base, entry in self.bases if base < path]
        return bool(earlier) and key == earlier[-1]

    def window(self, reads: Sequence[_Access]) -> _Window | None:
        """The last few turns, if all reads are of these and the base cases are what is before the first turn."""
        starts = {key: self._age(key, self.first) for _, key in self.bases}
        length = len(starts)
        if not 1 <= length <= _LONGEST_WINDOW or set(starts.values()) != {*range(length)} or len(self.bases) != length:
            return None
        depth, here = len(self.around), Poly.of(self.loop.axis)
        ages: dict[Poly, int | None] = {**starts, here: 0}
        for read in reads:
            key, path = read.key(self.position), read.place.path
            if key is None:
                return None
            if path[:depth] == self.around:
                age = self._age(key, here)
                if age is None or age > length or age == 0 and path <= self.defined:
                    return None
            elif path[: depth - 1] != self.around[:-1]:
                return None
            elif path[depth - 1] > self.around[-1]:
                age = self._age(key, self.last)
                if age is None or age >= length:
                    return None
            elif all(base >= path or entry != key for base, entry in self.bases):
                return None
            else:
                age = starts[key]
            if ages.setdefault(key, age) != age:
                return None
        return _Window(self.position, self.loop, length, tuple((key, age) for key, age in ages.items() if age is not None))

    def _age(self, key: Poly, latest: Poly) -> int | None:
        """How many turns before that of the latest index; None where that is no number."""
        steps = ((latest - key) * self.turn).constant
        return int(steps) if steps is not None and steps >= 0 else None


@dataclass(frozen=True, slots=True)
class _Window:
    """The elements of the last few turns: how many are moved on when a turn of the loop begins, and how old each key is."""

    position: int
    loop: Loop
    length: int
    ages: tuple[tuple[Poly, int], ...]


def _number(bound: Value | None) -> Poly:
    """A bound of a loop."""
    assert bound is None or isinstance(bound, Integer)
    return Poly(()) if bound is None else bound.value


# ---- the program with what was chosen ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """The keys that a table keeps, and the local that stands for it where it keeps none, or the locals of a window, latest first."""

    keys: tuple[int, ...]
    locals: tuple[str, ...]
    window: _Window | None

    def local(self, element: At) -> str:
        """The local that holds an element."""
        if self.window is None:
            return self.locals[0]
        key = element.keys[self.window.position]
        assert isinstance(key, Integer)
        return self.locals[dict(self.window.ages)[key.value]]


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """The change of a program; `freed`: locals that get the names of tables; `assigned` are the locals that are there.

    `forms` are those of the elements of tables that are made.
    """

    chosen: dict[str, _Kept]
    freed: dict[str, str]
    assigned: set[str] = field(default_factory=set)
    forms: dict[str, Form] = field(default_factory=dict)

    def block(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """Statements in order; a list that is stored element by element is stored at once."""
        found: list[Statement] = []
        for statement in (new for old in statements for new in self._statement(old)):
            at_once = _at_once(statement)
            match found:
                case [*_, NewTable(first=None, items=None) as new] if at_once is not None and new.table == at_once.table:
                    found[-1] = replace(new, items=(at_once.items, at_once.start))
                case _:
                    found.append(statement if at_once is None else at_once)
        return tuple(found)

    def _statement(self, statement: Statement) -> Iterator[Statement]:
        match statement:
            case NewTable(table=table, first=first) if table.name in self.chosen:
                keys = self.chosen[table.name].keys
                self.forms[table.name] = replace(table.form, holds=Holds.TENSOR)
                if keys and first is None:
                    yield replace(statement, keys=len(keys))
                elif first is not None:
                    made = self._element(At(replace(table.form, holds=Holds.TENSOR), table, first[0]))
                    value = self.value(first[1])
                    if isinstance(made, At):
                        yield replace(statement, keys=len(keys), first=(made.keys, value))
                    else:
                        yield self._let(made, value, statement)
            case Store(element=old, value=value):
                kept = self._element(old)
                if isinstance(kept, At):
                    yield replace(statement, element=kept, value=self.value(value))
                else:
                    yield self._let(kept, self.value(value), statement)
            case Receive(targets=targets, value=value):
                elements = tuple(self._element(target) if isinstance(target, At) else target for target in targets)
                for element, target in zip(elements, targets, strict=True):
                    if isinstance(element, Local) and element is not target and element.name not in self.assigned:
                        self.assigned.add(element.name)
                        yield Declare(element, span=statement.span)
                yield replace(statement, targets=elements, value=self.value(value))
            case Let(local=local) if local.name in self.freed:
                yield with_values(replace(statement, local=replace(local, name=self.freed[local.name])), self.value)
            case Loop(body=body) | ForEach(body=body) | Between(body=body):
                moved = self._moved_on(statement) if isinstance(statement, Loop) else ()
                yield replace(with_values(replace(statement, body=()), self.value), body=(*moved, *self.block(body)))
            case _:
                yield with_values(statement, self.value)

    def _moved_on(self, loop: Loop) -> Iterator[Let]:
        """What begins a turn: the elements of a window are one turn older."""
        for table, kept in self.chosen.items():
            if kept.window is not None and kept.window.loop is loop:
                form = self.forms[table]
                for newer, older in reversed([*pairwise(kept.locals)]):
                    yield Let(Local(form, older), Local(form, newer), span=loop.span)

    def value(self, value: Value) -> Value:
        """The value with the elements of tables as they are kept."""
        match value:
            case At():
                return self._element(value)
            case Local(name=name):
                return replace(value, name=self.freed[name]) if name in self.freed else value
            case _:
                return with_values(value, self.value)

    def _element(self, element: At) -> At | Local:
        kept = self.chosen.get(element.of.name) if isinstance(element.of, Local) else None
        if kept is None:
            return with_values(element, self.value)
        if not kept.keys:
            return Local(element.form, kept.local(element))
        return replace(element, keys=tuple(element.keys[p] for p in kept.keys))

    def _let(self, local: Local, value: Value, old: NewTable | Store) -> Let:
        is_first = local.name not in self.assigned
        self.assigned.add(local.name)
        return Let(replace(local, form=value.form), value, old.note, isinstance(value, Submodule) and is_first, span=old.span)


def _at_once(statement: Statement) -> StoreAll | None:
    """A loop over a list that only stores its elements, by their index."""
    match statement:
        case ForEach(body=(Store(element=At(of=Local() as table, keys=(Integer(value=key),)), value=Local(name=stored)),)):
            if stored == statement.item and key == Poly.of(statement.axis):
                start = Integer(INTEGER, Poly(())) if statement.start is None else statement.start
                return StoreAll(table, statement.items, start, span=statement.span)
    return None
