"""Stages of a schedule to statements: equations, loops, arrays by pieces."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard, assert_never

from mathdsl.backends import calls, expressions
from mathdsl.backends.aliases import find_aliases
from mathdsl.backends.body import Block, Body
from mathdsl.backends.joins import Piece, join_pieces
from mathdsl.backends.line_map import Comment
from mathdsl.backends.lists import same_list
from mathdsl.backends.partitions import Box
from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, call, const, method, name, slice_of, subscript, tuple_of, unparse
from mathdsl.backends.shared_parts import name_shared
from mathdsl.backends.storage import Storage, array_axes, call_box, equation_box, group_point, group_ranges
from mathdsl.backends.terms import Scope, Term
from mathdsl.backends.text import comment_lines, shape_comment, shape_text
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import (
    Array,
    Axis,
    Call,
    CallTarget,
    Equation,
    Expr,
    Kind,
    Literal,
    Loop,
    Origin,
    Padded,
    Range,
    Read,
    Stage,
    Step,
    Whole,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import stage_steps

_DEFINITION = r"\gets"  # in every equation


@dataclass(slots=True)
class Steps:
    """Writes the stages of one module's schedule into its body."""

    body: Body
    pending: dict[str, list[Equation | Piece]]
    begun: dict[str, None]  # arrays that have some elements, or get some in this stage, but not all
    aliases: Mapping[str, Equation]
    done: int = 0  # the stages that are written

    @staticmethod
    def of(body: Body) -> Steps:
        """A writer that has written nothing."""
        aliases = find_aliases(body.module)
        for array, step in reversed(list(aliases.items())):
            body.locals[array] = body.locals[step.target]
        return Steps(body, {}, {}, aliases)

    def write_paddings(self) -> None:
        """The first stages, as far as they take away the padding of inputs."""
        body = self.body
        for stage in body.module.schedule:
            if not isinstance(stage, Whole) or not _is_padding(stage.step, body.arrays):
                return
            self.stage(stage)
            body.complete.add(stage.step.target)
            self.done += 1

    def write(self) -> None:
        """All other stages."""
        finished: dict[int, list[str]] = {}
        started: dict[int, list[str]] = {}
        for array, storage in self.body.storage.items():
            finished.setdefault(storage.last, []).append(array)
            started.setdefault(storage.first, []).append(array)
        for number, stage in enumerate(self.body.module.schedule):
            if number < self.done:
                continue
            self.begun.update((array, None) for array in started.get(number, ()))
            self.stage(stage)
            for array in finished.get(number, ()):
                self.body.complete.add(array)
                del self.begun[array]

    def stage(self, stage: Stage) -> None:
        """One stage."""
        match stage:
            case Whole(step=step):
                self.body.place = step.origin.span if step.origin.span.file else self.body.module.span
                if isinstance(step, Equation):
                    self.equation(step)
                else:
                    calls.write_call(self.body, step, self)
            case Loop():
                self.loop(stage)
            case _:
                assert_never(stage)

    # ---- loops -----------------------------------------------------------------------------------

    def loop(self, stage: Loop) -> None:
        """A `for` statement; what its body reads at its index is unbound before it."""
        body = self.body
        if not body.loops:
            for array in self.begun:
                storage = body.storage[array]
                if storage.keys:
                    for group in sorted({group for box in _boxes(stage, array) for group in storage.covered(box)}):
                        self.dictionary(body.arrays[array], (array, group))
        bounds = stage.axis.range
        lower, upper = bounds.lower, bounds.upper
        if stage.descending:
            steps = call("range", body.poly(upper), body.poly(lower - 1), const(-1))
        else:
            start = [] if not lower.terms else [body.poly(lower)]
            steps = call("range", *start, body.poly(upper + 1))
        with body.loop(stage.axis) as opened:
            for inner, guard in zip(stage.body, stage.guards, strict=True):
                self._guarded(inner, guard, stage.axis)
            block = body.block
        for line in opened.before:
            body.write(line)
        body.block.items.append((f"for {opened.variable} in {unparse(steps)}:", block))

    def _guarded(self, stage: Stage, guard: Range | None, axis: Axis) -> None:
        """A stage that runs in only a part of the loop's turns stands under an `if`."""
        if guard is None:
            self.stage(stage)
            return
        body = self.body
        variable = body.poly(Poly.of(axis.name))
        parts: list[ast.expr] = [variable]
        operators: list[ast.cmpop] = []
        if guard.lower != axis.range.lower:
            parts.insert(0, body.poly(guard.lower))
            operators.append(ast.LtE())
        if guard.upper != axis.range.upper:
            parts.append(body.poly(guard.upper))
            operators.append(ast.LtE())
        test = ast.Compare(parts[0], operators, parts[1:])
        outer, body.block = body.block, Block()
        views = dict(body.loops[-1].views)
        self.stage(stage)
        body.loops[-1].views = views
        inner, body.block = body.block, outer
        body.block.items.append((f"if {unparse(test)}:", inner))

    # ---- equations -------------------------------------------------------------------------------

    def equation(self, step: Equation) -> None:
        """Elements of one array."""
        if isinstance(step.value, Read) and self.aliases.get(step.value.array) is step:
            return
        storage = self.body.storage[step.target]
        if storage.elements:
            self.elements(step, storage.elements)
            return
        self.piece(self.body.arrays[step.target], step)

    def piece(self, array: Array, piece: Equation | Piece) -> None:
        """A part of an array that is kept as one tensor; with the last part, the array."""
        waiting = self.pending.setdefault(array.name, [])
        waiting.append(piece)
        if len(waiting) == self.body.storage[array.name].definitions:
            pieces = [part if isinstance(part, Piece) else self._lowered(part) for part in waiting]
            origins = [origin for part in waiting if isinstance(part, Equation) for origin in self._origins(part)]
            alias = self.aliases.get(array.name)
            while alias is not None:
                origins.append(alias.origin)
                alias = self.aliases.get(alias.target)
            self.assign(array, join_pieces(self.body, array, pieces), origins)

    def _lowered(self, step: Equation) -> Piece:
        axes = array_axes(step)
        batched = self.body.arrays[step.target].batch
        term = expressions.lower_whole(self.body, step.value, [axis.name for axis in axes], Scope(axes), batched)
        return Piece(equation_box(step), term.node, step.origin.span)

    def _origins(self, step: Equation) -> list[Origin]:
        """The equation to write above a step: none above an element that is a given symbol (`h_0`), which nobody defined."""
        value = step.value
        is_given = isinstance(value, Read) and self.body.arrays[value.array].kind is not Kind.VALUE
        return [] if is_given and _DEFINITION not in step.origin.latex and not step.origin.comment else [step.origin]

    def assign(self, array: Array, node: ast.expr, origins: Sequence[Origin]) -> None:
        """`name = node` under its equations."""
        body = self.body
        local = body.locals[array.name]
        node = name_shared(body, node)
        self.comment(origins)
        text = unparse(node)
        body.made[text] = local
        body.write(f"{local} = {text}  {shape_comment(array.ranges, array.batch)}")

    def comment(self, origins: Sequence[Origin]) -> None:
        """The author's equations above a statement."""
        for origin in dict.fromkeys(origins):
            lines = comment_lines(origin)
            if origin.latex and lines:
                self.body.equations.append(Comment(lines[0].removeprefix("# "), origin.span))
            for line in lines:
                self.body.write(line)

    def elements(self, step: Equation, positions: tuple[int, ...]) -> None:
        """Elements of an array that is kept element by element."""
        body = self.body
        array = body.arrays[step.target]
        axes = tuple(axis for axis in array_axes(step) if not body.is_loop(axis.name))
        box = equation_box(step)
        if self._passed_on(array, step, axes, positions, box):
            return
        scope = Scope(axes)
        term = expressions.lower_whole(body, step.value, [axis.name for axis in axes], scope, array.batch)
        term = replace(term, node=name_shared(body, term.node))
        self.store(array, step.index, box, term, scope, self._origins(step))

    def _passed_on(self, array: Array, step: Equation, axes: tuple[Axis, ...], positions: tuple[int, ...], box: Box) -> bool:
        """A list that came in becomes the dictionary as it is."""
        body = self.body
        keys = body.storage[array.name].keys
        if not axes or Poly.of(axes[0].name) not in [step.index[p] for p in keys] or not self._is_one_group(array, box):
            return False
        group = self._group(array, box)
        same = same_list(body, axes[0], axes[1:], step.value)
        if same is None:
            return False
        self.comment(self._origins(step))
        items = call("enumerate", same, body.poly(axes[0].range.lower))
        if len(keys) == 1:
            self._update(array, group, items)
            return True
        self.dictionary(array, group)
        item = body.variable(f"{array.python}_{index_letter(axes[0].name)}")
        with body.loop(axes[0]) as opened:
            self._set(array, group, [body.poly(step.index[p]) for p in keys], name(item))
            block = body.block
        body.block.items.append((f"for {opened.variable}, {item} in {unparse(items)}:", block))
        return True

    def store(self, array: Array, index: Sequence[Poly], box: Box, term: Term, scope: Scope, origins: Sequence[Origin]) -> None:
        """Put a tensor, whose axes are those of `index` in order, into the dictionaries of the array's groups."""
        body = self.body
        self.comment(origins)
        if self._is_one_group(array, box):
            self._store(array, index, self._group(array, box), term, scope)
            return
        whole = body.names.fresh(f"{array.python}_new")
        body.write(f"{whole} = {unparse(term.node)}")
        storage = body.storage[array.name]
        for group in storage.covered(box):
            part = _part(body, index, box, storage, group, replace(term, node=name(whole)), scope)
            self._store(array, index, (array.name, group), part, scope)

    def element_target(self, target: CallTarget, box: Box) -> tuple[ast.expr, str] | None:
        """Where a call puts one element at once, and its shape: into a dictionary that is there, or the local of a turn."""
        body = self.body
        array, storage = body.arrays[target.array], body.storage[target.array]
        if not storage.elements or not self._is_one_group(array, box):
            return None
        group = self._group(array, box)
        if any(isinstance(target.index[p], Range) for p in storage.elements) or (storage.keys and group not in body.dicts):
            return None
        note = shape_text(group_ranges(storage, group), array.batch)
        if storage.keys:
            keys = [body.poly(key) for key in (target.index[p] for p in storage.keys) if isinstance(key, Poly)]
            return subscript(name(body.dicts[group]), *keys), note
        local = body.locals[array.name]
        if local not in body.assigned:
            body.write(body.typed(local))
        return name(local), note

    def _store(self, array: Array, index: Sequence[Poly], group: tuple[str, int], term: Term, scope: Scope) -> None:
        storage = self.body.storage[array.name]
        spread = [p for p in storage.elements if scope.order(index[p].names)]
        if spread:
            self._spread(array, index, group, term, spread, scope)
        else:
            self._set(array, group, [self.body.poly(index[p]) for p in storage.keys], term.node)

    def _set(self, array: Array, group: tuple[str, int], key: list[ast.expr], value: ast.expr) -> None:
        """One element."""
        body = self.body
        note = shape_comment(group_ranges(body.storage[array.name], group), array.batch)
        if not key:
            local = body.locals[array.name]
            target = body.typed(local) if isinstance(value, ast.Call) and _is_submodule(value) else local
            body.assigned.add(local)
            body.write(f"{target} = {unparse(value)}  {note}")
        elif group in body.dicts:
            body.write(f"{unparse(subscript(name(body.dicts[group]), *key))} = {unparse(value)}  {note}")
        else:
            first = ast.Dict([key[0] if len(key) == 1 else tuple_of(key)], [value])
            self.dictionary(array, group, unparse(first), note)

    def _spread(self, array: Array, index: Sequence[Poly], group: tuple[str, int], term: Term, spread: list[int], scope: Scope) -> None:
        """A tensor that covers several elements: taken apart into them."""
        body = self.body
        keys = body.storage[array.name].keys
        axis = scope.axis(scope.order(index[spread[0]].names)[0])
        assert axis is not None
        parts = method(term.node, "unbind", const(term.axes.index(axis.name) - len(term.axes)))
        items = call("enumerate", parts, body.poly(axis.range.lower))
        if len(keys) == 1:
            self._update(array, group, items)
            return
        self.dictionary(array, group)
        item = body.variable(f"{array.python}_{index_letter(axis.name)}")
        rest = Term(name(item), tuple(a for a in term.axes if a != axis.name), term.batch, term.element)
        within = Scope(tuple(a for a in scope.axes if a.name != axis.name))
        with body.loop(axis) as opened:
            if len(spread) > 1:
                self._spread(array, index, group, rest, spread[1:], within)
            else:
                self._set(array, group, [body.poly(index[p]) for p in keys], rest.node)
            block = body.block
        body.block.items.append((f"for {opened.variable}, {item} in {unparse(items)}:", block))

    def _update(self, array: Array, group: tuple[str, int], pairs: ast.expr) -> None:
        """Several elements at once, from pairs of an index and a tensor."""
        if group in self.body.dicts:
            self.body.write(f"{self.body.dicts[group]}.update({unparse(pairs)})")
        else:
            self.dictionary(array, group, f"dict({unparse(pairs)})")

    def _is_one_group(self, array: Array, box: Box) -> bool:
        storage = self.body.storage[array.name]
        own = tuple(entry for p, entry in enumerate(box) if p not in storage.elements)
        return own in storage.groups

    def _group(self, array: Array, box: Box) -> tuple[str, int]:
        storage = self.body.storage[array.name]
        return array.name, storage.groups.index(tuple(entry for p, entry in enumerate(box) if p not in storage.elements))

    def dictionary(self, array: Array, group: tuple[str, int], first: str = "{}", note: str = "") -> None:
        """A dictionary of an array, made with its first element or before it."""
        body = self.body
        if group in body.dicts:
            return
        local = body.names.fresh(f"{array.python}{group_point(body.storage[array.name], group[1])}_at")
        body.dicts[group] = local
        count = len(body.storage[array.name].keys)
        key = "int" if count == 1 else unparse(subscript(name("tuple"), tuple_of([name("int")] * count)))
        body.write(f"{local}: dict[{key}, torch.Tensor] = {first}  {note}".rstrip())


