r"""Domains that reads tell: `x_t` for `t = 1, \dots, S` makes `x` run over `1 .. S`, where no declaration says it.

The axes of inputs and parameters begin at 0 or at 1, whichever their reads need, those of values that keep them among them (`q_t` of
`q \gets 2 p`). What could be either is refused, with both declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.types import FIRST_INDEX
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.terms.bounds import outermost
from mathdsl.elaborate.terms.guards import Facts, facts_of
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Binder,
    Build,
    CaseTerm,
    Elementwise,
    Ref,
    SliceIndex,
    Term,
    Whole,
    subterms,
)
from mathdsl.elaborate.terms.terms import Reduction as ReductionTerm
from mathdsl.elaborate.types.kept_domains import KeptDomains, Place
from mathdsl.elaborate.types.shapes import expand
from mathdsl.elaborate.types.sizes import is_first, is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_surely_nonnegative, surely_leaves
from mathdsl.spans import Span

Problem: TypeAlias = Callable[[], MathdslError]  # told once all first indices are known
GIVEN = (Role.INPUT, Role.PARAMETER, Role.BUFFER)


@dataclass(frozen=True)
class AxisRead:
    """The indices at which a read takes an axis, where the conditions around it hold; None where no sizes tell them.

    `turns`: over what the author's variable of `x_i`, `x_{i-1}` runs, whatever the conditions; `is_shifted`: the second is. `kept`: an
    element that an update leaves as it is, where the author reads nothing.
    """

    range: Range | None
    turns: Range | None
    is_shifted: bool
    kept: bool
    bracketed: bool
    is_of_value: bool  # one element of a value that comes of no array, which counts as the notation does
    span: Span


@dataclass(frozen=True)
class Reads:
    """The reads of a program one by one, by array and axis, the axes that are read whole too, and where values are subscripts, `x_{k}`."""

    by_place: Mapping[Place, Sequence[AxisRead]]
    wholes: Collection[Place]
    computed: Mapping[Place, Span]


@dataclass(frozen=True)
class ReadDomains:
    """What the reads tell: first indices, the range of all reads of an axis, and what they leave open."""

    lowers: Mapping[Place, Poly]
    ranges: Mapping[Place, tuple[Range, Span]]
    problems: tuple[Problem, ...]

    def __add__(self, other: ReadDomains) -> ReadDomains:
        return ReadDomains({**self.lowers, **other.lowers}, {**self.ranges, **other.ranges}, self.problems + other.problems)


def find_reads(types: Types, result: Iterable[Term]) -> Reads:
    """The reads in the values of a program and in its result."""
    found: dict[Place, list[AxisRead]] = {}
    wholes: set[Place] = set()
    computed: dict[Place, Span] = {}
    values = [(assignment.value, assignment.binders) for assignment in types.terms.assignments]
    for term, binders in (*values, *((term, ()) for term in result)):
        for ref, around, facts in _reads(types, term, binders, _taken(binders)):
            wholes.update((ref.symbol, axis) for axis in _whole_axes(types, ref))
            for axis, read in _axis_reads(types, ref, around, facts):
                found.setdefault((ref.symbol, axis), []).append(read)
            for axis, position in enumerate(ref.positions):
                if not ref.bracketed and not isinstance(position, (Poly, SliceIndex, Whole)):
                    computed.setdefault((ref.symbol, axis), ref.span)
    return Reads(found, wholes, computed)


def find_assumed(types: Types, reads: Reads, kept: KeptDomains, assumed: Collection[Place]) -> Iterator[MathdslError]:
    r"""What is wrong with the axes that nothing but values as subscripts reads, in module notation: `x_{\lceil i/2 \rceil}`."""
    for (symbol, axis), span in reads.computed.items() if types.written.base == 0 else ():
        for place in places_of(kept, symbol, axis):
            size = size_of(types, *place)
            if place in assumed and size is not None and not any(map(is_unknown, size.names)):
                yield _begins_at_either(types, *place, span, size)


def read_domains(types: Types, reads: Reads, kept: KeptDomains, roles: Collection[Role]) -> ReadDomains:
    """The domains of the open axes of arrays of these roles that are read one by one; reads of a value are those of what it keeps."""
    own: dict[Place, list[AxisRead]] = {}
    for (symbol, axis), found in reads.by_place.items():
        for place in places_of(kept, symbol, axis):
            is_own = place[0] is symbol
            own.setdefault(place, []).extend(found if is_own else (replace(read, is_of_value=False) for read in found))
    lowers: dict[Place, Poly] = {}
    ranges: dict[Place, tuple[Range, Span]] = {}
    problems: list[Problem] = []
    for (symbol, axis), taken in own.items():
        if symbol.role not in roles or not types.is_open(symbol, axis):
            continue
        first, last = _end(types, taken, False), _end(types, _without_whole(types, symbol, axis, taken), True)
        if first is not None and last is not None and ((last - first).constant is None or (symbol, axis) not in reads.wholes):
            ranges[symbol, axis] = Range(first, last), taken[-1].span
        lower = _lower(types, symbol, axis, taken, first)
        if isinstance(lower, Poly):
            lowers[symbol, axis] = lower
        else:
            problems.append(lower)
    return ReadDomains(lowers, ranges, tuple(problems))


def places_of(kept: KeptDomains, symbol: Symbol, axis: int) -> Iterable[Place]:
    """The axes whose domain a read tells: the array's own; of a value those that it keeps, its own where it keeps none."""
    if symbol.role in GIVEN:
        return ((symbol, axis),)
    if symbol.role is not Role.VALUE:
        return ()
    known, size = kept.axis(symbol, axis), size_of(kept.types, symbol, axis)
    sources = [place for place in known.sources if size_of(kept.types, *place) == size]
    if sources:
        return sorted(sources, key=lambda place: (place[0].spelling, place[1]))
    if symbol.source == Source.EXPRESSION:
        return ()  # what is computed of no array, `f(c)_1`, counts as the notation does
    return ((symbol, axis),) if known.lower is None else ()


