"""What stands first in a body: inputs taken apart and checked, run-time sizes, lengths, defaults."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce

from mathdsl.analysis.raggedness import given_lengths
from mathdsl.backends import expressions
from mathdsl.backends.body import Body
from mathdsl.backends.calls import takes_generator, takes_lengths
from mathdsl.backends.python_ast import call, const, fmt, name, poly, star, tuple_of, unparse
from mathdsl.backends.terms import Scope
from mathdsl.backends.text import shape_text
from mathdsl.backends.unsupported import unknown_size
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Array, Element, Input, SizeKind, Structure
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of `forward`: its name, and the inputs that it holds."""

    python: str
    members: tuple[Input, ...]
    is_tuple: bool

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return all(member.default is not None for member in self.members)


def plan_arguments(body: Body) -> tuple[Argument, ...]:
    """The arguments; those that are tuples get names."""
    arguments: list[Argument] = []
    for item in body.module.inputs:
        members = (item,) if isinstance(item, Input) else item
        if isinstance(item, Input):
            arguments.append(Argument(body.locals[item.array], members, False))
        else:
            arguments.append(Argument(body.names.fresh("_".join(body.locals[m.array] for m in members)), members, True))
    return tuple(arguments)


def gives_size(body: Body, member: Input) -> bool:
    """Whether an input is a run-time size, given as a number."""
    return member.array in body.sizes


def member_type(body: Body, member: Input) -> str:
    """The type of an input that is there."""
    if gives_size(body, member):
        return "int | torch.Tensor"
    return "list[torch.Tensor]" if member.structure is Structure.LIST else "torch.Tensor"


def signature(body: Body, arguments: tuple[Argument, ...]) -> list[str]:
    """The parameters of `forward`, without `self`."""
    parts: list[str] = []
    for argument in arguments:
        if argument.is_tuple:
            inner = ", ".join(member_type(body, m) + (" | None" if m.default is not None else "") for m in argument.members)
            kind = f"tuple[{inner}]"
        else:
            kind = member_type(body, argument.members[0])
        parts.append(f"{argument.python}: {kind} | None = None" if argument.is_optional else f"{argument.python}: {kind}")
    keywords: list[str] = []
    if body.module.is_function:
        keywords += [_setting(setting.name, setting.element, setting.default) for setting in body.module.settings]
    if takes_lengths(body.module):
        kind = "torch.Tensor | Mapping[str, torch.Tensor] | None"
        keywords.append(f"lengths: {kind} = None")
    if takes_generator(body.program, body.module):
        keywords.append("generator: torch.Generator | None = None")
    return [*parts, *(["*"] if keywords else []), *keywords]


def _setting(setting: str, element: Element, default: float | int | bool | None) -> str:
    kind = {Element.REAL: "float", Element.INTEGER: "int", Element.BOOLEAN: "bool"}[element]
    return f"{setting}: {kind}" + ("" if default is None else f" = {unparse(const(default))}")


def write_inputs(body: Body, arguments: tuple[Argument, ...]) -> None:
    """Checks of types and ranks, sizes, lengths, then defaults and checks of shapes."""
    _unpack(body, arguments)
    members: list[Input] = []
    for member in (member for argument in arguments for member in argument.members):
        if gives_size(body, member):
            local = body.locals[member.array]
            body.write(f"{local} = {body.helper('_check_size')}({local!r}, {local})")
        else:
            members.append(member)
    for member in members:
        if member.default is None:
            for line in _elements(body, member, lambda text, value, m=member: _check_input(body, m, text, value)):  # type: ignore[misc]
                body.write(line)
    _references(body, members)
    _batch(body, members)
    _sizes(body, members)
    _lengths(body, members)
    for member in members:
        _shape(body, member)


def _unpack(body: Body, arguments: tuple[Argument, ...]) -> None:
    for argument in arguments:
        if not argument.is_tuple:
            continue
        count = len(argument.members)
        names = [body.locals[member.array] for member in argument.members]
        check = f"{body.helper('_check_tuple')}({argument.python!r}, {argument.python}, {count})"
        targets = ", ".join(names) + ("," if count == 1 else "")
        if not argument.is_optional:
            body.write(check)
            body.write(f"{targets} = {argument.python}")
            continue
        for member, local in zip(argument.members, names, strict=True):
            body.write(f"{local}: {member_type(body, member)} | None = None")
        body.write(f"if {argument.python} is not None:")
        body.write(f"    {check}")
        body.write(f"    {targets} = {argument.python}")


