r"""Calls of functions with more axes than the functions have: a matrix for the vector of `f(x) \gets \sum_j x_j^2`.

An argument has the axes that its row gives it; else, in a function of the document, those that it has there, and in one of a program
as many as the body indexes, where its letter is no matrix's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.declare.argument_rows import declared_arguments
from mathdsl.elaborate.names.names import Name, is_capital, readable, word_of
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Applied
from mathdsl.elaborate.terms.terms import Base, CaseTerm, Elementwise, PowerTerm, Product, Ref, Term, walk
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.shapes import rank_of
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants

Values: TypeAlias = Mapping[Symbol, Term]


def check_argument_axes(inference: Inference) -> None:
    """Report the first call whose argument has more axes than the function's."""
    types = inference.types
    values = {a.symbol: a.value for a in types.terms.assignments if a.symbol.spelling.is_own} if types.terms.applied else {}
    for applied in types.terms.applied:
        declared = declared_arguments(applied.function.rows)
        own = {name: len(extents) for name, extents in applied.function.extents}
        for name, term in applied.arguments.items():
            axes = rank_of(inference.shape(term)) or 0 if isinstance(term, Ref) and name not in declared else 0
            if not isinstance(term, Ref) or not axes:
                continue
            needed, inside = own.get(name, _depth(applied, name)), _Inside(inference, term, values)
            if name not in own:
                is_more = not is_capital(name) and (needed > 0 or any(map(inside.is_power, inside.parts(applied.value))))
            else:
                is_more = needed > 0 or not inside.is_each(applied.value)
            if needed < axes and is_more:
                function, given = readable(applied.function.name), "X" if term.symbol.spelling.is_own else term.symbol.latex
                types.findings.report(
                    refuse(
                        "E0409",
                        f"`{function}` is given more axes than its `{readable(name)}` has",
                        applied.span,
                        labels=(Label(applied.function.span, "the function"),),
                        help=rf"write `[{function}({given}_i)]_{{i=1}}^{{n}}` for each row, or give `{readable(name)}` a row in a table",
                    )
                )
                return


def _depth(applied: Applied, name: Name) -> int:
    """The number of axes of an argument that the body indexes."""
    depth = 0
    for node in descendants(applied.function.body):
        match node:
            case ast.Scripts(base=base, subscripts=items) | ast.Indexing(base=base, items=items) if word_of(base) == name:
                depth = max(depth, len(items))
            case _:
                pass
    return depth


@dataclass(frozen=True)
class _Inside:
    """An argument inside of a function's value."""

    inference: Inference
    argument: Ref
    values: Values

    def parts(self, term: Term) -> Iterator[Term]:
        """The terms in a value, and in the values of our own that it names."""
        for part in walk(term):
            yield part
            if isinstance(part, Ref) and part.symbol in self.values and part.symbol is not self.argument.symbol:
                yield from self.parts(self.values[part.symbol])

    def is_power(self, term: Term) -> bool:
        """Whether a term is a matrix power of the argument."""
        match term:
            case PowerTerm(base=Ref(symbol=symbol) as base) if symbol is self.argument.symbol and term.integer is not None:
                sizes = self.inference.axes(base)
                return len(sizes) == 2 and sizes[0] == sizes[1]
            case _:
                return False

    def is_each(self, term: Term) -> bool:
        """Whether a value is computed element by element."""
        if not any(isinstance(part, Ref) and part.symbol is self.argument.symbol for part in self.parts(term)):
            return True
        match term:
            case Ref(symbol=symbol, positions=positions):
                is_own = symbol is self.argument.symbol or symbol not in self.values
                return is_own or not any(isinstance(p, Base) for p in positions) and self.is_each(self.values[symbol])
            case Elementwise(arguments=parts):
                return all(map(self.is_each, parts))
            case CaseTerm(rows=rows):
                return all(self.is_each(part) for row in rows for part in row if part is not None)
            case PowerTerm(base=base, exponent=exponent):
                return not self.is_power(term) and self.is_each(base) and self.is_each(exponent)
            case Product(left=left, right=right):
                ranks = [rank_of(self.inference.shape(part)) for part in (left, right)]
                return 0 in ranks and self.is_each(left) and self.is_each(right)
            case _:
                return False