def _without_whole(types: Types, symbol: Symbol, axis: int, reads: list[AxisRead]) -> list[AxisRead]:
    """The reads that tell an open size: not those over as many elements as there are, in a function that measures its argument."""
    size = size_of(types, symbol, axis)
    if size is None or not any(is_unknown(name) for name in size.names):
        return reads
    return [read for read in reads if read.range is None or types.solver.value(read.range.extent) != size] or reads


def size_of(types: Types, symbol: Symbol, axis: int) -> Poly | None:
    """The size of an axis; None where the array has no such axis."""
    shape = expand(symbol.shape).prefix
    return types.solver.value(shape[axis]) if axis < len(shape) else None


def _end(types: Types, reads: list[AxisRead], greatest: bool) -> Poly | None:
    """The least or the greatest index of several reads; None where that is not known."""
    ranges = [None if read.range is None else _solved(types, read.range) for read in reads]
    known = [bounds.upper if greatest else bounds.lower for bounds in ranges if bounds is not None]
    return outermost(known, greatest) if len(known) == len(reads) else None


def _solved(types: Types, bounds: Range) -> Range | None:
    """A range of reads, with first indices put in; None where one is still open."""
    lower, upper = types.solver.value(bounds.lower), types.solver.value(bounds.upper)
    return None if any(map(is_first, lower.names | upper.names)) else Range(lower, upper)


# ---- what is read -------------------------------------------------------------------------------


