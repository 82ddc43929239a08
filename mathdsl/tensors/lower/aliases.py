r"""Values that only give another value a second name.

    multi_head_attn_y = linear(…); z = multi_head_attn_y      →      z = linear(…)

The second name is the author's (`z \gets \Call{MultiHeadAttn}{…}`), the first that of the module that was written out in its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.ir.nodes import Equation, Kind, Module, Read, ScheduledModule, Whole
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import step_targets


def find_aliases(module: ScheduledModule) -> Mapping[str, Equation]:
    """For each array that is computed under a second name: the equation that gives it.

    Both arrays have one equation each, outside loops, and the second reads all of the first as it is. The first is a value of a
    submodule: what the author gives two names keeps both.
    """
    inside = tuple(f"{submodule.latex}." for submodule in module.submodules)
    definitions: dict[str, int] = {}
    for step in module.steps:
        for target in step_targets(step):
            definitions[target] = definitions.get(target, 0) + 1
    whole = [stage.step for stage in module.schedule if isinstance(stage, Whole) and isinstance(stage.step, Equation)]
    equations = {step.target: step for step in whole if isinstance(step, Equation) and definitions[step.target] == 1}
    found: dict[str, Equation] = {}
    for step in equations.values():
        if isinstance(step.value, Read) and step.value.array in equations and step.value.array not in found:
            if module.array(step.value.array).latex.startswith(inside) and _is_same(module, step):
                found[step.value.array] = step
    return found


def _is_same(module: Module, step: Equation) -> bool:
    """Whether the equation copies an array, element by element."""
    assert isinstance(step.value, Read)
    read, made = module.array(step.value.array), module.array(step.target)
    letters = tuple(Poly.of(axis.name) for axis in step.axes)
    ranges = tuple(axis.range for axis in step.axes)
    return (
        read.kind is Kind.VALUE
        and step.index == letters == step.value.index
        and read.ranges == made.ranges == ranges
        and (read.batch, read.element) == (made.batch, made.element)
    )
