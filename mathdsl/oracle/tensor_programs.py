"""What tensor programs mean: one example, statement by statement, in plain Python numbers.

It knows nothing of torch and of how a back end spells a value; batch axes are those over which a program calls another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, assert_never

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.nodes import Element, Input, Literal, Module, Program, Result, StackPart
from mathdsl.ir.nodes import Setting as GivenSetting
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, Number
from mathdsl.oracle.errors import OracleError
from mathdsl.oracle.interpreter import interpret
from mathdsl.oracle.nested import (
    Place,
    Tensor,
    added,
    argument_of,
    batched,
    build,
    example,
    filled,
    flat,
    from_lists,
    joined,
    lines,
    lists_of,
    over,
    places_of,
    reduced,
    reshape,
    row,
    stacked,
    unbound,
)
from mathdsl.oracle.runtime_sizes import extreme_sizes
from mathdsl.tensors import statements as st
from mathdsl.tensors import values as va
from mathdsl.tensors.statements import Statement, TensorProgram
from mathdsl.tensors.values import Value

_ZERO = {Element.REAL: 0.0, Element.INTEGER: 0, Element.BOOLEAN: False}


def interpret_tensors(
    program: Program,
    tensors: Mapping[str, TensorProgram],
    module_name: str,
    arguments: Mapping[str, Any],
    parameters: Mapping[str, Any],
    sizes: Mapping[str, int],
    settings: Mapping[str, Number] | None = None,
    lengths: Mapping[str, int] | None = None,
) -> Any:
    """The results of a module's tensor program on one example, as `interpret` gives them for its equations.

    With `lengths` the arguments are padded, and elements beyond the example's own sizes mean nothing but in results, where they are 0.
    """
    module = program.module(module_name)
    given = {array: argument_of(module, array, value) for array, value in arguments.items()}
    run = _Run(program, tensors, module, "", dict(parameters), _known(module, sizes), dict(settings or {}), dict(lengths or {}))
    return lists_of(run.results(given))


def _known(module: Module, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes that are given, defaults, and extremes of those that are known."""
    found = {size.name: size.default for size in module.sizes if size.default is not None} | dict(sizes)
    try:
        return found | extreme_sizes(module, found)
    except KeyError:  # of sizes that are known at run time alone
        return found