def _reads(types: Types, term: Term, binders: tuple[Binder, ...], facts: Facts) -> Iterator[tuple[Ref, tuple[Binder, ...], Facts]]:
    """The reads in a term, each with the index variables around it and what holds there."""
    match term:
        case CaseTerm(rows=rows):
            for condition, value in rows:
                if condition is not None:
                    yield from _reads(types, condition, binders, facts)
                yield from _reads(types, value, binders, facts + facts_of(condition, types.solver.value))
                facts += facts_of(condition, types.solver.value, False)
            return
        case Elementwise(op=("and" | "or") as op, arguments=(left, right)):
            yield from _reads(types, left, binders, facts)
            yield from _reads(types, right, binders, facts + facts_of(left, types.solver.value, op == "and"))
            return
        case ReductionTerm(binder=binder) | Build(binder=binder) | AlongTerm(binder=Binder() as binder):
            binders = (*binders, binder)
            facts += _taken((binder,))
        case Ref():
            yield term, binders, facts
        case _:
            pass
    for inner in subterms(term):
        yield from _reads(types, inner, binders, facts)


def _taken(binders: Iterable[Binder]) -> Facts:
    """What holds in a turn of some loops: none of their ranges is empty."""
    return Facts(tuple(binder.range.upper - binder.range.lower for binder in binders))


def _axis_reads(types: Types, ref: Ref, binders: tuple[Binder, ...], facts: Facts) -> Iterator[tuple[int, AxisRead]]:
    """The axes that a read takes one by one; `\\sum_i x_i` takes them all."""
    bare = {binder.name for binder in binders if binder.bare}
    for axis, position in enumerate(ref.positions):
        if isinstance(position, Ref) and (values := position.symbol.value_range) is not None:
            within = facts.between(position, values)
            if within.lower != values.lower:
                yield axis, AxisRead(within, None, False, ref.kept, ref.bracketed, False, ref.span)
            continue
        ends = (position.range.lower, position.range.upper) if isinstance(position, SliceIndex) else (position, position)
        low, high = (types.solver.value(end) if isinstance(end, Poly) else None for end in ends)
        if low is None or high is None or not bare.isdisjoint(low.names | high.names):
            continue
        around = _narrowed(types, binders, facts)
        if any((extent := binder.range.extent.constant) is not None and extent <= 0 for binder in around):
            continue  # of nothing
        is_of_value = ref.symbol.role is Role.VALUE and low == high and low.constant is not None
        turns, is_shifted = _turns(types, low, binders) if low == high else (None, False)
        yield axis, AxisRead(_reached(low, high, around, facts), turns, is_shifted, ref.kept, ref.bracketed, is_of_value, ref.span)


def _reached(low: Poly, high: Poly, binders: tuple[Binder, ...], facts: Facts) -> Range | None:
    """The least and the greatest index; None where they depend on more than sizes."""
    least, greatest = _least(low, binders, facts), _least(-high, binders, facts)
    if least is None or greatest is None or not {binder.name for binder in binders}.isdisjoint(least.names | greatest.names):
        return None
    return Range(least, -greatest)


def _whole_axes(types: Types, ref: Ref) -> Iterator[int]:
    """The axes that a read takes whole, or at an index that is a value: they may have more elements than are read one by one."""
    for axis in range(len(expand(ref.symbol.shape).prefix)):
        if axis >= len(ref.positions) or not isinstance(ref.positions[axis], (Poly, SliceIndex)):
            yield axis


def _narrowed(types: Types, binders: tuple[Binder, ...], facts: Facts) -> tuple[Binder, ...]:
    """The index variables with the ranges that the facts leave, where these are in order."""
    found = [replace(b, range=Range(types.solver.value(b.range.lower), types.solver.value(b.range.upper))) for b in binders]
    for fact, place in [(fact, place) for fact in facts.nonnegative for place in range(len(found))]:
        bounds, name = found[place].range, found[place].name
        fact = _greatest(fact, found[place + 1 :])
        factor = fact.coefficient(name)
        if factor is None or factor.constant not in (1, -1):
            continue
        end = Poly.of(name) - fact if factor.constant == 1 else fact + Poly.of(name)
        room = _least_over(end - bounds.lower if factor.constant == 1 else bounds.upper - end, tuple(found[:place]))
        if room is not None and is_surely_nonnegative(room):
            narrower = Range(end, bounds.upper) if factor.constant == 1 else Range(bounds.lower, end)
            found[place] = replace(found[place], range=narrower)
    for fact in facts.nonzero:
        for place, binder in enumerate(found):
            for end in (fact + Poly.of(binder.name), Poly.of(binder.name) - fact):
                bounds = found[place].range
                if end == bounds.lower:
                    found[place] = replace(binder, range=Range(end + 1, bounds.upper))
                elif end == bounds.upper:
                    found[place] = replace(binder, range=Range(bounds.lower, end - 1))
    return tuple(found)


