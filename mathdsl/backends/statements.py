"""Statements of a tensor program as lines of Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import assert_never

from mathdsl.backends import line_map
from mathdsl.backends.python_ast import call, const, fmt, name, subscript, tuple_of, unparse, unparse_tuple
from mathdsl.backends.text import comment_lines, one_line, shape_text
from mathdsl.backends.values import expression, range_of
from mathdsl.backends.writing import Writing
from mathdsl.ir.nodes import Element, Result, ResultTuple
from mathdsl.tensors.statements import (
    Append,
    Argument,
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
    UnpackInput,
)
from mathdsl.tensors.values import Holds, Local, Value


def write_statements(writing: Writing, statements: Sequence[Statement]) -> None:
    """Lines for statements."""
    for statement in statements:
        writing.place = statement.span
        _write(writing, statement)


def _write_comment(writing: Writing, comment: Comment) -> None:
    """The author's equations."""
    for origin in comment.origins:
        lines = comment_lines(origin)
        if origin.latex and lines:
            writing.equations.append(line_map.Comment(lines[0].removeprefix("# "), origin.span))
        for line in lines:
            writing.write(line)


def _write(writing: Writing, statement: Statement) -> None:
    """The lines of one statement."""
    match statement:
        case Comment():
            _write_comment(writing, statement)
        case Declare(local=local):
            writing.write(f"{local.name}: {_type(local)}")
        case Let(local=local, value=value, note=note):
            since = len(writing.asked)
            text = unparse(expression(writing, value))
            if local.scalar:
                writing.write_number(local.name, text, since)
                return
            target = f"{local.name}: {_type(local)}" if statement.is_declared else local.name
            writing.write(f"{target} = {text}{_note(note)}")
        case BatchShape(name=batch):
            writing.write_number(batch, _batch_shape(statement), len(writing.asked))
        case Store(element=element, value=value, note=note):
            writing.write(f"{unparse(expression(writing, element))} = {unparse(expression(writing, value))}{_note(note)}")
        case NewTable():
            _write_table(writing, statement)
        case StoreAll(table=table, items=items, start=start):
            pairs = call("enumerate", expression(writing, items), expression(writing, start))
            writing.write(f"{table.name}.update({unparse(pairs)})")
        case Receive(targets=targets, pattern=pattern, value=value, notes=notes):
            waiting = iter([name("_") if target is None else expression(writing, target) for target in targets])
            writing.write(f"{unparse_tuple(_pattern(pattern, waiting))} = {unparse(expression(writing, value))}{_note(*notes)}")
        case Run(value=value):
            writing.write(unparse(expression(writing, value)))
        case Return(value=value):
            writing.write(f"return {unparse_tuple(expression(writing, value))}")
        case NewList(local=local):
            writing.write(f"{local.name}: list[torch.Tensor] = []")
        case Append(local=local, value=value):
            writing.write(f"{local.name}.append({unparse(expression(writing, value))})")
        case Loop() | ForEach() | Between() | IfMissing():
            _write_block(writing, statement)
        case Blank():
            writing.write("")
        case Assert() | UnpackInput() | CheckSize() | CheckInput() | CheckList() | CheckRange() | CheckOwnRange() | Lengths() | OwnSize():
            _write_input(writing, statement)
        case _:
            assert_never(statement)


def _type(local: Local) -> str:
    return "list[torch.Tensor]" if local.form.holds is Holds.LIST else "torch.Tensor"


def _note(*shapes: Shape | None) -> str:
    """`  # (..., S, d_h)`."""
    shown = ", ".join(shape_text(shape.ranges, shape.batch) for shape in shapes if shape is not None)
    return f"  # {shown}" if shown else ""


def _pattern(results: Result | ResultTuple, targets: Iterator[ast.expr]) -> ast.expr:
    if isinstance(results, Result):
        return next(targets)
    return ast.Tuple([_pattern(item, targets) for item in results.items], ast.Store())


def _write_table(writing: Writing, statement: NewTable) -> None:
    key = "int" if statement.keys == 1 else unparse(subscript(name("tuple"), tuple_of([name("int")] * statement.keys)))
    items: ast.expr = ast.Dict([], [])
    if statement.first is not None:
        keys = [expression(writing, one) for one in statement.first[0]]
        items = ast.Dict([keys[0] if len(keys) == 1 else tuple_of(keys)], [expression(writing, statement.first[1])])
    elif statement.items is not None:
        items = call("dict", call("enumerate", *(expression(writing, one) for one in statement.items)))
    writing.write(f"{statement.table.name}: dict[{key}, torch.Tensor] = {unparse(items)}{_note(statement.note)}")


# ---- blocks --------------------------------------------------------------------------------------


def _write_block(writing: Writing, statement: Loop | ForEach | Between | IfMissing) -> None:
    """A header, and what stands under it."""
    match statement:
        case Loop(variable=variable, start=start, stop=stop):
            steps = range_of(writing, start, stop)
            if statement.is_descending:
                assert isinstance(steps, ast.Call)
                steps.args.append(const(-1))
            with writing.variable(statement.axis, variable), writing.under(f"for {variable} in {unparse(steps)}:"):
                write_statements(writing, statement.body)
        case ForEach(variable=variable, item=item, items=items, start=start):
            pairs = call("enumerate", expression(writing, items), *([] if start is None else [expression(writing, start)]))
            with writing.variable(statement.axis, variable), writing.under(f"for {variable}, {item} in {unparse(pairs)}:"):
                write_statements(writing, statement.body)
        case Between(index=index, lower=lower, upper=upper):
            bounds = [None if bound is None else expression(writing, bound) for bound in (lower, index, upper)]
            parts = [bound for bound in bounds if bound is not None]
            with writing.under(f"if {unparse(ast.Compare(parts[0], [ast.LtE()] * (len(parts) - 1), parts[1:]))}:"):
                write_statements(writing, statement.body)
        case IfMissing(of=of, then=then, otherwise=otherwise):
            if then:
                with writing.under(f"if {of.name} is None:"):
                    write_statements(writing, then)
            with writing.under("else:" if then else f"if {of.name} is not None:"):
                write_statements(writing, otherwise)
        case _:
            assert_never(statement)