@dataclass
class _Run:
    """One run of a program: its locals, each example's own sizes, and the indices of open loops."""

    program: Program
    tensors: Mapping[str, TensorProgram]
    module: Module
    prefix: str
    parameters: Mapping[str, Any]
    sizes: dict[str, int]
    settings: Mapping[str, Number]
    lengths: Mapping[str, int]
    locals: dict[str, Any] = field(default_factory=dict)
    own: dict[str, int | None] = field(default_factory=dict)
    indices: dict[str, int] = field(default_factory=dict)
    result: Any = None

    def results(self, given: Mapping[str, Any]) -> Any:
        """The results, given the inputs by their arrays."""
        for argument in self.tensors[self.module.name].arguments:
            for member, local in argument.members:
                self.locals[local.name] = given.get(member.array)
        self.block(self.tensors[self.module.name].statements)
        return self.result

    # ---- statements --------------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> None:
        """Statements in order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """One statement."""
        match statement:
            case st.Let(local=local, value=value):
                self.locals[local.name] = self.value(value)
            case st.NewTable(table=table, first=first, items=items):
                self.locals[table.name] = {} if first is None else {self._keys(first[0]): self.value(first[1])}
                if items is not None:
                    self._fill(table.name, *items)
            case st.Store(element=element, value=value):
                self._store(element, self.value(value))
            case st.StoreAll(table=table, items=items, start=start):
                self._fill(table.name, items, start)
            case st.NewList(local=local):
                self.locals[local.name] = []
            case st.Append(local=local, value=value):
                self.locals[local.name].append(self.value(value))
            case st.Receive(targets=targets, value=value):
                for target, result in zip(targets, flat(self.value(value)), strict=True):
                    if target is not None:
                        self._store(target, result)
            case st.Run(value=value) | st.Return(value=value):
                self.result = self.value(value)
            case st.Loop() | st.ForEach() | st.Between() | st.IfMissing():
                self._under(statement)
            case st.Assert(condition=condition):
                found = self.value(condition)
                if not all(found.elements if isinstance(found, Tensor) else (found,)):
                    raise OracleError(f"the condition does not hold: {statement.origin.latex}")
            case st.Lengths(sizes=sizes):
                self.own.update((size, self.lengths.get(size)) for size in sizes)
            case st.OwnSize(size=size, bases=bases, value=value):
                self.own[size] = None if all(self.own[base] is None for base in bases) else _number(self.value(value))
            case st.CheckInput(value=value, extents=extents) | st.CheckList(value=value, extents=extents):
                wanted = [None if extent is None else self.integer(extent) for extent in extents.axes]
                for tensor in found if isinstance(found := self.value(value), list) else [found]:
                    if len(wanted) != len(tensor.shape) or any(a not in (None, b) for a, b in zip(wanted, tensor.shape, strict=True)):
                        raise OracleError(f"{value.name} has another shape than {wanted}")
            case _:
                pass  # comments, declarations, and checks of what cannot be otherwise here

    def _under(self, statement: st.Loop | st.ForEach | st.Between | st.IfMissing) -> None:
        match statement:
            case st.Loop(start=start, stop=stop):
                first, last = 0 if start is None else self.integer(start), self.integer(stop)
                for index in range(first, last, -1 if statement.is_descending else 1):
                    self._turn(statement.axis, statement.variable, index, statement.body)
            case st.ForEach(items=items, start=start):
                for index, item in enumerate(self.value(items), 0 if start is None else self.integer(start)):
                    self.locals[statement.item] = item
                    self._turn(statement.axis, statement.variable, index, statement.body)
            case st.Between(index=index_value, lower=lower, upper=upper):
                found = self.integer(index_value)
                if (lower is None or self.integer(lower) <= found) and (upper is None or found <= self.integer(upper)):
                    self.block(statement.body)
            case st.IfMissing(of=of):
                self.block(statement.then if self.locals[of.name] is None else statement.otherwise)
            case _:
                assert_never(statement)

    def _turn(self, axis: str, variable: str, index: int, body: Sequence[Statement]) -> None:
        with_index = {**self.indices, axis: index}
        self.locals[variable] = index
        before, self.indices = self.indices, with_index
        self.block(body)
        self.indices = before

    def _store(self, target: va.Local | va.At, value: Any) -> None:
        if isinstance(target, va.Local):
            self.locals[target.name] = value
        else:
            self.value(target.of)[self._keys(target.keys)] = value

    def _fill(self, table: str, items: Value, start: Value) -> None:
        for index, item in enumerate(self.value(items), self.integer(start)):
            self.locals[table][index,] = item

    def _keys(self, keys: Sequence[Value]) -> tuple[int, ...]:
        return tuple(self.integer(key) for key in keys)

    # ---- values ------------------------------------------------------------------------------------

    def integer(self, value: Value) -> int:
        """A number of elements or an index."""
        return _number(self.value(value))

    def _tensor(self, value: Value) -> Tensor:
        found = self.value(value)
        assert isinstance(found, Tensor)
        return found

    def size(self, name: str) -> int:
        """The index of an open loop or a size, padded."""
        if name in self.indices:
            return self.indices[name]
        source = dict(self.tensors[self.module.name].sizes).get(name)
        return self.sizes[name] if source is None else self.integer(source)

    def poly(self, poly: Poly) -> int:
        """A polynomial over sizes and indices."""
        return poly.evaluate({name: self.size(name) for name in poly.names})

    def value(self, value: Value) -> Any:
        """A tensor, a number, a list, a table or a tuple."""
        match value:
            case va.Local(name=name):
                if name not in self.locals:
                    raise OracleError(f"{name} is read before it is there")
                return self.locals[name]
            case va.Constant(value=number):
                return number
            case va.Setting(name=name):
                return self.settings[name]
            case va.Integer(value=poly, parts=parts):
                return self.poly(poly) if not parts else self._integers(value)
            case va.Extent(of=of, place=place):
                return self.value(of).shape[place]
            case va.Length(of=of):
                return len(self.value(of))
            case va.All(tests=tests):
                return all(self.value(test) for test in tests)
            case va.Nothing():
                return None
            case va.Owned(array=array):
                return self._owned(array)
            case va.Own(size=size):
                return self.own[size]
            case va.OwnValues(size=size):
                own = self.own[size]
                return Tensor((), (self.size(size) if own is None else own,))
            case va.OwnOver(size=size, extra=extra, extents=extents):
                own = self.own[size]
                return None if own is None else filled(own + self.integer(extra), [self.integer(extent) for extent in extents])
            case va.At(of=of, keys=keys, default=default):
                return self._at(self.value(of), self._keys(keys), default)
            case va.Full(value=inner, extents=extents):
                return filled(self.value(inner), [max(0, self.integer(extent)) for extent in extents])
            case va.Arange(start=start, stop=stop):
                indices = range(self.integer(start), self.integer(stop))
                return Tensor((len(indices),), tuple(indices))
            case va.Choose(test=test, then=then, otherwise=otherwise):
                return self.value(then if self.value(test) else otherwise)
            case va.Map() | va.Mix() | va.Where() | va.Mask() | va.Keep() | va.CheckedIndex():
                return self._elementwise(value)
            case va.Contract() | va.Product() | va.Reduce() | va.Along() | va.Nonempty():
                return self._whole_axis(value)
            case va.Expand() | va.Permute() | va.Merge() | va.Split() | va.Slice() | va.Flip() | va.Narrow():
                return self._arranged(value)
            case va.Lookup() | va.Take() | va.OwnSelect() | va.OwnLast() | va.OwnElement():
                return self._selected(value)
            case va.Unbind() | va.Chunk() | va.Each() | va.Entries() | va.Stack() | va.Join() | va.Group():
                return self._collection(value)
            case va.Submodule():
                return self._call(value)
            case _:
                assert_never(value)

    def _owned(self, array: str) -> Tensor:
        path = array if "." in array else self.module.array(array).python
        return from_lists(self.parameters[f"{self.prefix}{path}"], len(self.module.array(array).ranges))

    def _at(self, of: Any, keys: tuple[int, ...], default: Value | None) -> Any:
        if isinstance(of, dict):
            if keys not in of and default is not None:
                return self.value(default)
            if keys not in of:
                raise OracleError(f"a table has no element {keys}")
            return of[keys]
        return of[keys[0]]

    # ---- elementwise -------------------------------------------------------------------------------

    def _over(self, form: va.Form, values: Sequence[Value], element: Callable[..., Number]) -> Any:
        """The tensor over the axes of a form whose elements are made of those of the values; of numbers alone, a number."""
        found = [self.value(value) for value in values]
        return element(*found) if form.holds is va.Holds.NUMBER else over(form.axes, found, [value.axes for value in values], element)

    def _integers(self, value: va.Integer) -> Any:
        names = [name for name, _ in value.parts]
        others = {name: self.size(name) for name in value.value.names if name not in names}
        return self._over(
            value.form,
            [part for _, part in value.parts],
            lambda *parts: value.value.evaluate({**others, **dict(zip(names, parts, strict=True))}),
        )

    def _elementwise(self, value: va.Map | va.Mix | va.Where | va.Mask | va.Keep | va.CheckedIndex) -> Any:
        match value:
            case va.Map(op=op, operands=operands):
                if value.form.holds is va.Holds.NUMBER and op in ("maximum", "minimum"):
                    return (max if op == "maximum" else min)(self.value(operand) for operand in operands)
                return self._over(value.form, operands, ELEMENTWISE[op].evaluate)
            case va.Mix(start=start, end=end, weight=weight):
                return self._over(value.form, [start, end, weight], lambda a, b, w: w * b + (1.0 - w) * a)
            case va.Where(condition=condition, then=then, otherwise=otherwise):
                return self._over(value.form, [condition, then, otherwise], lambda c, a, b: a if c else b)
            case va.Mask(value=inner, fill=fill, size=size, axis=axis, extra=extra):
                whole, own, place = self.value(inner), self.own[size], value.axes.index(axis)
                if own is None:
                    return whole
                last = own + (0 if extra is None else self.integer(extra))
                other = self._over(value.form, [inner, fill], lambda _, b: b)
                return build(whole.shape, lambda at: whole.at(at) if at[place] < last else other.at(at))
            case va.Keep(value=inner, fill=fill, size=size, least=least, any_size=any_size):
                extent = self.own[size]
                if extent is None and any_size is not None:
                    extent = self.integer(any_size)
                is_kept = extent is None or extent >= self.integer(least)
                return self._over(value.form, [inner, fill], lambda a, b: a if is_kept else b)
            case va.CheckedIndex(index=index, lower=lower, upper=upper, wanted=wanted, last=last):
                low, high = self.integer(lower), self.integer(upper)
                everywhere = va.Constant(va.TRUTH, True)

                def inside(found: Number, is_wanted: Number, most: Number) -> Number:
                    if is_wanted and not low <= found <= most:
                        raise OracleError(f"{value.array} has no element {found}")
                    return min(max(found, low), high)

                return self._over(value.form, [index, wanted or everywhere, last or upper], inside)
            case _:
                assert_never(value)

    # ---- whole axes --------------------------------------------------------------------------------

    def _whole_axis(self, value: va.Contract | va.Product | va.Reduce | va.Along | va.Nonempty) -> Tensor:
        match value:
            case va.Contract(factors=factors, summed=summed) | va.Product(factors=factors, summed=summed):
                total: Tensor = self._over(va.Form((*value.axes, *summed), value.batch, value.element), factors, lambda *row: prod(row))
                for place in reversed(range(len(value.axes), len(value.axes) + len(summed))):
                    total = reduced(total, place, lambda row: sum(row, start=0.0))
                addend = value.addend if isinstance(value, va.Product) else None
                return total if addend is None else added(total, self.value(addend), places_of(addend.axes, value.axes))
            case va.Reduce(op=op, value=inner, axis=axis):
                return reduced(self.value(inner), inner.axes.index(axis), REDUCTIONS[op].evaluate)
            case va.Along(op=op, value=inner, axis=axis):
                whole, place = self._tensor(inner), inner.axes.index(axis)
                row, last = ALONG[op], self._own_part(value, whole.shape[place])
                rest = [row.fill_after] * (whole.shape[place] - last)
                rows = lines(whole, place, lambda line: [*(row.evaluate(line[:last]) if last else ()), *rest])
                return build(whole.shape, lambda at: rows[at[:place] + at[place + 1 :]][at[place]])
            case va.Nonempty(value=inner, axis=axis, text=text):
                whole, place = self._tensor(inner), inner.axes.index(axis)
                if whole.shape[place]:
                    return whole
                if text is not None:
                    raise OracleError(f"{text} has no value")
                return filled(1.0, [extent or 1 if p == place else extent for p, extent in enumerate(whole.shape)])
            case _:
                assert_never(value)

    def _own_part(self, value: va.Along, extent: int) -> int:
        own = None if value.own is None else self.own[value.own]
        return extent if own is None else own + (0 if value.extra is None else self.integer(value.extra))

    # ---- axes --------------------------------------------------------------------------------------

    def _arranged(self, value: va.Expand | va.Permute | va.Merge | va.Split | va.Slice | va.Flip | va.Narrow) -> Tensor:
        whole: Tensor = self.value(value.value)
        match value:
            case va.Expand(value=inner, extents=extents):
                shape = [
                    whole.shape[inner.axes.index(axis)] if extent is None else self.integer(extent)
                    for axis, extent in zip(value.axes, extents, strict=True)
                ]
                own = places_of(inner.axes, value.axes)
                return build(shape, lambda at: whole.at([at[p] for p in own]))
            case va.Permute(value=inner):
                own = places_of(inner.axes, value.axes)
                return build([whole.shape[inner.axes.index(axis)] for axis in value.axes], lambda at: whole.at([at[p] for p in own]))
            case va.Merge(first=first, last=last):
                count = 1
                for extent in whole.shape[first : last + 1]:
                    count *= extent
                return reshape(whole, (*whole.shape[:first], count, *whole.shape[last + 1 :]))
            case va.Split(extents=extents):
                return reshape(whole, (*whole.shape[:-1], *(self.integer(extent) for extent in extents)))
            case va.Flip(place=place):
                last = whole.shape[place] - 1
                return build(whole.shape, lambda at: whole.at((*at[:place], last - at[place], *at[place + 1 :])))
            case va.Narrow(place=place, count=count_value):
                shape = [self.integer(count_value) if p == place else extent for p, extent in enumerate(whole.shape)]
                return build(shape, whole.at)
            case va.Slice(entries=entries):
                return self._sliced(whole, entries)
            case _:
                assert_never(value)

    def _sliced(self, whole: Tensor, entries: Sequence[va.Entry]) -> Tensor:
        """One entry for each dimension of the tensor, and new dimensions of extent 1 among them."""
        shape: list[int] = []
        readers: list[Callable[[Place], int]] = []  # for each dimension of the tensor, its position at a place of the result
        dimensions = iter(whole.shape)
        for entry in entries:
            here = len(shape)
            match entry:
                case va.Fresh():
                    shape.append(1)
                    continue
                case va.Pick(position=position):
                    extent = next(dimensions)
                    chosen = self.integer(position)
                    readers.append(lambda _, at=chosen % extent if -extent <= chosen < 0 else chosen: at)  # type: ignore[misc]
                case va.Gather(index=index):
                    next(dimensions)
                    table = self.value(index)
                    shape += table.shape
                    readers.append(lambda at, table=table, a=here: table.at(at[a : a + len(table.shape)]))  # type: ignore[misc]
                case va.Cut() | None:
                    ends = (None, None) if entry is None else (entry.start, entry.stop)
                    cut = slice(*(None if end is None else self.integer(end) for end in ends))
                    positions = range(next(dimensions))[cut]
                    shape.append(len(positions))
                    readers.append(lambda at, positions=positions, a=here: positions[at[a]])  # type: ignore[misc]
                case _:
                    assert_never(entry)
        return build(shape, lambda at: whole.at([read(at) for read in readers]))

    # ---- elements ----------------------------------------------------------------------------------

    def _selected(self, value: va.Lookup | va.Take | va.OwnSelect | va.OwnLast | va.OwnElement) -> Any:
        match value:
            case va.Lookup(table=table_value, index=index_value):
                table, index = self.value(table_value), self.value(index_value)
                rank = len(index.shape)
                return build((*index.shape, *table.shape[1:]), lambda at: table.at((index.at(at[:rank]), *at[rank:])))
            case va.Take():
                return self._taken(value)
            case va.OwnSelect(value=inner, place=place, position=position, size=size, offset=offset):
                whole, own = self.value(inner), self.own[size]
                shape = (*whole.shape[:place], *whole.shape[place + 1 :])
                if not whole.shape[place]:
                    return filled(_ZERO[value.element], shape)
                chosen = self.integer(position) if own is None else own + (0 if offset is None else self.integer(offset))
                return whole.part(place, chosen % whole.shape[place])
            case va.OwnLast(first=first, rest=rest, place=place, size=size):
                whole, own = self.value(rest), self.own[size]
                last = whole.shape[place] if own is None else min(own, whole.shape[place])
                return whole.part(place, last - 1) if last else self.value(first)
            case va.OwnElement(table=table_value, index=index_value, size=size, shift=shift):
                table, own = self.value(table_value), self.own[size]
                wanted = self.integer(index_value) if own is None else own + shift
                return table[max((wanted,), min(table))]
            case _:
                assert_never(value)

    def _taken(self, value: va.Take) -> Tensor:
        """The elements at an index that shares axes with the tensor."""
        whole, index = self._tensor(value.value), self._tensor(value.index)
        hole = value.labels.index(value.hole)
        extents = dict(zip(value.labels, whole.shape, strict=True)) | dict(zip(value.index.axes, index.shape, strict=True))
        is_new = value.hole in value.index.axes
        axes = (*value.lead, *(label for label in value.labels if label != value.hole or is_new))
        own = places_of(value.index.axes, axes)

        def element(at: Place) -> Number:
            position = int(index.at([at[p] for p in own]))
            if not whole.shape[hole]:
                return _ZERO[value.element]
            known = dict(zip(axes, at, strict=True))
            return whole.at([position if p == hole else known[label] for p, label in enumerate(value.labels)])

        return build([extents[axis] for axis in axes], element)

    # ---- lists and tables --------------------------------------------------------------------------

    def _collection(self, value: va.Unbind | va.Chunk | va.Each | va.Entries | va.Stack | va.Join | va.Group) -> Any:
        match value:
            case va.Unbind(value=inner, places=places):
                return unbound(self.value(inner), places)
            case va.Chunk(value=inner, count=count, place=place):
                whole = self.value(inner)
                width = whole.shape[place] // count
                return [joined([row(whole, place, n * width + k) for k in range(width)], place) for n in range(count)]
            case va.Each():
                first = 0 if value.start is None else self.integer(value.start)
                return [found for _, found in self._each(value.axis, value.variable, first, self.integer(value.stop), value.value)]
            case va.Entries(value=element):
                first, last = self.integer(value.start), self.integer(value.stop)
                return {(index,): found for index, found in self._each(value.variable, value.variable, first, last, element)}
            case va.Stack(items=items, place=place, empty=empty):
                found = self.value(items)
                if found or empty is None:
                    return stacked(found, place)
                one = self.value(empty)
                return build((*one.shape[:place], 0, *one.shape[place:]), lambda _: 0)
            case va.Join(parts=parts, place=place):
                return joined([self.value(part) for part in parts], place)
            case va.Group(items=items):
                return tuple(self.value(item) for item in items)
            case _:
                assert_never(value)

    def _each(self, axis: str, variable: str, first: int, last: int, value: Value) -> Iterator[tuple[int, Any]]:
        before, shadowed = self.indices, self.locals.get(variable)
        for index in range(first, last):
            self.indices = {**before, axis: index}
            self.locals[variable] = index
            if isinstance(value, va.At) and isinstance(table := self.value(value.of), dict) and value.default is None:
                if self._keys(value.keys) not in table:  # of a partial table
                    continue
            yield index, self.value(value)
        self.indices, self.locals[variable] = before, shadowed

    # ---- calls -------------------------------------------------------------------------------------

    def _call(self, value: va.Submodule) -> Any:
        """A submodule on one example, or on each of those along the axes of the call."""
        submodule = next(one for one in self.module.submodules if one.path == value.path)
        if submodule.callee is None:
            raise OracleError(f"{submodule.path} is opaque: there is no program to interpret")
        module = self.program.module(submodule.callee)
        part, place = submodule.parts[0], ""
        if value.at is not None:
            at = self.integer(value.at) + self.poly(part.range.lower)
            part = next(one for one in submodule.parts if self.poly(one.range.lower) <= at <= self.poly(one.range.upper))
            place = f"{at - self.poly(submodule.parts[0].range.lower)}."
        given = self._given(value, module)
        lengths = {size: found for size, own in value.lengths if (found := self.value(own)) is not None}
        extents = self._call_extents(module, given, lengths)
        prefix = f"{self.prefix}{submodule.path}.{place}"

        def run(at: Place) -> Any:
            inputs = {array: example(found, at) for array, found in given.items()}
            own = {size: _number(example(found, at)) for size, found in lengths.items()}
            sizes, settings = self._callee_sizes(module, part)
            if module.library:
                return self._library(module, prefix, inputs, sizes, settings)
            return _Run(self.program, self.tensors, module, prefix, self.parameters, sizes, settings, own).results(inputs)

        if not extents:
            return run(())
        results = [run(at) for at in product(*map(range, extents))]
        if not results:
            raise OracleError(f"{submodule.path} is called for no example")
        return batched(results, extents)

    def _library(
        self, module: Module, prefix: str, inputs: Mapping[str, Any], sizes: Mapping[str, int], settings: Mapping[str, Number]
    ) -> Tensor:
        """A layer that is no tensor program: what its equations say."""
        own = {path.removeprefix(prefix): found for path, found in self.parameters.items() if path.startswith(prefix)}
        assert isinstance(module.results, Result)
        found = interpret(self.program, module.name, {array: lists_of(one) for array, one in inputs.items()}, own, sizes, settings)
        return from_lists(found, len(module.results.value.axes))

    def _given(self, value: va.Submodule, module: Module) -> dict[str, Any]:
        """What a call gives, by the arrays of the callee."""
        if module.library:
            inputs = [one for item in module.inputs for one in ((item,) if isinstance(item, Input) else item)]
            return {one.array: self.value(found) for one, found in zip(inputs, value.arguments, strict=True)}
        callee = self.tensors[module.name]
        given: dict[str, Any] = {}
        by_name = {argument.name: argument for argument in callee.arguments}
        pairs = [*zip(callee.arguments, value.arguments, strict=False), *((by_name[name], one) for name, one in value.keywords)]
        for argument, one in pairs:
            found = self.value(one)
            for (member, _), item in zip(argument.members, found if argument.is_tuple else [found], strict=True):
                if item is not None:
                    given[member.array] = item
        return given

    def _call_extents(self, module: Module, given: Mapping[str, Any], lengths: Mapping[str, Any]) -> tuple[int, ...]:
        """The extents of the axes of a call: those that its arguments have before their own."""
        found: tuple[int, ...] = ()
        for array, value in given.items():
            first = value[0] if isinstance(value, list) and value else value
            if isinstance(first, Tensor):
                rank = len(module.array(array).ranges) - isinstance(value, list)
                found = max(found, first.shape[: len(first.shape) - rank], key=len)
        return max([found, *(own.shape for own in lengths.values() if isinstance(own, Tensor))], key=len)

    def _callee_sizes(self, module: Module, part: StackPart) -> tuple[dict[str, int], dict[str, Number]]:
        sizes: dict[str, int] = {}
        settings: dict[str, Number] = {one.name: one.default for one in module.settings if one.default is not None}
        for name, value in part.arguments:
            match value:
                case Poly():
                    sizes[name] = self.poly(value)
                case GivenSetting(name=own):
                    settings[name] = self.settings[own]
                case Literal(value=number):
                    settings[name] = number
        return _known(module, sizes), settings


def _number(value: Any) -> int:
    found = value.at(()) if isinstance(value, Tensor) else value
    assert isinstance(found, int)
    return found
