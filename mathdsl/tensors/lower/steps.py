"""Stages of a schedule to statements: equations, loops, arrays by pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeGuard, assert_never

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.nodes import Array, Axis, Call, Equation, Expr, Kind, Literal, Loop, Origin, Range, Read, Select, Stage, Step, Whole
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import stage_steps
from mathdsl.spans import NOWHERE
from mathdsl.tensors import statements as tensors
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.calls import write_call
from mathdsl.tensors.lower.lists import same_list
from mathdsl.tensors.lower.operands import lower_whole
from mathdsl.tensors.lower.partitions import Box
from mathdsl.tensors.lower.storage import array_axes, call_box, equation_box
from mathdsl.tensors.lower.stores import Stores
from mathdsl.tensors.lower.terms import Scope
from mathdsl.tensors.statements import Between


@dataclass(slots=True)
class Steps:
    """Writes the stages of one module's schedule into its body."""

    body: Body
    stores: Stores
    begun: dict[str, None] = field(default_factory=dict)  # arrays that have some elements, or get some in this stage, but not all
    done: int = 0  # the stages that are written

    def write_paddings(self) -> None:
        """The first stages, as far as they take away the padding of inputs, under one remark."""
        body, first = self.body, len(self.body.block)
        for stage in body.module.schedule:
            if not isinstance(stage, Whole) or not _is_padding(stage.step, body.arrays):
                break
            self.stage(stage)
            body.complete.add(stage.step.target)
            self.done += 1
        if self.done:
            made = [replace(statement, note=None) for statement in body.block[first:] if isinstance(statement, tensors.Let)]
            body.block[first:] = [tensors.Comment((Origin("", NOWHERE, "padding is not read"),)), *made]

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
                self.body.step = step
                if isinstance(step, Equation):
                    self.equation(step)
                else:
                    write_call(self.body, step, self.stores)
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
                for group in sorted({group for box in _boxes(stage, array) for group in storage.covered(box)} if storage.elements else ()):
                    self.stores.new_table(body.arrays[array], group)
        bounds = stage.axis.range
        lower, upper = bounds.lower, bounds.upper
        start = body.poly(upper) if stage.descending else body.poly(lower) if lower.terms else None
        stop = body.poly(lower - 1) if stage.descending else body.poly(upper + 1)
        with body.loop(stage.axis) as opened:
            for inner, guard in zip(stage.body, stage.guards, strict=True):
                self._guarded(inner, guard, stage.axis)
            block = body.block
        body.block += opened.before
        body.write(tensors.Loop(stage.axis.name, opened.variable, start, stop, stage.descending, tuple(block)))

    def _guarded(self, stage: Stage, guard: Range | None, axis: Axis) -> None:
        """A stage that runs in only a part of the loop's turns stands under a condition."""
        if guard is None:
            self.stage(stage)
            return
        body = self.body
        outer, body.block = body.block, []
        views = dict(body.loops[-1].views)
        self.stage(stage)
        body.loops[-1].views = views
        inner, body.block = body.block, outer
        lower = body.poly(guard.lower) if guard.lower != axis.range.lower else None
        upper = body.poly(guard.upper) if guard.upper != axis.range.upper else None
        body.write(Between(body.poly(Poly.of(axis.name)), lower, upper, tuple(inner)))

    # ---- equations -------------------------------------------------------------------------------

    def equation(self, step: Equation) -> None:
        """Elements of one array."""
        if isinstance(step.value, Read) and self.stores.aliases.get(step.value.array) is step:
            return
        storage = self.body.storage[step.target]
        if storage.elements:
            self.elements(step, storage.elements)
            return
        self.stores.piece(self.body.arrays[step.target], step)

    def elements(self, step: Equation, positions: tuple[int, ...]) -> None:
        """Elements of an array that is kept element by element."""
        body = self.body
        array = body.arrays[step.target]
        axes = tuple(axis for axis in array_axes(step) if not body.is_loop(axis.name))
        box = equation_box(step)
        if self._passed_on(array, step, axes, positions, box):
            return
        scope = Scope(axes)
        value = lower_whole(body, step.value, [axis.name for axis in axes], scope, array.batch)
        self.stores.store(array, step.index, box, value, scope, self.stores.origins(step))

    def _passed_on(self, array: Array, step: Equation, axes: tuple[Axis, ...], positions: tuple[int, ...], box: Box) -> bool:
        """A list that came in becomes the table as it is."""
        body = self.body
        keys = positions
        if not axes or Poly.of(axes[0].name) not in [step.index[p] for p in keys]:
            return False
        group = self.stores.group_of(array, box)
        same = same_list(body, axes[0], axes[1:], step.value)
        if same is None or group is None:
            return False
        self.stores.comment(self.stores.origins(step))
        if len(keys) == 1:
            self.stores.update(array, group, same, body.poly(axes[0].range.lower))
            return True
        self.stores.for_each(
            array, group, same, axes[0], lambda item: self.stores.set_element(array, group, [body.poly(step.index[p]) for p in keys], item)
        )
        return True


def _is_padding(step: Step, arrays: Mapping[str, Array]) -> TypeGuard[Equation]:
    """Whether a step is an input with something harmless in its padding."""
    if not isinstance(step, Equation) or own_part(step.value) is None:
        return False
    value: Expr = step.value
    while isinstance(value, Select) and own_part(value) is not None and isinstance(value.otherwise, Literal):
        value = value.then
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