# ---- checks and what is read from inputs -----------------------------------------------------------


_Input = Assert | UnpackInput | CheckSize | CheckInput | CheckList | CheckRange | CheckOwnRange | Lengths | OwnSize


def _write_input(writing: Writing, statement: _Input) -> None:
    """A check, or what is read from inputs."""

    def check(helper: str, *arguments: ast.expr) -> None:
        writing.write(unparse(call(writing.helper(helper), *arguments)))

    def shown(*values: Value) -> list[ast.expr]:
        return [expression(writing, value) for value in values]

    match statement:
        case Assert(condition=condition, origin=origin):
            check("_assert", *shown(condition), const(one_line(origin.latex)))
        case UnpackInput(argument=argument):
            _write_unpacking(writing, argument)
        case CheckSize(local=local):
            writing.write(f"{local.name} = {writing.helper('_check_size')}({local.name!r}, {local.name})")
        case CheckInput(value=value):
            writing.write(_input_check(writing, statement, const(value.name), name(value.name)))
        case CheckList(value=value, symbol=symbol, count=count, place=place, item=item):
            label = ast.JoinedStr([ast.Constant(f"{value.name}["), ast.FormattedValue(name(place), -1), ast.Constant("]")])
            items = call(writing.helper("_check_list"), const(value.name), name(value.name), const(str(symbol)), *shown(count))
            with writing.under(f"for {place}, {item} in enumerate({unparse(items)}):"):
                writing.write(_input_check(writing, statement, label, name(item)))
        case CheckRange(label=text, value=value, lower=lower, upper=upper):
            check("_check_range", const(text), *shown(value, lower, upper))
        case CheckOwnRange(label=text, value=value, size=size, lower=lower, extra=extra):
            more = [const(extra)] if extra else []
            check("_check_own_range", const(text), *shown(value), writing.own(size), *shown(lower), *more)
        case Lengths(sizes=sizes, like=like):
            batch = writing.batch()
            assert batch is not None
            by_size = ast.Dict([const(size) for size in sizes], [writing.size(size) for size in sizes])
            given = call(writing.helper("_lengths"), name("lengths"), by_size, *shown(like), batch)
            writing.write(f"{unparse(tuple_of(writing.own(size) for size in sizes)).strip('()')} = {unparse(given)}")
        case OwnSize(size=size, bases=bases, value=value):
            missing = [fmt("{0} is None", writing.own(base)) for base in bases]
            test = missing[0] if len(missing) == 1 else ast.BoolOp(ast.And(), missing)
            writing.write(f"{unparse(writing.own(size))} = {unparse(ast.IfExp(test, const(None), *shown(value)))}")
        case _:
            assert_never(statement)


def _input_check(writing: Writing, statement: CheckInput | CheckList, *about: ast.expr) -> str:
    """`_check('x', x, '(..., S, d)', batch, -1, self.d)`."""
    shape, extents, element = statement.shape, statement.extents, statement.value.element
    batch = const(None) if extents.any_batch else writing.batch() if shape.batch else tuple_of([])
    lead = tuple_of([]) if batch is None else batch
    axes = [const(-1) if extent is None else expression(writing, extent) for extent in extents.axes]
    keywords = [] if element is Element.REAL else [ast.keyword("kind", const(element.value))]
    checked = [*about, const(shape_text(shape.ranges, shape.batch)), lead, *axes]
    return unparse(ast.Call(name(writing.helper("_check")), checked, keywords))


def argument_type(argument: Argument) -> str:
    """The annotation of an argument that is there."""
    if not argument.is_tuple:
        return _member_type(argument.members[0][1])
    inner = ", ".join(_member_type(local) + (" | None" if member.default is not None else "") for member, local in argument.members)
    return f"tuple[{inner}]"


def _member_type(local: Local) -> str:
    return "int | torch.Tensor" if local.scalar else _type(local)


def _write_unpacking(writing: Writing, argument: Argument) -> None:
    locals_ = [local.name for _, local in argument.members]
    check = f"{writing.helper('_check_tuple')}({argument.name!r}, {argument.name}, {len(locals_)})"
    unpacked = f"{', '.join(locals_)}{',' if len(locals_) == 1 else ''} = {argument.name}"
    if not argument.is_optional:
        writing.write(check)
        writing.write(unpacked)
        return
    for _, local in argument.members:
        writing.write(f"{local.name}: {_member_type(local)} | None = None")
    with writing.under(f"if {argument.name} is not None:"):
        writing.write(check)
        writing.write(unpacked)


def _batch_shape(statement: BatchShape) -> str:
    """The extents of the batch axes, from an input that has them."""
    of = statement.of
    if of is None:
        return "torch.Size()"
    is_list = of.form.holds is Holds.LIST
    text = f"{of.name}[0].shape" if is_list else f"{of.name}.shape"
    text = f"{text}[:-{len(of.axes)}]" if of.axes else text
    text = f"{text} if {of.name} else torch.Size()" if is_list else text
    return f"torch.Size() if {of.name} is None else {text}" if statement.is_optional else text
