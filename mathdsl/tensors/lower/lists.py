"""Lists of tensors: one value for each index of an axis."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.ir.nodes import Axis, Expr, Kind, Range, Read
from mathdsl.ir.sizes import Poly
from mathdsl.tensors.lower import operands
from mathdsl.tensors.lower.body import Body, listed, waiting
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.statements import Append, Loop, NewList
from mathdsl.tensors.values import Each, Form, Local, Value


def list_of(body: Body, axis: Axis, axes: Sequence[Axis], value: Expr, outside: Sequence[Axis] = ()) -> Value:
    """The list of the value for each index of the axis, each element a tensor over `outside` and `axes`."""
    same = same_list(body, axis, axes, value)
    if same is not None and not outside:
        return same
    scope = Scope((*outside, *axes))
    with body.loop(axis) as opened:
        element = operands.lower_whole(body, value, [a.name for a in scope.axes], scope, body.module.batched)
        block = body.block
    for statement in opened.before:
        body.block.append(statement)
    start = body.poly(axis.range.lower) if axis.range.lower.terms else None
    stop = body.poly(axis.range.upper + 1)
    if not block:
        return Each(listed(element.form), opened.variable, axis.name, start, stop, element)
    items = Local(listed(element.form), body.names.fresh("items"))
    body.write(NewList(items))
    block.append(Append(items, element, span=body.place))
    body.write(Loop(axis.name, opened.variable, start, stop, False, tuple(block)))
    return items


def same_list(body: Body, axis: Axis, axes: Sequence[Axis], value: Expr) -> Local | None:
    """The list that came in, or that a call gave, where it is passed on as it is."""
    if not isinstance(value, Read):
        return None
    array = body.arrays[value.array]
    is_list = array.kind is Kind.INPUT and array.listed or array.name in body.lists
    if not is_list or not isinstance(value.index[0], Poly):
        return None
    offset = value.index[0] - axis.name
    if Range(axis.range.lower + offset, axis.range.upper + offset) != array.ranges[0]:
        return None
    if value.index[1:] != tuple(Poly.of(a.name) for a in axes) or tuple(a.range for a in axes) != array.ranges[1:]:
        return None
    return Local(listed(Form(waiting(len(axes)), array.batch, array.element)), body.locals[array.name])
