r"""Elements that the turns of a loop store, one after the other, as a family of the loop, and one store of all behind it.

for i: y_i \gets f(y_{i-1}, y_{i+1})     ->     for i: v_i \gets f((v_{i-1} if i > 1 else y_{i-1}), y_{i+1})
                                                y_{1:n} \gets v
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.control.targets import assigned_in
from mathdsl.elaborate.control.uses import accesses, reads
from mathdsl.elaborate.core.along import check_along
from mathdsl.elaborate.core.extents import Ends
from mathdsl.elaborate.core.liveness import Flows
from mathdsl.elaborate.core.nodes import OWN
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names, identifiers
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.elaborate.terms.bounds import goes_down
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import with_bodies

FIRST = 2000  # the version of the first such family


class Unproved(Exception):
    """The doubt whether the loop of a store can read an array as its turns do."""


@dataclass(frozen=True)
class _Store:
    """A store of an element in loops, each of which counts one of its indices."""

    node: ast.Definition
    element: Element
    loops: tuple[Loop, ...]

    @property
    def variables(self) -> tuple[ast.Expression, ...]:
        """The indices that loops count, in their order."""
        return tuple(index for index in self.element.subscripts if index in {loop.variable for loop in self.loops})

    @property
    def place(self) -> tuple[ast.Expression, ...]:
        """The elements of all turns."""
        ends = {loop.variable: ast.Slice(loop.lower, loop.upper, span=self.node.span) for loop in self.loops}
        return tuple(ends.get(index, index) for index in self.element.subscripts)


def with_stores_at_once(
    reader: Reader, body: tuple[ast.Statement, ...], heads: Set[Name], wholes: Mapping[Name, Sequence[Ends]], of_nests: bool = False
) -> tuple[tuple[ast.Statement, ...], set[Name]]:
    """The statements with such families for these arrays, and the names of the families.

    `wholes` are the ends of the axes of arrays that are nothing before: what stores all of one defines it. `of_nests`: only where
    several loops count the indices of a store, between ends that no loop moves.
    """
    names = [item for item in assigned_in(reader, body, frozenset()) if item.element.is_whole]
    counts = Counter(item.element.head for item in names)
    moving = frozenset(item.element.head for item in names if item.inner or counts[item.element.head] > 1)
    parts = _AtOnce(reader, heads, wholes, moving, of_nests)
    return parts.block(body, ()), parts.made


class _AtOnce:
    def __init__(self, reader: Reader, heads: Set[Name], wholes: Mapping[Name, Sequence[Ends]], moving: Set[Name], of_nests: bool) -> None:
        self.moving, self.of_nests = moving, of_nests
        self.reader, self.heads, self.wholes, self.numbers = reader, heads, wholes, count(2 * FIRST if of_nests else FIRST)
        self.made: set[Name] = set()

    def block(self, body: tuple[ast.Statement, ...], around: tuple[Loop, ...]) -> tuple[ast.Statement, ...]:
        """Statements in the loops `around`."""
        found: list[ast.Statement] = []
        for node in body:
            if not isinstance(node, ast.For):
                found.append(with_bodies(node, partial(self.block, around=around)))
                continue
            behind: list[ast.Statement] = []
            scope = frozenset(one.spelling for one in around)
            while (made := self._one_at_once(node, around, scope)) is not None:
                node, last = made
                behind.append(last)
            found.append(replace(node, body=self.block(node.body, (*around, read_loop(node, node.binding)))))
            found += behind
        return tuple(found)

    def _all(self, store: _Store, family: ast.Expression) -> ast.Definition:
        """The store of all elements that the turns of a store made."""
        name, span = store.element.name, store.node.span
        ends = [(part.lower, part.upper) for part in store.place if isinstance(part, ast.Slice)]
        if len(ends) == len(store.place) and ends == list(self.wholes.get(store.element.head, ())):
            return ast.Definition(name, family, span=span)
        return ast.Definition(ast.Indexing(name, store.place, of_script=store.element.of_script, span=span), family, span=span)

    def _one_at_once(self, node: ast.For, around: tuple[Loop, ...], scope: Scope) -> tuple[ast.For, ast.Definition] | None:
        """The loop with a family for the first store that allows it, and the store of all behind it."""
        for store in self._stores(node, scope):
            name = ast.Accent(OWN, store.element.name, next(self.numbers), span=store.node.span)
            turns = tuple(one.variable for one in around)
            own = ast.Indexing(name, (*turns, *store.variables), of_script=True, span=store.node.span)
            with suppress(Unproved):
                for counted in store.loops:
                    check_along(self.reader, counted, {store.element.head}, scope | {one.spelling for one in store.loops})
                made = _Reads(self.reader, store, own).statement(node, (), scope)
                split = self.reader.split(own, frozenset(turn.spelling for turn in (*around, *store.loops)))
                if split is None:
                    raise Unproved(store.element)
                self.made.add(split[0].head)
                return cast(ast.For, made), self._all(store, ast.Indexing(name, turns, span=store.node.span) if turns else name)
        return None

    def _stores(self, node: ast.For, scope: Scope) -> Iterator[_Store]:
        """The stores of a loop each turn of which does them once."""
        loop, targets = read_loop(node, node.binding), list(assigned_in(self.reader, (node,), scope))
        heads = [item.element.head for item in targets]
        names = {item.element.head for item in targets if item.element.is_whole}
        if not names.isdisjoint(Flows(self.reader).of_block(node.body, scope | {loop.spelling}).exposed):
            return  # what a turn hands to the next makes them wait for each other
        for store in _plain_stores(self.reader, node.body, (loop,), scope | {loop.spelling}):
            if store.element.head in self.heads and heads.count(store.element.head) == 1:
                moved = {*heads, *(one.spelling for one in store.loops)}
                counted = self.moving | {one.spelling for one in store.loops}
                known = {str(name) for name in (self.reader.sizes - scope if self.of_nests else self.reader.sizes | scope) - counted}
                if not (self.of_nests and len(store.loops) == 1) and _counts_each(store, moved, known):
                    yield store


class _Reads:
    """The loop of a store whose values are a family, in which what earlier turns stored is read from that."""

    def __init__(self, reader: Reader, store: _Store, family: ast.Indexing) -> None:
        self.reader, self.store, self.family, self.head = reader, store, family, store.element.head
        self.is_stored = False  # whether the store stands before

    def statement(self, node: ast.Statement, loops: tuple[ast.For, ...], scope: Scope) -> ast.Statement:
        """A statement in these loops; raises `Unproved` where it is not known what a read means."""
        match node:
            case ast.Definition(function=None, ranges=(), value=value, targets=targets):
                split = [found[0] for target in targets if (found := self.reader.split(target, scope)) is not None]
                for index in (index for element in split for index in element.places):
                    self._check_apart(index, scope)
                value = self._read(value, loops, scope)
                if node is not self.store.node:
                    return replace(node, value=value)
                self.is_stored = True
                return replace(node, target=self.family, value=value)
            case ast.For(binding=binding):
                inside = scope | set(bound_names(binding))
                self._check_apart(binding, inside)
                return with_bodies(node, partial(self._block, loops=(*loops, node), scope=inside))
            case ast.If(branches=branches):
                for branch in branches:
                    self._check_apart(branch.condition, scope)
                return with_bodies(node, partial(self._block, loops=loops, scope=scope))
            case _:
                for access in accesses(self.reader, (node,), scope):
                    if access.element.head == self.head:
                        raise Unproved(access.element)
                return node

    def _block(self, body: tuple[ast.Statement, ...], loops: tuple[ast.For, ...], scope: Scope) -> tuple[ast.Statement, ...]:
        return tuple(self.statement(node, loops, scope) for node in body)

    def _check_apart(self, node: ast.Expression, scope: Scope) -> None:
        for element in reads(self.reader, node, scope):
            if element.head == self.head:
                raise Unproved(element)

    def _read(self, node: ast.Expression, loops: tuple[ast.For, ...], scope: Scope) -> ast.Expression:
        def look(element: Element) -> ast.Expression | None:
            conditions = self._stored(element, loops) if element.head == self.head else None
            if conditions is None:
                return None
            items = zip(self.store.element.subscripts, element.subscripts, strict=False)
            own = {index: item for index, item in items if index in self.store.variables}
            rest = element.subscripts[len(self.store.element.subscripts) :]
            indices = (*(own.get(item, item) for item in self.family.items), *rest)
            made: ast.Expression = replace(self.family, items=indices, span=element.span)
            old = element.written(Meaning(1))
            for condition in reversed(conditions):
                rows = ast.CaseRow(made, condition, span=element.span), ast.CaseRow(old, None, span=element.span)
                made = ast.Cases(rows, span=element.span)
            return made

        return self.reader.rewrite(node, scope, look) if any(e.head == self.head for e in reads(self.reader, node, scope)) else node

    def _stored(self, element: Element, loops: tuple[ast.For, ...]) -> list[ast.Expression] | None:
        """The conditions under which a turn before has stored an element; None: it has the value from before the loop."""
        store, subscripts = self.store, self.store.element.subscripts
        if len(element.subscripts) < len(subscripts) or element.superscript is not None:
            raise Unproved(element)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0].node is pair[1], zip(store.loops, loops, strict=False)))
        steps = [distance(other, index) for index, other in zip(subscripts, element.subscripts, strict=False)]
        rows = [step for index, step in zip(subscripts, steps, strict=True) if index not in store.variables]
        if any(step not in (None, 0) for step in rows):
            return None
        for position, loop in enumerate(store.loops):
            step = steps[subscripts.index(loop.variable)]
            if position >= shared and not self.is_stored or step and position < shared and step * loop.step > 0:
                return None
            if step is None or position >= shared or step and None in rows:
                raise Unproved(element)
            if step:
                inner = enumerate(store.loops[position:], position)
                return [one for place, own in inner for one in self._between(element, own, steps, place < shared)]
        if self.is_stored and None in rows:
            raise Unproved(element)
        return [] if self.is_stored else None

    def _between(self, element: Element, loop: Loop, steps: Sequence[int | None], is_shared: bool) -> Iterator[ast.Expression]:
        """The conditions that an index of an element is one of those that a loop counts."""
        place = self.store.element.subscripts.index(loop.variable)
        step, index = steps[place], element.subscripts[place]
        if step is None or loop.lower is None or loop.upper is None:
            raise Unproved(element)
        if step < 0 or not is_shared:
            yield ast.Relation((r"\leq",), (loop.lower, index), span=element.span)
        if step > 0 or not is_shared:
            yield ast.Relation((r"\leq",), (index, loop.upper), span=element.span)


def _plain_stores(reader: Reader, body: tuple[ast.Statement, ...], loops: tuple[Loop, ...], scope: Scope) -> Iterator[_Store]:
    """The stores of elements that every turn of the loops does."""
    for node in body:
        match node:
            case ast.Definition(function=None, ranges=(), target=target) if len(node.targets) == 1:
                found = reader.split(target, scope)
                if found is not None and found[1] is None and found[0].subscripts and found[0].superscript is None:
                    yield _Store(node, found[0], loops)
            case ast.For(binding=binding):
                inner = read_loop(node, binding)
                yield from _plain_stores(reader, node.body, (*loops, inner), scope | set(bound_names(binding)))
            case _:
                pass


def _counts_each(store: _Store, moved: Set[Name], known: Set[str]) -> bool:
    """Whether each loop counts one index, up to ends that are `known`, and nothing that is `moved` is in the other indices."""
    variables = [loop.variable for loop in store.loops]
    ends = [None if end is None else affine(end, of_quotients=True) for loop in store.loops for end in (loop.lower, loop.upper)]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    if any(lower is not None and upper is not None and goes_down(upper - lower + 1) for lower, upper in pairs):
        return False
    others = [index for index in store.element.subscripts if index not in variables]
    return (
        all(store.element.subscripts.count(variable) == 1 for variable in variables)
        and all(end is not None and end.names <= known for end in ends)
        and all(affine(other) is not None and moved.isdisjoint(identifiers(other)) for other in others)
    )
