r"""Calls of functions with more axes than the functions have: a matrix for the vector of `f(x) \gets \sum_j x_j^2`.

An argument has the axes that its row gives it; else, in a function of the document, those that it has there, and in one of a program
as many as the body indexes, where its letter is no matrix's.
"""

from __future__ import annotations

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.declare.argument_rows import declared_arguments
from mathdsl.elaborate.names.names import Name, is_capital, readable, word_of
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Applied
from mathdsl.elaborate.terms.terms import PowerTerm, Ref, Term, walk
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.shapes import rank_of
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants


def check_argument_axes(inference: Inference) -> None:
    """Report the first call whose argument has more axes than the function's."""
    types = inference.types
    for applied in types.terms.applied:
        declared = declared_arguments(applied.function.rows)
        own = {name: len(extents) for name, extents in applied.function.extents}
        for name, term in applied.arguments.items():
            axes = rank_of(inference.shape(term)) or 0 if isinstance(term, Ref) and name not in declared else 0
            if not isinstance(term, Ref) or not axes:
                continue
            needed = own.get(name, _depth(applied, name))
            is_power = any(_is_power(inference, term, part) for part in walk(applied.value))
            is_more = name in own and needed > 0 or not is_capital(name) and (needed > 0 or is_power)
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


def _is_power(inference: Inference, argument: Ref, term: Term) -> bool:
    """Whether a term is a matrix power of the argument."""
    match term:
        case PowerTerm(base=Ref(symbol=symbol) as base) if symbol is argument.symbol and term.integer is not None:
            sizes = inference.axes(base)
            return len(sizes) == 2 and sizes[0] == sizes[1]
        case _:
            return False
