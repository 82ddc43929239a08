r"""Reductions over a set of listed indices: `\sum_{i \in \{1, n\}} x_i` is `x_1`, and `x_n` where `n` is not 1."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.read_sets import put
from mathdsl.elaborate.terms import conditions
from mathdsl.elaborate.terms.indices import as_poly, read_binding
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import CaseTerm, Constant, Elementwise, NumberTerm, Term
from mathdsl.ir.sizes import Poly
from mathdsl.ops import Reduction as ReductionRow
from mathdsl.syntax import nodes as ast

_JOINING = {"sum": "add", "mean": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}
"""The operations that put two values of a reduction together."""


def resolve_listed(reader: Reader, node: ast.Reduction, row: ReductionRow) -> Term | None:
    """The terms for each index that is listed, one for those that are the same; None for all other reductions."""
    match node:
        case ast.Reduction(
            subscript=ast.Relation(operators=(r"\in",), operands=(name, ast.SetDisplay(items=items))) as binding, superscript=None
        ) if row.name in _JOINING and read_binding(reader, binding) is None:
            pass
        case _:
            return None
    word, places = word_of(name), [as_poly(reader, item, True) for item in items]
    if word is None or not items or any(place is None for place in places):
        return None
    found: Term | None = None
    count: Term = NumberTerm(0, span=node.span)
    for at, (item, place) in enumerate(zip(items, places, strict=True)):
        same = [before for before, other in zip(items, places[:at], strict=False) if place is not None and _may_be(place, other)]
        if place in places[:at]:
            continue
        value = reader.resolve(put(node.body, {word: item}))
        one: Term = NumberTerm(1, span=item.span)
        if same:
            new = tuple(ast.Relation((r"\neq",), (item, before), span=item.span) for before in same)
            holds = conditions.resolve_condition(reader, new[0] if len(new) == 1 else ast.Logic("and", new, span=item.span))
            if row.of_nothing is not None or row.divides_by_extent:
                nothing = NumberTerm(row.of_nothing) if isinstance(row.of_nothing, bool) else Constant(float(row.neutral))
                value = CaseTerm(((holds, value), (None, nothing)), span=item.span)
            one = CaseTerm(((holds, one), (None, NumberTerm(0, span=item.span))), span=item.span)
        found = value if found is None else Elementwise(_JOINING[row.name], (found, value), span=node.span)
        count = Elementwise("add", (count, one), span=node.span)
    assert found is not None
    found = replace(found, span=node.span)
    return Elementwise("div", (found, count), span=node.span) if row.divides_by_extent else found


def _may_be(one: Poly, other: Poly | None) -> bool:
    """Whether two indices are the same for some sizes."""
    return other is None or bool((one - other).names) or one == other