def _greatest(fact: Poly, inner: Sequence[Binder]) -> Poly:
    """A fact about outer indices, which holds at some point of the inner ones: `i - 1 - j` is at most `i - 2` where `j` begins at 1."""
    for binder in reversed(inner):
        factor = fact.coefficient(binder.name)
        if factor is not None and factor.constant in (1, -1):
            fact = fact.substitute({binder.name: binder.range.upper if factor.constant == 1 else binder.range.lower})
    return fact


def _least(value: Poly, binders: tuple[Binder, ...], facts: Facts) -> Poly | None:
    """The least value of an index: from the ranges around it, or from a fact that says it."""
    names = {binder.name for binder in binders}
    found = _least_over(value, binders)
    for fact in facts.nonnegative:
        rest = value - fact
        if names.isdisjoint(rest.names) and (found is None or not names.isdisjoint(found.names) or is_surely_nonnegative(rest - found)):
            found = rest
    return found


def _least_over(value: Poly, binders: tuple[Binder, ...]) -> Poly | None:
    """The least value over the ranges of index variables; None where a factor has no known sign."""
    for binder in reversed(binders):
        factor = value.coefficient(binder.name)
        if factor is None or not (is_surely_nonnegative(factor) or is_surely_nonnegative(-factor)):
            return None
        value = value.substitute({binder.name: binder.range.lower if is_surely_nonnegative(factor) else binder.range.upper})
    return value


# ---- where an axis begins -----------------------------------------------------------------------


def _lower(types: Types, symbol: Symbol, axis: int, reads: list[AxisRead], least: Poly | None) -> Poly | Problem:
    """The first index of an axis: 0 or 1, or why it is open; `least`: the first one that is read."""
    size = size_of(types, symbol, axis)
    if size is None or any(is_unknown(name) for name in size.names) or _names_size(types, size, reads):
        if least is not None and least.constant in (0, 1):
            return least
        if symbol.role not in GIVEN and (size is None or any(is_unknown(name) for name in size.names)):
            return Poly.of(types.written.base)
        if size is None or any(is_unknown(name) for name in size.names):
            return partial(_begins_elsewhere, types, symbol, axis, reads, least)
    firsts = Poly.of(0), Poly.of(1)
    ranges, reads = [Range(first, size + first - 1) for first in firsts], [read for read in reads if not read.kept]
    inside = [own.lower for own in ranges if not any(_leaves(types, symbol, axis, read.range, own) for read in reads)]
    if len(inside) < len(firsts):
        return inside[0] if inside else Poly.of(types.written.base)
    return _lower_by_turns(types, symbol, axis, reads, size)


def _lower_by_turns(types: Types, symbol: Symbol, axis: int, reads: list[AxisRead], size: Poly) -> Poly | Problem:
    """The first index where all reads hold with 0 and with 1: that of the loops over the whole axis, else that of the notation."""
    base = Poly.of(types.written.base)
    over_it = [read for read in reads if read.turns is not None and read.turns.extent == size and read.turns.lower.constant in (0, 1)]
    plain = {read.turns.lower for read in over_it if read.turns is not None and not read.is_shifted}
    if len(plain) == 1 and (types.written.base == 0 or base in plain):
        return plain.pop()
    asked = [read for read in over_it if read.turns is not None and read.turns.lower != base]
    if types.written.base == 0:
        asked += [read for read in reads if not read.bracketed and not read.is_of_value]
    return partial(_begins_at_either, types, symbol, axis, asked[0].span, size) if asked else base


