r"""Choose an order of the steps: one loop for each recurrence, everything else for all its points at once.

Before, an unordered system; after, the `schedule` of a `ScheduledModule`::

    c[t] = f[t] * c[t-1] + u[t]                       whole x
    f[t] = sigmoid(h[t-1] + x[t])           ->        loop t in 1..L
    h[t] = tanh(c[t])                                   whole f, whole c, whole h
    y = w * h[L]                                      whole y

A loop runs along one index, up or down, at constant distances; the dependences that it carries are taken away, so that
loops nest (layers over positions). A call of a stack's element runs in a loop over the elements. Of several legal nests
the one with the fewest steps in its innermost loop is taken, and then loops over hyperparameters outside, over run-time
sizes inside. Steps of one loop get the loop's index as theirs.

Precondition: every read lies in its array's domain. Declines with a diagnostic, because such a module cannot be computed
at all: E0501 where no order exists, E0751 to E0754 where one may exist that these loops do not reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.analysis.recurrences import Recurrence, Unordered, analyse_recurrences
from mathdsl.diagnostics.model import Diagnostic, InternalError, MathdslError
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Axis, Loop, Module, Program, Range, ScheduledModule, ScheduledProgram, Stage, Step, Whole
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import with_schedule
from mathdsl.passes.no_order import explain_distance, explain_no_order
from mathdsl.passes.renaming import module_names, rename_step_axes, step_axis_names


def choose_schedules(program: Program) -> ScheduledProgram:
    """The program with a schedule of each of the document's modules."""
    scheduled: list[ScheduledModule] = []
    found: list[Diagnostic] = []
    for module in program.modules:
        try:
            scheduled.append(schedule_module(module))
        except MathdslError as error:
            found.extend(error.diagnostics)
    if found:
        raise MathdslError(*found)
    return ScheduledProgram(tuple(scheduled), program.library)


def schedule_module(module: Module) -> ScheduledModule:
    """The module with its schedule; its steps are those of the schedule, in the author's order."""
    analysis = analyse_recurrences(module)
    if analysis.unordered:
        raise MathdslError(*(explain_no_order(module, part) for part in analysis.unordered))
    builder = _Builder(module)
    stages: list[Stage] = []
    for part in analysis.parts:
        if isinstance(part, Unordered):
            raise InternalError(f"{module.name}: a component without order was let through")
        stages.append(builder.stage(part))
    return with_schedule(replace(module, steps=tuple(builder.steps)), stages)


class _Builder:
    """Builds the stages of one module; `steps` are its steps with the loops' index names put in."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._facts = facts_of_module(module)
        self._fresh = FreshNames(module_names(module))
        self.steps: list[Step] = list(module.steps)

    def stage(self, part: int | Recurrence) -> Stage:
        if isinstance(part, int):
            return Whole(self.steps[part])
        _check_distances(self._module, part)
        name = self._loop_name(part)
        for step, axis in zip(part.steps, part.axes, strict=True):
            if axis != name:
                self.steps[step] = rename_step_axes(self.steps[step], {axis: name}, self._fresh)
        ranges = [self._range(step, name) for step in part.steps]
        bounds = self._hull(ranges, part)
        guards = tuple(self._guard(inner, name, bounds, part) for inner in part.parts)
        body = tuple(self.stage(inner) for inner in part.parts)
        return Loop(Axis(name, bounds), part.descending, body, guards)

    def _loop_name(self, part: Recurrence) -> str:
        """The first step's name of the index, where no step uses it for another axis."""
        wanted = part.axes[0]
        for step, axis in zip(part.steps, part.axes, strict=True):
            if axis != wanted and wanted in step_axis_names(self.steps[step]):
                return self._fresh(wanted)
        return wanted

    def _range(self, step: int, name: str) -> Range:
        return next(axis.range for axis in self.steps[step].axes if axis.name == name)

    def _guard(self, part: int | Recurrence, name: str, bounds: Range, whole: Recurrence) -> Range | None:
        """Where a stage runs, if not in every turn; the steps of an inner loop must agree on that."""
        steps = (part,) if isinstance(part, int) else part.steps
        ranges = dict.fromkeys(self._range(step, name) for step in steps)
        if len(ranges) > 1:
            raise MathdslError(_ranges_differ(self._module, whole))
        (own,) = ranges
        return None if own == bounds else own

    def _hull(self, ranges: Sequence[Range], part: Recurrence) -> Range:
        """The least range that holds all of them, where the sizes say which bound is the outermost."""
        distinct = tuple(dict.fromkeys(ranges))
        lower = _outermost([bounds.lower for bounds in distinct], self._facts, sign=-1)
        upper = _outermost([bounds.upper for bounds in distinct], self._facts, sign=1)
        if lower is None or upper is None:
            raise MathdslError(_ranges_differ(self._module, part))
        return Range(lower, upper)


def _outermost(bounds: list[Poly], facts: Facts, sign: int) -> Poly | None:
    for bound in bounds:
        if all(facts.proves_nonnegative((bound - other) * sign) for other in bounds):
            return bound
    return None


def _check_distances(module: Module, part: Recurrence) -> None:
    """Each dependence that the loop carries has a constant distance; others need a partly built array read whole."""
    axes = dict(zip(part.steps, part.axes, strict=True))
    for edge in part.carried:
        distance = edge.distance(axes[edge.source], axes[edge.sink])
        if distance is None or distance.constant is None:
            raise MathdslError(explain_distance(module, edge))


def _ranges_differ(module: Module, part: Recurrence) -> Diagnostic:
    step = module.steps[part.steps[0]]
    text = "a recurrence whose equations run over different ranges is not supported yet where the sizes do not order the ranges"
    return Diagnostic("E0754", "error", text, step.origin.span, help="let the equations run over one range, with base cases of their own")
