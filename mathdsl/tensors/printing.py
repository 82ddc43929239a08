"""Tensor programs as text that a person reads: a value a line, with the axes that it has.

h_at[t]{..., i} = tanh(product(j: h_at[t-1] * U, + x_at[t]))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import Enum
from typing import assert_never

from mathdsl.ir.names import shorten_letters
from mathdsl.ir.printing_expressions import print_poly
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.statements import (
    Append,
    Assert,
    BatchShape,
    Between,
    Blank,
    CheckInput,
    CheckList,
    CheckOwnRange,
    CheckRange,
    CheckSize,
    Comment,
    Declare,
    Extents,
    ForEach,
    IfMissing,
    Lengths,
    Let,
    Loop,
    NewList,
    NewTable,
    OwnSize,
    Receive,
    Return,
    Run,
    Shape,
    Statement,
    Store,
    StoreAll,
    TensorProgram,
    UnpackInput,
)
from mathdsl.tensors.values import (
    Along,
    At,
    Constant,
    Contract,
    Cut,
    Entry,
    Expand,
    Extent,
    Fresh,
    Gather,
    Group,
    Holds,
    Integer,
    Local,
    Map,
    Nothing,
    Owned,
    Permute,
    Pick,
    Product,
    Reduce,
    Setting,
    Slice,
    Submodule,
    Value,
)

_INDENT = "  "


def print_tensors(programs: Sequence[TensorProgram]) -> str:
    """The tensor programs of a document's modules."""
    return "\n".join("\n".join(_program(program)) + "\n" for program in programs)


def _program(program: TensorProgram) -> Iterator[str]:
    arguments = [argument.name for argument in program.arguments] + (["lengths"] if program.takes_lengths else [])
    yield f"{program.module}({', '.join(arguments)})"
    yield from (_INDENT + line for line in _lines(program.statements))


