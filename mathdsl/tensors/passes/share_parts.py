r"""What is computed twice gets a local, and so does what stands inside the masks of padding.

Before → after::

    e = where(c, stop_gradient(lookup(E, x)), lookup(E, x))      →      ?1 = lookup(E, x)
                                                                        e = where(c, stop_gradient(?1), ?1)
    return mask(contract(j: a * V), n, i, 0.0)                   →      ?2 = contract(j: a * V)
                                                                        return mask(?2, n, i, 0.0)

Two values are equal that compute the same from the same: locals that no statement between them assigns, tables that none stores into,
indices of the same turn of a loop. What their axes are called does not count, nor, in one statement, the letters of indices. The first
of them is computed where it was, in every case that reaches the second. Random numbers and calls are drawn and made as often as
before; numbers, views and short formulas stay. `name_values` gives the locals their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors import statements as st
from mathdsl.tensors import values as va
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import Let, Statement, TensorProgram
from mathdsl.tensors.traversal import assigned, bodies, children, fields_of, with_bodies, with_values
from mathdsl.tensors.values import Local, Value

_LEAST = 4  # a formula that is written with fewer names and signs stays: `1 - g` does, `exp(g)` gets a name
_ATOMS = (va.Constant, va.Setting, Local, va.Owned)  # made of nothing
_THERE = va.Constant | va.Setting | va.Extent | Local | va.Owned | va.Own | va.At
_VIEWS = va.Expand | va.Permute | va.Merge | va.Split | va.Slice | va.Narrow | va.Group
# what the axes of these are called does not count at all
_BY_PLACE = _VIEWS | va.Flip | va.OwnSelect | va.OwnLast | va.OwnElement | va.Unbind | va.Stack | va.At
_AXES = frozenset({"axis", "labels", "hole", "lead", "summed"})  # fields that hold names of axes
_SILENT = frozenset({"letter", "rows", "variable"})  # fields that say how something is written


def share_parts(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with a local for each value that it computes twice."""
    parts = _Parts(program)
    parts.block(program.statements)
    parts.decide()
    return replace(program, statements=parts.rewritten(program.statements)) if parts.has_locals else program


@dataclass(slots=True, eq=False)
class _Part:
    """A value, the statement that computes it first, and how often it is computed there and after that."""

    value: Value
    number: int
    statement: Statement
    uses: int = 1
    is_result: bool = False  # it stands inside the masks of padding
    local: str = ""  # its name, where it gets one
    letter: str = ""  # of the values of an index, the one that was written last


