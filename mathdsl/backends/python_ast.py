"""Small builders for Python expressions: templates with placeholders, polynomials, subscripts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import lcm
from typing import Any

from mathdsl.ir.sizes import Monomial, Poly

_HOLE = "__hole_{}__"


@cache
def _parsed(template: str, count: int) -> ast.expr:
    holes = [_HOLE.format(i) for i in range(count)]
    return ast.parse(template.format(*holes), mode="eval").body


def fmt(template: str, *operands: ast.expr) -> ast.expr:
    """The expression that `template` spells, with `{0}`, `{1}`, … standing for the operands (as trees, never as text)."""
    values = {_HOLE.format(i): operand for i, operand in enumerate(operands)}
    return _filled(_parsed(template, len(operands)), values)


def _filled(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    """A copy of the tree with values for names; the trees of the values are shared, which is safe as none is changed."""
    if isinstance(node, ast.Name):
        return values.get(node.id, node)
    kind: Any = type(node)
    copy: ast.expr = kind(**{field: _filled_part(part, values) for field, part in ast.iter_fields(node)})
    return copy


def _filled_part(part: object, values: dict[str, ast.expr]) -> object:
    match part:
        case ast.expr():
            return _filled(part, values)
        case ast.keyword(arg=arg, value=value):
            return ast.keyword(arg=arg, value=_filled(value, values))
        case list():
            return [_filled_part(item, values) for item in part]
        case _:
            return part


def name(text: str) -> ast.expr:
    """A name or a dotted path."""
    head, *rest = text.split(".")
    node: ast.expr = ast.Name(head, ast.Load())
    for part in rest:
        node = ast.Attribute(node, part, ast.Load())
    return node


def const(value: float | int | bool | str | None) -> ast.expr:
    """A literal; infinities and negative numbers are spelled as expressions."""
    if isinstance(value, float) and value != value:
        return fmt("float('nan')")
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return fmt("float('inf')") if value > 0 else fmt("float('-inf')")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def call(function: str | ast.expr, *arguments: ast.expr, **keywords: ast.expr) -> ast.expr:
    """A call with positional and keyword arguments."""
    callee = name(function) if isinstance(function, str) else function
    return ast.Call(callee, list(arguments), [ast.keyword(arg=k, value=v) for k, v in keywords.items()])


def method(value: ast.expr, attribute: str, *arguments: ast.expr) -> ast.expr:
    """`value.attribute(arguments)`."""
    return ast.Call(ast.Attribute(value, attribute, ast.Load()), list(arguments), [])


def tuple_of(items: Iterable[ast.expr]) -> ast.expr:
    """A tuple display."""
    return ast.Tuple(list(items), ast.Load())


def star(value: ast.expr) -> ast.expr:
    """`*value` inside a display."""
    return ast.Starred(value, ast.Load())


def subscript(value: ast.expr, *entries: ast.expr) -> ast.expr:
    """`value[entries]`."""
    return ast.Subscript(value, entries[0] if len(entries) == 1 else tuple_of(entries), ast.Load())


def slice_of(start: ast.expr | None, stop: ast.expr | None) -> ast.expr:
    """`start:stop` inside a subscript."""
    return ast.Slice(start, stop, None)


ELLIPSIS: ast.expr = ast.Constant(...)
NEW_AXIS: ast.expr = ast.Constant(None)
EVERYTHING: ast.expr = ast.Slice(None, None, None)


def chain(operator: ast.operator, items: Sequence[ast.expr]) -> ast.expr:
    """`a + b + c` from the left."""
    result = items[0]
    for item in items[1:]:
        result = ast.BinOp(result, operator, item)
    return result


def unparse(node: ast.AST) -> str:
    """Python text of a tree."""
    return ast.unparse(node)


def unparse_tuple(node: ast.expr) -> str:
    """Python text of an expression that may be a tuple, which then stands without parentheses."""
    if not isinstance(node, ast.Tuple) or len(node.elts) < 2:
        return unparse(node)
    return ", ".join(unparse(item) for item in node.elts)


def poly(value: Poly, lookup: Callable[[str], ast.expr]) -> ast.expr:
    """An integer-valued polynomial in Python; `lookup` spells its names. Divisions are exact, so `//` is right.

    Terms with fractional coefficients are integers only together (`n (n + 1) / 2`): they share one division.
    """
    if not value.terms:
        return ast.Constant(0)
    ordered = sorted(value.terms, key=lambda term: (term[0] == (), term[1] < 0, term[0]))
    denominator = lcm(*(c.denominator for _, c in ordered))
    whole = [(m, int(c)) for m, c in ordered if c.denominator == 1]
    broken = [(m, int(c * denominator)) for m, c in ordered if c.denominator != 1]
    if not broken:
        return _sum(whole, lookup)
    divided = ast.BinOp(_sum(broken, lookup), ast.FloorDiv(), ast.Constant(denominator))
    return ast.BinOp(divided, ast.Add(), _sum(whole, lookup)) if whole else divided


def _sum(terms: Sequence[tuple[Monomial, int]], lookup: Callable[[str], ast.expr]) -> ast.expr:
    result: ast.expr | None = None
    for monomial, c in terms:
        term = _term(monomial, abs(c), lookup)
        if result is None:
            result = ast.UnaryOp(ast.USub(), term) if c < 0 else term
        else:
            result = ast.BinOp(result, ast.Sub() if c < 0 else ast.Add(), term)
    return ast.Constant(0) if result is None else result


def _term(monomial: Monomial, size: int, lookup: Callable[[str], ast.expr]) -> ast.expr:
    factors: list[ast.expr] = [] if size == 1 and any(p > 0 for _, p in monomial) else [ast.Constant(size)]
    for variable, power in monomial:
        if power > 0:
            factors.append(lookup(variable) if power == 1 else ast.BinOp(lookup(variable), ast.Pow(), ast.Constant(power)))
    term = chain(ast.Mult(), factors)
    for variable, power in monomial:
        for _ in range(-power):
            term = ast.BinOp(term, ast.FloorDiv(), lookup(variable))
    return term
