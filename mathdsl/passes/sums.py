"""Sums as lists of signed terms."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.ir.nodes import Apply, Element, Expr


def sum_terms(expr: Expr) -> list[tuple[int, Expr]]:
    """The terms of a real sum with their signs, from left to right; a single term where it is no sum."""
    terms: list[tuple[int, Expr]] = []
    waiting = [(1, expr)]
    while waiting:
        sign, node = waiting.pop()
        match node:
            case Apply(op="add", arguments=(left, right), element=Element.REAL):
                waiting += [(sign, right), (sign, left)]
            case Apply(op="sub", arguments=(left, right), element=Element.REAL):
                waiting += [(-sign, right), (sign, left)]
            case Apply(op="neg", arguments=(inner,), element=Element.REAL):
                waiting.append((-sign, inner))
            case _:
                terms.append((sign, node))
    return terms


def build_sum(terms: Sequence[tuple[int, Expr]]) -> Expr:
    """The sum of signed terms, in their order."""
    sign, total = terms[0]
    if sign < 0:
        total = Apply("neg", (total,), Element.REAL)
    for sign, term in terms[1:]:
        total = Apply("add" if sign > 0 else "sub", (total, term), Element.REAL)
    return total
