"""Reads against the domains of what is read: proved inside, outside at a point that is named, or not known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from itertools import combinations, product

from mathdsl.analysis.accesses import Access, Write, accesses, affine, writes
from mathdsl.analysis.conditions import may_hold
from mathdsl.analysis.facts import Facts, Verdict, compare, facts_of_module
from mathdsl.dataclass import dataclass
from mathdsl.ir.evaluation import module_values, placed
from mathdsl.ir.nodes import Abstraction, Array, Check, Kind, Module, Range, Read, Result, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_all_of, leaving_reads

__all__ = [
    "Hole",
    "ReadVerdict",
    "check_coverage",
    "check_leaving_reads",
    "check_reads",
    "compare",
    "element_of_hole",
    "find_overlaps",
    "leaves",
    "undefined_reads",
]

_MOST_WRITES = 64  # an array that is defined at more places is not looked at for holes
_MOST_CORNERS = 4  # axes of an index whose extreme values are tried for a witness


@dataclass(frozen=True)
class ReadVerdict:
    """A read at axis `position` of its array (None: an element between those that are defined).

    `verdict` is "always" (inside, wherever it is evaluated), "never" (outside at `witness`, whatever the sizes) or
    "unknown". `place`: the step, check or result that reads; `at`: what the index comes to at the witness, where known.
    """

    place: Step | Check | Result
    read: Read
    position: int | None
    verdict: Verdict
    witness: tuple[tuple[str, Poly], ...] = ()
    at: Poly | None = None


@dataclass(frozen=True)
class Hole:
    """Elements of an array that nothing defines: where all of `nonnegative` are at least 0, over `index`."""

    array: str
    index: tuple[str, ...]
    nonnegative: tuple[Poly, ...]


def check_reads(module: Module) -> list[ReadVerdict]:
    """A verdict for each affine index of each read that is not proved inside its array's domain.

    A value whose indices are all axes over just what they index is not looked at closely: most are.
    """
    arrays = {array.name: array for array in module.arrays}
    holes: dict[str, list[Hole]] = {}
    for hole in check_coverage(module):
        holes.setdefault(hole.array, []).append(hole)
    found: list[ReadVerdict] = []
    open_values = (one for one in module_values(module) if not _reads_wholes(one[1], arrays, holes))
    for place, access in _accesses(open_values, facts_of_module(module)):
        array = arrays[access.read.array]
        outside = [_at_position(place, access, array, k) for k in range(len(array.ranges))]
        findings = [finding for finding in outside if finding is not None]
        found += findings
        if all(finding.verdict != "never" for finding in findings):
            found += [_in_hole(place, access, hole) for hole in holes.get(array.name, ()) if _may_hit(access, hole)]
    return found


def _reads_wholes(value: Abstraction, arrays: Mapping[str, Array], holes: Container[str]) -> bool:
    """Whether each index in a value is an axis over the whole range that it indexes, of arrays without holes, or depends on data."""
    return all(
        node.array not in holes
        and all(
            not isinstance(entry, Poly) or is_all_of(entry, bounds, at.axes) for entry, bounds in zip(node.index, arrays[node.array].ranges)
        )
        for node, at in placed(value.value, value.axes)
        if isinstance(node, Read)
    )


def check_leaving_reads(module: Module) -> list[ReadVerdict]:
    """The reads that are outside for all sizes that are not tiny, though a tiny size would keep them inside."""
    arrays = {array.name: array for array in module.arrays}
    return [
        ReadVerdict(step, found.read, found.position, "never", at=found.at)
        for step in module.steps
        for found in leaving_reads(step, arrays)
    ]


def undefined_reads(module: Module, names: Set[str], facts: Facts) -> Iterator[tuple[Access, tuple[Poly, ...]]]:
    """The reads of these arrays that may meet an element which nothing defines, and what is at least 0 where they do."""
    holes = _find_holes(module, [array for array in module.arrays if array.name in names], facts)
    for _, access in _all_accesses(module, facts) if holes else ():
        yield from ((access, _hit(access, hole)) for hole in holes if hole.array == access.read.array and _may_hit(access, hole))


def check_coverage(module: Module) -> list[Hole]:
    """The elements inside the ranges of each defined array that no step defines, as far as that is not excluded."""
    return _find_holes(module, module.arrays, facts_of_module(module))


def _find_holes(module: Module, arrays: Iterable[Array], facts: Facts) -> list[Hole]:
    written = _writes_by_array(module)
    holes: list[Hole] = []
    for array in arrays:
        found = written.get(array.name, [])
        if array.kind is Kind.VALUE and 0 < len(found) <= _MOST_WRITES:
            holes += _holes(array, found, facts)
    return holes


def find_overlaps(module: Module) -> list[tuple[int, int, str]]:
    """Pairs of steps that may define the same element of the array."""
    facts = facts_of_module(module)
    overlaps: list[tuple[int, int, str]] = []
    for name, found in _writes_by_array(module).items():
        if len(found) > _MOST_WRITES:
            continue
        for first, second in combinations(found, 2):
            names = tuple(f"{name} {k}" for k in range(len(first.index)))
            if not facts.exclude(*_element_of(first, names), *_element_of(second, names)):
                overlaps.append((first.step, second.step, name))
    return overlaps


# ---- reads ---------------------------------------------------------------------------------------


def _all_accesses(module: Module, facts: Facts) -> Iterator[tuple[Step | Check | Result, Access]]:
    return _accesses(module_values(module), facts)


def _accesses(values: Iterable[tuple[Step | Check | Result, Abstraction]], facts: Facts) -> Iterator[tuple[Step | Check | Result, Access]]:
    for place, value in values:
        yield from ((place, access) for access in accesses(value.value, facts.inside(value.axes)))


def _at_position(place: Step | Check | Result, access: Access, array: Array, position: int) -> ReadVerdict | None:
    """What is to be said about one index of a read; None where it is inside or depends on data."""
    index = affine(access.read.index[position])
    if index is None:
        return None
    found = leaves(index, array.ranges[position], access.facts)
    if found is None:
        return None
    witness = found.witness
    if witness is None:
        return ReadVerdict(place, access.read, position, "unknown")
    return ReadVerdict(place, access.read, position, "never", witness, index.substitute(dict(witness)))


@dataclass(frozen=True)
class Leaving:
    """An index that is not proved inside its range; `witness`: where it is outside whatever the sizes, None where that is not known."""

    witness: tuple[tuple[str, Poly], ...] | None


def leaves(index: Poly, bounds: Range, facts: Facts) -> Leaving | None:
    """Whether an index may leave its range where the facts hold; None where it is inside."""
    below, above = compare(bounds.lower, index, facts), compare(index, bounds.upper, facts)
    if below == above == "always":
        return None
    violations = [poly for poly, side in ((bounds.lower - index - 1, below), (index - bounds.upper - 1, above)) if side != "always"]
    witnesses = (_witness(facts, (violation,), index) for violation in violations)
    return Leaving(next((witness for witness in witnesses if witness is not None), None))


def _may_hit(access: Access, hole: Hole) -> bool:
    return not access.facts.exclude(*_hit(access, hole))


def _hit(access: Access, hole: Hole) -> tuple[Poly, ...]:
    """Polynomials that are at least 0 where the read meets the hole."""
    values = {name: index for name, index in zip(hole.index, access.read.index, strict=True) if isinstance(index, Poly)}
    return tuple(poly.substitute(values) for poly in hole.nonnegative)


def _in_hole(place: Step | Check | Result, access: Access, hole: Hole) -> ReadVerdict:
    hits = _hit(access, hole)
    indices = sum((i for i in access.read.index if isinstance(i, Poly)), Poly.of(0))
    witness = _witness(access.facts, hits, indices)
    return ReadVerdict(place, access.read, None, "unknown" if witness is None else "never", witness or ())


def _witness(facts: Facts, goals: tuple[Poly, ...], index: Poly) -> tuple[tuple[str, Poly], ...] | None:
    """A point, in sizes, where all facts hold (if the axes have points at all) and all goals are at least 0."""
    sizes = {name for name, _ in facts.least}
    bounds = _axis_bounds(facts, sizes)
    used = [name for name in bounds if name in index.names][-_MOST_CORNERS:]
    free = [name for name in bounds if name not in used]
    nonempty = Facts(tuple(upper - lower for lower, upper in bounds.values() if not (upper - lower).names - sizes), facts.least)
    for corner in product(range(4), repeat=len(used)):
        point: dict[str, Poly] = {}
        choice = dict(zip(used, corner, strict=True)) | dict.fromkeys(free, 0)
        for name, (lower, upper) in bounds.items():  # outer axes first, so that bounds are known
            low, high = lower.substitute(point), upper.substitute(point)
            point[name] = (low, high, low + 1, high - 1)[choice[name]]
        if all(nonempty.proves_nonnegative(poly.substitute(point)) for poly in (*goals, *facts.known)) and all(
            may_hold(condition, holds, point, nonempty) for condition, holds in facts.conditions
        ):
            return tuple((name, value) for name, value in point.items() if name in used)
    return None


def _axis_bounds(facts: Facts, sizes: set[str]) -> dict[str, tuple[Poly, Poly]]:
    """The first lower and upper bound that the facts hold for each name that is no size."""
    lower: dict[str, Poly] = {}
    upper: dict[str, Poly] = {}
    for fact in facts.known:
        for name in sorted(fact.names - sizes):
            coefficient = fact.coefficient(name)
            if coefficient == Poly.of(1) and not (fact.names - {name}) - sizes - lower.keys():
                lower.setdefault(name, Poly.of(name) - fact)
            elif coefficient == Poly.of(-1) and not (fact.names - {name}) - sizes - lower.keys():
                upper.setdefault(name, Poly.of(name) + fact)
    return {name: (lower[name], upper[name]) for name in lower if name in upper}


# ---- what is defined -----------------------------------------------------------------------------


def _writes_by_array(module: Module) -> dict[str, list[Write]]:
    found: defaultdict[str, list[Write]] = defaultdict(list)
    for number, step in enumerate(module.steps):
        for write in writes(number, step):
            found[write.array].append(write)
    return found


def _element_of(write: Write, names: tuple[str, ...]) -> list[Poly]:
    """Polynomials that are at least 0 where the element with these index names is one of those written."""
    constraints: list[Poly] = []
    axes = {axis.name: axis.range for axis in write.axes}
    values: dict[str, Poly] = {}
    for name, entry in zip(names, write.index, strict=True):
        if isinstance(entry, Range):
            constraints += [Poly.of(name) - entry.lower, entry.upper - name]
        elif entry.names & axes.keys():
            values[next(iter(entry.names))] = Poly.of(name)
        else:
            constraints += [Poly.of(name) - entry, entry - name]
    for axis, value in values.items():
        bounds = axes[axis]
        constraints += [value - bounds.lower.substitute(values), bounds.upper.substitute(values) - value]
    return constraints


def element_of_hole(array: Array) -> tuple[str, ...]:
    """The names of the indices of an element that nothing defines."""
    return tuple(f"{array.name} {k}" for k in range(len(array.ranges)))


def _holes(array: Array, found: list[Write], facts: Facts) -> list[Hole]:
    """The array's box without what is written: each write splits each region that is left."""
    names = element_of_hole(array)
    box = [bound for name, r in zip(names, array.ranges, strict=True) for bound in (Poly.of(name) - r.lower, r.upper - name)]
    regions: list[list[Poly]] = [box]
    for write in found:
        constraints = _element_of(write, names)
        left: list[list[Poly]] = []
        for region in regions:
            for k, constraint in enumerate(constraints):
                part = [*region, *constraints[:k], -constraint - 1]
                if not facts.exclude(*part):
                    left.append(part)
        regions = left
    return [Hole(array.name, names, tuple(region)) for region in regions]
