r"""Check at run time what could not be proved: that a read lies inside its array, for the sizes of the call.

Before -> after, where `y` runs over `1..S` and `x` over `0..S-1`::

    return y[S]                        check 1 <= S and S <= S          # of nothing there is no last element
    z = sum(k in 0..K-1: x[k])         check 0 <= 0 and K-1 <= S-1      # K is an argument of the constructor

The index is taken at both ends of the ranges around the read. So is the index of an element of a stack that is called. A read that is
inside for all sizes needs no check. In a branch the index is looked at wherever the branch is taken::

    y[i] = x[i] if i < K else 0        check for i in 0..n-1: not i < K or 0 <= i and i <= S-1
    y = x[n/2] if a > 0 else 0         check not a > 0 or n mod 2 = 0, and nothing where the condition itself says so
    z = max(k: x[k]) if a > 0 else 0   check not a > 0 or 1 <= S

A read at sizes that may meet an element which nothing defines is checked for that, too::

    return h[n, m]      (h[0, 1..m], h[1..n, 0], h[1..n, 1..m])      check 0 < n or 0 < m

A single element of an array that may have none is computed where it is, unless that is checked for another reason::

    y[1] = x[1]      (y and x over 1..S)       y[1] = x[1] if 1 <= S else 0

A lookup in an array that is not defined everywhere is checked at its data, too::

    return h[p, q]      (h[0, 1..m], h[1..n, 0], h[1..n, 1..m])      check 0 < p or 0 < q

Declines elsewhere where an index depends on data (the lookup itself is checked).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce

from mathdsl.analysis.domains import element_of_hole, undefined_reads
from mathdsl.analysis.element_names import polynomial_latex
from mathdsl.analysis.facts import Facts, compare, facts_of_module
from mathdsl.analysis.least_sizes import arrays_with_corners, least_value
from mathdsl.analysis.stack_calls import element_calls, stack_range
from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.evaluation import Place, module_values, placed
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Axis,
    Check,
    Element,
    Equation,
    Expr,
    IndexValue,
    Literal,
    Module,
    Origin,
    Program,
    Range,
    Read,
    Reduce,
    Result,
    Select,
    Step,
)
from mathdsl.ir.sizes import Monomial, Poly
from mathdsl.ir.traversal import element_of, free_names, polys, walk, zero_of
from mathdsl.ir.verifying_reads import is_all_of
from mathdsl.ops import REDUCTIONS
from mathdsl.spans import Span


def check_domains(program: Program) -> Program:
    """Add the checks to each of the document's modules."""
    return replace(program, modules=tuple(_checked(module) for module in program.modules))


def _checked(module: Module) -> Module:
    facts = facts_of_module(module)
    parted = _with_single_elements_apart(module, facts)
    checks = _checks(parted, facts)
    if parted is not module:
        conditions = [check.condition for check in checks if not check.axes]
        if all(_follows(is_there, conditions, facts) for is_there in _single_elements(module, facts).values()):
            parted, checks = module, _checks(module, facts)
    return replace(parted, checks=(*parted.checks, *checks)) if checks else parted


def _checks(module: Module, facts: Facts) -> tuple[Check, ...]:
    """What has to hold so that every read is inside its array."""
    arrays = {array.name: array for array in module.arrays}
    latex = {size.name: size.latex for size in module.sizes}
    found: dict[tuple[str, Expr], Check] = {}

    def add(*checks: Check) -> None:
        for check in checks:
            found.setdefault((check.origin.latex, check.condition), check)

    placed = tuple(_placed(module, facts))
    always = [one for one in placed if not one.place.guards]
    for one in always:
        add(*_needed_always(one, arrays, latex, facts))
    undefined = _undefined(module, facts)
    for one in always:
        add(*(one.check(defined, _is_defined(one.node, arrays, latex)) for defined in undefined.get(id(one.node), ())))
    for one in placed:
        if one.place.guards:
            add(*(one.check(defined, _is_defined(one.node, arrays, latex)) for defined in undefined.get(id(one.node), ())))
            add(
                *(
                    _check_in_branch(one, one.node, arrays[one.node.array], latex)
                    if isinstance(one.node, Read)
                    else _check_some(one, one.node, latex)
                )
            )
    for call, at, stack in element_calls(module):
        text = f"{stack.latex}^{{{polynomial_latex(at, latex)}}} {_is_inside(stack_range(stack), latex)}"
        add(*_all_needed(at, stack_range(stack), call.axes, facts, Origin(text, call.origin.span)))
    add(*_whole_quotients(module, latex))
    return tuple(found.values())


