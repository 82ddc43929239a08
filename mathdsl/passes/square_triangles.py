r"""Let every index of an equation run over a range of its own: triangles become the box that their array is.

Before -> after, where `L` runs over `1..n` twice::

    L[i, j] = log(x[i] - x[j])    for i in 1..n, j in 1..i-1
    L[i, j] = x[j]                for i in 1..n, j in i+1..n
    L[i, j] = log(x[i] - x[j]) if j <= i - 1 else x[j] if i + 1 <= j else 0    for i in 1..n, j in 1..n

So does an equation at a fixed index beside them, `f[i, 0] = y[i]`, which holds where `j == 0`.

What lies outside of the triangles is in no branch, so that it is neither computed nor asked for a derivative. Preconditions: what nothing
defines is read nowhere, which has been proved before.

Declines: arrays a part of which a call defines, and those of which no equation has an index at every place.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import reduce

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Apply, Array, Axis, Element, Equation, Expr, IndexValue, Module, Program, Select, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, step_targets, substitute_axes, zero_of
from mathdsl.passes.renaming import module_names


def square_triangles(program: Program) -> Program:
    """Each of the document's modules with boxes for triangles."""
    return replace(program, modules=tuple(_squared(module) for module in program.modules))


def _squared(module: Module) -> Module:
    if not any(isinstance(step, Equation) and is_triangle(step) for step in module.steps):
        return module
    parts: defaultdict[str, list[Step]] = defaultdict(list)
    for step in module.steps:
        for target in step_targets(step):
            parts[target].append(step)
    fresh, boxes = FreshNames(module_names(module)), dict[int, Equation]()
    left_out: set[int] = set()
    for name, steps in parts.items():
        equations = [step for step in steps if isinstance(step, Equation)]
        whole = next((step for step in equations if len(step.axes) == len(step.index)), None)
        if whole is not None and len(equations) == len(steps) and any(map(is_triangle, equations)):
            boxes[id(steps[0])] = _box(equations, whole, module.array(name), fresh)
            left_out |= {id(step) for step in steps[1:]}
    return replace(module, steps=tuple(boxes.get(id(step), step) for step in module.steps if id(step) not in left_out))


def is_triangle(step: Equation) -> bool:
    """Whether the range of one index ends at another."""
    names = {axis.name for axis in step.axes}
    return any(not names.isdisjoint(axis.range.lower.names | axis.range.upper.names) for axis in step.axes)


def _box(steps: list[Equation], whole: Equation, array: Array, fresh: FreshNames) -> Equation:
    """One equation over the array's own box, with the places of the indices of a whole one."""
    element = element_of(steps[0].value)
    value: Expr = zero_of(element)
    for step in reversed(steps):
        own = {axis.name for axis in step.axes}
        names = {entry.variable: place for entry, place in zip(step.index, whole.index, strict=True) if entry.variable in own}
        inside = reduce(lambda left, right: Apply("and", (left, right), Element.BOOLEAN), _inside(step, whole, array, names))
        value = Select(inside, substitute_axes(step.value, names, fresh), value, element)
    places = zip(whole.index, array.ranges, strict=True)
    axes = tuple(Axis(place.variable or "", bounds) for place, bounds in places)
    return replace(steps[0], axes=axes, index=whole.index, value=value)


def _inside(step: Equation, whole: Equation, array: Array, names: dict[str, Poly]) -> list[Expr]:
    """Where in the array's box an equation holds."""
    own = {axis.name: axis.range for axis in step.axes}
    found: list[Expr] = []
    for entry, place, box in zip(step.index, whole.index, array.ranges, strict=True):
        bounds = own.get(entry.variable or "")
        if bounds is None:
            found.append(Apply("equal", (IndexValue(place), IndexValue(entry)), Element.BOOLEAN))
            continue
        if bounds.lower != box.lower:
            found.append(_in_order(bounds.lower.substitute(names), place))
        if bounds.upper != box.upper:
            found.append(_in_order(place, bounds.upper.substitute(names)))
    return found


def _in_order(low: Poly, high: Poly) -> Expr:
    return Apply("less_equal", (IndexValue(low), IndexValue(high)), Element.BOOLEAN)
