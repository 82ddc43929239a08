"""Expressions of the IR as text, with only the parentheses that they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from mathdsl.ir.nodes import (
    Along,
    Apply,
    Axis,
    Expr,
    Index,
    IndexValue,
    Literal,
    Range,
    Read,
    Reduce,
    Select,
    Setting,
)
from mathdsl.ir.sizes import Poly

# operation: (symbol, how tightly it binds)
_INFIX = {
    "or": ("or", 1),
    "and": ("and", 2),
    "equal": ("==", 4),
    "close": ("close to", 4),
    "not_equal": ("!=", 4),
    "less": ("<", 4),
    "less_equal": ("<=", 4),
    "within": ("within", 4),
    "greater": (">", 4),
    "greater_equal": (">=", 4),
    "add": ("+", 5),
    "sub": ("-", 5),
    "mul": ("*", 6),
    "div": ("/", 6),
    "mod": ("mod", 6),
    "pow": ("**", 8),
}
_PREFIX = {"not": ("not ", 3), "neg": ("-", 7)}
_CHAINS = frozenset({"add", "mul", "and", "or"})  # (a + b) + c needs no parentheses, on either side
_LOOSEST, _SUM, _TIGHTEST = 0, 5, 9


def print_poly(poly: Poly) -> str:
    """A polynomial without spaces: `t-1`, `2*d`."""
    return str(poly).replace(" ", "")


def print_range(bounds: Range) -> str:
    """`1..S`, both ends included."""
    return f"{print_poly(bounds.lower)}..{print_poly(bounds.upper)}"


def print_axes(axes: Sequence[Axis]) -> str:
    """`t in 1..S, i in 0..d-1`."""
    return ", ".join(f"{axis.name} in {print_range(axis.range)}" for axis in axes)


def print_index(index: Index) -> str:
    """An index of a read: a polynomial or an expression."""
    return print_poly(index) if isinstance(index, Poly) else print_expression(index)


def print_expression(expr: Expr) -> str:
    """The expression on one line."""
    return _print(expr, _LOOSEST)


def _print(expr: Expr, around: int) -> str:
    """The expression, in parentheses where what stands around it binds more tightly."""
    text, tightness = _text(expr)
    return f"({text})" if tightness < around else text


def _text(expr: Expr) -> tuple[str, int]:
    """The text and how tightly it holds together."""
    match expr:
        case Literal(value=value):
            return (str(value).lower() if isinstance(value, bool) else repr(value)), _TIGHTEST if value >= 0 else 7
        case IndexValue(value=poly):
            return print_poly(poly), _TIGHTEST if len(poly.terms) == 1 and poly.names and "*" not in str(poly) else _SUM
        case Setting(name=name):
            return name, _TIGHTEST
        case Read(array=array, index=index):
            return array + (f"[{', '.join(print_index(i) for i in index)}]" if index else ""), _TIGHTEST
        case Apply(op=op, arguments=arguments):
            return _apply(op, arguments)
        case Reduce(op=op, axis=axis, body=body):
            return f"{op}({print_axes((axis,))}: {print_expression(body)})", _TIGHTEST
        case Along(op=op, axis=axis, body=body, at=at):
            return f"{op}({print_axes((axis,))}: {print_expression(body)})[{print_index(at)}]", _TIGHTEST
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"{_print(then, 1)} if {_print(condition, 1)} else {_print(otherwise, _LOOSEST)}", _LOOSEST
        case _:
            assert_never(expr)


def _apply(op: str, arguments: Sequence[Expr]) -> tuple[str, int]:
    if op in _INFIX and len(arguments) == 2:
        symbol, tightness = _INFIX[op]
        left, right = arguments
        is_relation = tightness == 4
        left_around = tightness + (is_relation or op == "pow")
        right_around = tightness + (not (op in _CHAINS and isinstance(right, Apply) and right.op == op))
        return f"{_print(left, left_around)} {symbol} {_print(right, right_around)}", tightness
    if op in _PREFIX and len(arguments) == 1:
        symbol, tightness = _PREFIX[op]
        return symbol + _print(arguments[0], tightness + 1), tightness
    return f"{op}({', '.join(print_expression(argument) for argument in arguments)})", _TIGHTEST