def _whole_quotients(module: Module, latex: dict[str, str]) -> Iterator[Check]:
    r"""`2 \mid n` where `n/2` bounds a range or is an index that is read; of what an instance is made with, the constructor says so.

    Of `g n/2` with an index `g`, it is asked at each `g`, unless `2 \mid n` is asked anyway.
    """
    made = {bounds.extent.quotient for p in module.parameters for bounds in module.array(p.array).ranges}
    made |= {value.quotient for s in module.submodules for part in s.parts for _, value in part.arguments if isinstance(value, Poly)}
    origin = next((step.origin for step in module.steps), module.returned)
    uses: dict[tuple[Poly, Poly], list[_Use]] = {}
    for use in _polys(module):
        for quotient in dict.fromkeys(factor.quotient for factor in use.factors.values()):
            if quotient is not None and quotient not in made:
                uses.setdefault(quotient, []).append(use)
    for (above, below), found in uses.items():
        asked = _asked_where_it_may_be_broken(module, above, below)
        found = [use for use in found if use.target is None or use.target in asked]
        alike = [use.place for use in found if () in use.factors and (above, below) == use.factors[()].quotient]
        if all(place.guards for place in alike):
            wanted = [(place, (above, below)) for place in alike]
            wanted += [(use.place, use.poly.quotient) for use in found if use.poly.quotient and use.place not in alike]
        else:
            wanted = [(Place(), (above, below))]
        for place, (multiple, of) in dict.fromkeys(wanted):
            if not any(_says_whole(guard, holds, above, below) for guard, holds in place.guards):
                rest = Apply("mod", (IndexValue(multiple), IndexValue(of)), Element.INTEGER)
                is_whole = Apply("equal", (rest, Literal(0)), Element.BOOLEAN)
                text = f"{polynomial_latex(of, latex)} \\mid {polynomial_latex(multiple, latex)}"
                yield _check_at(place, is_whole, Origin(text, origin.span))


def _asked_where_it_may_be_broken(module: Module, above: Poly, below: Poly) -> set[str]:
    """The arrays that are read where no condition says that a quotient is whole, for a result or for another one of them."""
    reads = [
        (node.array, owner.target if isinstance(owner, Equation) else None)
        for owner, value in module_values(module)
        for node, place in placed(value.value)
        if isinstance(node, Read) and not any(_says_whole(guard, holds, above, below) for guard, holds in place.guards)
    ]
    found: set[str | None] = {None}
    while more := {array for array, target in reads if target in found} - found:
        found |= more
    return {array for array in found if array is not None}


def _says_whole(guard: Expr, holds: bool, above: Poly, below: Poly) -> bool:
    r"""Whether a condition says that a quotient is whole: `2 \mid n` of `n/2` where it holds, and of `(n+1)/2` where it does not."""
    match guard:
        case Apply(op="and" | "or" as op, arguments=parts) if (op == "and") == holds:
            return any(_says_whole(part, holds, above, below) for part in parts)
        case Apply("equal", (Apply("mod", (IndexValue(value=value), divisor)), rest)):
            by, number = _polynomial(divisor), _polynomial(rest)
            if by != below or number is None:
                return False
            more, step = (value - number - above).constant, by.constant
            if step is None or more is None:
                return holds and value - number == above
            return more % step == 0 if holds else step == 2 and more % 2 == 1
        case _:
            return False


def _polynomial(expr: Expr) -> Poly | None:
    """A number, or an expression over sizes and indices, as a polynomial."""
    match expr:
        case IndexValue(value=value):
            return value
        case Literal(value=number):
            return Poly.of(int(number))
        case _:
            return None


@dataclass(frozen=True)
class _Use:
    """A size or an index that may be a quotient, with where it is read, and for which array, if an equation gives it."""

    poly: Poly
    place: Place
    target: str | None

    @property
    def factors(self) -> dict[Monomial, Poly]:
        """What has to be whole for it to be whole at each point, in sizes alone: `n/2` and `m/3` of `g n/2 + m/3`."""
        return self.poly.factors({axis.name for axis in self.place.axes}) if self.poly.quotient else {}


