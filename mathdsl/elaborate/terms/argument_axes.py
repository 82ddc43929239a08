r"""Axes that a call of a function hands through: a matrix for `f(x) \gets \sum_j x_j^2`, whose body reads elements of a vector.

A function's arguments have the ranks that its body needs, and what lies before them is batch: `f(X)` would be that of each row.
Put into the body, `X` would give its rows for `x_j`. A row of a table for the argument, or an element as the argument, decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.types import ROWS_OR_WHOLE
from mathdsl.elaborate.declare.argument_rows import declared_arguments
from mathdsl.elaborate.names.names import Name, is_array_letter, is_capital, readable
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.collected import Applied
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Base,
    Build,
    CaseTerm,
    Concatenation,
    Elementwise,
    Fold,
    PowerTerm,
    Product,
    Ref,
    Stacked,
    Term,
    Whole,
    walk,
)
from mathdsl.elaborate.terms.terms import Reduction as ReductionTerm
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.shapes import rank_of

Values: TypeAlias = Mapping[Symbol, Term]


def check_argument_axes(inference: Inference) -> None:
    """Report calls whose arguments have axes that the function's body neither reads nor needs."""
    types = inference.types
    if not types.terms.applied:
        return
    values = {a.symbol: a.value for a in types.terms.assignments if a.symbol.spelling.is_own}
    for applied in types.terms.applied:
        found = _with_more_axes(inference, applied, values)
        if found is not None:
            name, term = found
            types.findings.report(_either(applied, name, term, _depth(term, list(_reads(applied.value, values, set()))) > 0))
            return


def _with_more_axes(inference: Inference, applied: Applied, values: Values) -> tuple[Name, Ref] | None:
    """The argument of a call that is to be read in two ways."""
    declared = declared_arguments(applied.function.rows)
    arrays = {name: term for name, term in applied.arguments.items() if isinstance(term, Ref) and name not in declared}
    axes = {name: rank_of(inference.shape(term)) or 0 for name, term in arrays.items()}
    reads = list(_reads(applied.value, values, set())) if any(axes.values()) else []
    needed = {name: len(extents) for name, extents in applied.function.extents}
    depths = {name: needed.get(name, _depth(term, _own(term, reads, arrays.values()))) for name, term in arrays.items()}
    is_apart = any(0 < depth == axes[name] for name, depth in depths.items())
    for name, term in arrays.items():
        if is_apart and is_array_letter(name):
            continue  # what is given beside it has no more axes than are needed: they cannot all be batches
        inside = _Inside(inference, term, values)
        if depths[name] < axes[name] and (
            not inside.is_batch(applied.value) if name in needed else inside.is_either(applied.value, name, depths[name])
        ):
            return name, term
    return None


def _reads(term: Term, values: Values, seen: set[Symbol]) -> Iterator[Ref]:
    """The reads in a term and in the values of our own that it names."""
    for part in walk(term):
        if isinstance(part, Ref):
            yield part
            if part.symbol in values and part.symbol not in seen:
                seen.add(part.symbol)
                yield from _reads(values[part.symbol], values, seen)


def _fixed(term: Ref) -> int:
    """How many axes a read takes at an index."""
    return sum(not isinstance(position, Whole) for position in term.positions)


def _own(argument: Ref, reads: Iterable[Ref], arguments: Iterable[Ref]) -> list[Ref]:
    """The reads that are not those of another argument, a part of the same array: `X_{1,j}` beside `X`, where `X_1` is given too."""
    parts = [other for other in arguments if other.symbol is argument.symbol and _fixed(other) > _fixed(argument)]
    return [read for read in reads if not any(_is_of(read, part) for part in parts)]


def _is_of(read: Ref, part: Ref) -> bool:
    places = ((k, position) for k, position in enumerate(part.positions) if not isinstance(position, Whole))
    return read.symbol is part.symbol and all(k < len(read.positions) and read.positions[k] == position for k, position in places)


def _depth(argument: Ref, reads: list[Ref]) -> int:
    """How many axes of an argument the body indexes."""
    return max((_fixed(read) - _fixed(argument) for read in reads if read.symbol is argument.symbol), default=0)


