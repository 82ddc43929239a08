"""What stands first in a body: inputs taken apart and checked, run-time sizes, lengths, defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from mathdsl.analysis.raggedness import given_lengths, values_of_sizes
from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Element, Input, Range, SizeKind, Structure
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import map_range
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower.body import Body, listed, waiting
from mathdsl.tensors.lower.calls import takes_lengths
from mathdsl.tensors.lower.operands import combine, lower_index
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.lower.unsupported import unknown_size
from mathdsl.tensors.statements import (
    Argument,
    BatchShape,
    CheckInput,
    CheckList,
    CheckSize,
    Extents,
    IfMissing,
    Lengths,
    Let,
    OwnSize,
    Shape,
    UnpackInput,
)
from mathdsl.tensors.values import INTEGER, At, Each, Extent, Form, Holds, Length, Local, Map, Value


def plan_arguments(body: Body) -> tuple[Argument, ...]:
    """The arguments; those that are tuples get names."""
    arguments: list[Argument] = []
    for item in body.module.inputs:
        if isinstance(item, Input):
            arguments.append(Argument(body.locals[item.array], ((item, _local(body, item)),), False))
        else:
            name = body.names.fresh("_".join(body.locals[m.array] for m in item))
            arguments.append(Argument(name, tuple((m, _local(body, m)) for m in item), True))
    return tuple(arguments)


def _local(body: Body, member: Input) -> Local:
    """The local of an input: a number, a tensor or a list of tensors."""
    array = body.arrays[member.array]
    form = Form(waiting(_rank(body, member)), array.batch, array.element)
    if member.array in body.sizes:
        form = INTEGER
    return Local(listed(form) if member.structure is Structure.LIST else form, body.locals[member.array])


def write_inputs(body: Body, arguments: tuple[Argument, ...]) -> None:
    """Checks, each as soon as what it needs is known; run-time sizes, defaults, lengths."""
    for argument in arguments:
        if argument.is_tuple:
            body.write(UnpackInput(argument))
    members: list[Input] = []
    for member, local in (pair for argument in arguments for pair in argument.members):
        if local.scalar:
            body.write(CheckSize(local))
        else:
            members.append(member)
    _references(body, members)
    _Inputs.of(body, members).write()
    if takes_lengths(body.module):
        names = tuple(given_lengths(body.module))
        for size in names:
            body.own_name(size)
        body.write(Lengths(names, _first(body, next((m for m in members if m.default is None), members[0]))))
        _following_lengths(body)


@dataclass(slots=True)
class _Inputs:
    """The tensor inputs of a module while they are checked, in an order in which sizes come from tensors before they come from lists."""

    body: Body
    required: list[Input]
    optional: list[Input]
    open: set[str]  # sizes that are not known yet
    names: dict[str, str]  # for them
    has_batch: bool  # whether the extents of the batch axes are known
    computed: set[str]  # sizes on their axes that are computed of several others, which an axis is asked to have: `2^m`
    sources: list[tuple[Poly, Value]] = field(default_factory=list)  # extents that were looked at, and where they are read

    @staticmethod
    def of(body: Body, members: list[Input]) -> _Inputs:
        """Before the first check."""
        required = sorted((m for m in members if m.default is None), key=lambda m: m.structure is Structure.LIST)
        optional = [m for m in members if m.default is not None]
        runtime = {size.name for size in body.module.sizes if size.kind is SizeKind.RUNTIME or body.module.is_function}
        open_ = runtime - body.locals.keys()
        names = {size.name: body.names.fresh(size.name) for size in body.module.sizes if size.name in open_}
        computed = {size.name for size in body.module.sizes if size.value is not None and len(size.value.of) > 1} & open_
        if computed:
            computed &= {name for member in required for bounds in _ranges(body, member) for name in bounds.extent.names}
        return _Inputs(body, required, optional, open_, names, not body.module.batched, computed)

    def write(self) -> None:
        """What is required, what may be left out, and the sizes that follow."""
        body = self.body
        if all(member.shared for member in self.required):
            self._batch(next((member for member in self.optional if not member.shared), None))
        remaining, again = list(self.required), list[Input]()
        self._compute(among=self.computed)
        while remaining:
            member = next(filter(self._is_enough, remaining), remaining[0])
            remaining.remove(member)
            if not self._is_enough(member):
                again.append(member)
            body.write(self._checked(member))
            if not member.shared:
                self._batch(member)
            self._solve(member)
            self._compute(among=self.computed)
        self.computed.clear()
        self._solve()
        for member in again:
            body.write(self._checked(member))
        with_sizes = [member for member in self.optional if self._own_sizes(member)]
        for member in with_sizes:
            self._optional(member)
        self._compute()
        given = {n for m in (*self.required, *self.optional) for bounds in _ranges(body, m) for n in bounds.extent.names}
        for size in body.module.sizes:
            if size.name in self.open & given:
                raise MathdslError(unknown_size(body.module, size))
        body.unmeasured |= self.open
        for member in self.optional:
            if member not in with_sizes:
                self._optional(member)

    def _compute(self, among: Collection[str] | None = None) -> None:
        """The sizes that others give; of those `among` which an input has on an axis, the ones of which all of these are known."""
        for size in self.body.module.sizes:
            if size.value is None or size.name not in self.open or among is not None and size.name not in among:
                continue
            if among is None or self.open.isdisjoint(name for poly in size.value.of for name in poly.names):
                values = tuple(map(self.body.poly, size.value.of))
                value = Map(INTEGER, size.value.op, values) if len(values) > 1 else values[0]
                self.body.write(Let(self._known(size.name), value))

    # ---- checks ------------------------------------------------------------------------------------

    def _checked(self, member: Input) -> CheckInput | CheckList:
        body, local, shape = self.body, _local(self.body, member), _shape_of(self.body, member)
        axes = tuple(None if bounds.extent.names & self.open else body.extent(bounds) for bounds in shape.ranges)
        extents = Extents(axes, shape.batch and not self.has_batch)
        if member.structure is not Structure.LIST:
            return CheckInput(local, shape, extents)
        count = _ranges(body, member)[0].extent
        found = Length(INTEGER, local) if count.names & self.open else body.poly(count)
        return CheckList(local, count, found, shape, extents, body.variable("place"), body.variable("item"))

    def _is_enough(self, member: Input) -> bool:
        """Whether one check will do: each extent is known, or one that this axis alone gives, whatever it has: `S+1`, not `2 S`."""
        extents = [bounds.extent for bounds in _ranges(self.body, member)]
        found = [self._given(extent) for extent in extents if extent.names & self.open]
        if member.structure is Structure.LIST:
            is_counted = not found or found == [self._given(extents[0])]
            return self.has_batch and is_counted and None not in found
        return None not in found and len(set(found)) == len(found)

    def _given(self, extent: Poly) -> str | None:
        """The size that is not known yet of an extent that any number of elements gives."""
        above, below = extent.fraction
        unknown = [name for name in extent.names if name in self.open]
        if not self.computed.isdisjoint(unknown):
            return None
        factor = above.coefficient(unknown[0]) if len(unknown) == 1 and below == Poly.of(1) else None
        return unknown[0] if factor is not None and factor.constant in (1, -1) else None

    # ---- sizes -------------------------------------------------------------------------------------

    def _known(self, size: str) -> Local:
        self.body.locals[size] = self.names[size]
        self.open.discard(size)
        return Local(INTEGER, self.names[size])

    def _batch(self, of: Input | None) -> None:
        """The extents of the batch axes, from the first input that has them."""
        if not self.has_batch:
            is_optional = of is not None and of.default is not None
            self.body.write(BatchShape(self.body.batch_name, None if of is None else _local(self.body, of), is_optional))
        self.has_batch = True

    def _solve(self, *looked_at: Input) -> None:
        """The sizes that are known once inputs were looked at."""
        for member in looked_at:
            self.sources += _axes(self.body, member)
        progress = True
        while self.open and progress:
            progress = False
            for extent, source in self.sources:
                unknown = [n for n in extent.names if n in self.open]
                is_one = len(unknown) == 1 and unknown[0] not in self.computed
                value = _solved(self.body, extent, unknown[0], source) if is_one else None
                if value is not None:
                    self.body.write(Let(self._known(unknown[0]), value))
                    progress = True

    # ---- inputs that may be left out ---------------------------------------------------------------

    def _own_sizes(self, member: Input) -> list[str]:
        """The sizes that are extents of an input that may be empty, and follow from no other."""
        if not member.is_empty or member.structure is Structure.LIST:
            return []
        extents = [bounds.extent.variable for bounds in _ranges(self.body, member)]
        return [extent for extent in dict.fromkeys(extents) if extent is not None and extent in self.open]

    def _optional(self, member: Input) -> None:
        """The default where the input is left out, its check where it is given; its own sizes are 0 where it is left out."""
        body, local, shape, own = self.body, _local(self.body, member), _shape_of(self.body, member), self._own_sizes(member)
        check = self._checked(member)
        empty = dict.fromkeys(own, Poly.of(0))
        extents = tuple(body.poly(bounds.extent.substitute(empty)) for bounds in shape.ranges)
        default = constant(member.default.value if member.default is not None else 0)
        value: Value = body.full(default, local.element, waiting(len(extents)), extents, shape.batch)
        if member.structure is Structure.LIST:
            value = Each(listed(value.form), "_", "_", None, body.extent(_ranges(body, member)[0]), value)
        body.write(IfMissing(local, (Let(local, value),), (check,)))
        for size in own:
            place = next(k for k, bounds in enumerate(shape.ranges) if bounds.extent.variable == size)
            body.write(Let(self._known(size), Extent(INTEGER, local, place - len(shape.ranges))))
        if len(own) < len([extent for extent in check.extents.axes if extent is None]):
            body.write(self._checked(member))


def _shape_of(body: Body, member: Input) -> Shape:
    """The declared shape of an input, or of the elements of a list."""
    ranges = _ranges(body, member)
    return Shape(ranges[1:] if member.structure is Structure.LIST else ranges, body.module.batched and not member.shared)


def _ranges(body: Body, member: Input) -> tuple[Range, ...]:
    """The ranges of an input, in sizes that nothing else gives: `0 .. m+n-1`, not up to what is their sum."""
    values = values_of_sizes(body.module)
    return tuple(map_range(bounds, lambda bound: bound.substitute(values)) for bounds in body.arrays[member.array].ranges)


def _references(body: Body, members: list[Input]) -> None:
    """The tensors that new ones are made like, where the module has no parameters."""
    for member in members:
        if member.default is None and member.structure is not Structure.LIST:
            local = _local(body, member)
            body.any_input = body.any_input or local
            if local.element is Element.REAL:
                body.input_like = body.input_like or local


def _first(body: Body, member: Input) -> Value:
    """A tensor of an input: itself, or its first element."""
    local = _local(body, member)
    return At(replace(local.form, holds=Holds.TENSOR), local, (constant(0),)) if member.structure is Structure.LIST else local


def _rank(body: Body, member: Input) -> int:
    return len(body.arrays[member.array].ranges) - (member.structure is Structure.LIST)


# ---- sizes ---------------------------------------------------------------------------------------


def _axes(body: Body, member: Input) -> Iterator[tuple[Poly, Value]]:
    """The extents of a required input's axes, and where to read them at run time."""
    if member.default is not None:
        return
    ranges = list(_ranges(body, member))
    if member.structure is Structure.LIST:
        yield ranges.pop(0).extent, Length(INTEGER, _local(body, member))
    for place, bounds in enumerate(ranges):
        yield bounds.extent, Extent(INTEGER, _first(body, member), place - len(ranges))