def _polys(module: Module) -> Iterator[_Use]:
    """The sizes and indices of a module."""
    defined = {step.target for step in module.steps if isinstance(step, Equation)}
    ranges = [(bounds, Place(), array.name if array.name in defined else None) for array in module.arrays for bounds in array.ranges]
    for owner, value in module_values(module):
        target = owner.target if isinstance(owner, Equation) else None
        ranges += [(axis.range, Place(value.axes[:k]), target) for k, axis in enumerate(value.axes)]
        if any(poly.quotient for node in walk(value.value) for poly in polys(node)):
            yield from (_Use(poly, place, target) for node, place in placed(value.value, value.axes) for poly in polys(node))
    yield from (_Use(end, place, target) for bounds, place, target in ranges for end in (bounds.lower, bounds.upper))


def _needed_always(one: _Placed, arrays: dict[str, Array], latex: dict[str, str], facts: Facts) -> Iterator[Check]:
    """The checks of a read that no condition stands before, or of a reduction."""
    axes = one.place.axes
    if isinstance(one.node, Reduce):
        bounds = one.node.axis.range
        if bounds.extent.names & {axis.name for axis in axes}:  # of another empty range the reduction itself says so
            text = f"{polynomial_latex(bounds.lower, latex)} \\leq {polynomial_latex(bounds.upper, latex)}"
            yield from _needed(bounds.lower, bounds.upper, axes, facts, Origin(text, one.span))
        return
    array = arrays[one.node.array]
    for entry, bounds in zip(one.node.index, array.ranges, strict=True):
        if isinstance(entry, Poly) and not is_all_of(entry, bounds, axes):
            text = f"{array.latex}[{polynomial_latex(entry, latex)}] {_is_inside(bounds, latex)}"
            yield from _all_needed(entry, bounds, axes, facts, Origin(text, one.span))


# ---- elements that nothing defines -----------------------------------------------------------------


def _undefined(module: Module, facts: Facts) -> dict[int, list[Expr]]:
    """By read (its `id`), the conditions that it meets no element which nothing defines, by sizes and data: the corner of a grid."""
    sizes = {size.name for size in module.sizes}
    found: dict[int, list[Expr]] = {}
    arrays = {array.name: array for array in module.arrays}
    for access, hit in undefined_reads(module, {*arrays_with_corners(module, sizes), *_looked_up(module)}, facts):
        array = arrays[access.read.array]
        entries = list(zip(element_of_hole(array), access.read.index, array.ranges, strict=True))
        data = {name: entry for name, entry, _ in entries if not isinstance(entry, Poly)}
        if all(poly.names <= sizes | data.keys() for poly in (*hit, *(entry for _, entry, _ in entries if isinstance(entry, Poly)))):
            known = facts.adding(*(end for name, _, r in entries if name in data for end in (Poly.of(name) - r.lower, r.upper - name)))
            outside = [_is_negative(poly, data) for poly in dict.fromkeys(hit) if not known.proves_nonnegative(poly)]
            found.setdefault(id(access.read), []).extend([_joined("or", outside)] if outside else [])
    return found


def _looked_up(module: Module) -> Iterator[str]:
    """The arrays that are read at data."""
    for _, value in module_values(module):
        for node in walk(value.value):
            if isinstance(node, Read) and not all(isinstance(entry, Poly) for entry in node.index):
                yield node.array


def _is_negative(poly: Poly, data: Mapping[str, Expr]) -> Expr:
    """Whether a polynomial of sizes, linear in data, is below 0: `n < p` for `n - p`."""
    factors = {name: poly.coefficient(name) or Poly.of(0) for name in poly.ordered_names if name in data}
    if not factors:
        return Apply("less", (IndexValue(Poly.of(0)), IndexValue(-poly)), Element.BOOLEAN)
    left: Expr = IndexValue(poly.substitute(dict.fromkeys(factors, Poly.of(0))))
    right: list[Expr] = []
    for name, factor in factors.items():
        if factor == Poly.of(-1):
            right.append(data[name])
        else:
            left = Apply("add", (left, Apply("mul", (IndexValue(factor), data[name]), Element.INTEGER)), Element.INTEGER)
    above = reduce(lambda one, other: Apply("add", (one, other), Element.INTEGER), right or [Literal(0)])
    return Apply("less", (left, above), Element.BOOLEAN)


# ---- elements that an array without elements has not ----------------------------------------------


def _with_single_elements_apart(module: Module, facts: Facts) -> Module:
    """Single elements that read what is there only where they are, selected by that; the module itself where there are none."""
    single = _single_elements(module, facts)
    if not single:
        return module
    return replace(module, steps=tuple(_where(single[k], step) if k in single else step for k, step in enumerate(module.steps)))


