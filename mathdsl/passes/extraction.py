"""Sub-expressions as equations of their own: names, axes, and what may be evaluated away from its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from mathdsl.analysis.accesses import accesses, affine
from mathdsl.analysis.domains import check_coverage
from mathdsl.analysis.facts import Facts, compare, facts_of_module
from mathdsl.ir.evaluation import placed
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Along,
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    IndexValue,
    Kind,
    Module,
    Origin,
    Read,
    Reduce,
    Select,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, free_names, module_expressions, polys, reads, search, substitute_axes, walk, zero_of
from mathdsl.ops import ELEMENTWISE, REDUCTIONS
from mathdsl.passes.renaming import module_names

_LONGEST_NAME = 32


def has_contraction(expr: Expr) -> bool:
    """Whether it goes over a whole axis."""
    return any(isinstance(node, (Reduce, Along)) for node in search(expr))


def is_random(expr: Expr) -> bool:
    """Whether two evaluations may differ."""
    return any(isinstance(node, Apply) and ELEMENTWISE[node.op].random for node in walk(expr))


def is_gather(expr: Expr) -> bool:
    """Whether it reads at an index that data decides."""
    return isinstance(expr, Read) and not all(isinstance(entry, Poly) for entry in expr.index)


def _reduced_extents(expr: Expr) -> Iterator[Poly]:
    """The extents of what is always reduced by operations that nothing has no value of."""
    for node, place in placed(expr):
        if isinstance(node, Reduce) and REDUCTIONS[node.op].of_nothing is None and not place.guards:
            yield node.axis.range.extent


class Extractor:
    """Makes equations of sub-expressions of one module; equal ones are made once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._ranges = {array.name: array for array in module.arrays}
        self._fresh = FreshNames(module_names(module))
        self._made: dict[tuple[object, ...], str] = {}
        self._holes: frozenset[str] | None = None
        self._arrays: list[Array] = []
        self._equations: list[Equation] = []

    @cached_property
    def _facts(self) -> Facts:
        return facts_of_module(self._module)

    @cached_property
    def _draws(self) -> bool:
        return any(is_random(expr) for expr in module_expressions(self._module))

    def axes_of(self, expr: Expr, around: Sequence[Axis]) -> tuple[Axis, ...]:
        """The axes around the expression that it depends on; all of them if it is random."""
        if self._draws and is_random(expr):
            return tuple(around)
        used = set(free_names(expr))
        for axis in reversed(around):
            if axis.name in used:
                used |= axis.range.lower.names | axis.range.upper.names
        return tuple(axis for axis in around if axis.name in used)

    def is_constant_along_some(self, expr: Expr, around: Sequence[Axis]) -> bool:
        """Whether `axes_of` leaves an axis out."""
        direct = {axis.name for axis in around}
        for node in search(expr):  # mostly the first few reads use all axes
            for poly in polys(node):
                direct -= poly.names
            if not direct:
                return False
        return len(self.axes_of(expr, around)) < len(around)

    def where_wanted(self, expr: Expr, around: Sequence[Axis]) -> Expr:
        """The expression, but 0 where one of the axes that it does not use has no point, if it reduces what only a point provides."""
        used = self.axes_of(expr, around)
        others = [axis for axis in around if axis not in used and not self._facts.proves_nonnegative(axis.range.extent - 1)]
        names = {axis.name for axis in used}
        if not others or any((axis.range.lower.names | axis.range.upper.names) & {a.name for a in around} - names for axis in others):
            return expr
        lacking = [extent for extent in _reduced_extents(expr) if not self._facts.inside(used).proves_nonnegative(extent - 1)]
        if not lacking or not all(self._facts.inside(around).proves_nonnegative(extent - 1) for extent in lacking):
            return expr
        for axis in others:
            is_there = Apply("less_equal", (IndexValue(axis.range.lower), IndexValue(axis.range.upper)), Element.BOOLEAN)
            expr = Select(is_there, expr, zero_of(element_of(expr)), element_of(expr))
        return expr

    def extract(self, expr: Expr, around: Sequence[Axis], origin: Origin) -> Read | None:
        """A read of a new array that holds the expression; None where its axes do not span a box."""
        axes = self.axes_of(expr, around)
        names = {axis.name for axis in axes}
        if any(names & (axis.range.lower.names | axis.range.upper.names) for axis in axes):
            return None
        ranges = tuple(axis.range for axis in axes)
        index = tuple(Poly.of(axis.name) for axis in axes)
        anonymous = {axis.name: Poly.of(f"#{k}") for k, axis in enumerate(axes)}
        key = (ranges, substitute_axes(expr, anonymous, FreshNames()))
        name = None if self._draws and is_random(expr) else self._made.get(key)
        if name is None:
            name = self._fresh(self._wanted_name(expr))
            self._made[key] = name
            self._arrays.append(Array(name, Kind.VALUE, element_of(expr), ranges, name, self._latex(expr)))
            self._equations.append(Equation(name, axes, index, expr, origin))
        return Read(name, index, element_of(expr))

    def may_run_anywhere(self, expr: Expr, around: Sequence[Axis]) -> bool:
        """Whether it may be evaluated at all points of the axes, whatever conditions stand above it."""
        for node in walk(expr):
            if isinstance(node, Apply) and ELEMENTWISE[node.op].safe is not None:
                return False
            if isinstance(node, Reduce) and REDUCTIONS[node.op].of_nothing is None:
                return False
        if self._holes is None:
            self._holes = frozenset(hole.array for hole in check_coverage(self._module))
        for access in accesses(expr, self._facts.inside(around)):
            array = self._ranges[access.read.array]
            if array.name in self._holes:
                return False
            for entry, bounds in zip(access.read.index, array.ranges, strict=True):
                index = affine(entry)
                if index is None or compare(bounds.lower, index, access.facts) != "always":
                    return False
                if compare(index, bounds.upper, access.facts) != "always":
                    return False
        return True

    def take_equations(self) -> tuple[Equation, ...]:
        """The equations made since the last time."""
        made = tuple(self._equations)
        self._equations.clear()
        return made

    def finish(self, steps: Sequence[Step]) -> Module:
        """The module with these steps and the new arrays."""
        return replace(self._module, arrays=(*self._module.arrays, *self._arrays), steps=tuple(steps))

    def _wanted_name(self, expr: Expr) -> str:
        """`W_x` for a product, `sum_x` for what is made of one array."""
        names = list(dict.fromkeys(self._ranges[read.array].python.replace(".", "_") for read in reads(expr) if read.array in self._ranges))
        if len(names) == 1:
            names.insert(0, next((node.op for node in walk(expr) if isinstance(node, Reduce | Along)), "of"))
        joined = "_".join(names[:2])
        return joined if 0 < len(joined) <= _LONGEST_NAME else "product"

    def _latex(self, expr: Expr) -> str:
        return " ".join(dict.fromkeys(self._ranges[read.array].latex for read in reads(expr) if read.array in self._ranges))