def _solved(body: Body, extent: Poly, size: str, source: Value) -> Value | None:
    """The size for which the extent is what the input has: `2 k` for an extent `n/2` of `k` elements."""
    above, below = extent.fraction
    factor = above.coefficient(size)
    if factor is None or not factor.terms or size in below.names:
        return None
    rest = above - factor * size
    source = value = source if below == Poly.of(1) else Map(INTEGER, "mul", (source, body.poly(below)))
    if rest.terms:
        number = rest.constant
        is_less = number is not None and number < 0
        value = Map(INTEGER, "add" if is_less else "sub", (source, body.poly(-rest if is_less else rest)))
    return value if factor == Poly.of(1) else Map(INTEGER, "floor_div", (value, body.poly(factor)))


def _following_lengths(body: Body) -> None:
    """Each example's own sizes that are the least or greatest of others."""
    for size in body.module.sizes:
        if size.value is None or size.name not in body.module.ragged:
            continue
        own_values = [poly.owned(body.module.ragged) for poly in size.value.of]
        values = [lower_index(body, poly, Scope(())) for poly in own_values]
        own = values[0]
        for value in values[1:]:
            own = combine(body, ELEMENTWISE[size.value.op], [own, value], Element.INTEGER, Scope(()))
        bases = tuple(dict.fromkeys(name for poly in own_values for name in body.ragged_in(poly)))
        body.own_name(size.name)
        body.write(OwnSize(size.name, bases, own))
