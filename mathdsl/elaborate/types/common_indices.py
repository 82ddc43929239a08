r"""Indices that go along several axes: `k \gets \arg\max_i x_i` and `y_k`; `\sum_k \mathbb{1}[y = k] \log p_k` for `y \in \{1, \dots, K\}`.

Where an axis begins is told by what its indices are compared with, and by what else they index: of as many elements the first index
is the same. An axis that nothing else tells takes it; what is declared or read otherwise is refused, with both first indices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.guards import Facts, facts_of
from mathdsl.elaborate.terms.terms import Base, Binder, Build, CaseTerm, Elementwise, Fold, Ref, SizeTerm, Stacked, Term, subterms, walk
from mathdsl.elaborate.terms.terms import Reduction as ReductionTerm
from mathdsl.elaborate.types.domains import Adopted
from mathdsl.elaborate.types.kept_domains import KeptDomains, Place
from mathdsl.elaborate.types.read_domains import GIVEN, declared_from, places_of, size_of
from mathdsl.elaborate.types.shapes import expand
from mathdsl.elaborate.types.sizes import is_first, is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_surely_nonnegative
from mathdsl.spans import Span

_Value: TypeAlias = tuple[Term, Facts]  # and what holds where it is one
_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
_EXTREMES = frozenset({"argmax", "argmin"})


@dataclass(frozen=True)
class Count:
    """How an index counts: its first value, how many there are, and the axes that it goes along; none where its type says it."""

    name: str
    first: Poly
    extent: Poly | None
    places: tuple[Place, ...]
    span: Span
    is_narrowed: bool = False  # by a condition: not all of its values


@dataclass(frozen=True)
class Meeting:
    """Two indices that are compared, or an index and the axis that it is put to."""

    left: Count
    right: Count
    is_read: bool
    span: Span
    is_guarded: bool = False  # a condition on the index tells where it is read


@dataclass
class CommonIndices:
    """Where the indices of a program meet."""

    types: Types
    kept: KeptDomains
    adopted: Iterable[Adopted] = ()
    found: list[Meeting] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._values: dict[Symbol, list[_Value]] = {}
        self._guarding: frozenset[Symbol] = frozenset()  # what the conditions around a term mention
        self._facts = Facts()  # what they say
        for assignment in self.types.terms.assignments:
            self._values.setdefault(assignment.symbol, []).extend(_branches(self.types, assignment.value))
        for entry in self.adopted:
            self._values.setdefault(entry.family, []).append((Ref(entry.symbol, span=entry.symbol.span), Facts()))

    def visit(self, term: Term, bodies: Mapping[str, ReductionTerm | Build]) -> None:
        """Find the meetings in a term; `bodies` are the bare sums around it, by their indices."""
        match term:
            case ReductionTerm(binder=Binder(name=name, bare=True)) | Build(binder=Binder(name=name, bare=True)):
                bodies = {**bodies, name: term}
            case CaseTerm(rows=rows):
                outside, conditions = self._guarding, (condition for condition, _ in rows if condition is not None)
                mentioned = (part.symbol for condition in conditions for part in walk(condition) if isinstance(part, Ref))
                self._guarding, facts = outside.union(mentioned), self._facts
                for condition, value in rows:
                    before = self._facts
                    if condition is not None:
                        self.visit(condition, bodies)
                    self._facts = before + facts_of(condition, self.types.solver.value)
                    self.visit(value, bodies)
                    self._facts = before + facts_of(condition, self.types.solver.value, False)
                self._guarding, self._facts = outside, facts
                return
            case Elementwise(op="and" | "or" as op, arguments=(left, right)):
                facts = self._facts
                self.visit(left, bodies)
                self._facts = facts + facts_of(left, self.types.solver.value, op == "and")
                self.visit(right, bodies)
                self._facts = facts
                return
            case Elementwise(op=op, arguments=(left, right)) if op in _COMPARISONS:
                self._meet(self._count(left, bodies), self._count(right, bodies), False, term.span)
            case Ref(symbol=symbol, positions=positions):
                for axis, position in enumerate(positions):
                    if isinstance(position, Base):
                        is_guarded = isinstance(position, Ref) and position.symbol in self._guarding
                        along = self._along(term, axis, symbol.latex, term.span)
                        self._meet(_where(self._facts, position, self._count(position, bodies)), along, True, term.span, is_guarded)
            case _:
                pass
        for part in subterms(term):
            self.visit(part, bodies)

    def visit_values(self) -> None:
        r"""Find the values that stand for one name, `y_0 \in \{0, \dots, V-1\}` and `y_t \gets \arg\max_k z_{t,k}`."""
        for values in self._values.values():
            counts = [count for value in values if (count := self._first((value,), {}, frozenset())) is not None]
            for left, right in pairwise(counts):
                self._meet(left, right, False, right.span)

    def _meet(self, left: Count | None, right: Count | None, is_read: bool, span: Span, is_guarded: bool = False) -> None:
        if left is not None and right is not None:
            self.found.append(Meeting(left, right, is_read, span, is_guarded))

    def _count(self, term: Term, bodies: Mapping[str, ReductionTerm | Build], seen: frozenset[Symbol] = frozenset()) -> Count | None:
        """How an index counts; None where nothing says that a term is one."""
        match term:
            case SizeTerm(value=value) if value.variable in bodies:
                return self._of_bound(bodies[value.variable or ""], term.span)
            case ReductionTerm(op=op, binder=binder) if op in _EXTREMES:
                return self._of_bound(term, term.span) if binder.bare else self._fixed(binder, term.span)
            case Fold(op=op, body=Ref(symbol=symbol, positions=positions) as body) if op in _EXTREMES:
                last = len(expand(symbol.shape).prefix) - 1
                return self._along(body, last, symbol.latex, term.span) if len(positions) <= last else None
            case Ref(symbol=symbol) if symbol.value_range is not None:
                bounds = symbol.value_range
                return Count(symbol.latex, bounds.lower, self.types.solver.value(bounds.extent), (), term.span)
            case Ref(symbol=symbol) if symbol not in seen:
                found = self._first(self._values.get(symbol, ()), {}, seen | {symbol})
                return None if found is None else replace(found, name=symbol.latex, span=term.span)
            case CaseTerm() | Build() | Stacked():
                return self._first(_branches(self.types, term), bodies, seen)
            case _:
                return None

    def _first(self, values: Iterable[_Value], bodies: Mapping[str, ReductionTerm | Build], seen: frozenset[Symbol]) -> Count | None:
        counts = (_where(facts, term, self._count(term, bodies, seen)) for term, facts in values)
        return next((count for count in counts if count is not None), None)

    def _of_bound(self, term: ReductionTerm | Build, span: Span) -> Count | None:
        """The index of a bare sum, along the axes that it indexes."""
        name = Poly.of(term.binder.name)
        for read in walk(term.body):
            if isinstance(read, Ref) and name in read.positions:
                found = self._along(read, read.positions.index(name), readable(term.binder.spelling), span)
                return replace(found, first=term.binder.range.lower)
        return None

    def _fixed(self, binder: Binder, span: Span) -> Count:
        bounds = binder.range
        return Count(readable(binder.spelling), bounds.lower, self.types.solver.value(bounds.extent), (), span)

    def _along(self, ref: Ref, axis: int, name: str, span: Span) -> Count:
        """An index along an axis of an array."""
        first = self.types.lower(ref.symbol, axis)
        return Count(name, first, size_of(self.types, ref.symbol, axis), tuple(places_of(self.kept, ref.symbol, axis)), span)


def _where(facts: Facts, index: Term, count: Count | None) -> Count | None:
    """How an index counts where conditions hold that say this."""
    if count is None or count.extent is None or not isinstance(index, Ref):
        return count
    within = facts.between(index, Range(count.first, count.first + count.extent - 1))
    return replace(count, first=within.lower, extent=within.extent, is_narrowed=count.is_narrowed or within.lower != count.first)


def _branches(types: Types, term: Term, facts: Facts | None = None) -> Iterator[_Value]:
    """What a value can be, and what holds there: the rows of `cases`, the elements of a list."""
    facts = facts or Facts()
    match term:
        case CaseTerm(rows=rows):
            for condition, value in rows:
                yield from _branches(types, value, facts + facts_of(condition, types.solver.value))
                facts += facts_of(condition, types.solver.value, False)
        case Build(body=body):
            yield from _branches(types, body, facts)
        case Stacked(items=items):
            for item in items:
                yield from _branches(types, item, facts)
        case _:
            yield term, facts


def find_meetings(types: Types, result: Iterable[Term], kept: KeptDomains, adopted: Iterable[Adopted] = ()) -> list[Meeting]:
    """Where the indices of a program meet; `adopted` are what the header gives of families, `y_0` of `y_t`, each with its place."""
    common = CommonIndices(types, kept, adopted)
    for term in (*(assignment.value for assignment in types.terms.assignments), *result):
        common.visit(term, {})
    common.visit_values()
    return common.found


def common_firsts(types: Types, meetings: Iterable[Meeting]) -> dict[Place, Poly]:
    """The first indices of open axes that meet others of as many elements, which all begin at one index."""
    groups: list[tuple[set[Place], set[Poly]]] = []
    for meeting in meetings:
        sides = meeting.left, meeting.right
        if not _are_as_many(meeting) or not any(side.places for side in sides):
            continue
        places = {place for side in sides for place in side.places}
        firsts = {types.solver.value(side.first) for side in sides if not side.places}
        firsts |= {types.lower(*place) for place in places}
        for other in [group for group in groups if not group[0].isdisjoint(places)]:
            groups.remove(other)
            places, firsts = places | other[0], firsts | other[1]
        groups.append((places, {first for first in firsts if not any(map(is_first, first.names))}))
    return {place: next(iter(firsts)) for places, firsts in groups if len(firsts) == 1 for place in places if types.is_open(*place)}


def _are_as_many(meeting: Meeting) -> bool:
    return meeting.left.extent is not None and meeting.left.extent == meeting.right.extent


def find_conflicts(types: Types, meetings: Iterable[Meeting], undeclared: Collection[Place]) -> Iterable[MathdslError]:
    """The meetings of indices that count from elsewhere."""
    value = types.solver.value
    for meeting in meetings:
        left, right = (replace(side, first=value(side.first)) for side in (meeting.left, meeting.right))
        apart = (right.first - left.first).constant
        is_whole = _are_as_many(meeting) and not left.is_narrowed and not right.is_narrowed
        if apart is not None and apart != 0 and (is_whole or meeting.is_read and apart > 0):
            yield _conflict(types, replace(meeting, left=left, right=right), undeclared)
            return
        if meeting.is_read and not meeting.is_guarded and left.extent is not None and right.extent is not None and not left.places:
            ends = value(left.first + left.extent - 1), value(right.first + right.extent - 1)
            beyond = (ends[0] - ends[1]).constant
            if beyond is not None and beyond > 0:
                reaches, end = (show_size(types, last) for last in ends)
                message = f"`{left.name}` reaches {reaches}, and indexes `{right.name}`, which ends at {end}"
                yield refuse("E0502", message, meeting.span, help="declare both over one range, or write a condition on the index")
                return


def _conflict(types: Types, meeting: Meeting, undeclared: Collection[Place]) -> MathdslError:
    left, right = meeting.left, meeting.right
    if meeting.is_read:
        message = f"{_shown(types, left)}, and indexes `{right.name}`, which begins at {show_size(types, right.first)}"
    else:
        message = f"{_shown(types, left)}, and {_shown(types, right)} beside it"
    return refuse("E0502", message, meeting.span, help=_declaration(types, left, right, undeclared))


def _shown(types: Types, count: Count) -> str:
    along = next((symbol.latex for symbol, _ in count.places), count.name)
    of = "" if along == count.name else f" along `{along}`"
    return f"`{count.name}` counts from {show_size(types, count.first)}{of}"


def _declaration(types: Types, left: Count, right: Count, undeclared: Collection[Place]) -> str:
    """The declaration of the axis that nothing declares, with the first index of the other."""
    for count, other in ((left, right), (right, left)):
        for symbol, axis in count.places:
            size = size_of(types, symbol, axis)
            if symbol.role in GIVEN and (symbol, axis) in undeclared and size is not None and not any(map(is_unknown, size.names)):
                first, last = show_size(types, other.first), show_size(types, other.first + size - 1)
                shown = declared_from(types, symbol, axis, first, last)
                return f"declare both with one first index, as in `{shown}`, or shift one of the indices"
    return "declare both with one first index, or shift one of the indices"


# ---- indices of bare sums ------------------------------------------------------------------------
#
# A bare sum runs over a whole axis, from the notation's base on. Where its index is compared with one that runs over `1 .. n`, as in
# `\sum_{j \neq i} x_j` for `i = 1, \dots, n`, an axis that would count from 0 is refused: its declaration tells.


def find_compared(types: Types, result: Iterable[Term], assumed: Collection[Place]) -> Iterator[MathdslError]:
    """The sums whose index is compared with one that counts from elsewhere."""
    if types.written.base == 1 or not assumed:
        return
    values = [(assignment.value, assignment.binders) for assignment in types.terms.assignments]
    for term, binders in (*values, *((term, ()) for term in result)):
        yield from _in(types, term, binders, assumed)


def _in(types: Types, term: Term, binders: tuple[Binder, ...], assumed: Collection[Place]) -> Iterator[MathdslError]:
    if isinstance(term, (ReductionTerm, Build)):
        if term.binder.bare:
            other = next((b for b in binders if not b.bare and _are_compared(term, term.binder, b)), None)
            place = None if other is None else _assumed(types, term, other, assumed)
            if other is not None and place is not None:
                yield _counts_from_elsewhere(types, term.binder, other, place)
        binders = (*binders, term.binder)
    for part in subterms(term):
        yield from _in(types, part, binders, assumed)


def _are_compared(term: Term, own: Binder, other: Binder) -> bool:
    """Whether a part of a term reckons with both indices as numbers."""
    for part in walk(term):
        if isinstance(part, Elementwise):
            names = {name for argument in part.arguments if isinstance(argument, SizeTerm) for name in argument.value.names}
            if {own.name, other.name} <= names:
                return True
    return False


def _assumed(types: Types, term: ReductionTerm | Build, other: Binder, assumed: Collection[Place]) -> Place | None:
    """An axis that the index of a bare sum runs along, which counts from 0 for want of a declaration, and not with the other index."""
    name = Poly.of(term.binder.name)
    if other.range.lower.constant != 1:
        return None
    last = types.solver.value(other.range.upper)
    for read in walk(term.body):
        for axis, position in enumerate(read.positions if isinstance(read, Ref) else ()):
            if not isinstance(read, Ref) or position != name or (read.symbol, axis) not in assumed:
                continue
            size = size_of(types, read.symbol, axis)
            if size is not None and not is_surely_nonnegative(size - 1 - last):
                return read.symbol, axis
    return None


def _counts_from_elsewhere(types: Types, own: Binder, other: Binder, place: Place) -> MathdslError:
    symbol, axis = place
    last, size = show_size(types, other.range.upper), size_of(types, symbol, axis)
    is_unnamed = size is None or any(map(is_unknown, size.names))
    one = declared_from(types, symbol, axis, "1", last if is_unnamed or size is None else show_size(types, size)).replace("?", last)
    return refuse(
        "E0502",
        f"`{readable(own.spelling)}` counts from 0 along `{symbol.latex}`, and `{readable(other.spelling)}` beside it from 1",
        own.span,
        help=f"declare the range, as in `{one}`",
    )