@dataclass(frozen=True)
class _Inside:
    """An argument inside of a function's value."""

    inference: Inference
    argument: Ref
    values: Values

    def _rank(self, term: Term) -> int:
        return rank_of(self.inference.shape(term)) or 0

    def is_either(self, value: Term, name: Name, depth: int) -> bool:
        """Whether an argument, of which `depth` axes are indexed, may be a matrix as well as each of its rows or elements."""
        if depth:
            return self.hands_on(value)
        return not is_capital(name) and any(map(self._is_matrix_power, self._parts(value)))

    def _parts(self, term: Term) -> Iterator[Term]:
        """The terms in a value, and in the values of our own that it names."""
        for part in walk(term):
            yield part
            if isinstance(part, Ref) and part.symbol in self.values and part.symbol is not self.argument.symbol:
                yield from self._parts(self.values[part.symbol])

    def _is_matrix_power(self, term: Term) -> bool:
        """Whether a term is a matrix power of the argument, where a function of a number goes along its elements."""
        match term:
            case PowerTerm(base=Ref(symbol=symbol) as base) if symbol is self.argument.symbol and term.integer is not None:
                sizes = self.inference.axes(base)
                return len(sizes) == 2 and sizes[0] == sizes[1]
            case _:
                return False

    def hands_on(self, term: Term) -> bool:
        """Whether the last axes of a value are those of elements of the argument, number by number."""
        if not self._rank(term):
            return False
        parts: tuple[Term, ...]
        match term:
            case Ref(symbol=symbol) if symbol is self.argument.symbol:
                return _fixed(term) > _fixed(self.argument)
            case Ref(symbol=symbol):
                parts = (self.values[symbol],) if symbol in self.values else ()
            case Elementwise(arguments=parts) | Stacked(items=parts) | Concatenation(parts=parts):
                pass
            case Product(left=left, right=right):
                parts = (left, right) if 0 in (self._rank(left), self._rank(right)) else ()
            case PowerTerm(base=body) | ReductionTerm(body=body) | Build(body=body):
                parts = (body,)
            case AlongTerm(body=body, binder=binder):
                parts = () if binder is None else (body,)
            case CaseTerm(rows=rows):
                parts = tuple(value for _, value in rows)
            case _:
                parts = ()
        return any(map(self.hands_on, parts))

    def _reads_it(self, term: Term) -> bool:
        return any(read.symbol is self.argument.symbol for read in _reads(term, self.values, set()))

    def _are_alike(self, parts: tuple[Term, ...]) -> bool:
        """Whether the operands that have the argument's first axes go together: not `x` and `\\max(x)`."""
        return len({self._rank(part) for part in parts if self._reads_it(part)}) < 2

    def is_batch(self, term: Term) -> bool:
        """Whether a value has the argument's first axes as a batch would have them."""
        if not self._reads_it(term):
            return True
        match term:
            case Ref(symbol=symbol) if symbol is self.argument.symbol:
                return _fixed(term) == _fixed(self.argument)
            case Ref(symbol=symbol, positions=positions) if symbol in self.values:
                return not any(isinstance(p, Base) for p in positions) and self.is_batch(self.values[symbol])
            case Elementwise(arguments=parts):
                return self._are_alike(parts) and all(map(self.is_batch, parts))
            case CaseTerm(rows=rows):
                return all(self.is_batch(part) for row in rows for part in row if part is not None)
            case PowerTerm(base=base, exponent=exponent):
                return not self._is_matrix_power(term) and self.is_batch(base) and self.is_batch(exponent)
            case Product(left=left, right=right):
                is_each = 0 in (self._rank(left), self._rank(right)) or term.span in self.inference.types.row_wise
                return is_each and self._are_alike((left, right)) and self.is_batch(left) and self.is_batch(right)
            case AlongTerm(body=body, binder=None) | Fold(body=body, all_axes=False) | ReductionTerm(body=body, needs=()):
                return self.is_batch(body)
            case _:
                return False


def _either(applied: Applied, name: Name, argument: Ref, is_indexed: bool) -> MathdslError:
    function, letter = readable(applied.function.name), readable(name)
    given = argument.symbol.latex
    shown = "X" if argument.symbol.spelling.is_own else given
    row = rf"{letter}_j \in \mathbb{{R}}^{{d}}, j = 1, \dots, n" if is_indexed else rf"{letter} \in \mathbb{{R}}^{{n \times d}}"
    labels = (Label(applied.function.span, "the function"),)
    return undecided(ROWS_OR_WHOLE, applied.span, labels=labels, function=function, letter=letter, given=shown, declared=row)