def _single_elements(module: Module, facts: Facts) -> dict[int, tuple[tuple[Poly, Poly], ...]]:
    """By number, the steps that define an element outside of its array for some sizes, and read something that is there for the others.

    `y[1] = x[1]` of `y` and `x` over `1..S`, with what has to be in order: `1 <= S`.
    """
    arrays = {array.name: array for array in module.arrays}
    found: dict[int, tuple[tuple[Poly, Poly], ...]] = {}
    for number, step in enumerate(module.steps):
        if not isinstance(step, Equation) or len(step.axes) == len(step.index):
            continue
        own = {axis.name for axis in step.axes}
        ends = [
            end
            for entry, bounds in zip(step.index, arrays[step.target].ranges, strict=True)
            if entry.names.isdisjoint(own)
            for end in ((bounds.lower, entry), (entry, bounds.upper))
            if not facts.proves_nonnegative(end[1] - end[0])
        ]
        known = facts.inside(step.axes)
        there = known.adding(*(upper - lower for lower, upper in ends))
        if ends and any(_wants(*wanted, arrays, known, there) for wanted in _wanted(step.value) if not wanted[1].guards):
            found[number] = tuple(ends)
    return found


def _wants(node: Read | Reduce, place: Place, arrays: dict[str, Array], known: Facts, there: Facts) -> bool:
    """Whether a read, or a reduction that needs an element, is proved right only by what holds there."""
    if isinstance(node, Reduce):
        needed = [node.axis.range.extent - 1]
    else:
        indices = zip(node.index, arrays[node.array].ranges, strict=True)
        needed = [need for i, r in indices if isinstance(i, Poly) for need in (i - r.lower, r.upper - i)]
    known, there = known.inside(place.axes), there.inside(place.axes)
    return any(not known.proves_nonnegative(need) and there.proves_nonnegative(need) for need in needed)


def _where(ends: tuple[tuple[Poly, Poly], ...], step: Step) -> Step:
    if not isinstance(step, Equation):
        return step
    is_there = _joined("and", [_in_order(*end) for end in ends])
    return replace(step, value=Select(is_there, step.value, zero_of(element_of(step.value)), element_of(step.value)))


def _follows(ends: tuple[tuple[Poly, Poly], ...], conditions: list[Expr], facts: Facts) -> bool:
    """Whether conditions that are asserted have these in order."""
    for condition in conditions:
        facts = facts.assuming(condition, True)
    return all(facts.proves_nonnegative(upper - lower) for lower, upper in ends)


def _in_order(lower: Poly, upper: Poly) -> Expr:
    return Apply("less_equal", (IndexValue(lower), IndexValue(upper)), Element.BOOLEAN)


def _all_needed(entry: Poly, bounds: Range, axes: tuple[Axis, ...], facts: Facts, origin: Origin) -> Iterator[Check]:
    """The checks, at both ends of the bounds, that the index is inside them at every point of the axes."""
    for lower, upper in ((bounds.lower, entry), (entry, bounds.upper)):
        yield from _needed(lower, upper, axes, facts, origin)


def _needed(lower: Poly, upper: Poly, axes: tuple[Axis, ...], facts: Facts, origin: Origin) -> Iterator[Check]:
    """The check that `lower <= upper` at every point of the axes: in sizes, or at each point; nothing where it is proved."""
    if compare(lower, upper, facts.inside(axes)) == "always":
        return
    least = least_value(upper - lower, axes)
    if least is None:
        yield _check_over(axes, _in_order(lower, upper), origin)
        return
    condition = _in_order(Poly.of(0), least)
    names = {axis.name for axis in axes}
    for bounds in dict.fromkeys(axis.range for axis in axes):
        if names.isdisjoint(bounds.extent.names) and not facts.proves_nonnegative(bounds.extent - 1):
            ends = (
                (bounds.upper, bounds.lower) if names.isdisjoint(bounds.lower.names | bounds.upper.names) else (bounds.extent, Poly.of(1))
            )
            empty = Apply("less", (IndexValue(ends[0]), IndexValue(ends[1])), Element.BOOLEAN)
            condition = Apply("or", (empty, condition), Element.BOOLEAN)
    yield Check((), condition, origin)


# ---- what is evaluated where -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Placed:
    """A read, or a reduction that needs an element, with where it is evaluated; `facts` hold in the whole module."""

    node: Read | Reduce
    place: Place
    facts: Facts
    span: Span

    @property
    def known(self) -> Facts:
        """What is known at the place."""
        known = self.facts.inside(self.place.axes)
        for condition, holds in self.place.guards:
            known = known.assuming(condition, holds)
        return known

    def check(self, condition: Expr, text: str) -> Check:
        """That the condition holds wherever the branch is taken."""
        return _check_at(self.place, condition, Origin(text, self.span))


