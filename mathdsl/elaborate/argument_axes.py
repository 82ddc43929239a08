r"""Axes that a call of a function hands through: a matrix for `f(x) \gets \sum_j x_j^2`, whose body reads elements of a vector.

A function's arguments have the ranks that its body needs, and what lies before them is batch: `f(X)` would be that of each row.
Put into the body, `X` would give its rows for `x_j`. A row of a table for the argument, or an element as the argument, decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.argument_rows import declared_arguments
from mathdsl.elaborate.inference import Inference
from mathdsl.elaborate.names import is_own, readable
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import rank_of
from mathdsl.elaborate.symbols import Symbol
from mathdsl.elaborate.terms import (
    AlongTerm,
    Build,
    CaseTerm,
    Concatenation,
    Elementwise,
    PowerTerm,
    Product,
    Ref,
    Stacked,
    Term,
    Whole,
    walk,
)
from mathdsl.elaborate.terms import Reduction as ReductionTerm
from mathdsl.elaborate.unit import Applied, Unit

Values: TypeAlias = Mapping[Symbol, Term]


def check_argument_axes(unit: Unit, inference: Inference) -> None:
    """Report calls whose arguments have axes that the function's body neither reads nor needs."""
    if not unit.applied:
        return
    values = {a.symbol: a.value for a in unit.assignments if is_own(a.symbol.spelling)}
    for applied in unit.applied:
        undeclared = {name: term for name, term in applied.arguments.items() if name not in declared_arguments(applied.function.rows)}
        reads = list(_reads(applied.value, values, set()))
        depths = {name: _depth(term, reads) for name, term in undeclared.items() if isinstance(term, Ref)}
        axes = {name: rank_of(inference.shape(undeclared[name])) or 0 for name in depths}
        if any(0 < depth == axes[name] for name, depth in depths.items()):
            continue  # what is given beside it has no more axes than are read: they cannot all be batches
        for name, depth in depths.items():
            term = undeclared[name]
            if isinstance(term, Ref) and 0 < depth < axes[name] and _hands_on(inference, applied.value, term, values):
                unit.report(_either(applied, name, term))
                return


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


def _depth(argument: Ref, reads: list[Ref]) -> int:
    """How many axes of an argument the body indexes."""
    return max((_fixed(read) - _fixed(argument) for read in reads if read.symbol is argument.symbol), default=0)


def _hands_on(inference: Inference, term: Term, argument: Ref, values: Values) -> bool:
    """Whether the last axes of a value are those of elements of the argument, number by number."""
    if not rank_of(inference.shape(term)):
        return False
    parts: tuple[Term, ...]
    match term:
        case Ref(symbol=symbol) if symbol is argument.symbol:
            return _fixed(term) > _fixed(argument)
        case Ref(symbol=symbol):
            parts = (values[symbol],) if symbol in values else ()
        case Elementwise(arguments=parts) | Stacked(items=parts) | Concatenation(parts=parts):
            pass
        case Product(left=left, right=right):
            parts = (left, right) if 0 in (rank_of(inference.shape(left)), rank_of(inference.shape(right))) else ()
        case PowerTerm(base=body) | ReductionTerm(body=body) | Build(body=body):
            parts = (body,)
        case AlongTerm(body=body, binder=binder):
            parts = () if binder is None else (body,)
        case CaseTerm(rows=rows):
            parts = tuple(value for _, value in rows)
        case _:
            parts = ()
    return any(_hands_on(inference, part, argument, values) for part in parts)


def _either(applied: Applied, name: str, argument: Ref) -> MathdslError:
    function, letter = readable(applied.function.name), readable(name)
    given = argument.symbol.latex
    shown = "X" if is_own(argument.symbol.spelling) else given
    return refuse(
        "E0409",
        f"`{function}` reads elements of `{letter}`, and what is given has more axes: it can be applied to each row, or to the rows",
        applied.span,
        labels=(Label(applied.function.span, "the function"),),
        help=rf"write `[{function}({shown}_i)]_{{i=1}}^{{n}}` for the former; declare `{letter}_j \in \mathbb{{R}}^{{d}}, j = 1, \dots, n` "
        "in a `where` table for the latter",
    )
