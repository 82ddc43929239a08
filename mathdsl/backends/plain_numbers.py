"""Numbers in Python as a person spells them.

Before → after::

    float(-(10 ** 9))            →   -1000000000.0
    math.sqrt(float(self.d))     →   math.sqrt(self.d)          a function of `math` takes integers
    x / float(self.d)            →   x / self.d                 where `x` is a real tensor

Only a size by itself goes without `float`: a formula of integers might be a division.
"""

from __future__ import annotations

import ast

from mathdsl.backends.python_ast import const, fmt

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_MOST = 10**15  # below it each integer is a float of its own


def scalar(template: str, *operands: ast.expr) -> ast.expr:
    """`fmt` for an operation on Python numbers."""
    if template.startswith("math."):
        return fmt(template, *map(_without_float, operands))
    if template == "float({0})":
        number = _integer(operands[0])
        if number is not None:
            return const(float(number))
    return fmt(template, *operands)


def beside_tensors(node: ast.expr) -> ast.expr:
    """An arithmetic operation, at least one operand of which is a real tensor."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            return ast.BinOp(_without_float(left), op, _without_float(right))
        case _:
            return node


def _without_float(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Name() | ast.Attribute(value=ast.Name(id="self")) as number]):
            return number
        case _:
            return node


def _integer(node: ast.expr) -> int | None:
    """The value of an integer that is written with digits alone."""
    match node:
        case ast.Constant(value=value) if type(value) is int and value < _MOST:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _integer(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _integer(left), _integer(right)
            if base is None or power is None or not 0 <= power < 50 or abs(base) > 10 or abs(base) ** power > _MOST:
                return None
            return int(base**power)
        case _:
            return None