def _check_at(place: Place, condition: Expr, origin: Origin) -> Check:
    """That a condition holds wherever the branch of a place is taken."""
    for guard, holds in reversed(place.guards):
        condition = _joined("or", [_opposite(guard) if holds else guard, condition])
    return _check_over(place.axes, condition, origin)


def _check_over(axes: tuple[Axis, ...], condition: Expr, origin: Origin) -> Check:
    """That a condition holds at each point of the axes that it is about; of `k in 1..t`, at those of `k in 1..T` that are not above `t`."""
    names, used = set(free_names(condition)), list[Axis]()
    for axis in reversed(axes):
        if axis.name in names:
            used.insert(0, axis)
            names |= axis.range.lower.names | axis.range.upper.names
    for k, axis in enumerate(used):
        lower, greatest = least_value(axis.range.lower, used[:k]), least_value(-axis.range.upper, used[:k])
        if lower is None or greatest is None:
            continue
        if -greatest != axis.range.upper:
            condition = _joined("or", [_opposite(_in_order(Poly.of(axis.name), axis.range.upper)), condition])
        if lower != axis.range.lower:
            condition = _joined("or", [_opposite(_in_order(axis.range.lower, Poly.of(axis.name))), condition])
        used[k] = Axis(axis.name, Range(lower, -greatest))
    return Check(tuple(used), condition, origin)


def _placed(module: Module, facts: Facts) -> Iterator[_Placed]:
    for owner, value in module_values(module):
        if not isinstance(owner, Check):
            span = module.returned.span if isinstance(owner, Result) else owner.origin.span
            yield from (_Placed(node, place, facts, span) for node, place in _wanted(value.value, value.axes))


def _wanted(expression: Expr, axes: tuple[Axis, ...] = ()) -> Iterator[tuple[Read | Reduce, Place]]:
    """The reads, and the reductions that need an element."""
    for node, place in placed(expression, axes):
        if isinstance(node, Read) or isinstance(node, Reduce) and REDUCTIONS[node.op].of_nothing is None:
            yield node, place


def _check_some(one: _Placed, reduction: Reduce, latex: dict[str, str]) -> Iterator[Check]:
    """That there is something to reduce wherever its branch is taken; nothing where that is proved."""
    bounds = reduction.axis.range
    if compare(bounds.lower, bounds.upper, one.known) != "always":
        condition = _in_order(bounds.lower, bounds.upper)
        yield one.check(condition, f"{polynomial_latex(bounds.lower, latex)} \\leq {polynomial_latex(bounds.upper, latex)}")


def _check_in_branch(one: _Placed, read: Read, array: Array, latex: dict[str, str]) -> Iterator[Check]:
    """That the read is inside wherever its branch is taken; nothing where that is proved or depends on data."""
    known = one.known
    for entry, bounds in zip(read.index, array.ranges, strict=True):
        if not isinstance(entry, Poly) or is_all_of(entry, bounds, one.place.axes):
            continue
        sides = [pair for pair in ((bounds.lower, entry), (entry, bounds.upper)) if compare(*pair, known) != "always"]
        if sides:
            condition = _joined("and", [_in_order(low, high) for low, high in sides])
            yield one.check(condition, f"{array.latex}[{polynomial_latex(entry, latex)}] {_is_inside(bounds, latex)}")


def _opposite(condition: Expr) -> Expr:
    return Apply("not", (condition,), Element.BOOLEAN)


def _joined(op: str, conditions: list[Expr]) -> Expr:
    return reduce(lambda left, right: Apply(op, (left, right), Element.BOOLEAN), conditions)


# ---- words ---------------------------------------------------------------------------------------


def _is_defined(read: Read | Reduce, arrays: dict[str, Array], latex: dict[str, str]) -> str:
    if not isinstance(read, Read):
        raise InternalError("a reduction reads no element of its own")
    entries = (polynomial_latex(at, latex) if isinstance(at, Poly) else _data_latex(at, arrays) for at in read.index)
    return f"{arrays[read.array].latex}[{', '.join(entries)}] is defined"


def _data_latex(entry: Expr | Range, arrays: dict[str, Array]) -> str:
    return arrays[entry.array].latex if isinstance(entry, Read) and not entry.index else r"\cdot"


def _is_inside(bounds: Range, latex: dict[str, str]) -> str:
    return f"is inside {polynomial_latex(bounds.lower, latex)} .. {polynomial_latex(bounds.upper, latex)}"
