r"""How large the hyperparameters have to be, so that a module can be made and called: `D \geq 1` where its body reads `b_1` of `D` vectors.

Elsewhere a hyperparameter is taken to be at least 1 without a word. Where that is what proves that an element exists, the constructor
has to ask for it; where a size may as well be 0 (a width, the number of turns of a loop), nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from mathdsl.analysis.accesses import writes
from mathdsl.analysis.domains import undefined_reads
from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.analysis.stack_calls import element_calls
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import Place, module_values, placed
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Axis,
    Check,
    Element,
    Expr,
    IndexValue,
    Kind,
    Literal,
    Loop,
    Module,
    Range,
    Read,
    Reduce,
    ScheduledModule,
    Setting,
    Stage,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_all_of
from mathdsl.ops import REDUCTIONS


@dataclass(frozen=True, slots=True)
class _Need:
    """A polynomial that has to be at least 0 at every point of the place."""

    value: Poly
    place: Place


def least_sizes(module: ScheduledModule) -> tuple[Poly, ...]:
    """The polynomials over hyperparameters that have to be at least 0, in order: `D - 1`."""
    facts = facts_of_module(module)
    positive = frozenset(name for name, least in facts.least if least == 1)
    any_size = replace(facts, least=tuple((name, 0) for name, _ in facts.least))
    if not positive:
        return ()
    found: dict[Poly, None] = {}
    loops = frozenset(_loops(module.schedule))
    for need in _needs(module):
        least = least_value(need.value, need.place.axes)
        if least is None or not least.names or not least.names <= positive or all(factor > 0 for _, factor in least.terms):
            continue
        if facts.proves_nonnegative(least) and not _within(any_size, need, loops).proves_nonnegative(least):
            found[_whole(least)] = None
    found |= dict.fromkeys(_of_holes(module, positive, any_size))
    for least in sorted(found, key=lambda poly: -len(poly.names)):
        if any_size.adding(*(other for other in found if other != least)).proves_nonnegative(least):
            del found[least]
    return tuple(found)


def _loops(stages: Sequence[Stage]) -> Iterator[str]:
    for stage in stages:
        if isinstance(stage, Loop):
            yield stage.axis.name
            yield from _loops(stage.body)


def _within(facts: Facts, need: _Need, loops: Set[str]) -> Facts:
    """What holds where the need is: axes of which the index is independent, and that are no loops, need no point for it to be read."""
    facts = facts.inside(axis for axis in need.place.axes if axis.name in loops or axis.name in need.value.names)
    for condition, holds in need.place.guards:
        facts = facts.assuming(condition, holds)
    return facts


def least_value(value: Poly, axes: Sequence[Axis]) -> Poly | None:
    """The least value over the axes, in sizes alone; None where a factor has no known sign.

    `2 m` has one, as no size is negative, and so has `i` of `i j` where `i` begins at 1.
    """
    names = {axis.name for axis in axes}
    signed = {axis.name for axis in axes if not axis.range.lower.names & names and all(c > 0 for _, c in axis.range.lower.terms)}
    for axis in reversed(axes):
        if axis.name not in value.names:
            continue
        factor = value.coefficient(axis.name)
        signs = set() if factor is None or factor.names & names - signed else {c > 0 for _, c in factor.terms}
        if len(signs) != 1:
            return None
        value = value.substitute({axis.name: axis.range.lower if True in signs else axis.range.upper})
    return None if value.names & names else value


def _whole(least: Poly) -> Poly:
    """`2 D - 1`, which is at least 0 where `D - 1` is."""
    name = next(iter(least.names))
    factor = least.coefficient(name)
    number = None if factor is None else factor.constant
    rest = None if number is None else (least - Poly.of(name) * number).constant
    return least if number is None or rest is None or number < 1 else Poly.of(name) - -(rest // number)


# ---- what needs an element -----------------------------------------------------------------------


def _needs(module: Module) -> Iterator[_Need]:
    yield from _needs_of_constructor(module)
    arrays = {array.name: array for array in module.arrays}
    for owner, value in module_values(module):
        if not isinstance(owner, Check):
            yield from _needs_of(value.value, arrays, value.axes)
    for call, at, stack in element_calls(module):
        if not any(at == part.range.lower == part.range.upper for part in stack.parts):
            yield _Need(at - stack.parts[0].range.lower, Place(call.axes))
            yield _Need(stack.parts[-1].range.upper - at, Place(call.axes))


def _needs_of_constructor(module: Module) -> Iterator[_Need]:
    nowhere = Place()
    made = [bounds.extent for p in module.parameters for bounds in module.array(p.array).ranges]
    made += [value for s in module.submodules for part in s.parts for _, value in part.arguments if isinstance(value, Poly)]
    for size in made:
        yield _Need(size, nowhere)
        yield from (_Need(Poly.of(name) - 1, nowhere) for monomial, _ in size.terms for name, power in monomial if power < 0)
    for parameter in module.parameters:
        ranges = module.array(parameter.array).ranges
        if parameter.initialiser.kind == "xavier" and len(ranges) > 1:
            yield _Need(ranges[-1].extent + ranges[-2].extent - 1, nowhere)
        for argument in parameter.initialiser.arguments:
            yield from _needs_of(argument, {}, ())


def _needs_of(expression: Expr, arrays: dict[str, Array], axes: tuple[Axis, ...]) -> Iterator[_Need]:
    """The elements that an expression reads, those that it reduces, and the sizes that it divides numbers by."""
    for node, place in placed(expression, axes):
        match node:
            case Reduce(op=op, axis=axis) if REDUCTIONS[op].of_nothing is None:
                yield _Need(axis.range.extent - 1, place)
            case Read(array=name, index=index) if name in arrays:
                for entry, bounds in zip(index, arrays[name].ranges, strict=True):
                    if isinstance(entry, Poly) and not is_all_of(entry, bounds, place.axes):
                        yield _Need(entry.padded - bounds.lower, place)
                        yield _Need(bounds.upper - entry.padded, place)
            case Apply(op="div", arguments=(_, below)) if _is_number(node, place):
                yield from (_Need(size - 1, place) for size in _factors(below))
            case Apply(op="log" | "log2", arguments=(inner,)) if _is_number(node, place):
                yield from (_Need(size - 1, place) for size in _factors(inner))
            case Apply(op="mod" | "floor_div", arguments=(_, below)) if node.element is Element.INTEGER and _is_number(below, place):
                measured = {name for array in arrays.values() for bounds in array.ranges for name in bounds.extent.names}
                yield from (
                    _Need(size - 1, place) for size in _factors(below) if not size.names & measured
                )  # where one is 0, nothing is there
            case Apply(op="pow", arguments=(base, power)) if _is_number(node, place) and _is_negative(power):
                yield from (_Need(size - 1, place) for size in _factors(base))


def _is_number(expression: Expr, place: Place) -> bool:
    """Whether it is a number that no tensor has: of settings and sizes alone."""
    match expression:
        case Literal() | Setting():
            return True
        case IndexValue(value=value):
            return value.names.isdisjoint(axis.name for axis in place.axes)
        case Apply(arguments=arguments):
            return all(_is_number(argument, place) for argument in arguments)
        case _:
            return False


def _is_negative(power: Expr) -> bool:
    match power:
        case Literal(value=value):
            return value < 0
        case Apply(op="neg", arguments=(Literal(value=value),)):
            return value > 0
        case Apply(op="neg", arguments=(Apply(op="div", arguments=(Literal(value=above), Literal(value=below))),)):
            return above * below > 0
        case _:
            return False


def _factors(expression: Expr) -> Iterator[Poly]:
    """The sizes that make a product 0 where they are: `d` of `2 \\sqrt{d}`."""
    match expression:
        case IndexValue(value=value):
            yield value
        case Apply(op="sqrt" | "to_real" | "pow" | "div", arguments=(inner, *_)):
            yield from _factors(inner)
        case Apply(op="mul", arguments=arguments):
            for argument in arguments:
                yield from _factors(argument)
        case _:
            pass


# ---- elements that nothing defines ---------------------------------------------------------------


def _of_holes(module: Module, positive: frozenset[str], facts: Facts) -> Iterator[Poly]:
    """The sizes of which one has to be at least 1 so that no read meets an element which nothing defines: the corner of a grid."""
    for found, hit in undefined_reads(module, frozenset(arrays_with_corners(module, positive)), facts):
        names = [name for name in sorted(positive) if found.facts.adding(Poly.of(name) - 1).exclude(*hit)]
        if names:
            yield sum(map(Poly.of, names), Poly.of(-1))


def arrays_with_corners(module: Module, sizes: Set[str]) -> Iterator[str]:
    """The arrays that several steps define, each another part of at least two axes, one of which these sizes bound."""
    indices: dict[str, list[tuple[Poly | Range, ...]]] = {}
    for number, step in enumerate(module.steps):
        for write in writes(number, step):
            bounds = {axis.name: axis.range for axis in write.axes}
            index = tuple(bounds.get(entry.variable or "", entry) if isinstance(entry, Poly) else entry for entry in write.index)
            indices.setdefault(write.array, []).append(index)
    for array in module.arrays:
        parts = indices.get(array.name, [])
        differing = [bounds for bounds, *own in zip(array.ranges, *parts, strict=True) if set(own) != {bounds}] if len(parts) > 1 else []
        if array.kind is Kind.VALUE and len(differing) > 1 and any((r.lower + r.upper).names & sizes for r in differing):
            yield array.name