def _turns(types: Types, index: Poly, binders: tuple[Binder, ...]) -> tuple[Range | None, bool]:
    """Over what the author's one variable of an index such as `i` or `i - 1` runs, and whether it is the second.

    None where that is another index, or runs as others say, or where the variable is ours.
    """
    found = [binder for binder in binders if binder.name in index.names]
    shift, steps = (found[0].shift, (index - Poly.of(found[0].name)).constant) if len(found) == 1 else (None, None)
    turns = None if shift is None or steps is None else _solved(types, found[0].range)
    if turns is None or not {binder.name for binder in binders}.isdisjoint(turns.lower.names | turns.upper.names):
        return None, False
    assert shift is not None
    assert steps is not None
    return Range(turns.lower - shift, turns.upper - shift), steps != -shift


def _leaves(types: Types, symbol: Symbol, axis: int, reads: Range | None, domain: Range) -> bool:
    """Whether a read surely leaves an axis that has this domain; the read may run to the end of that axis."""
    name = types.lower(symbol, axis).variable
    if reads is None or name is None:
        return False
    ends = (types.solver.value(end).substitute({name: domain.lower}) for end in (reads.lower, reads.upper))
    bounds = _solved(types, Range(*ends))
    return bounds is not None and surely_leaves(bounds, domain)


def _names_size(types: Types, size: Poly, reads: list[AxisRead]) -> bool:
    """Whether the bounds of the reads name a size that nothing else does: it is that of what is read over exactly that range."""
    return any(read.range is not None and not (read.range.upper.names - size.names).isdisjoint(types.terms.bound_sizes) for read in reads)


def _begins_elsewhere(types: Types, symbol: Symbol, axis: int, reads: list[AxisRead], least: Poly | None) -> MathdslError:
    name, greatest = symbol.latex, _end(types, reads, True)
    shown = "" if least is None else f" from {show_size(types, least)} on"
    ends = ("1", "n") if least is None or greatest is None else (show_size(types, least), show_size(types, greatest))
    return refuse(
        "E0502",
        f"`{name}` is read{shown}, and nothing declares its range: it begins at 0 or at 1",
        reads[0].span,
        help=rf"declare the range, as in `{declared_from(types, symbol, axis, *ends)}`; or pad on the left, `\{{0\}}^{{1}} || {name}`",
    )


def _begins_at_either(types: Types, symbol: Symbol, axis: int, span: Span, size: Poly) -> MathdslError:
    one = declared_from(types, symbol, axis, "1", show_size(types, size))
    zero = declared_from(types, symbol, axis, "0", show_size(types, size - 1))
    return undecided(FIRST_INDEX, span, label="both hold what is read", name=symbol.latex, one=one, zero=zero)


def declared_from(types: Types, symbol: Symbol, axis: int, first: str, last: str) -> str:
    r"""A declaration that says where an axis begins: `p_t \in \mathbb{R}, t = 1, \dots, S`; the axes before it get their ranges too."""
    shape = types.shapes.known(symbol.shape) or ()
    letters = ("t", "i", "j", "k", "l", "m")[: axis + 1]
    firsts = [types.lower(symbol, k) for k in range(axis)]
    ranges = [
        rf"{letter} = {show_size(types, begin)}, \dots, {show_size(types, begin + size - 1)}"
        for letter, begin, size in zip(letters, firsts, shape, strict=False)
    ]
    own = r" \times ".join(show_size(types, types.solver.value(size)) for size in shape[axis + 1 :])
    kind = r"\mathbb{R}" + (f"^{{{own}}}" if own else "")
    return rf"{symbol.latex}_{{{','.join(letters)}}} \in {kind}, " + ", ".join((*ranges, rf"{letters[-1]} = {first}, \dots, {last}"))
