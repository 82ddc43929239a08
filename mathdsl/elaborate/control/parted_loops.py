r"""Loops that define arrays at several distances, with one distance, or as a loop for each.

What only its own turn reads is counted as the others are:

    for t = 0, …, T - 1: g_t \gets f(w_t); w_{t+1} \gets w_t - g_t
    ->  for t = 0, …, T - 1: g_{t+1} \gets f(w_t); w_{t+1} \gets w_t - g_{t+1}

Else what is defined once needs no order, and each distance has a loop of its own: where every read is of what an earlier turn, or an
earlier statement of the turn, has defined, or of what stands outside of the loop's reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import is_
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference, distance
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.names.spelling import base_of, identifiers, unaccent
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.spans import NOWHERE
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, header_rows, shifted, statements_in, transform


def with_parted_loops(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure with one distance in each loop of its body, where that keeps all values; `shared` are the tables that it sees."""
    body = tuple(_parted(procedure, shared, at) for at in range(len(procedure.body)))
    return procedure if all(map(is_, body, procedure.body)) else replace(procedure, body=body)


@dataclass(frozen=True)
class _Family:
    """Elements that a statement of a loop defines: their name, the axis that moves (-1: the superscript), by how much it is ahead."""

    base: ast.Expression
    axis: int
    ahead: int
    unit: int


def _parted(procedure: ast.Procedure, shared: Sequence[ast.Where], at: int) -> ast.Statement:
    node = procedure.body[at]
    if not isinstance(node, ast.For) or len(node.body) < 2:
        return node
    loop = read_loop(node, node.binding)
    families = _families(node, loop)
    if families is None or len({family.ahead for family in families}) < 2:
        return node
    elsewhere = (*header_rows(procedure), *procedure.wheres, *shared, *procedure.body[:at], *procedure.body[at + 1 :])
    local = [family for family in families if _is_local(family, node, loop, elsewhere)]
    others = [family for family in families if family not in local]
    for family in local if others else ():  # as what is defined next, or last
        near = next((other for other in others if other.unit > family.unit), others[-1])
        node = _counted(node, family, near.ahead - family.ahead)
        families = [replace(one, ahead=near.ahead) if one == family else one for one in families]
    if len({family.ahead for family in families}) < 2:
        return node
    rows = [symbol for row in header_rows(procedure) for symbol in row.symbols]
    targets = (t for other in statements_in(procedure.body[:at]) if isinstance(other, ast.Definition) for t in other.targets)
    pairs = ((target, family) for target in (*rows, *targets) for family in families if base_of(target) == family.base)
    before = any(not _is_outside(target, family, loop) for target, family in pairs)
    if before or not all(_is_in_order(unit, number, families, loop) for number, unit in enumerate(node.body)):
        return node
    ahead = {family.unit: family.ahead for family in families}
    steps: list[int] = []
    for number in reversed(range(len(node.body))):  # a remark goes with what follows
        steps.insert(0, ahead.get(number, steps[0] if steps else ahead[max(ahead)]))
    parts = groupby(zip(steps, node.body, strict=True), lambda pair: pair[0])
    loops = tuple(replace(node, body=tuple(unit for _, unit in part)) for _, part in parts)
    return ast.EquationGroup(loops, span=NOWHERE)  # mutual recursion


def _is_local(family: _Family, node: ast.For, loop: Loop, elsewhere: Sequence[ast.Node]) -> bool:
    """Whether only the turn that defines an element reads it."""
    items = (_axes(read).get(family.axis) for read in _reads(node, family.base))
    return all(item is not None and distance(item, loop.variable) == family.ahead for item in items) and not any(
        True for other in elsewhere for _ in _reads(other, family.base)
    )


def _counted(node: ast.For, family: _Family, by: int) -> ast.For:
    """The loop with a family's elements under another number."""

    def change(below: ast.Node) -> ast.Node:
        match below:
            case ast.Scripts(base=base, subscripts=items) if base == family.base and family.axis >= 0:
                return replace(below, subscripts=tuple(shifted(item, by) if k == family.axis else item for k, item in enumerate(items)))
            case ast.Scripts(base=base, superscript=above) if base == family.base and above is not None:
                return replace(below, superscript=shifted(above, by))
            case ast.Indexing(base=base, items=items) if base == family.base:
                return replace(below, items=tuple(shifted(item, by) if k == family.axis else item for k, item in enumerate(items)))
            case _:
                return transform(below, change)

    return cast(ast.For, transform(node, change))


def _families(node: ast.For, loop: Loop) -> list[_Family] | None:
    """What the statements of a loop define, each something of its own; None where that is anything but elements that move."""
    found: list[_Family] = []
    for unit, statement in enumerate(node.body):
        for inner in statements_in((statement,)):
            match inner:
                case ast.Definition(function=None, targets=(target,)):
                    family = _family(target, loop, unit)
                    if family is None or any(other.base == family.base and other != family for other in found):
                        return None
                    found += [family] if family not in found else []
                case ast.For() | ast.Remark():
                    pass
                case _:
                    return None
    return found


def _family(target: ast.Expression, loop: Loop, unit: int) -> _Family | None:
    axes = _axes(target)
    moving = [axis for axis, item in axes.items() if loop.spelling in identifiers(item)]
    if len(moving) != 1 or loop.lower is None or loop.upper is None:
        return None
    ahead = distance(axes[moving[0]], loop.variable)
    return None if ahead is None else _Family(base_of(target), moving[0], ahead, unit)


def _axes(node: ast.Expression) -> dict[int, ast.Expression]:
    match plain := unaccent(node):
        case ast.Scripts(subscripts=subscripts, superscript=above):
            return {**dict(enumerate(subscripts)), **({} if above is None else {-1: above})}
        case ast.Indexing(items=items):
            return dict(enumerate(items))
        case _:
            return {} if plain is node else _axes(plain)


def _is_outside(element: ast.Expression, family: _Family, loop: Loop) -> bool:
    """Whether an element is none that the loop defines: `w_0` of `w_{t+1}` in a loop from 0."""
    assert loop.lower is not None
    assert loop.upper is not None
    index = _axes(element).get(family.axis)
    if index is None:
        return False
    below, above = difference(shifted(loop.lower, family.ahead), index), difference(index, shifted(loop.upper, family.ahead))
    return any(gap is not None and bool(is_nonnegative(gap - 1)) for gap in (below, above))


def _is_in_order(unit: ast.Statement, number: int, families: Sequence[_Family], loop: Loop) -> bool:
    """Whether all that a statement reads of other statements' elements is there: by the statements before it, or the turns before."""
    for family in families:
        if family.unit == number:
            continue
        for read in _reads(unit, family.base):
            index = _axes(read).get(family.axis)
            ahead = None if index is None else distance(index, loop.variable)
            turns = None if ahead is None else (ahead - family.ahead) * loop.step
            is_there = turns is not None and (turns < 0 or turns == 0 and family.unit < number)
            if not is_there and not _is_outside(read, family, loop):
                return False
    return True


def _reads(node: ast.Node, base: ast.Expression) -> Iterator[ast.Expression]:
    """Where a name stands, with its indices."""
    match node:
        case ast.Scripts(base=own, subscripts=items) | ast.Indexing(base=own, items=items) if own == base:
            yield node
            for item in (*items, *((node.superscript,) if isinstance(node, ast.Scripts) and node.superscript is not None else ())):
                yield from _reads(item, base)
        case _ if node == base:
            assert isinstance(node, ast.Expression)
            yield node
        case _:
            for child in children(node):
                yield from _reads(child, base)
