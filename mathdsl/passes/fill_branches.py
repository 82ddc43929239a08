r"""Put values that have a name into the branches that read them, where an operation could fail when the branch is not taken.

Before -> after::

    u[i] = log(x[i])                              (where nothing else reads it, a dead value)
    y[i] = u[i] if x[i] > 0 else 0        ->      y[i] = log(x[i]) if x[i] > 0 else 0

Inside a branch, operations get operands at which they have a value and a derivative wherever the branch is not taken; at a name
that ends: the derivative of `log` at 0 times no gradient would be NaN. What the value reads in turn is put there as well. So is a value
that a part of the same statement has, and that looks something up: the `w_{k-1}` of `F(w_{k-1})` is read where the branch is taken.
The parts of the value that cannot fail and go over a whole axis become values of their own first, and are computed once:

    u[i] = log(sum(j: W[i, j] * x[j]))            W_x[i] = sum(j: W[i, j] * x[j])
    y[i] = u[i] if c[i] else 0            ->      y[i] = log(W_x[i]) if c[i] else 0

Declines: values that cannot fail, that several equations or a call define, that read earlier elements of themselves, that are
random, whose element data chooses otherwise than for a lookup, and where the formula would grow beyond `_MOST_NODES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

from mathdsl.analysis.abstract import partial_operand
from mathdsl.dataclass import dataclass, field
from mathdsl.ir.evaluation import map_children_where, module_values, placed
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Abstraction, Along, Axis, Call, Check, Equation, Expr, Module, Origin, Program, Read, Reduce, Select, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import flat_results, map_children, map_results, map_step, reads, step_expressions, step_targets, walk
from mathdsl.passes.definitions import element_of_definition, joined_definition, sole_definitions
from mathdsl.passes.extraction import Extractor, has_contraction, is_random
from mathdsl.passes.guarded_definitions import reached, with_guarded_definitions
from mathdsl.passes.renaming import module_names
from mathdsl.spans import NOWHERE, Span

_MOST_NODES = 500
_MOST_PIECES = 4  # that are put into a branch, each under its own condition


def fill_branches(program: Program) -> Program:
    """Fill the branches of each of the document's modules."""
    return replace(program, modules=tuple(_filled(module) for module in program.modules))


def _filled(module: Module) -> Module:
    before, module = module, with_guarded_definitions(module, _may_fail)
    guarded = {new.target for old, new in zip(before.steps, module.steps, strict=True) if new is not old and isinstance(new, Equation)}
    used = _read_in_branches(module, _that_may_fail(module, guarded))
    if not used:
        return module
    module = _with_parts_apart(module, used)
    filler = _Filler(_that_may_fail(module, guarded), FreshNames(module_names(module)))
    return replace(
        module,
        steps=tuple(_change_step(step, filler) for step in module.steps),
        results=map_results(module.results, lambda value: _change_value(value, (), filler)),
    )


def _that_may_fail(module: Module, guarded: Set[str]) -> dict[str, Equation]:
    """The values in which an operation may fail, or that read such a value, and of which a copy is as good."""
    definitions = {**sole_definitions(module), **_joined(module, guarded)}
    failing = {name for name, equation in definitions.items() if _may_fail(equation.value)}
    while more := {n for n, e in definitions.items() if n not in failing and any(r.array in failing for r in reads(e.value))}:
        failing |= more
    failing |= _lookups_of_parts(module, definitions)
    return {n: e for n, e in definitions.items() if n in failing and not is_random(e.value) and all(r.array != n for r in reads(e.value))}


def _joined(module: Module, guarded: Set[str]) -> dict[str, Equation]:
    """The arrays that several equations define, of which no condition says which elements are read."""
    pieces: dict[str, list[Step]] = {}
    needs: dict[str, set[str]] = {}
    for step in module.steps:
        for target in step_targets(step):
            pieces.setdefault(target, []).append(step)
            needs.setdefault(target, set()).update(read.array for expr in step_expressions(step) for read in reads(expr))
    fresh, found = FreshNames(module_names(module)), dict[str, Equation]()
    for name, steps in pieces.items():
        equations = [step for step in steps if isinstance(step, Equation)]
        is_plain = all(not axis.range.extent.names & {other.name for other in step.axes} for step in steps for axis in step.axes)
        is_few = 1 < len(equations) == len(steps) <= _MOST_PIECES
        if is_few and is_plain and name not in guarded and name not in reached(needs, iter(needs[name])):
            found[name] = joined_definition(module.array(name), equations, fresh)
    return found


