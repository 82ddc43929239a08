r"""Statement by statement: each assignment becomes a definition of a version, each read the version it means.

What stays: definitions (their values may be `cases`), loops, results, assertions, comments. What goes: branches,
assignments to a name that has a value, updates of elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from mathdsl.elaborate.names import word_of
from mathdsl.elaborate.report import unsupported
from mathdsl.elaborate.single_assignment import carried as carrying
from mathdsl.elaborate.single_assignment.carried import Carried
from mathdsl.elaborate.single_assignment.covers import Cover
from mathdsl.elaborate.single_assignment.elements import Element, Key
from mathdsl.elaborate.single_assignment.loops import Loop, loop_over, read_loop
from mathdsl.elaborate.single_assignment.merging import Row, assume, contains_hole, merge_rows
from mathdsl.elaborate.single_assignment.regions import Box, Side, holds, is_apart, unknown_axes, what_remains
from mathdsl.elaborate.single_assignment.state import Array, Slot, State, Update
from mathdsl.elaborate.single_assignment.targets import Assigned, are_apart, arms_of, assigned_in, contains_loop, names_a_range
from mathdsl.elaborate.single_assignment.uses import accesses, is_function, targets_of
from mathdsl.elaborate.single_assignment.versions import Meaning, settled
from mathdsl.elaborate.spelling import bound_names
from mathdsl.syntax import nodes as ast


@dataclass
class Walk:
    """Goes through a procedure once, in the order of the program."""

    state: State
    out: list[ast.Statement] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    rests: list[tuple[ast.Statement, ...]] = field(default_factory=list)  # what follows, by block, innermost last
    reserved: dict[tuple[int, Slot], int] = field(default_factory=dict)  # the version that a statement is to define
    made: list[tuple[ast.Statement, ...]] = field(default_factory=list)  # statements of ours, kept since they are known by identity
    kept: list[Slot] = field(default_factory=list)  # elements carried by the loops around
    unfinished: set[tuple[int, Slot]] = field(default_factory=set)  # statements after which the same turn assigns the element again

    # ---- statements ---------------------------------------------------------------------------

    def block(self, statements: tuple[ast.Statement, ...]) -> None:
        """The statements in order."""
        for position, statement in enumerate(statements):
            self.rests.append(statements[position + 1 :])
            self.statement(statement)
            self.rests.pop()

    def statement(self, node: ast.Statement) -> None:
        """One statement."""
        match node:
            case ast.Definition():
                self._definition(node)
            case ast.Return(value=value):
                self._emit(node, replace(node, value=self.state.read(value)))
            case ast.Assertion(condition=condition):
                self._emit(node, replace(node, condition=self.state.read(condition)))
            case ast.Remark():
                self.out.append(node)
            case ast.EquationGroup(body=body):
                self._emit(node, replace(node, body=self._inside(body)))
            case ast.For():
                self._loop(node)
            case ast.If() if any(map(contains_loop, arms_of(node))):
                self.made.append(tuple(self._distributed(node)))
                self.block(self.made[-1])
            case ast.If():
                for element, target, value in self._branches(node):
                    self._assign(element, target, value, node, ast.Definition(target, value, span=node.span))
            case ast.While() | ast.Sampling():
                raise unsupported("a `while` loop" if isinstance(node, ast.While) else "sampling", node.span)

    def _emit(self, before: ast.Statement, after: ast.Statement) -> None:
        self.out.append(before if before == after else after)

    def _inside(self, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
        outer, self.out = self.out, []
        self.block(statements)
        outer, self.out = self.out, outer
        return tuple(outer)

    # ---- assignments --------------------------------------------------------------------------

    def _definition(self, node: ast.Definition) -> None:
        if is_function(node):
            self._function(node)
            return
        items = node.target.items if isinstance(node.target, ast.Indexing) else ()
        domain = {name for c in (*node.domains, *(i for i in items if isinstance(i, ast.Relation))) for name in bound_names(c)}
        value = self.state.reader.rewrite(node.value, self.state.scope | domain, self.state.look)
        if domain:
            self._emit(node, replace(node, value=value))
            return
        targets = targets_of(node)
        if len(targets) > 1:
            placed = tuple(self._place(item, node) for item in targets)
            assert isinstance(node.target, ast.Group)
            self._emit(node, replace(node, target=replace(node.target, items=placed), value=value))
            return
        found = self.state.reader.split(node.target, self.state.scope)
        if found is None or found[1] is not None or names_a_range(node) and self._is_own(found[0]):
            self._emit(node, replace(node, value=value))
            return
        match node.value:
            case ast.Attribute(base=ast.Identifier() | ast.Accent() as base, arguments=(ast.Number(text=text),)) if text.isdigit():
                self.state.sizes.setdefault((word_of(base) or "", int(text)), node.target)
        self._assign(found[0], node.target, value, node, node)

    def _function(self, node: ast.Definition) -> None:
        match node.target:
            case ast.Juxtaposition(factors=(_, ast.Group(items=parameters))):
                own = {name for item in parameters for name in bound_names(item)}
                value = self.state.reader.rewrite(node.value, self.state.scope | own, self.state.look)
                self._emit(node, replace(node, value=value))
            case _:
                self.out.append(node)

    def _is_own(self, element: Element) -> bool:
        """Whether a family has only the author's own version."""
        array = self.state.arrays.get(element.key)
        return (array is None or array.meaning.is_plain) and element.key not in self.state.updates

    def _place(self, target: ast.Expression, node: ast.Statement) -> ast.Expression:
        found = self.state.reader.split(target, self.state.scope)
        return target if found is None or found[1] is not None else self._target(self._indexed(found[0]), target, node)

    def _indexed(self, element: Element) -> Element:
        """A target with its indices as they are meant here."""
        subscripts = tuple(self.state.read(item) for item in element.subscripts)
        return replace(element, subscripts=subscripts, superscript=element.superscript and self.state.read(element.superscript))

    def _assign(self, element: Element, target: ast.Expression, value: ast.Expression, node: ast.Statement, made: ast.Definition) -> None:
        moved = self._indexed(element)
        slot = (moved.key, moved.indices)
        if contains_hole(value) and (moved.is_whole or (id(node), slot) in self.unfinished):
            self.state.partial[slot] = value
            return
        self.state.partial.pop(slot, None)
        placed = self._target(moved, target, node)
        self._emit(node, replace(made, target=placed, value=value))

    def _target(self, element: Element, written: ast.Expression, node: ast.Statement) -> ast.Expression:
        """The version that a statement defines; from here on the element means it."""
        state, slot = self.state, (element.key, element.indices)
        if element.is_whole:
            meaning = Meaning(self._version(element, node), state.prefix(element))
            carrying.forget(state, element.key)
            state.names[element.head] = meaning
            return written if meaning.is_plain else element.written(meaning)
        if slot in self.kept or (id(node), slot) in self.unfinished:
            meaning = Meaning(self._version(element, node), state.prefix(element))
            state.single[slot] = meaning
            return element.written(meaning)
        state.single.pop(slot, None)
        if slot in state.pending:
            state.pending.remove(slot)
            meaning = state.arrays[element.key].meaning
            return written if meaning.is_plain else element.written(meaning)
        running = state.updates.get(element.key)
        if running is not None:
            if running.done or running.element.indices != element.indices:
                raise unsupported(f"a second update of `{element.head}` in one loop", element.span, help="write a loop for each")
            running.done = True
            return element.written(running.meaning)
        return self._element(element, written, node)

    def _version(self, element: Element, node: ast.Statement) -> int:
        known = self.reserved.pop((id(node), (element.key, element.indices)), None)
        return self.state.new_version(element) if known is None else known

    def _version_over(self, element: Element, old: Array, box: Box, node: int) -> int:
        """The version of an update: that of the array which a loop carries, if the update gives all elements of a turn."""
        known = self.reserved.pop((node, (element.key, element.indices)), None)
        fixed = frozenset(self.state.loops)
        if known is not None and all(what_remains(before, box, fixed) == [] for before in old.boxes):
            return known
        return self.state.new_version(element)

    def _element(self, element: Element, written: ast.Expression, node: ast.Statement) -> ast.Expression:
        state, key, box = self.state, element.key, self.state.box(element)
        old, prefix = self._old(element), state.prefix(element)
        if old is None:
            meaning = Meaning(self._version(element, node), prefix)
            state.arrays[key] = Array(meaning, [box])
            return written if meaning.is_plain else element.written(meaning)
        if key in state.arrays and old.boxes and len(element.indices) < max(len(b.sides) for b in old.boxes):
            state.rows.add((key, len(element.indices)))
            return written
        if old.meaning.prefix == prefix and all(is_apart(b, box) for b in old.boxes):
            old.boxes.append(box)
            return written if old.meaning.is_plain else element.written(old.meaning)
        meaning = Meaning(self._version_over(element, old, box, id(node)), prefix)
        self._finish(element, old, meaning, box)
        return element.written(meaning)

    def _old(self, element: Element) -> Array | None:
        """What an assignment to an element updates; None where it is the first."""
        state, key = self.state, element.key
        if key in state.arrays:
            return state.arrays[key]
        if key[1]:
            return None
        if element.head in state.names:
            return Array(state.names[element.head], [Box({})])
        read = (key, element.indices) in state.seen
        return state.input_array(element) if element.head in state.header and read else None

    def _finish(self, element: Element, old: Array, meaning: Meaning, box: Box) -> None:
        """The array is the new version from here on, with the old elements where the update has none."""
        fixed = frozenset(self.state.loops)
        left: list[Box] = []
        for before in old.boxes:
            rest = what_remains(before, box, fixed)
            if rest is None and old.is_input:
                before = Box({})
                rest = what_remains(before, box, fixed)
            if rest is None:
                raise unsupported(
                    f"an update of a part of `{element.head}`",
                    element.span,
                    help=f"define `{element.head}` by loops, so that its range is seen, or let the update run over all of it",
                )
            left.extend(rest)
            if unknown_axes(before, box):
                self.covers.append(Cover(element, meaning, old.meaning))
        for part in left:
            self.out.append(self._copy(element, part, old.meaning, meaning))
        carrying.forget(self.state, element.key)
        inside = any(holds(before, box, fixed) for before in old.boxes)
        self.state.arrays[element.key] = Array(meaning, old.boxes if inside else [box, *left])

    def _copy(self, element: Element, part: Box, old: Meaning, new: Meaning) -> ast.Statement:
        """The elements of a box, as they were."""
        items = {axis: self._variable(axis, side) for axis, side in part.sides.items()}
        count = sum(axis >= 0 for axis in items)
        if any(k not in items for k in range(count)):
            raise unsupported(f"an update of a part of `{element.head}`", element.span, help="define it by loops over all its indices")
        moved = replace(element, subscripts=tuple(items[k] for k in range(count)), superscript=items.get(-1))
        made: ast.Statement = ast.Definition(moved.written(new), moved.written(old), span=element.span)
        for axis, side in reversed(part.sides.items()):
            if items[axis] is not side.lower and side.loop not in self.state.loops:
                made = loop_over(items[axis], side.lower, side.upper, made)
        return made

    def _variable(self, axis: int, side: Side) -> ast.Expression:
        """The index that a copy runs over an axis with: that of the loop which defined it, or a free letter."""
        if side.loop is not None:
            return side.loop.variable
        return side.lower if side.is_point else ast.Identifier(self.state.free_letters()[axis], span=side.lower.span)

    # ---- branches -----------------------------------------------------------------------------

    def _branches(self, node: ast.If) -> list[tuple[Element, ast.Expression, ast.Expression]]:
        """The targets of all branches, each with its value as `cases`."""
        state = self.state
        conditions = [state.read(branch.condition) for branch in node.branches]
        tables: list[dict[Slot, ast.Expression]] = []
        targets: dict[Slot, tuple[Element, ast.Expression]] = {}
        for position, body in enumerate(arms_of(node)):
            state.arms.append({})
            for statement in body:
                self._in_branch(statement, targets)
            holds, fails = conditions[position : position + 1], conditions[:position]
            tables.append({slot: assume(value, holds, fails) for slot, value in state.arms.pop().items()})
        found: list[tuple[Element, ast.Expression, ast.Expression]] = []
        for slot, (element, target) in targets.items():
            if not any(slot in table for table in tables):
                continue
            before = None
            values: list[ast.Expression] = []
            for table in tables:
                if slot not in table and before is None:
                    before = state.value(element) if state.exists(element) else ast.Hole(span=node.span)
                values.append(table[slot] if slot in table else before or ast.Hole(span=node.span))
            rows = [Row(c, v) for c, v in zip((*conditions, None), values, strict=True)]
            found.append((element, target, merge_rows(rows, node.span)))
        return found

    def _in_branch(self, node: ast.Statement, targets: dict[Slot, tuple[Element, ast.Expression]]) -> None:
        match node:
            case ast.Definition() if not is_function(node) and len(targets_of(node)) == 1 and not node.domains:
                found = self.state.reader.split(node.target, self.state.scope)
                value = self.state.read(node.value)
                if found is None or found[1] is not None:
                    raise unsupported("this as a target in a branch", node.target.span)
                self._note(self._indexed(found[0]), node.target, value, targets)
            case ast.If():
                for element, target, value in self._branches(node):
                    self._note(element, target, value, targets)
            case ast.Remark():
                self.out.append(node)
            case _:
                raise unsupported("this statement in a branch", node.span, help="write it before or after the branch")

    def _note(
        self, element: Element, target: ast.Expression, value: ast.Expression, targets: dict[Slot, tuple[Element, ast.Expression]]
    ) -> None:
        slot = (element.key, element.indices)
        self.state.arms[-1][slot] = value
        targets.setdefault(slot, (element, target))

    def _distributed(self, node: ast.If) -> Iterator[ast.Statement]:
        """Branches with loops as loops with branches: arms that loop over the same range share a loop."""
        conditions = [settled(self.state.read(branch.condition)) for branch in node.branches]
        arms = [list(body) for body in arms_of(node)]

        def guarded(bodies: list[tuple[ast.Statement, ...]]) -> ast.If:
            branches = tuple(ast.Branch(c, b, span=node.span) for c, b in zip(conditions, bodies, strict=False))
            return ast.If(branches, bodies[-1] if node.otherwise is not None else None, span=node.span)

        while any(arms):
            plain = [tuple(self._up_to_loop(arm)) for arm in arms]
            if any(plain):
                yield guarded(plain)
            first = next((arm[0] for arm in arms if arm), None)
            if isinstance(first, ast.For):
                bodies: list[tuple[ast.Statement, ...]] = []
                for arm in arms:
                    head = arm[0] if arm else None
                    bodies.append(head.body if isinstance(head, ast.For) and head.binding == first.binding else ())
                    if bodies[-1]:
                        del arm[0]
                yield replace(first, body=(guarded(bodies),))

    @staticmethod
    def _up_to_loop(arm: list[ast.Statement]) -> Iterator[ast.Statement]:
        while arm and not isinstance(arm[0], ast.For):
            if contains_loop((arm[0],)):
                raise unsupported("a loop in a branch of a branch", arm[0].span, help="join the conditions in one branch")
            yield arm.pop(0)

    # ---- loops --------------------------------------------------------------------------------

    def _loop(self, node: ast.For) -> None:
        state = self.state
        binding = state.reader.rewrite(node.binding, state.scope | set(bound_names(node.binding)), state.look)
        loop = read_loop(node, binding)
        assigned = list(assigned_in(state.reader, node.body, state.scope | {loop.spelling}))
        carried = self._carry(loop, assigned)
        for found in carried:
            if found.base is not None:
                self.out.append(found.base)
            carrying.enter(state, found)
        started = self._start_updates(loop, assigned)
        with self._turns(loop, assigned, carried):
            body = self._inside(node.body)
            closing = [carrying.leave(state, found) for found in carried]
        body += tuple(c for c in closing if c is not None)
        self._emit(node, replace(node, binding=binding, body=body))
        for found in carried:
            carrying.after(state, found)
        for item in assigned:
            if loop.variable not in item.element.indices and all(item.element.key != found.element.key for found in carried):
                carrying.forget(state, item.element.key)
        self._stop_updates(loop, started)
        for found in carried:
            if not found.element.is_whole:
                self._settle(found, node)

    @contextmanager
    def _turns(self, loop: Loop, assigned: list[Assigned], carried: list[Carried]) -> Iterator[None]:
        """The inside of a loop."""
        slots = [found.slot for found in carried if not found.element.is_whole]
        self._mark_unfinished(loop, assigned)
        guarded = self._guard(loop, assigned)
        self.rests.append(loop.node.body)
        self.state.loops.append(loop)
        self.kept.extend(slots)
        yield
        del self.kept[len(self.kept) - len(slots) :]
        self.state.loops.pop()
        self.rests.pop()
        for key in guarded:
            self.state.guarded[key].pop()

    def _carry(self, loop: Loop, assigned: list[Assigned]) -> list[Carried]:
        """The targets that miss the loop's index; what is local to a turn loses what it meant before."""
        found: list[Carried] = []
        for items in self._missing(loop, assigned):
            element = items[0].element
            by_elements = bool(element.indices) and not self._stands_alone(loop, items)
            carried = carrying.start_carrying(self.state, loop, element, self.rests, by_elements)
            if carried is None:
                carrying.forget(self.state, element.key)
                continue
            last = items[-1]
            self.reserved[id(last.statement), (element.key, last.element.indices)] = carried.family.version
            found.append(carried)
        return found

    def _missing(self, loop: Loop, assigned: list[Assigned]) -> list[list[Assigned]]:
        """The assignments without the loop's index: by array, or by element where each element is for itself."""
        by_key: dict[Key, list[Assigned]] = {}
        for item in assigned:
            if loop.variable not in item.element.indices:
                by_key.setdefault(item.element.key, []).append(item)
        found: list[list[Assigned]] = []
        for items in by_key.values():
            slots: dict[tuple[ast.Expression, ...], list[Assigned]] = {}
            for item in items:
                slots.setdefault(item.element.indices, []).append(item)
            found.extend(slots.values() if all(self._stands_alone(loop, group) for group in slots.values()) else [items])
        return found

    def _stands_alone(self, loop: Loop, items: list[Assigned]) -> bool:
        """Whether a loop uses one element of an array as if it were a name: no other access in it may touch that element."""
        element = items[0].element
        if any(inner.variable in element.indices for item in items for inner in item.inner):
            return False
        return all(
            access.element.indices == element.indices or are_apart(access.element, element)
            for access in accesses(self.state.reader, loop.node.body, self.state.scope | {loop.spelling})
            if access.element.head == element.head and (access.element.is_whole or access.element.key == element.key)
        )

    def _mark_unfinished(self, loop: Loop, assigned: list[Assigned]) -> None:
        """Of several statements of a turn that assign one element, only the last gives it to the array.

        Where that is the array's first version, it is there from the start: `h_{t-1}` is what the turn before ended with.
        """
        state, elements = self.state, dict[Slot, Element]()
        by_slot: dict[Slot, list[ast.Statement]] = {}
        for item in assigned:
            element = item.element
            if loop.variable in element.indices and not any(inner.variable in element.indices for inner in item.inner):
                slot = (element.key, element.indices)
                elements.setdefault(slot, element)
                statements = by_slot.setdefault(slot, [])
                if not statements or statements[-1] is not item.statement:
                    statements.append(item.statement)
        for slot, statements in by_slot.items():
            self.unfinished |= {(id(statement), slot) for statement in statements[:-1]}
            element = elements[slot]
            if len(statements) > 1 and self._old(element) is None and element.key not in state.updates:
                outer = tuple(v for v in state.prefix(element) if v != loop.variable)
                state.arrays[element.key] = Array(Meaning(state.new_version(element), outer), [state.box(element, (loop,))])
                state.pending.add(slot)

    def _guard(self, loop: Loop, assigned: list[Assigned]) -> list[Key]:
        """Arrays that one statement of a turn defines and a later one updates: the elements of other turns are not told apart."""
        first: dict[Key, Assigned] = {}
        guarded: list[Key] = []
        for item in assigned:
            element = item.element
            before = first.setdefault(element.key, item)
            axis = next((k for k, i in before.element.axes.items() if i == loop.variable), None)
            if axis is None or before.statement is item.statement or not self._updates(loop, before, item):
                continue
            self.state.guarded.setdefault(element.key, []).append((axis, loop))
            guarded.append(element.key)
        return guarded

    def _updates(self, loop: Loop, before: Assigned, item: Assigned) -> bool:
        """Whether a statement assigns elements again, in loops of its own."""
        if len(item.element.indices) < len(before.element.indices):
            return False
        inside = any(inner.variable in item.element.indices for inner in item.inner)
        boxes = (self.state.box(a.element, (loop, *a.inner)) for a in (before, item))
        return (inside or item.element.indices != before.element.indices) and not is_apart(*boxes)

    # ---- updates ------------------------------------------------------------------------------

    def _start_updates(self, loop: Loop, assigned: list[Assigned]) -> list[Update]:
        """New versions of the arrays whose elements the loop assigns although they have a value."""
        state, started = self.state, list[Update]()
        for item in assigned:
            element, key = item.element, item.element.key
            if loop.variable not in element.indices or key in state.updates:
                continue
            old = self._old(element) or self._old_input(item, loop)
            loops = (loop, *item.inner)
            box = state.box(element, loops)
            if old is None or all(is_apart(b, box) for b in old.boxes):
                continue
            version = self._version_over(element, old, box, id(loop.node))
            indexing = [(axis, one) for one in loops for axis, i in element.axes.items() if i == one.variable]
            update = Update(element, old, Meaning(version, state.prefix(element)), box, loop, indexing)
            state.updates[key] = update
            started.append(update)
        return started

    def _old_input(self, item: Assigned, loop: Loop) -> Array | None:
        """An input is updated by a statement that leaves an element as it was, or that reads it."""
        state, element = self.state, item.element
        if element.key[1] or element.key in state.arrays or element.head not in state.header:
            return None
        return state.input_array(element) if item.conditional or self._reads(element, loop) else None

    def _reads(self, element: Element, loop: Loop) -> bool:
        scope = self.state.scope | {loop.spelling}
        return any(a.use == "read" and a.element == element for a in accesses(self.state.reader, loop.node.body, scope))

    def _stop_updates(self, loop: Loop, started: list[Update]) -> None:
        for update in self.state.updates.values():
            update.open = [(axis, one) for axis, one in update.open if one.node is not loop.node]
        for update in started:
            del self.state.updates[update.element.key]
            self._finish(update.element, update.old, update.meaning, update.box)

    def _settle(self, found: Carried, node: ast.For) -> None:
        """An element that a loop has accumulated goes into its array, unless the turn around assigns it again."""
        slot, element = found.slot, found.element
        if slot in self.kept or (id(node), slot) in self.unfinished:
            return
        value = self.state.value(element)
        self._assign(element, element.written(Meaning(1)), value, node, ast.Definition(element.name, value, span=found.loop.node.span))
