r"""Domains that values keep: `q \gets 2 z` runs over what `z` runs over, and `\{e ; t \in \{1, \dots, T\}\}` over `1 .. T`.

Which operand of a product is a number, and how many axes a value has, only inference tells. What a value is read at tells of the axes
that it keeps, too: `sources` says which these are.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice, zip_longest
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Build,
    CaseTerm,
    Elementwise,
    Fold,
    Given,
    PowerTerm,
    Product,
    Ref,
    SliceIndex,
    Term,
    Transpose,
    Updated,
    Whole,
    walk,
)
from mathdsl.elaborate.terms.terms import Reduction as ReductionTerm
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.shapes import expand
from mathdsl.elaborate.types.sizes import is_first
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.sizes import Poly

Place: TypeAlias = tuple[Symbol, int]


@dataclass(frozen=True)
class Axis:
    """What is known of an axis: its first index, and the axes of inputs and parameters that it is one of."""

    lower: Poly | None = None
    sources: frozenset[Place] = frozenset()


OPEN = Axis()
_MOST_ROUNDS = 8  # of arrays that define each other: one and what tells nothing new, mostly
Axes: TypeAlias = tuple[Axis, ...]


@dataclass
class KeptDomains:
    """What each value keeps, found by its definitions; axes that are `assumed` to begin at the notation's base tell nothing."""

    types: Types
    inference: Inference
    assumed: Collection[Place] = frozenset()
    found: dict[Symbol, Axes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._around: list[Symbol] = []  # whose definitions are being read
        self._before: dict[Symbol, Axes] = {}
        self._is_circular = False
        self._places = {name: place for place, unknown in self.types.firsts.items() for name in unknown.names}
        self._assignments: dict[Symbol, list[tuple[list[int], Term]]] = {}
        for assignment in self.types.terms.assignments:
            if assignment.symbol.role is Role.VALUE and not assignment.symbol.declared:
                places = [k for k, position in enumerate(assignment.positions) if isinstance(position, Whole)]
                first = len(assignment.positions)
                own = self._assignments.setdefault(assignment.symbol, [])
                own.append(([*places, *range(first, first + self._rank(assignment.value) - len(places))], assignment.value))

    def known(self, lower: Poly) -> Poly | None:
        """A first index, where what is declared, read or kept tells it."""
        lower = self.types.solver.value(lower)
        for name in filter(is_first, lower.names):
            own = self.axis(*self._places[name]).lower
            if own is None:
                return None
            lower = lower.substitute({name: own})
        return lower

    def _rank(self, term: Term) -> int:
        """How many axes a term has; those that are known where nothing fixes more."""
        return len(expand(self.inference.shape(term)).prefix)

    def of_symbol(self, symbol: Symbol) -> Axes:
        """The axes of an array."""
        if symbol in self._around:
            self._is_circular |= symbol is not self._around[-1]
            return self._before.get(symbol, ())  # what it needs of itself tells nothing at first
        if symbol in self.found:
            return self.found[symbol]
        known = len(self.found)
        for _ in range(_MOST_ROUNDS):
            self._around.append(symbol)
            self.found[symbol] = self._defined(symbol)
            self._around.pop()
            if self._around or not self._is_circular:
                break
            again = dict(islice(self.found.items(), known, None))
            if again == self._before:
                break
            self._before = again  # what was found on the way round knew less than what is known now
            self.found = dict(islice(self.found.items(), known))
        if not self._around:
            self._is_circular, self._before = False, {}
        return self.found[symbol]

    def _defined(self, symbol: Symbol) -> Axes:
        """The axes of an array, by what it is and by what defines it."""
        count = len(expand(symbol.shape).prefix)
        written: Axes = tuple(Axis(self._own(symbol, axis)) for axis in range(count))
        if symbol.role is not Role.VALUE:
            own = tuple(Axis(None, frozenset(((symbol, axis),))) for axis in range(count))
            written = _both(written, own)
        for places, value in self._assignments.get(symbol, ()):
            axes = dict(zip(places, self.of(value), strict=False))
            written = _both(tuple(axes.get(axis, OPEN) for axis in range(max(places, default=-1) + 1)), written)
        return written

    def _own(self, symbol: Symbol, axis: int) -> Poly | None:
        """The first index of an axis, where the array itself has it."""
        if (symbol, axis) in self.assumed or self.types.is_open(symbol, axis):
            return None
        return self.known(self.types.lower(symbol, axis))

    def of(self, term: Term) -> Axes:
        """The axes of a term."""
        rank = self._rank(term)
        match term:
            case Ref():
                return self._of_reference(term, rank)
            case Elementwise(arguments=items):
                return self._aligned(items, rank, term)
            case PowerTerm(base=body) | AlongTerm(body=body) | Updated(array=body) | Given(value=body):
                return self._aligned((body,), rank)
            case CaseTerm(rows=rows):
                return self._aligned(tuple(part for row in rows for part in row if part is not None), rank)
            case Product(left=left, right=right):
                return self._of_product(term, left, right, rank)
            case Transpose(body=body):
                return tuple(reversed(self._aligned((body,), rank)))
            case ReductionTerm(body=body):
                return self._aligned((body,), rank)
            case Fold(body=body, all_axes=False):
                return self.of(body)[:rank]
            case Build(binder=binder, body=body, dotted=dotted):
                lower = self.known(binder.range.lower)  # of `x_k, …, x_S` the elements are counted anew, where `k` is no number
                first = Axis(None if dotted and (lower is None or lower.constant is None) else lower)
                own = OPEN if binder.shift is None else first  # an index that nobody wrote, of `I_n`, tells nothing
                return (self._along(term) if binder.bare else own, *self.of(body))
            case _:
                return (OPEN,) * rank

    def _of_product(self, term: Product, left: Term, right: Term, rank: int) -> Axes:
        r"""Of numbers elementwise; else the axes that no sum goes over: `W x` has the rows of `W`, `x y^\top` those of both."""
        ranks = self._rank(left), self._rank(right)
        if 0 in ranks:
            return self._aligned((left, right), rank)
        if term.span in self.types.row_wise:
            return (*self.of(right)[:1], OPEN)
        if rank == sum(ranks) - 2:
            return (*self.of(left)[:-1], *self.of(right)[1:])
        if rank == sum(ranks):
            return (*self.of(left), *self.of(right))
        return (OPEN,) * rank

    def _along(self, term: Build) -> Axis:
        """The axis that a comprehension runs along: that of what it takes elements of."""
        name = Poly.of(term.binder.name)
        reads = [read for read in walk(term.body) if isinstance(read, Ref) and name in read.positions]
        axes = [self.axis(read.symbol, read.positions.index(name)) for read in reads]
        return Axis(self.known(term.binder.range.lower), frozenset(place for axis in axes for place in axis.sources))

    def axis(self, symbol: Symbol, axis: int) -> Axis:
        """An axis of an array."""
        axes = self.of_symbol(symbol)
        return axes[axis] if axis < len(axes) else OPEN

    def _extents(self, term: Term) -> tuple[int | None, ...]:
        """How many elements the axes of a term have, where that is a number."""
        extents = (self.types.solver.value(size).constant for size in expand(self.inference.shape(term)).prefix)
        return tuple(None if extent is None else int(extent) for extent in extents)

    def _aligned(self, terms: tuple[Term, ...], rank: int, whole: Term | None = None) -> Axes:
        """What operands have in common; one with fewer axes goes along the last ones, one of extent 1 tells nothing of a longer one."""
        found: Axes = (OPEN,) * rank
        for term in terms:
            axes = self.of(term)
            if whole is not None and 1 in (own := self._extents(term)):
                wide = self._extents(whole)[rank - len(own) :]
                axes = tuple(OPEN if a == 1 != b else axis for axis, a, b in zip(axes, own, wide, strict=False))
            found = _both(found, (*(OPEN,) * (rank - len(axes)), *axes))
        return found[:rank]

    def _of_reference(self, term: Ref, rank: int) -> Axes:
        symbol = term.symbol
        kept: list[Axis] = []
        for axis in range(len(term.positions) + rank):
            position = term.positions[axis] if axis < len(term.positions) else Whole()
            if isinstance(position, Whole) and axis == 0 and symbol.whole is not None:
                kept.append(Axis(self.known(symbol.whole.lower)))
            elif isinstance(position, Whole):
                kept.append(self.axis(symbol, axis))
            elif isinstance(position, SliceIndex):
                kept.append(_of_slice(position, self.axis(symbol, axis)))
            elif not isinstance(position, Poly):
                kept.extend([OPEN] * self._rank(position))  # an index that is an array gives its axes
        return (*kept, *(OPEN,) * rank)[:rank]


def _of_slice(position: SliceIndex, whole: Axis) -> Axis:
    """A part from the first element on is counted as the whole is, `x_{1:k}`; so is each part of what counts from 1."""
    is_counted = whole.lower is not None and (whole.lower == position.range.lower or whole.lower == Poly.of(1))
    return Axis(whole.lower) if is_counted else OPEN


def _both(left: Axes, right: Axes) -> Axes:
    """What two sources fix; no first index where they disagree."""
    return tuple(_one(a, b) for a, b in zip_longest(left, right, fillvalue=OPEN))


def _one(a: Axis, b: Axis) -> Axis:
    lower = b.lower if a.lower is None else a.lower if b.lower is None or a.lower == b.lower else None
    return Axis(lower, a.sources | b.sources)
