r"""Additions: products take up what is added to them, and mixtures become one operation.

Before → after::

    product(j: x * W) + b                     →   product(j: x * W, + b)
    a_at[t - 1] + product(j: h_at[t - 1] * U) →   product(j: h_at[t - 1] * U, + a_at[t - 1])      in a loop
    g * h + (1 - g) * u                       →   mix(u, h, g)

Only a linear map of data takes something up: an unbatched vector, its bias; in a loop, where each operation counts, also what is there
already with the same axes. A mixture declines for numbers and for a weight that is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from mathdsl.ir.nodes import Element
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.names import Names
from mathdsl.tensors.orders import common_order, elementwise, permuted, reordered
from mathdsl.tensors.statements import ForEach, Loop, TensorProgram
from mathdsl.tensors.traversal import children, with_values
from mathdsl.tensors.values import (
    At,
    Constant,
    Each,
    Form,
    Local,
    Map,
    Merge,
    Mix,
    Owned,
    Permute,
    Product,
    Slice,
    Split,
    Value,
    Way,
)


def take_addends(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with one operation for each product with an addend and for each mixture."""
    statements = (with_values(one, partial(_in_place, is_loop=isinstance(one, Loop | ForEach))) for one in program.statements)
    return replace(program, statements=tuple(statements))


def _in_place(value: Value, is_loop: bool) -> Value:
    """The value with its axes in the order that they have."""
    return permuted(_added(value, is_loop), value.axes)


def _added(value: Value, is_loop: bool) -> Value:
    """The value with its axes as they come; a chain of additions is one from the left."""
    change = partial(_added, is_loop=is_loop or isinstance(value, Each))
    if not isinstance(value, Map) or value.op != "add":
        return reordered(value, change)
    addends = _with_bias(_mixed([change(one) for one in _addends(value, value.element)], value.axes))
    first, *others = _with_addend(addends) if is_loop else addends
    for addend in others:
        first = elementwise("add", (first, addend), value.element, value.axes)
    return first


def _addends(value: Value, element: Element) -> Iterator[Value]:
    if isinstance(value, Map) and value.op == "add" and value.element is element:
        for operand in value.operands:
            yield from _addends(operand, element)
    else:
        yield value


# ---- mixtures ------------------------------------------------------------------------------------


def _mixed(addends: list[Value], order: Sequence[str]) -> list[Value]:
    """The addends; two that mix two tensors by a weight are one."""
    for i, first in enumerate(addends):
        for j in range(i + 1, len(addends)):
            mixed = _mixture(first, addends[j], order)
            if mixed is not None:
                return [*addends[:i], mixed, *_mixed([*addends[i + 1 : j], *addends[j + 1 :]], order)]
    return addends


def _mixture(left: Value, right: Value, order: Sequence[str]) -> Mix | None:
    """`g * end + (1 - g) * start`, factors and addends in any order."""
    for first, second in ((left, right), (right, left)):
        for weight, end in _pairs(first):
            for opposite, start in _pairs(second):
                parts = (start, end, weight)
                if _complement(opposite) == weight and not any(part.scalar for part in parts) and not _is_random(weight):
                    return Mix(Form(common_order(parts, order), any(part.batch for part in parts), Element.REAL), *parts)
    return None


def _pairs(value: Value) -> tuple[tuple[Value, Value], ...]:
    """A product's two factors, in both orders."""
    match value:
        case Map(op="mul", operands=(left, right)) if value.element is Element.REAL:
            return (left, right), (right, left)
        case _:
            return ()


def _complement(value: Value) -> Value | None:
    """The `g` of `1 - g`."""
    match value:
        case Map(op="sub", operands=(Constant(value=1), weight)) if value.element is Element.REAL:
            return weight
        case _:
            return None


def _is_random(value: Value) -> bool:
    return isinstance(value, Map) and ELEMENTWISE[value.op].random or any(map(_is_random, children(value)))


# ---- products ------------------------------------------------------------------------------------


def _with_bias(addends: list[Value]) -> list[Value]:
    """An unbatched vector among the addends becomes the bias of a product; so does a family of vectors, of a split product."""
    for i, value in enumerate(addends):
        product = _product(value)
        if product is None:
            continue
        own = value.axes[len(product.axes) - 1 :]
        for j, bias in enumerate(addends):
            if j == i or bias.batch or bias.scalar or bias.axes != own or bias.element is not Element.REAL:
                continue
            if not isinstance(value, Split):
                return _taken(addends, i, j, replace(product, addend=bias))
            flat = Merge(Form(product.axes[-1:], False, Element.REAL), bias, 0, len(own) - 1)
            return _taken(addends, i, j, replace(value, value=replace(product, addend=flat)))
    return addends


def _with_addend(addends: list[Value]) -> list[Value]:
    """In a loop, where each operation counts, a value that is there already is added by the product itself."""
    for i, value in enumerate(addends):
        product = None if isinstance(value, Split) else _product(value)
        if product is not None:
            for j, addend in enumerate(addends):
                is_there = isinstance(addend, Local | At | Slice | Owned | Permute) and not addend.scalar
                if is_there and addend.form == product.form:
                    return _taken(addends, i, j, replace(product, addend=addend))
    return addends


def _product(value: Value) -> Product | None:
    """The linear map that an addend is, or is split from, if nothing is added to it yet."""
    inner = value.value if isinstance(value, Split) else value
    return inner if isinstance(inner, Product) and inner.way is Way.LINEAR and inner.addend is None else None


def _taken(addends: list[Value], i: int, j: int, joined: Value) -> list[Value]:
    """The addends with `joined` for addend `i`, which takes addend `j` along."""
    return [joined if k == i else addend for k, addend in enumerate(addends) if k != j]