def symbols(body: Body, array: Array, member: Input) -> str:
    """The declared shape in the paper's symbols."""
    ranges = array.ranges[1:] if member.structure is Structure.LIST else array.ranges
    return shape_text(ranges, body.module.batched and not member.shared)


def _elements(body: Body, member: Input, lines: Callable[[str, str], Iterator[str]]) -> Iterator[str]:
    """Lines about a tensor input, or about every element of a list input."""
    local = body.locals[member.array]
    if member.structure is not Structure.LIST:
        yield from lines(repr(local), local)
        return
    extent = body.arrays[member.array].ranges[0].extent
    if all(body.sizes[n].kind is SizeKind.HYPERPARAMETER and not body.module.is_function for n in extent.names):
        count = unparse(body.extent(body.arrays[member.array].ranges[0]))
        yield f"{body.helper('_check_list')}({local!r}, {local}, {str(extent)!r}, {count})"
    else:
        yield f"{body.helper('_check_list')}({local!r}, {local}, {str(extent)!r}, len({local}))"
    place, item = body.variable("place"), body.variable("item")
    yield f"for {place}, {item} in enumerate({local}):"
    for line in lines(f'f"{local}[{{{place}}}]"', item):
        yield "    " + line


def _check_input(body: Body, member: Input, text: str, value: str) -> Iterator[str]:
    array = body.arrays[member.array]
    rank = len(array.ranges) - (member.structure is Structure.LIST)
    yield f"{body.helper('_check_input')}({text}, {value}, {symbols(body, array, member)!r}, {rank}, {array.element.value!r})"


def _references(body: Body, members: list[Input]) -> None:
    """The tensors that new ones are made like, where the module has no parameters."""
    for member in members:
        if member.default is not None:
            continue
        local = name(body.locals[member.array])
        if member.structure is Structure.LIST:
            continue
        body.any_input = body.any_input or local
        if body.arrays[member.array].element is Element.REAL:
            body.input_like = body.input_like or local


def _first(body: Body, member: Input) -> str:
    """A tensor of an input: itself, or its first element."""
    local = body.locals[member.array]
    return f"{local}[0]" if member.structure is Structure.LIST else local


def _rank(body: Body, member: Input) -> int:
    return len(body.arrays[member.array].ranges) - (member.structure is Structure.LIST)


def _batch(body: Body, members: list[Input]) -> None:
    """The extents of the batch axes, from the first input that has them."""
    if not body.module.batched:
        return
    batched = [m for m in members if not m.shared]
    required = [m for m in batched if m.default is None]
    if not batched:
        body.write(f"{body.batch_name} = torch.Size()")
        return
    for member in sorted(required, key=lambda m: m.structure is Structure.LIST)[:1]:
        body.write(f"{body.batch_name} = {_leading(body, member)}")
    if not required:
        local = body.locals[batched[0].array]
        body.write(f"{body.batch_name} = torch.Size() if {local} is None else {_leading(body, batched[0])}")


def _leading(body: Body, member: Input) -> str:
    tensor, rank = _first(body, member), _rank(body, member)
    text = f"{tensor}.shape[:-{rank}]" if rank else f"{tensor}.shape"
    if member.structure is Structure.LIST:
        return f"{text} if {body.locals[member.array]} else torch.Size()"
    return text


def _sizes(body: Body, members: list[Input]) -> None:
    """Each run-time size from the first required input that has it."""
    open_ = {size.name for size in body.module.sizes if size.kind is SizeKind.RUNTIME or body.module.is_function} - body.locals.keys()
    local = {size: body.names.fresh(size) for size in (s.name for s in body.module.sizes) if size in open_}
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
                body.locals[unknown[0]] = local[unknown[0]]
                open_.discard(unknown[0])
                body.write(f"{local[unknown[0]]} = {unparse(value)}")
                progress = True
    for member in members:
        for found in _only_in_optional(body, member, open_):
            body.locals[found] = local[found]
            open_.discard(found)
            _optional_size(body, member, found, local[found])
    for size in body.module.sizes:
        if size.value is not None and size.name in open_:
            values = [body.poly(poly) for poly in size.value.of]
            body.locals[size.name] = local[size.name]
            open_.discard(size.name)
            body.write(f"{local[size.name]} = {unparse(call(size.value.op[:3], *values) if len(values) > 1 else values[0])}")
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


def _optional_size(body: Body, member: Input, size: str, local: str) -> None:
    """The extent of an optional input; where it is left out, it is empty."""
    array, value = body.arrays[member.array], body.locals[member.array]
    place = next(k for k, bounds in enumerate(array.ranges) if bounds.extent.variable == size)
    body.write(f"{local} = 0")
    body.write(f"if {value} is not None:")
    if member.array not in body.looked_at:
        for line in _check_input(body, member, repr(value), value):
            body.write("    " + line)
        body.looked_at.add(member.array)
    body.write(f"    {local} = {value}.shape[{place - len(array.ranges)}]")


