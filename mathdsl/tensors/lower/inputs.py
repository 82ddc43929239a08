"""What stands first in a body: inputs taken apart and checked, run-time sizes, lengths, defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mathdsl.analysis.raggedness import given_lengths
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Element, Input, SizeKind, Structure
from mathdsl.ir.sizes import Poly
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
    CheckShape,
    CheckSize,
    ForEach,
    IfMissing,
    Label,
    Lengths,
    Let,
    OwnSize,
    Shape,
    Statement,
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
    """Checks of types and ranks, sizes, lengths, then defaults and checks of shapes."""
    for argument in arguments:
        if argument.is_tuple:
            body.write(UnpackInput(argument))
    members: list[Input] = []
    for member, local in (pair for argument in arguments for pair in argument.members):
        if local.scalar:
            body.write(CheckSize(local))
        else:
            members.append(member)
    for member in members:
        if member.default is None:
            for line in _elements(body, member, lambda label, value, m=member: [_check_input(body, m, label, value)]):  # type: ignore[misc]
                body.write(line)
    _references(body, members)
    _batch(body, members)
    _sizes(body, members)
    _lengths(body, members)
    for member in members:
        _shape(body, member)


def _shape_of(body: Body, member: Input) -> Shape:
    """The declared shape of an input, or of the elements of a list."""
    ranges = body.arrays[member.array].ranges
    return Shape(ranges[1:] if member.structure is Structure.LIST else ranges, body.module.batched and not member.shared)


def _elements(body: Body, member: Input, lines: Callable[[Label, Local], Sequence[Statement]]) -> Iterator[Statement]:
    """Statements about a tensor input, or about every element of a list input, whose length is looked at."""
    local = _local(body, member)
    if member.structure is not Structure.LIST:
        yield from lines(Label(local.name), local)
        return
    extent = body.arrays[member.array].ranges[0].extent
    is_known = all(body.sizes[n].kind is SizeKind.HYPERPARAMETER and not body.module.is_function for n in extent.names)
    yield CheckList(local, extent, body.poly(extent) if is_known else Length(INTEGER, local))
    place, item = body.variable("place"), body.variable("item")
    one = Local(replace(local.form, holds=Holds.TENSOR), item)
    yield ForEach(place, place, item, local, None, tuple(lines(Label(local.name, place), one)))


def _check_input(body: Body, member: Input, label: Label, value: Local) -> Statement:
    return CheckInput(label, value, _shape_of(body, member))


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


def _batch(body: Body, members: list[Input]) -> None:
    """The extents of the batch axes, from the first input that has them."""
    if not body.module.batched:
        return
    batched = [m for m in members if not m.shared]
    required = sorted((m for m in batched if m.default is None), key=lambda m: m.structure is Structure.LIST)
    first = next(iter((*required, *batched)), None)
    body.write(BatchShape(body.batch_name, None if first is None else _local(body, first), is_optional=first is not None and not required))


# ---- sizes ---------------------------------------------------------------------------------------


def _sizes(body: Body, members: list[Input]) -> None:
    """Each run-time size from the first required input that has it."""
    open_ = {size.name for size in body.module.sizes if size.kind is SizeKind.RUNTIME or body.module.is_function} - body.locals.keys()
    local = {size: body.names.fresh(size) for size in (s.name for s in body.module.sizes) if size in open_}

    def known(size: str) -> Local:
        body.locals[size] = local[size]
        open_.discard(size)
        return Local(INTEGER, local[size])

    extents = [found for member in members for found in _axes(body, member)]
    progress = True
    while open_ and progress:
        progress = False
        for extent, source in extents:
            unknown = [n for n in extent.names if n in open_]
            if len(unknown) != 1:
                continue
            value = _solved(body, extent, unknown[0], source)
            if value is not None:
                body.write(Let(known(unknown[0]), value))
                progress = True
    for member in members:
        for found in _only_in_optional(body, member, open_):
            _optional_size(body, member, found, known(found))
    for size in body.module.sizes:
        if size.value is not None and size.name in open_:
            values = tuple(body.poly(poly) for poly in size.value.of)
            body.write(Let(known(size.name), Map(INTEGER, size.value.op, values) if len(values) > 1 else values[0]))
    given = {n for member in members for bounds in body.arrays[member.array].ranges for n in bounds.extent.names}
    for size in body.module.sizes:
        if size.name in open_ & given:
            raise MathdslError(unknown_size(body.module, size))
    body.unmeasured |= open_


def _only_in_optional(body: Body, member: Input, open_: set[str]) -> list[str]:
    """The sizes that are extents of an input that may be empty, and follow from no other."""
    if not member.is_empty or member.structure is Structure.LIST:
        return []
    extents = [bounds.extent.variable for bounds in body.arrays[member.array].ranges]
    return [extent for extent in dict.fromkeys(extents) if extent is not None and extent in open_]


def _optional_size(body: Body, member: Input, size: str, local: Local) -> None:
    """The extent of an optional input; where it is left out, it is empty."""
    array, value = body.arrays[member.array], _local(body, member)
    place = next(k for k, bounds in enumerate(array.ranges) if bounds.extent.variable == size)
    body.write(Let(local, constant(0)))
    check = [_check_input(body, member, Label(value.name), value)] if member.array not in body.looked_at else []
    body.looked_at.add(member.array)
    body.write(IfMissing(value, (), (*check, Let(local, Extent(INTEGER, value, place - len(array.ranges))))))


def _axes(body: Body, member: Input) -> Iterator[tuple[Poly, Value]]:
    """The extents of a required input's axes, and where to read them at run time."""
    if member.default is not None:
        return
    ranges = list(body.arrays[member.array].ranges)
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


def _lengths(body: Body, members: list[Input]) -> None:
    if not takes_lengths(body.module):
        return
    given = next((m for m in members if m.default is None), members[0])
    names = given_lengths(body.module)
    for size in names:
        body.own_name(size)
        body.write(Lengths(size, tuple(names), _first(body, given)))
    _following_lengths(body)


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


# ---- shapes --------------------------------------------------------------------------------------


def _shape(body: Body, member: Input) -> None:
    """The default where the input is left out, the check of its shape where it is given."""
    array, local, shape = body.arrays[member.array], _local(body, member), _shape_of(body, member)
    extents = tuple(body.extent(bounds) for bounds in shape.ranges)

    def check(label: Label, value: Local) -> list[Statement]:
        return [CheckShape(label, value, shape, extents)]

    def both(label: Label, value: Local) -> list[Statement]:
        first = [_check_input(body, member, label, value)] if member.array not in body.looked_at else []
        return [*first, *check(label, value)]

    if member.default is None:
        lines = list(_elements(body, member, check))
        for line in lines[1:] if member.structure is Structure.LIST else lines:  # the length of a list was looked at before
            body.write(line)
        return
    value: Value = body.full(constant(member.default.value), array.element, waiting(len(extents)), extents, shape.batch)
    if member.structure is Structure.LIST:
        value = Each(listed(value.form), "_", "_", None, body.extent(array.ranges[0]), value)
    body.write(IfMissing(local, (Let(local, value),), tuple(_elements(body, member, both))))
