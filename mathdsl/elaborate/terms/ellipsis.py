r"""Ellipsis lists: `h_1, \dots, h_S` is the family over the range in which its two ends differ."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.indices import as_poly, check_ascending, range_between
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Binder
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


@dataclass
class _Difference:
    """The places where the two ends differ: the expressions at them."""

    first: ast.Expression | None = None
    last: ast.Expression | None = None
    clash: bool = False


def read_ellipsis(reader: Reader, items: tuple[ast.Expression, ...]) -> tuple[Binder, ast.Expression] | None:
    """The index variable and the general element of `e_a, \\dots, e_b`; None where there is no ellipsis."""
    at = next((k for k, item in enumerate(items) if isinstance(item, ast.Dots)), None)
    if at is None:
        return None
    if at == 0 or at != len(items) - 2:
        raise refuse(
            "E0507",
            "an ellipsis stands between the first elements and the last one",
            items[at].span,
            help=r"write `x_1, \dots, x_n`",
        )
    first, last = items[0], items[-1]
    hole = ast.Identifier(f"#{len(reader.entries.axis_names)}", span=first.span)
    found = _Difference()
    pattern = cast(ast.Expression, _generalise(first, last, hole, found))
    is_range = pattern is hole  # `1, \\dots, n`: the ends are the integers themselves, and a name with scripts is none
    creates = not (is_range and isinstance(found.first, ast.Scripts))
    lower = None if found.first is None else as_poly(reader, found.first, creates)
    upper = None if found.last is None else as_poly(reader, found.last, creates)
    place, near = first.span.to(last.span), r"write `x_1, \dots, x_n`, where only the index changes"
    if not found.clash and found.first is not None and found.last is not None and (lower is None or upper is None):
        ends = " and ".join(f"`{render_expression(end)}`" for end in (found.first, found.last))
        raise refuse("E0507", f"the two ends of this list differ in {ends}, which are no integer indices", place, help=near)
    if found.clash or lower is None or upper is None:
        raise refuse("E0507", "the two ends of this list differ in more than one index", place, help=near)
    bounds = range_between(reader, lower, upper, first.span)
    check_ascending(reader, bounds, first.span.to(last.span))
    return reader.binder(Name(hole.text), bounds, first.span), pattern


def _generalise(first: object, last: object, hole: ast.Identifier, found: _Difference) -> object:
    if first == last:
        return first
    if type(first) is type(last) and isinstance(first, ast.Node) and not isinstance(first, (ast.Number, ast.Identifier)):
        changes: dict[str, object] = {}
        trial = _Difference(found.first, found.last)
        for item in fields(first):
            a, b = getattr(first, item.name), getattr(last, item.name)
            if item.compare and a != b:
                changes[item.name] = _generalise(a, b, hole, trial)
        if not trial.clash and not isinstance(first, ast.Binary):
            found.first, found.last = trial.first, trial.last
            return replace(first, **changes)  # type: ignore[arg-type]
    if isinstance(first, tuple) and isinstance(last, tuple) and len(first) == len(last):
        return tuple(_generalise(a, b, hole, found) for a, b in zip(first, last, strict=True))
    if not isinstance(first, ast.Node) or not isinstance(last, ast.Node):
        found.clash = True
        return first
    if found.first is not None and (found.first != first or found.last != last):
        found.clash = True
    found.first, found.last = cast(ast.Expression, first), cast(ast.Expression, last)
    return hole
