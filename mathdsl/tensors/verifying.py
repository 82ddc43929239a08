"""The verifier of tensor programs: axes agree, names are there before they are used, what is stored is what its place holds.

An `InternalError` says where a program is broken: our mistake, never the author's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Module, SizeKind
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.printing import print_statement, print_value
from mathdsl.tensors.statements import (
    Append,
    Between,
    Declare,
    ForEach,
    IfMissing,
    Lengths,
    Let,
    Loop,
    NewList,
    NewTable,
    OwnSize,
    Receive,
    Statement,
    Store,
    StoreAll,
    TensorProgram,
    UnpackInput,
)
from mathdsl.tensors.traversal import children, values_of
from mathdsl.tensors.values import (
    INTEGER,
    Along,
    At,
    CheckedIndex,
    Choose,
    Contract,
    Each,
    Entries,
    Expand,
    Extent,
    Form,
    Holds,
    Integer,
    Join,
    Keep,
    Local,
    Map,
    Mask,
    Mix,
    Narrow,
    Nonempty,
    Own,
    OwnElement,
    OwnLast,
    OwnOver,
    OwnSelect,
    OwnValues,
    Permute,
    Product,
    Reduce,
    Slice,
    Stack,
    Unbind,
    Value,
    Where,
)


def verify_tensors(module: Module, program: TensorProgram) -> None:
    """Check the tensor program of a module."""
    _Verifier(module, program).run()


class _Verifier:
    """What is there at a place of the program."""

    def __init__(self, module: Module, program: TensorProgram) -> None:
        self._program = program
        self._sizes = dict(program.sizes)
        self._own = dict(program.own)
        hyperparameters = {size.name for size in module.sizes if size.kind is SizeKind.HYPERPARAMETER and not module.is_function}
        self._numbers = hyperparameters  # names of polynomials that are there
        self._locals: dict[str, Form] = {}
        self._own_there: set[str] = set()
        self._fills: dict[str, frozenset[str]] = {}  # by local, the tables for whose elements it may have fills
        self._outdated: set[str] = set()  # locals with fills for what has been stored since
        for argument in program.arguments:
            if not argument.is_tuple:
                self._locals[argument.name] = argument.members[0][1].form
        self._place: Statement = program.statements[0]

    def run(self) -> None:
        """All statements."""
        self._block(self._program.statements)

    def _fail(self, what: str) -> NoReturn:
        lines, _ = print_statement(self._place)
        raise InternalError(f"{self._program.module}: {what}, in `{'; '.join(lines)}`")

    # ---- statements --------------------------------------------------------------------------------

    def _block(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self._place = statement
            for value in values_of(statement):
                self._value(value)
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Let(local=local, value=value):
                if _kind(local.form) != _kind(value.form):
                    self._fail(f"{local.name} is no {_spelled(value.form)}")
                self._locals[local.name] = value.form
                self._outdated.discard(local.name)
                self._fills[local.name] = frozenset(self._filled(value))
            case Store(element=element, value=value):
                self._same(element.form, value.form, print_value(element))
                self._stored(element)
            case NewTable(table=table):
                if statement.first is not None:
                    self._same(table.form, statement.first[1].form, table.name)
                self._locals[table.name] = table.form
            case StoreAll(table=table, items=items):
                self._same(table.form, items.form, table.name)
                self._stored(table)
            case Append(local=local, value=value):
                self._same(local.form, value.form, local.name)
            case Declare(local=local) | NewList(local=local):
                self._locals[local.name] = local.form
            case Receive(targets=targets):
                for target in targets:
                    if isinstance(target, Local):
                        self._locals[target.name] = target.form
                    elif target is not None:
                        self._stored(target)
            case UnpackInput(argument=argument):
                self._locals.update((local.name, local.form) for _, local in argument.members)
            case Lengths(sizes=sizes):
                self._own_there.update(sizes)
            case OwnSize(size=size):
                self._own_there.add(size)
            case Loop() | ForEach():
                if isinstance(statement, ForEach):
                    self._locals[statement.item] = statement.items.form
                self._with_index(statement.axis, statement.variable, statement.body)
            case Between(body=body):
                self._block(body)
            case IfMissing(then=then, otherwise=otherwise):
                self._block(then)
                self._block(otherwise)
            case _:
                pass  # checks and returns give no name

    def _with_index(self, axis: str, variable: str, body: Sequence[Statement]) -> None:
        added = {axis} - self._numbers
        self._numbers |= added
        self._locals[variable] = INTEGER
        self._block(body)
        self._numbers -= added

    def _same(self, place: Form, value: Form, name: str) -> None:
        """An element of a table or list has the form of all others."""
        if len(place.axes) != len(value.axes) or place.batch != value.batch:
            self._fail(f"{name} holds {_spelled(place)}, no {_spelled(value)}")

    def _filled(self, value: Value) -> Iterator[str]:
        """The tables for whose elements an arrangement of elements may have fills; what is computed of fills is not asked about."""
        match value:
            case At(of=Local(name=table), default=default):
                yield from () if default is None else (table,)
            case Local(name=name):
                yield from self._fills.get(name, ())
            case Each(value=inner):
                yield from self._filled(inner)
            case At() | Stack() | Join() | Unbind() | Slice() | Narrow() | Permute() | Expand():
                for child in children(value):
                    yield from self._filled(child)
            case _:
                pass

    def _stored(self, place: Value) -> None:
        """What was arranged with fills for elements of a table has no use once some are stored."""
        root = place.of if isinstance(place, At) else place
        if isinstance(root, Local):
            self._outdated.update(name for name, tables in self._fills.items() if root.name in tables)

    # ---- values ------------------------------------------------------------------------------------

    def _value(self, value: Value) -> None:
        match value:
            case Each():
                self._ends(value.start, value.stop)
                self._inside(value.axis, value.variable, value.value)
            case Entries():
                self._ends(value.start, value.stop)
                self._inside(value.variable, value.variable, value.value)
            case _:
                for child in children(value):
                    self._value(child)
        self._named(value)
        wanted = _axes(value)
        if wanted is not None and wanted != (set(value.axes), value.batch):
            self._fail(f"{print_value(value)} has the axes {_spelled(value.form)}")

    def _ends(self, start: Value | None, stop: Value) -> None:
        for end in (start, stop):
            if end is not None:
                self._value(end)

    def _inside(self, axis: str, variable: str, value: Value) -> None:
        """A value for each value of a variable."""
        added = {axis} - self._numbers
        before = dict(self._locals)
        self._numbers |= added
        self._locals[variable] = INTEGER
        self._value(value)
        self._numbers -= added
        self._locals = before

    def _named(self, value: Value) -> None:
        """What a value names is there."""
        match value:
            case Local(name=name):
                found = self._locals.get(name)
                if found is None:
                    self._fail(f"{name} is read before it is there")
                if name in self._outdated:
                    self._fail(f"{name} has fills for elements that are there by now")
                if (len(found.axes), found.batch) != (len(value.axes), value.batch):
                    self._fail(f"{name} is {_spelled(found)}, no {_spelled(value.form)}")
            case Integer(value=poly, parts=parts):
                self._poly(poly, {name for name, _ in parts})
            case Along(own=str(size)) if size not in self._own_there:
                self._fail(f"each example's own {size} is read before it is there")
            case Own() | OwnValues() | Mask() | Keep() | OwnSelect() | OwnLast() | OwnElement() | OwnOver():
                if value.size not in self._own_there:
                    self._fail(f"each example's own {value.size} is read before it is there")
            case _:
                pass

    def _poly(self, poly: Poly, parts: set[str]) -> None:
        for name in poly.names - self._numbers - parts:
            match self._sizes.get(name):
                case Local(name=local) | Extent(of=Local(name=local)) if local in self._locals:
                    pass
                case _:
                    self._fail(f"the size or index {name} is read before it is there")


def _axes(value: Value) -> tuple[set[str], bool] | None:
    """The axes that a value has by what it is made of, and whether it has batch axes; None where its form alone says."""
    match value:
        case Map(operands=operands):
            return _together(*operands)
        case Mix(start=start, end=end, weight=weight):
            return _together(start, end, weight)
        case Where(condition=condition, then=then, otherwise=otherwise):
            return _together(condition, then, otherwise)
        case Choose(then=then, otherwise=otherwise):
            return _together(then, otherwise)
        case Mask(value=inner, fill=fill) | Keep(value=inner, fill=fill):
            axes, _ = _together(inner, fill)
            return axes, True
        case CheckedIndex(index=index):
            return _together(index)
        case Contract(factors=factors, summed=summed):
            axes, batch = _together(*factors)
            return (axes - set(summed) if axes == {axis.name for axis in value.over} else set()), batch
        case Product(factors=(left, right), summed=summed, addend=addend):
            axes, batch = _together(left, right)
            shared = set(left.axes) & set(right.axes) & set(summed)
            return axes - shared, batch or (addend is not None and addend.batch)
        case Reduce(value=inner, axis=axis):
            return set(inner.axes) - {axis}, inner.batch
        case Along(value=inner) | Nonempty(value=inner) | Permute(value=inner):
            return _together(inner)
        case Integer(parts=parts):
            return _together(*(part for _, part in parts))
        case _:
            return None


def _together(*values: Value) -> tuple[set[str], bool]:
    return {axis for value in values for axis in value.axes}, any(value.batch for value in values)


def _kind(form: Form) -> tuple[int, bool, Holds]:
    return len(form.axes), form.batch, form.holds


def _spelled(form: Form) -> str:
    return f"{form.holds.value} [{', '.join([*(['...'] if form.batch else []), *form.axes])}]"
