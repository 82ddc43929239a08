"""Operations along the letter of a loop that assigns what they go along."""

from __future__ import annotations

from collections.abc import Set
from itertools import chain, pairwise

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control.elements import Reader, Scope
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.uses import reads
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, word_of
from mathdsl.elaborate.report import refuse
from mathdsl.ops import find_along
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants


def check_along(reader: Reader, loop: Loop, heads: Set[Name], scope: Scope) -> None:
    r"""Refuse `x_k \gets \softmax_k(x_k)` in a loop over `k`: of the values before the loop, or of those that earlier turns gave?

    `heads` have a value before the loop, which assigns elements of them.
    """
    products = (node for node in descendants(loop.node) if heads and isinstance(node, ast.Juxtaposition))
    for called, operand in chain.from_iterable(pairwise(node.factors) for node in products):
        match called:
            case ast.Scripts(base=name, subscripts=(index,)) if (
                index == loop.variable and find_along((word_of(name) or NO_NAME).bare) is not None
            ):
                read = next((e for e in reads(reader, operand, scope) if e.head in heads and loop.variable in e.indices), None)
            case _:
                continue
        if read is not None:
            letter = readable(loop.spelling)
            raise refuse(
                "E0505",
                f"`{render_expression(called)}` goes along `{letter}`, and elements of `{readable(read.head)}` change in the loop over it",
                called.span,
                labels=(Label(loop.node.binding.span, f"the loop over `{letter}`"),),
                help=f"give the result a name of its own, or assign the whole outside of the loop over `{letter}`",
            )