def _is_padding(step: Step, arrays: Mapping[str, Array]) -> TypeGuard[Equation]:
    """Whether a step is an input with something harmless in its padding."""
    if not isinstance(step, Equation) or not isinstance(step.value, Padded):
        return False
    value: Expr = step.value
    while isinstance(value, Padded) and isinstance(value.fill, Literal):
        value = value.body
    return isinstance(value, Read) and arrays[value.array].kind is Kind.INPUT


def _boxes(stage: Stage, array: str) -> list[Box]:
    """What the steps of a stage define of an array."""
    found: list[Box] = []
    for step in stage_steps([stage]):
        if isinstance(step, Equation) and step.target == array:
            found.append(equation_box(step))
        elif isinstance(step, Call):
            found += [call_box(step, target) for target in step.targets if target is not None and target.array == array]
    return found


def _is_submodule(value: ast.Call) -> bool:
    """Whether an expression calls a submodule: `self.f(x)`, `self.f[l](x)`."""
    function = value.func.value if isinstance(value.func, ast.Subscript) else value.func
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self"


def _part(body: Body, index: Sequence[Poly], box: Box, storage: Storage, group: int, term: Term, scope: Scope) -> Term:
    """The part of a definition that lies in one group."""
    own = iter(storage.groups[group])
    entries: dict[str, ast.expr] = {}
    axes = list(term.axes)
    for p, entry in enumerate(box):
        part = None if p in storage.elements else next(own)
        if part is None or part == entry or isinstance(entry, Poly):
            continue
        axis = scope.order(index[p].names)[0]
        if isinstance(part, Poly):
            entries[axis] = body.poly(part - entry.lower)
            axes.remove(axis)
        else:
            start, stop = part.lower - entry.lower, part.upper - entry.lower + 1
            last = None if part.upper == entry.upper else body.poly(stop)
            entries[axis] = slice_of(body.poly(start) if start.terms else None, last)
    shown = [entries.get(axis, EVERYTHING) for axis in term.axes]
    return replace(term, node=subscript(term.node, ELLIPSIS, *shown), axes=tuple(axes))