class _Parts:
    """The values of a program by their numbers: equal values have equal ones."""

    def __init__(self, program: TensorProgram) -> None:
        self._program = program
        self._numbers: dict[object, int] = {}
        self._works: dict[int, bool] = {}  # by number: whether it takes more than a view of what is there
        self._happens: dict[int, bool] = {}  # by number: whether computing it again is another computation
        self._known: dict[int, int] = {}  # the numbers of the values of one statement
        self._letters: dict[object, str] = {}  # and of indices over equal ranges there the first one's letter
        self._versions: dict[str, object] = {}  # of locals and indices: what they are now
        self._time = 0
        self._there: dict[int, _Part] = {}  # by number: what was computed on the way to here
        self._found: dict[tuple[int, int], _Part] = {}  # by statement and value
        self._parts: list[_Part] = []  # inner ones first
        self._before: dict[int, list[Let]] = {}  # by statement: what is computed above it and its remarks
        self._under: dict[int, list[Let]] = {}  # and under its remarks

    # ---- what is computed where ------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> None:
        """Statements in order."""
        for statement in statements:
            self._known, self._letters = {}, {}
            for value, is_sure in _computed(statement):
                self._visit(statement, value, is_sure)
            if isinstance(statement, st.Return):
                for item in statement.value.items if isinstance(statement.value, va.Group) else (statement.value,):
                    self._mark_result(statement, item, 1)
            if isinstance(statement, st.Loop | st.ForEach):
                self._assign(statement)  # by the turns before
            for body in bodies(statement):
                outside, self._there = self._there, dict(self._there)
                self.block(body)
                self._there = outside
            self._assign(statement)

    def _assign(self, statement: Statement) -> None:
        self._time += 1
        self._versions.update(dict.fromkeys(assigned(statement), self._time))

    def _visit(self, statement: Statement, value: Value, is_sure: bool, is_counted: bool = True) -> None:
        """A value that a statement computes: `is_sure`, in every case."""
        if isinstance(value, _ATOMS):  # which is there, whole
            return
        place = id(statement), id(value)
        if place in self._found:
            self._found[place].uses += is_counted
            return
        number = self._number(value)
        part = self._there.get(number)
        if part is not None:
            self._found[place] = part
            part.uses += is_counted
            part.letter = value.letter if isinstance(value, va.Arange) else ""
        for child, is_always in _inside(value):  # of what is there, without counting: it is not computed again
            self._visit(statement, child, is_sure and is_always, is_counted and part is None)
        if isinstance(value, va.Mask):
            self._mark_result(statement, value, 2)
        if part is None and number in self._there:
            self._found[place] = self._there[number]  # only other names for the axes of what it is made of
        elif part is None and is_sure and is_counted and value.form.holds is va.Holds.TENSOR and not self._happens[number]:
            part = self._there[number] = self._found[place] = _Part(value, number, statement)
            self._parts.append(part)

    def _mark_result(self, statement: Statement, value: Value, least: int) -> None:
        """What at least so many masks stand around gets a name."""
        while isinstance(value, va.Mask):
            value, least = value.value, least - 1
        part = self._found.get((id(statement), id(value)))
        if least <= 0 and part is not None and part.value is value and not isinstance(value, _THERE):
            part.is_result = True

    # ---- numbers ---------------------------------------------------------------------------------

    def _number(self, value: Value) -> int:
        """The number of a value."""
        found = self._known.get(id(value))
        if found is None:
            found = self._known[id(value)] = self._find_number(value)
        return found

    def _find_number(self, value: Value) -> int:
        match value:
            case va.Slice(value=inner, entries=entries) if all(entry is None for entry in entries):
                return self._number(inner)  # other names for its axes
            case va.Integer(value=poly, parts=((name, inner),)) if poly.variable == name and inner.form == value.form:
                return self._number(inner)
            case va.Each(axis=axis) | va.Entries(variable=axis):
                outside = self._known, self._versions
                self._known, self._versions = {}, {**self._versions, axis: axis, value.variable: axis}  # in each of its own turns
                number = self._new_number(value)
                self._known, self._versions = outside
                return number
            case _:
                return self._new_number(value)

    def _new_number(self, value: Value) -> int:
        number = self._numbers.setdefault(self._key(value), len(self._numbers))
        if number not in self._works:
            inner = [self._number(child) for child in children(value)]
            self._works[number] = _takes_work(value) or any(self._works[one] for one in inner)
            self._happens[number] = _happens(value) or any(self._happens[one] for one in inner)
        return number

    def _key(self, value: Value) -> object:
        """What is equal for equal values; axes count by their places among those of the value, whatever they are called."""
        axes = {axis: place for place, axis in enumerate(value.axes)}
        letters = {name: f"?{place}" for place, (name, _) in enumerate(value.parts)} if isinstance(value, va.Integer) else {}
        parts = tuple(
            [self._key_of_part(value, getattr(value, name), name, axes, letters) for name in fields_of(value) if name not in _SILENT]
        )
        letter = self._letters.setdefault(parts, value.letter) if isinstance(value, va.Arange) else ""
        form = value.form
        return type(value), len(form.axes), form.batch, form.element, form.holds, parts, letter

    def _key_of_part(self, value: Value, part: object, name: str, axes: dict[str, int], letters: Mapping[str, str]) -> object:
        """What is equal for equal parts of equal values: `name` is the field's, `axes` and `letters` are the value's, by their places."""
        match part:
            case va.Node():
                inner = () if isinstance(value, _BY_PLACE) else tuple([axes.setdefault(axis, len(axes)) for axis in part.axes])
                return self._number(cast(Value, part)), inner
            case tuple():
                return tuple([self._key_of_part(value, one, name, axes, letters) for one in part])
            case Poly():
                same = part.substitute({letter: Poly.of(place) for letter, place in letters.items()}) if letters else part
                return same, tuple([self._versions.get(one) for one in part.ordered_names if one not in letters])
            case va.Pick() | va.Cut() | va.Gather():
                return type(part), tuple([self._key_of_part(value, getattr(part, one), one, axes, letters) for one in fields_of(part)])
            case str() if name in _AXES:
                return axes.setdefault(part, len(axes))
            case str() if part in letters:
                return letters[part]
            case str() if isinstance(value, Local):
                return part, self._versions.get(part)
            case int() | float():
                return repr(part)  # 1 and 1.0 are equal, and not the same
            case _:
                return part

    # ---- locals ----------------------------------------------------------------------------------

    def decide(self) -> None:
        """Which values get a local, inner ones first: a name in it can make a formula short."""
        assignments = Counter(name for statement in self._program.statements for name in assigned(statement))
        numbers = count()
        for part in self._parts:
            statement = part.statement
            if not part.is_result and (part.uses < 2 or not self._works[part.number]):
                continue
            value = with_values(part.value, partial(self._renamed, statement))
            if isinstance(value, va.Arange) and part.letter:
                value = replace(value, letter=part.letter)
            if not part.is_result and _length(value) < _LEAST:
                continue
            if isinstance(statement, Let) and statement.value is part.value and assignments[statement.local.name] == 1:
                part.local = statement.local.name
                continue
            part.local = f"?{next(numbers)}"
            under = self._under.setdefault(id(statement), [])
            is_under = part.is_result and isinstance(statement, st.Return) or not _locals(value).isdisjoint(one.local.name for one in under)
            place = under if is_under else self._before.setdefault(id(statement), [])
            place.append(Let(Local(value.form, part.local), value, span=statement.span))

    @property
    def has_locals(self) -> bool:
        """Whether a value gets one, or has one that others of it are to read."""
        return any(part.local for part in self._parts)

    def rewritten(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """The statements with locals for values."""
        made: list[Statement] = []
        for statement in statements:
            place = len(made)
            while place and isinstance(made[place - 1], st.Comment | st.Declare):
                place -= 1
            made[place:place] = self._before.get(id(statement), ())
            made += self._under.get(id(statement), ())
            made.append(with_values(with_bodies(statement, self.rewritten), partial(self._renamed, statement)))
        return tuple(made)

    def _renamed(self, statement: Statement, value: Value) -> Value:
        """A value of a statement with locals."""
        part = self._found.get((id(statement), id(value)))
        is_own = part is not None and part.statement is statement and isinstance(statement, Let) and part.local == statement.local.name
        if part is None or not part.local or is_own:
            return with_values(value, partial(self._renamed, statement))
        return Local(value.form, part.local)


def _computed(statement: Statement) -> Iterator[tuple[Value, bool]]:
    """The values that a statement computes itself, and whether in every case."""
    match statement:
        case (
            Let(value=value)
            | st.Store(value=value)
            | st.Receive(value=value)
            | st.Run(value=value)
            | st.Return(value=value)
            | st.Append(value=value)
        ):
            yield value, True
        case st.NewTable(first=(_, value)) | st.NewTable(items=(value, _)) | st.StoreAll(items=value) | st.ForEach(items=value):
            yield value, True
        case st.Assert(condition=value) | st.CheckRange(value=value) | st.CheckOwnRange(value=value):
            yield value, True
        case st.OwnSize(value=value):
            yield value, False
        case _:
            pass


def _inside(value: Value) -> Iterator[tuple[Value, bool]]:
    """The values directly inside a value, and whether they are computed whenever it is."""
    match value:
        case va.Choose(test=test, then=then, otherwise=otherwise):
            yield from ((test, True), (then, False), (otherwise, False))
        case va.Stack(items=items, empty=empty):
            yield items, True
            yield from [] if empty is None else [(empty, False)]
        case va.All() | va.Each() | va.Entries():
            yield from ((child, False) for child in children(value))
        case _:
            yield from ((child, True) for child in children(value))


def _takes_work(value: Value) -> bool:
    """Whether a value takes more than a view of what it is made of."""
    match value:
        case va.Slice(entries=entries):
            return any(isinstance(entry, va.Gather) for entry in entries)
        case va.Integer(parts=parts):
            return bool(parts)
        case _:
            return not isinstance(value, _THERE | _VIEWS)


def _happens(value: Value) -> bool:
    """Whether it draws random numbers, or does more than give a value."""
    return isinstance(value, va.Submodule) or (isinstance(value, va.Map) and ELEMENTWISE[value.op].random)


def _length(value: Value) -> int:
    """How many names and signs a formula is written with, as far as it is short."""
    match value:
        case Local() | va.Constant():
            return 1
        case va.Owned() | va.Setting():
            return 2
        case va.Integer(parts=()):
            return 1 if value.value.variable is not None or value.value.constant is not None else 3
        case va.At():
            return 3
        case va.Slice(value=inner, entries=entries) if all(entry is None for entry in entries):
            return _length(inner)
        case va.Map(op=op, operands=operands) if "(" not in ELEMENTWISE[op].torch:
            in_line = [one.scalar or one.axes == value.axes[len(value.axes) - len(one.axes) :] for one in operands]
            return 1 + sum(_length(one) if is_plain else _LEAST for one, is_plain in zip(operands, in_line, strict=True))
        case _:
            return _LEAST


def _locals(value: Value) -> set[str]:
    return {value.name} if isinstance(value, Local) else {name for child in children(value) for name in _locals(child)}