def _axes(body: Body, member: Input) -> Iterator[tuple[Poly, ast.expr]]:
    """The extents of a required input's axes, and where to read them at run time."""
    if member.default is not None:
        return
    ranges = list(body.arrays[member.array].ranges)
    if member.structure is Structure.LIST:
        yield ranges.pop(0).extent, call("len", name(body.locals[member.array]))
    for place, bounds in enumerate(ranges):
        node = fmt("{0}.shape[{1}]", ast.parse(_first(body, member), mode="eval").body, const(place - len(ranges)))
        yield bounds.extent, node


def _solved(body: Body, extent: Poly, size: str, source: ast.expr) -> ast.expr | None:
    """The size for which the extent is what the input has."""
    factor = extent.coefficient(size)
    if factor is None or not factor.terms:
        return None
    rest = extent - factor * size
    node = source
    if rest.terms:
        node = ast.BinOp(source, ast.Sub(), poly(rest, body.size))
        constant = rest.constant
        if constant is not None and constant < 0:
            node = ast.BinOp(source, ast.Add(), const(-constant))
    return node if factor == Poly.of(1) else ast.BinOp(node, ast.FloorDiv(), poly(factor, body.size))


def _lengths(body: Body, members: list[Input]) -> None:
    if not takes_lengths(body.module):
        return
    given = next((m for m in members if m.default is None), members[0])
    names = tuple_of(const(size) for size in given_lengths(body.module))
    for size in given_lengths(body.module):
        arguments = [name("lengths"), const(size), names, name(body.locals[size]), name(_first(body, given)), name(body.batch_name)]
        own = body.own_name(size)
        body.write(f"{own} = {unparse(call(body.helper('_lengths'), *arguments))}")
    _following_lengths(body)


def _following_lengths(body: Body) -> None:
    """Each example's own sizes that are the least or greatest of others."""
    for size in body.module.sizes:
        if size.value is None or not body.is_ragged(size.name):
            continue
        terms = [expressions.lower_index(body, poly, Scope(())) for poly in size.value.of]
        own = terms[0]
        for term in terms[1:]:
            own = expressions.combine(body, ELEMENTWISE[size.value.op], [own, term], Element.INTEGER, Scope(()))
        bases = dict.fromkeys(name for poly in size.value.of for name in body.ragged_in(poly))
        missing = reduce(lambda a, b: fmt("{0} and {1}", a, b), [fmt("{0} is None", body.own(base)) for base in bases])
        node = ast.IfExp(missing, const(None), own.node)
        body.write(f"{body.own_name(size.name)} = {unparse(node)}")


def _shape(body: Body, member: Input) -> None:
    """The default where the input is left out, the check of its shape where it is given."""
    array = body.arrays[member.array]
    local = body.locals[member.array]
    ranges = array.ranges[1:] if member.structure is Structure.LIST else array.ranges
    extents = [body.extent(bounds) for bounds in ranges]
    batched = body.module.batched and not member.shared
    batch = body.batch() if batched else None
    shape = tuple_of(([] if batch is None else [star(batch)]) + extents)
    if batch is not None and not extents:
        shape = batch

    def check(text: str, value: str) -> Iterator[str]:
        yield f"{body.helper('_check_shape')}({text}, {value}, {symbols(body, array, member)!r}, {unparse(shape)})"

    def both(text: str, value: str) -> Iterator[str]:
        if member.array not in body.looked_at:
            yield from _check_input(body, member, text, value)
        yield from check(text, value)

    if member.default is None:
        body.block.items.extend(_elements(body, member, check) if member.structure is not Structure.LIST else _each(body, member, check))
        return
    value = body.full(const(member.default.value), array.element, extents, batched)
    if member.structure is Structure.LIST:
        count = unparse(body.extent(array.ranges[0]))
        body.write(f"if {local} is None:")
        body.write(f"    {local} = [{unparse(value)} for _ in range({count})]")
    else:
        body.write(f"if {local} is None:")
        body.write(f"    {local} = {unparse(value)}")
    body.write("else:")
    for line in _elements(body, member, both):
        body.write("    " + line)


def _each(body: Body, member: Input, lines: Callable[[str, str], Iterator[str]]) -> Iterator[str]:
    """Lines about every element of a list whose length was looked at before."""
    found = list(_elements(body, member, lines))
    return iter(found[1:])
