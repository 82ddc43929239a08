r"""Indices of a bare sum beside those of a range: `\sum_{j \neq i} x_j` for `i = 1, \dots, n`, where nothing says that `x` begins at 1.

A bare sum runs over a whole axis, from the notation's base on. Where its index is compared with one that runs over `1 .. n`, an axis
that would count from 0 is refused: its declaration tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Binder, Build, Elementwise, Ref, SizeTerm, Term, subterms, walk
from mathdsl.elaborate.terms.terms import Reduction as ReductionTerm
from mathdsl.elaborate.types.kept_domains import Place
from mathdsl.elaborate.types.read_domains import declared_from, size_of
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import is_surely_nonnegative


def find_compared(types: Types, result: Iterable[Term], assumed: Collection[Place]) -> Iterator[MathdslError]:
    """The sums whose index is compared with one that counts from elsewhere."""
    if types.written.base == 1:
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