def _lines(statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        header, bodies = print_statement(statement)
        for line in header:
            yield shorten_letters(line)
        for title, body in bodies:
            yield from [title] if title else []
            yield from (_INDENT + line for line in _lines(body))


# ---- statements ----------------------------------------------------------------------------------


def print_statement(statement: Statement) -> tuple[list[str], list[tuple[str, tuple[Statement, ...]]]]:
    """The lines of a statement, and the blocks that stand under it, with a title for each that needs one."""
    match statement:
        case Comment(origins=origins):
            return [f"# {' '.join(origin.latex.split())}" for origin in origins if origin.latex], []
        case Blank():
            return [""], []
        case Let(local=local, value=value):
            return [f"{local.name}{_form(value)} = {print_value(value)}"], []
        case Declare(local=local):
            return [f"declare {local.name}"], []
        case Store(element=element, value=value):
            return [f"{print_value(element)}{_form(value)} = {print_value(value)}"], []
        case NewTable(table=table, first=first, items=items):
            if first is not None:
                return [f"table {table.name}: [{_values(first[0])}] = {print_value(first[1])}"], []
            return [f"table {table.name}{'' if items is None else f': {print_value(items[0])} from {print_value(items[1])}'}"], []
        case StoreAll(table=table, items=items, start=start):
            return [f"{table.name}[{print_value(start)}..] = {print_value(items)}"], []
        case NewList(local=local):
            return [f"list {local.name}"], []
        case Append(local=local, value=value):
            return [f"append {local.name}: {print_value(value)}"], []
        case Receive(targets=targets, value=value):
            return [f"{', '.join('_' if target is None else print_value(target) for target in targets)} = {print_value(value)}"], []
        case Run(value=value):
            return [print_value(value)], []
        case Return(value=value):
            return [f"return {print_value(value)}"], []
        case Loop(axis=axis, start=start, stop=stop, body=body):
            lowest = "0" if start is None else print_value(start)
            word = "down to above" if statement.is_descending else "to below"
            return [f"for {axis} from {lowest} {word} {print_value(stop)}"], [("", body)]
        case ForEach(axis=axis, item=item, items=items, start=start, body=body):
            origin = "" if start is None else f" from {print_value(start)}"
            return [f"for {axis}{origin}, {item} in {print_value(items)}"], [("", body)]
        case Between(index=index, lower=lower, upper=upper, body=body):
            shown = [print_value(bound) for bound in (lower, index, upper) if bound is not None]
            return [f"if {' <= '.join(shown)}"], [("", body)]
        case IfMissing(of=of, then=then, otherwise=otherwise):
            return [f"if {of.name} is missing"], [("", then), ("else", otherwise)]
        case _:
            return [_check(statement)], []


_Checked = Assert | UnpackInput | CheckSize | CheckInput | CheckList | CheckRange | CheckOwnRange | BatchShape | Lengths | OwnSize


def _check(statement: _Checked) -> str:
    """A check, or what is read from inputs."""
    match statement:
        case Assert(condition=condition):
            return f"assert {print_value(condition)}"
        case UnpackInput(argument=argument):
            return f"{', '.join(local.name for _, local in argument.members)} = {argument.name}"
        case CheckSize(local=local):
            return f"check {local.name} is a size"
        case CheckInput(value=value, shape=shape, extents=extents):
            return f"check {value.name} is {value.element.value} {_extents(shape, extents)}"
        case CheckList(value=value, count=count, shape=shape, extents=extents):
            return f"check {value.name} is a list of {print_value(count)}, {value.element.value} {_extents(shape, extents)}"
        case CheckRange(value=value, lower=lower, upper=upper):
            return f"check {print_value(value)} in {print_value(lower)}..{print_value(upper)}"
        case CheckOwnRange(value=value, size=size, lower=lower, extra=extra):
            return f"check {print_value(value)} in {print_value(lower)}..own({size}){f' + {extra}' if extra else ''}"
        case BatchShape(name=name, of=of):
            return f"{name} = the batch axes{'' if of is None else f' of {of.name}'}"
        case Lengths(sizes=sizes):
            return f"{', '.join(f'own({size})' for size in sizes)} = lengths"
        case OwnSize(size=size, value=value):
            return f"own({size}) = {print_value(value)}"
        case _:
            assert_never(statement)


def _extents(shape: Shape, extents: Extents) -> str:
    """`(batch, S, _)`: what is read from the input itself is `_`."""
    batch = ["..." if extents.any_batch else "batch"] if shape.batch else []
    return f"({', '.join([*batch, *('_' if extent is None else print_value(extent) for extent in extents.axes)])})"


# ---- values --------------------------------------------------------------------------------------


def print_value(value: Value) -> str:
    """One value: elementwise operations and products as formulas, all others as calls."""
    match value:
        case Local(name=name) | Setting(name=name) | Owned(array=name):
            return name
        case Constant(value=number):
            return str(number)
        case Nothing():
            return "nothing"
        case Integer(value=poly):
            return print_poly(poly)
        case Extent(of=of, place=place):
            return f"extent({print_value(of)}, {place})"
        case At(of=of, keys=keys, default=default):
            return f"{print_value(of)}[{_values(keys)}{'' if default is None else f' or {print_value(default)}'}]"
        case Map(op=op, operands=operands):
            return _map(op, [print_value(operand) for operand in operands])
        case Contract(factors=factors, summed=summed) | Product(factors=factors, summed=summed):
            word, addend = ("product", value.addend) if isinstance(value, Product) else ("contract", None)
            more = "" if addend is None else f", + {print_value(addend)}"
            return f"{word}({', '.join(summed)}: {' * '.join(print_value(factor) for factor in factors)}{more})"
        case Reduce(op=op, value=inner, axis=axis):
            return f"{op}({axis}: {print_value(inner)})"
        case Along(op=op, value=inner, axis=axis, own=own, extra=extra):
            part = "" if own is None else f", own({own}){'' if extra is None else f' + {print_value(extra)}'}"
            return f"{op}({axis}: {print_value(inner)}{part})"
        case Slice(value=inner, entries=entries):
            shown = [_entry(entry) for entry in entries]
            return print_value(inner) if all(entry == ":" for entry in shown) else f"{print_value(inner)}[{', '.join(shown)}]"
        case Permute(value=inner) | Expand(value=inner):
            word = "permute" if isinstance(value, Permute) else "expand"
            return f"{word}({print_value(inner)}){_form(value)}"
        case Group(items=items):
            return f"({_values(items)})"
        case Submodule(path=path, at=at, arguments=arguments, keywords=keywords):
            given = [print_value(one) for one in arguments] + [f"{keyword}={print_value(one)}" for keyword, one in keywords]
            return f"{path}{'' if at is None else f'[{print_value(at)}]'}({', '.join(given)})"
        case _:
            parts = [_part(getattr(value, field.name)) for field in fields(value) if field.name != "form"]
            return f"{type(value).__name__.lower()}({', '.join(part for part in parts if part)})"


def _map(op: str, operands: Sequence[str]) -> str:
    template = ELEMENTWISE[op].scalar
    if "(" in template or template in ("", "{0}"):
        return f"{op}({', '.join(operands)})"
    return f"({template.format(*operands)})"


def _entry(entry: Entry) -> str:
    match entry:
        case None:
            return ":"
        case Pick(position=position):
            return print_value(position)
        case Cut(start=start, stop=stop):
            return ":".join("" if end is None else print_value(end) for end in (start, stop))
        case Gather(index=index):
            return print_value(index)
        case Fresh():
            return "new"
        case _:
            assert_never(entry)


def _values(values: Sequence[Value]) -> str:
    return ", ".join(print_value(value) for value in values)


def _part(part: object) -> str:
    """A field of a value: what it is made of, an axis, a number; nothing of what is left out."""
    match part:
        case None | False:
            return ""
        case tuple():
            return ", ".join(_part(one) for one in part)
        case Poly():
            return print_poly(part)
        case Enum():
            return str(part.value)
        case str() | int() | float():
            return str(part)
        case _:
            return print_value(part)  # type: ignore[arg-type]


def _form(value: Value) -> str:
    """`{..., i, j}`: the axes of a tensor."""
    if value.form.holds is not Holds.TENSOR:
        return ""
    return f"{{{', '.join([*(['...'] if value.batch else []), *value.axes])}}}"
