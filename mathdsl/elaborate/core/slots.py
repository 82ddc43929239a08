r"""Elements that a turn of a loop assigns more than once, or in some branches, as names of the turn, which it stores at its end.

for i: y_i \gets 0                             for i: v \gets 0
       for j: y_i \gets y_i + a_{ij}     ->           for j: v \gets v + a_{ij}
                                                      y_i \gets v

A name stands for a row too, `z_i` for all `z_{ij}`, where a turn has to do with no other row.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TypeAlias, cast

from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.control.targets import assigned_in
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.core.liveness import Flows
from mathdsl.elaborate.core.nodes import OWN, is_number
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.spelling import bound_names, identifiers
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, statements_in, transform, with_bodies

_Block: TypeAlias = tuple[ast.Statement, ...]
FIRST = 1000  # the version of the first such name


def with_slots(reader: Reader, body: _Block, given: Set[Name]) -> tuple[_Block, dict[Name, Element]]:
    """The statements with such names, and the elements that these are; `given` are arrays with a value before the first statement."""
    slots = _Slots(reader)
    return slots.block(body, frozenset(), given), slots.found


class _Slots:
    def __init__(self, reader: Reader) -> None:
        self.reader, self.numbers = reader, count(FIRST)
        self.found: dict[Name, Element] = {}

    def block(self, body: _Block, scope: Scope, known: Set[Name]) -> _Block:
        """A block, whose names and arrays `known` have a value before it."""
        found: list[ast.Statement] = []
        for node in body:
            match node:
                case ast.For(binding=binding, body=inner):
                    inside = scope | set(bound_names(binding))
                    inner = self._turn(inner, inside, frozenset(bound_names(binding)), known)
                    found.append(replace(node, body=self.block(inner, inside, known)))
                case _:
                    found.append(with_bodies(node, partial(self.block, scope=scope, known=known)))
            known = known | stored_whole(self.reader, (node,), scope)
        return tuple(found)

    def _turn(self, body: _Block, scope: Scope, letters: Set[Name], known: Set[Name]) -> _Block:
        """The body of a loop over a letter, in which its elements have names where that is asked."""
        targets = list(assigned_in(self.reader, body, scope))
        stores = [item for item in targets if not item.element.is_whole]
        inner = {name for node in statements_in(body) if isinstance(node, ast.For) for name in bound_names(node.binding)}
        moved = inner | {item.element.head for item in targets if item.element.is_whole}
        elements: list[Element] = []
        for head in dict.fromkeys(item.element.head for item in stores):
            own = [item for item in stores if item.element.head == head]
            if len(own) == 1 and isinstance(own[0].statement, ast.Definition):
                continue
            elements = elements or [access.element for access in accesses(self.reader, body, scope)]
            slot = _slot([item.element for item in own], [one for one in elements if one.head == head], letters, moved)
            if slot is None:
                continue
            name = ast.Accent(OWN, slot.name, next(self.numbers), span=slot.span)
            renamed = tuple(cast(ast.Statement, _renamed(self.reader, node, slot, name, scope)) for node in body)
            flow = Flows(self.reader).of_block(renamed, scope)
            written = (
                slot.written(Meaning(1)) if slot.of_script else ast.Indexing(slot.name, slot.subscripts, of_script=False, span=slot.span)
            )
            last = ast.Definition(written, name, span=slot.span)
            if word_of(name) in flow.exposed or word_of(name) not in flow.sure:
                may_be_none = word_of(name) not in flow.sure and not self._is_read(renamed, word_of(name), scope)
                if head not in known or may_be_none and self._asks_for_indices(renamed, scope):
                    continue
                renamed = (ast.Definition(name, written, span=slot.span), *renamed)
            body, elements = (*renamed, last), []
            self.found[word_of(name) or NO_NAME] = slot
        return body

    def _is_read(self, body: _Block, name: Name | None, scope: Scope) -> bool:
        """Whether each turn reads a name, whatever branches are taken."""
        flows = Flows(self.reader)
        values = (node.value for node in body if isinstance(node, ast.Definition) and node.function is None)
        conditions = (node.branches[0].condition for node in body if isinstance(node, ast.If))
        return any(name in flows.reads(value, scope) for value in (*values, *conditions))

    def _asks_for_indices(self, body: _Block, scope: Scope) -> bool:
        """Whether a branch asks where an index is, and perhaps whether there is such an element."""
        letters = set(map(str, scope))
        conditions = (branch.condition for node in statements_in(body) if isinstance(node, ast.If) for branch in node.branches)
        asked = (node for one in conditions for node in (one, *descendants(one)) if isinstance(node, ast.Relation))
        ends = (affine(operand) for node in asked for operand in node.operands)
        return any(end is not None and not letters.isdisjoint(end.names) for end in ends)


def _slot(stores: list[Element], elements: list[Element], own: Set[Name], moved: Set[Name]) -> Element | None:
    """The element, or the row, of an array with which alone a turn has to do, or beside which it reads those of other turns.

    `elements` are all of the array that the turn has to do with, `own` is what its loop counts, `moved` what moves in it.
    """
    least = min(len(one.subscripts) for one in stores)
    for size in range(min(1, least), least + 1):
        slot = replace(stores[0], subscripts=stores[0].subscripts[:size])
        letters = {name for item in slot.places for name in identifiers(item)}
        if own.isdisjoint(letters) or not moved.isdisjoint(letters):
            continue
        if not all(_holds(slot, one) for one in stores):
            return None
        return slot if all(_holds(slot, one) or _is_apart(one, slot) for one in elements) else None
    return None


def _holds(slot: Element, element: Element) -> bool:
    """Whether an element is a slot or a part of it."""
    return element.superscript == slot.superscript and element.subscripts[: len(slot.subscripts)] == slot.subscripts


def _is_apart(other: Element, slot: Element) -> bool:
    """Whether an element is surely of another slot."""
    pairs = zip(other.places, slot.places, strict=False)
    return len(other.places) >= len(slot.places) and any(distance(a, b) not in (None, 0) for a, b in pairs)


def _renamed(reader: Reader, node: ast.Node, slot: Element, name: ast.Expression, scope: Scope) -> ast.Node:
    match node:
        case ast.For(binding=binding):
            inside = scope | set(bound_names(binding))
            return transform(node, lambda below: _renamed(reader, below, slot, name, inside))
        case ast.Scripts() | ast.Indexing():
            found = reader.split(node, scope)
            if found is not None and found[0].head == slot.head and _holds(slot, found[0]):
                rest = tuple(
                    cast(ast.Expression, _renamed(reader, item, slot, name, scope)) for item in found[0].subscripts[len(slot.subscripts) :]
                )
                new = ast.Indexing(name, rest, of_script=found[0].of_script, span=node.span) if rest else replace(name, span=node.span)
                if found[1] is None:
                    return new
                return ast.Scripts(new, (), cast(ast.Expression, _renamed(reader, found[1], slot, name, scope)), span=node.span)
        case _:
            pass
    return transform(node, lambda below: _renamed(reader, below, slot, name, scope))


def stored_whole(reader: Reader, body: _Block, scope: Scope) -> Set[Name]:
    """The names that statements assign whole, but numbers."""
    nodes = (node for node in statements_in(body) if isinstance(node, ast.Definition) and not is_number(node.value))
    split = (reader.split(target, scope) for node in nodes for target in node.targets)
    return {found[0].head for found in split if found is not None and found[0].is_whole}