def _lookups_of_parts(module: Module, definitions: Mapping[str, Equation]) -> set[str]:
    """The values of parts of a statement that look something up, or read such a value: nothing else reads what has no name."""
    places: dict[str, set[Span]] = {}
    for origin, expressions in _statements(module):
        for name in {read.array for expr in expressions for read in reads(expr)}:
            places.setdefault(name, set()).add(origin.span)
    parts = {name: e for name, e in definitions.items() if places.get(name) == {e.origin.span} and e.origin.span != NOWHERE}
    found = {name for name, e in parts.items() if any(isinstance(node, Read) and _is_lookup(node) for node in walk(e.value))}
    while more := {n for n, e in parts.items() if n not in found and any(r.array in found for r in reads(e.value))}:
        found |= more
    return found


def _statements(module: Module) -> Iterator[tuple[Origin, tuple[Expr, ...]]]:
    yield from ((step.origin, tuple(step_expressions(step))) for step in module.steps)
    yield from ((module.returned, (result.value.value,)) for result in flat_results(module.results))
    yield from ((check.origin, (check.condition,)) for check in module.checks)


def _is_lookup(read: Read) -> bool:
    return any(not isinstance(entry, Poly) and bool(reads(entry)) for entry in read.index)


def _may_fail(expr: Expr) -> bool:
    """Whether there is an operation that data could take to where it has no value or no derivative."""
    operands = (partial_operand(node) for node in walk(expr))
    return any(operand is not None and reads(operand) for operand in operands)


def _read_in_branches(module: Module, definitions: Mapping[str, Equation]) -> set[str]:
    """Those of the values that a branch reads, and those that these read in turn."""
    values = [value.value for owner, value in module_values(module) if not isinstance(owner, Check)]
    waiting = [node.array for value in values for node, place in placed(value) if isinstance(node, Read) and place.guards]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in found:
            found.add(name)
            waiting += [read.array for read in reads(definitions[name].value)]
    return found


def _with_parts_apart(module: Module, arrays: set[str]) -> Module:
    """The largest parts that cannot fail and go over a whole axis as values of their own, in the equations of these arrays."""
    extractor = Extractor(module)
    steps: list[Step] = []
    for step in module.steps:
        if isinstance(step, Equation) and step.target in arrays:
            value = _apart(step.value, step, extractor)
            steps += extractor.take_equations()
            step = step if value is step.value else replace(step, value=value)
        steps.append(step)
    return extractor.finish(steps)


def _apart(expr: Expr, step: Equation, extractor: Extractor) -> Expr:
    if not has_contraction(expr) or isinstance(expr, Reduce | Along | Select) and _may_fail(expr):
        return expr
    if not _may_fail(expr) and extractor.may_run_anywhere(expr, step.axes):
        return extractor.extract(expr, step.axes, step.origin) or expr
    return map_children(expr, lambda child: _apart(child, step, extractor))


@dataclass(frozen=True)
class _Place:
    """Where an expression stands: the axes around it, whether in a branch, and inside the definitions of which arrays (`opened`)."""

    axes: frozenset[str]
    opened: frozenset[str] = frozenset()
    is_branch: bool = False

    def inside(self, axes: Iterable[Axis]) -> _Place:
        return replace(self, axes=self.axes.union(axis.name for axis in axes))

    def assuming(self, condition: Expr, holds: bool) -> _Place:
        return replace(self, is_branch=True)


@dataclass(frozen=True)
class _Filler:
    definitions: Mapping[str, Equation]
    fresh: FreshNames = field(repr=False)

    def fill(self, expr: Expr, place: _Place) -> Expr:
        """The expression with the definitions of the values that its branches read."""
        filled = self._at(expr, place)
        return filled if len(walk(filled)) <= _MOST_NODES else expr

    def _at(self, expr: Expr, place: _Place) -> Expr:
        match expr:
            case Read(array=array) if place.is_branch and array in self.definitions and array not in place.opened:
                opened = element_of_definition(self.definitions[array], expr, self.fresh, place.axes)
                return expr if opened is None else self._at(opened, replace(place, opened=place.opened | {array}))
            case _:
                return map_children_where(expr, place, self._at)


def _change_step(step: Step, filler: _Filler) -> Step:
    if isinstance(step, Equation):
        place = _Place(frozenset(axis.name for axis in step.axes), frozenset({step.target}))
        return map_step(step, lambda value: filler.fill(value, place))
    return _change_call(step, filler)


def _change_call(step: Call, filler: _Filler) -> Call:
    arguments = tuple(replace(a, value=_change_value(a.value, step.axes, filler)) for a in step.arguments)
    return replace(step, arguments=arguments)


def _change_value(value: Abstraction, around: tuple[Axis, ...], filler: _Filler) -> Abstraction:
    place = _Place(frozenset(axis.name for axis in (*around, *value.axes)))
    return replace(value, value=filler.fill(value.value, place))
