"""Stages of a schedule to statements: equations, loops, arrays by pieces."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from mathdsl.backends import calls, expressions
from mathdsl.backends.body import Block, Body
from mathdsl.backends.joins import Piece, join_pieces
from mathdsl.backends.python_ast import call, const, name, subscript, tuple_of, unparse
from mathdsl.backends.storage import array_axes
from mathdsl.backends.terms import Scope, Term
from mathdsl.backends.text import comment_lines, shape_comment
from mathdsl.ir.nodes import Array, Axis, Call, Equation, Loop, Origin, Range, Stage, Whole
from mathdsl.ir.sizes import Poly



@dataclass(slots=True)
class Steps:
    """Writes the stages of one module's schedule into its body."""

    body: Body
    pending: dict[str, list[Equation | Piece]]

    @staticmethod
    def of(body: Body) -> Steps:
        """A writer that has written nothing."""
        return Steps(body, {})

    def write(self) -> None:
        """All stages."""
        for number, stage in enumerate(self.body.module.schedule):
            self.stage(stage)
            for array, storage in self.body.storage.items():
                if storage.last == number:
                    self.body.complete.add(array)

    def stage(self, stage: Stage) -> None:
        """One stage."""
        match stage:
            case Whole(step=Equation() as step):
                self.equation(step)
            case Whole(step=Call() as step):
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
            for array, storage in body.storage.items():
                if storage.elements and storage.first <= self._number(stage) <= storage.last:
                    self.dictionary(body.arrays[array])
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

    def _number(self, stage: Stage) -> int:
        return next(i for i, other in enumerate(self.body.module.schedule) if other is stage)

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
            origins = [part.origin for part in waiting if isinstance(part, Equation)]
            self.assign(array, join_pieces(array, pieces), origins)

    def _lowered(self, step: Equation) -> Piece:
        axes = array_axes(step)
        term = expressions.lower_whole(self.body, step.value, [axis.name for axis in axes], Scope(axes), self.body.arrays[step.target].batch)
        return Piece(tuple(_covered(step, i) for i in range(len(step.index))), term.node, step.origin.span)

    def assign(self, array: Array, node: ast.expr, origins: Sequence[Origin]) -> None:
        """`name = node` under its equations."""
        body = self.body
        local = body.locals[array.name]
        self.comment(origins)
        body.write(f"{local} = {unparse(node)}  {shape_comment(array.ranges, array.batch)}")

    def comment(self, origins: Sequence[Origin]) -> None:
        """The author's equations above a statement."""
        for origin in origins:
            lines = comment_lines(origin)
            if origin.latex and lines:
                self.body.equations.append(lines[0].removeprefix("# "))
            for line in lines:
                self.body.write(line)

    def elements(self, step: Equation, positions: tuple[int, ...]) -> None:
        """Elements of an array that is kept element by element."""
        body = self.body
        array = body.arrays[step.target]
        axes = tuple(axis for axis in array_axes(step) if not body.is_loop(axis.name))
        scope = Scope(axes)
        term = expressions.lower_whole(body, step.value, [axis.name for axis in axes], scope, array.batch)
        self.store(array, step.index, term, positions, scope, [step.origin])

    def store(self, array: Array, index: Sequence[Poly | Range], term: Term, positions: tuple[int, ...], scope: Scope, origins: Sequence[Origin]) -> None:
        """Put a tensor, whose axes are those of `index` in order, into the array's dictionary."""
        body = self.body
        is_new = array.name not in body.dicts
        spread = [p for p in positions if self._axis_at(index[p], scope) is not None]
        if not is_new or spread:
            self.dictionary(array)
        self.comment(origins)
        kept = [bounds for p, bounds in enumerate(array.ranges) if p not in positions]
        note = shape_comment(kept, array.batch)
        if not spread:
            key = [body.poly(entry) for p in positions if isinstance(entry := index[p], Poly)]
            if is_new:
                first = ast.Dict([key[0] if len(key) == 1 else tuple_of(key)], [term.node])
                self.dictionary(array, unparse(first), note)
            else:
                body.write(f"{unparse(subscript(name(body.dicts[array.name]), *key))} = {unparse(term.node)}  {note}")
            return
        self._spread(array, index, term, positions, spread[0], scope)

    def _spread(self, array: Array, index: Sequence[Poly | Range], term: Term, positions: tuple[int, ...], place: int, scope: Scope) -> None:
        """A tensor that covers several elements: taken apart into them."""
        body = self.body
        axis = self._axis_at(index[place], scope)
        assert axis is not None
        dim = term.axes.index(axis.name) - len(term.axes)
        key = body.names.fresh(axis.name)
        item = body.names.fresh(f"{array.python}_{axis.name}")
        source = unparse(call("enumerate", call(ast.Attribute(term.node, "unbind", ast.Load()), const(dim)), body.poly(axis.range.lower)))
        header = f"for {key}, {item} in {source}:"
        outer, body.block = body.block, Block()
        rest = Term(name(item), tuple(a for a in term.axes if a != axis.name), term.batch, term.element)
        inner = [name(key) if p == place else None for p in range(len(index))]
        others = [p for p in positions if p != place and self._axis_at(index[p], scope) is not None]
        if others:
            moved = tuple(Poly.of(axis.name) if p == place else entry for p, entry in enumerate(index))
            with body.loop(axis) as opened:
                opened.variable = key
                self._spread(array, moved, rest, positions, others[0], Scope(tuple(a for a in scope.axes if a.name != axis.name)))
                block = body.block
            body.block.items.extend(block.items)
        else:
            keys = [given if (given := inner[p]) is not None else body.poly(entry) for p in positions if isinstance(entry := index[p], Poly)]
            body.write(f"{unparse(subscript(name(body.dicts[array.name]), *keys))} = {item}")
        inner_block, body.block = body.block, outer
        body.block.items.append((header, inner_block))

    def _axis_at(self, entry: Poly | Range, scope: Scope) -> Axis | None:
        """The tensor dimension that an index entry of a left side names."""
        if isinstance(entry, Range):
            return None
        found = scope.order(entry.names)
        return scope.axis(found[0]) if found else None

    def dictionary(self, array: Array, first: str = "{}", note: str = "") -> None:
        """The dictionary of an array, made with its first element or before it."""
        body = self.body
        if array.name in body.dicts:
            return
        local = body.names.fresh(f"{array.python}_at")
        body.dicts[array.name] = local
        count = len(body.storage[array.name].elements)
        key = "int" if count == 1 else unparse(subscript(name("tuple"), tuple_of([name("int")] * count)))
        body.write(f"{local}: dict[{key}, torch.Tensor] = {first}  {note}".rstrip())


def _covered(step: Equation, position: int) -> Range | Poly:
    """What a left side covers at one position: a range, or one point."""
    entry = step.index[position]
    for axis in step.axes:
        if axis.name in entry.names:
            return axis.range
    return entry
