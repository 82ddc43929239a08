r"""Domains that values keep: `q \gets 2 z` runs over what `z` runs over, and `\{e ; t \in \{1, \dots, T\}\}` over `1 .. T`.

Which operand of a product is a number, and how many axes a value has, only inference tells. By then the indices are read; so a
procedure whose values keep a domain other than the notation's own is read once more, with these domains known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mathdsl.elaborate.inference import Inference
from mathdsl.elaborate.shapes import rank_of
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import Build, CaseTerm, Elementwise, PowerTerm, Product, Ref, SliceIndex, Term, Transpose, Whole
from mathdsl.elaborate.unit import Unit
from mathdsl.ir.sizes import Poly

Lowers: TypeAlias = tuple[Poly | None, ...]
Kept: TypeAlias = Mapping[tuple[str, bool], Lowers]


def kept_lowers(unit: Unit, inference: Inference) -> Kept:
    """The values that keep domains which they are not read with."""
    found = _Kept(unit, inference)
    moved: dict[tuple[str, bool], Lowers] = {}
    for symbol in dict.fromkeys(assignment.symbol for assignment in unit.assignments):
        lowers = found.of_symbol(symbol)
        if any(lower is not None and lower != symbol.lower(axis, unit.base) for axis, lower in enumerate(lowers)):
            moved[symbol.spelling, symbol.has_superscript] = lowers
    return moved


@dataclass
class _Kept:
    """What each value keeps, found by its definitions."""

    unit: Unit
    inference: Inference
    found: dict[Symbol, Lowers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._assignments: dict[Symbol, list[tuple[list[int], Term]]] = {}
        for assignment in self.unit.assignments:
            if assignment.symbol.role is Role.VALUE and not assignment.symbol.declared:
                places = [k for k, position in enumerate(assignment.positions) if isinstance(position, Whole)]
                first = len(assignment.positions)
                own = self._assignments.setdefault(assignment.symbol, [])
                own.append(([*places, *range(first, first + self._rank(assignment.value) - len(places))], assignment.value))

    def _rank(self, term: Term) -> int:
        """How many axes a term has; 0 where a mistake leaves that open."""
        return rank_of(self.inference.shape(term)) or 0

    def of_symbol(self, symbol: Symbol) -> Lowers:
        """The first indices of the axes of an array."""
        if symbol not in self.found:
            self.found[symbol] = ()  # what it needs of itself tells nothing
            written: Lowers = symbol.known_lowers
            for places, value in self._assignments.get(symbol, ()):
                lowers = dict(zip(places, self.of(value), strict=False))
                written = _both(tuple(lowers.get(axis) for axis in range(max(places, default=-1) + 1)), written)
            self.found[symbol] = written
        return self.found[symbol]

    def of(self, term: Term) -> Lowers:
        """The first indices of the axes of a term; None for an axis that nothing fixes."""
        rank = self._rank(term)
        match term:
            case Ref():
                return self._of_reference(term, rank)
            case Elementwise(arguments=items):
                return self._aligned(items, rank)
            case PowerTerm(base=base) if rank < 2:
                return self._aligned((base,), rank)
            case CaseTerm(rows=rows):
                return self._aligned(tuple(part for row in rows for part in row if part is not None), rank)
            case Product(left=left, right=right) if 0 in (self._rank(left), self._rank(right)):
                return self._aligned((left, right), rank)
            case Product(right=right) if term.span in self.unit.row_wise:
                return (*self.of(right)[:1], None)
            case Transpose(body=body):
                return tuple(reversed(self._aligned((body,), rank)))
            case Build(binder=binder, body=body, dotted=dotted):
                lower = binder.range.lower  # of `x_k, …, x_S` the elements are counted anew, where `k` is no number
                return (None if dotted and lower.constant is None else lower, *self.of(body))
            case _:
                return (None,) * rank

    def _aligned(self, terms: tuple[Term, ...], rank: int) -> Lowers:
        """What operands have in common; one with fewer axes goes along the last ones."""
        found: Lowers = (None,) * rank
        for term in terms:
            lowers = self.of(term)
            found = _both(found, (*(None,) * (rank - len(lowers)), *lowers))
        return found[:rank]

    def _of_reference(self, term: Ref, rank: int) -> Lowers:
        lowers, symbol = self.of_symbol(term.symbol), term.symbol
        kept: list[Poly | None] = []
        for axis in range(len(term.positions) + rank):
            position = term.positions[axis] if axis < len(term.positions) else Whole()
            if isinstance(position, Whole) and axis == 0 and symbol.whole is not None:
                kept.append(symbol.whole.lower)
            elif isinstance(position, Whole):
                kept.append(lowers[axis] if axis < len(lowers) else None)
            elif isinstance(position, SliceIndex):
                kept.append(None)
            elif not isinstance(position, Poly):
                kept.extend([None] * self._rank(position))  # an index that is an array gives its axes
        return (*kept, *(None,) * rank)[:rank]


def _both(left: Lowers, right: Lowers) -> Lowers:
    """What two sources fix; None where they disagree."""
    size = max(len(left), len(right))
    pairs = zip((*left, *(None,) * (size - len(left))), (*right, *(None,) * (size - len(right))), strict=True)
    return tuple(b if a is None else a if b is None or a == b else None for a, b in pairs)
