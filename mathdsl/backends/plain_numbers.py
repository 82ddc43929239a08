"""Numbers in Python as a person spells them.

Before → after::

    float(-(10 ** 9))            →   -1000000000.0
    math.sqrt(float(self.d))     →   math.sqrt(self.d)          a function of `math` takes integers
    x / float(self.d)            →   x / self.d                 where `x` is a real tensor

Only a size by itself goes without `float`: a formula of integers might be a division.

Where Python would raise, or leave the reals, numbers have torch's values, as tensors have::

    1.0 / float(d - 1)           →   _divide(1.0, float(d - 1))
    math.log(float(d - 1))       →   _number(math.log, torch.log, float(d - 1))
"""

from __future__ import annotations

import ast

from mathdsl.analysis.facts import facts_of_sizes
from mathdsl.backends.python_ast import const, fmt
from mathdsl.ir.nodes import Element, Module
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.values import Constant, Extent, Integer, Map, Setting, Value

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_MOST = 10**15  # below it each integer is a float of its own


def scalar(template: str, *operands: ast.expr) -> ast.expr:
    """`fmt` for an operation on Python numbers."""
    if template.startswith(("math.", "_number(")):
        return fmt(template, *map(_without_float, operands))
    if template == "float({0})":
        number = _integer(operands[0])
        if number is not None:
            return const(float(number))
    return fmt(template, *operands)


def has_a_value(module: Module, value: Map) -> bool:
    """Whether Python computes an operation on numbers as torch does, whatever they are: `1 / n` where the constructor asks for `n >= 1`."""
    row, operands = ELEMENTWISE[value.op], value.operands
    if row.safe is None or operands[0].element is not Element.REAL:
        return True
    guarded = operands[row.safe.operand]
    match value.op:
        case "sqrt":  # of a setting, `\\sqrt{d_k}`: who gives a negative one hears it from Python
            return isinstance(guarded, Setting) or _is_signed(module, guarded, 0)
        case "pow" if _is_whole(operands[1]):
            return True
        case "div" | "mod" | "log" | "log2" | "pow":
            return _is_signed(module, guarded, 1)
        case _:
            return isinstance(guarded, Constant)


def _is_whole(power: Value) -> bool:
    """Whether a power is that of a product: 2, or the turn `t` of a loop."""
    match power:
        case Constant(value=value):
            return value >= 0 and float(value).is_integer()
        case Map(op="to_real", operands=(Integer(value=poly),)):
            return all(factor > 0 for _, factor in poly.terms)
        case _:
            return False


def _is_signed(module: Module, value: Value, least: int) -> bool:
    """Whether a number is never negative (`least` 0), or always positive (1), as the constructor asks for it."""

    def all_are(values: tuple[Value, ...], least: int) -> bool:
        return all(_is_signed(module, one, least) for one in values)

    match value:
        case Constant(value=number):
            return number > 0 or number >= least
        case Integer(value=poly):
            return facts_of_sizes(module.sizes).proves_nonnegative(poly - least)
        case Extent():
            return least == 0
        case Setting(name=name):
            interval = next((one.interval for one in module.settings if one.name == name), None)
            if interval is None or interval.lower is None:
                return False
            return interval.lower > 0 or interval.lower == 0 and (least == 0 or not interval.has_lower)
        case Map(op="add", operands=parts):
            return all_are(parts, 0) and (least == 0 or any(_is_signed(module, one, 1) for one in parts))
        case Map(op="to_real" | "sqrt" | "mul" | "div", operands=parts):
            return all_are(parts, least)
        case Map(op="pow", operands=(base, _)):
            return _is_signed(module, base, least)
        case _:
            return False


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
