"""Names for parts of formulas, made of the names in them: `E_x`, `w_is_pad`, `t_minus_1`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mathdsl.backends.python_ast import dotted, unparse

_MOST = 24  # characters of a name that says more than `part`
_PLAIN = "part"
_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "over",
    ast.Mod: "mod",
    ast.Pow: "to_the",
    ast.MatMult: "at",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.Eq: "is",
    ast.NotEq: "is_not",
    ast.Lt: "below",
    ast.LtE: "at_most",
    ast.Gt: "above",
    ast.GtE: "at_least",
    ast.Invert: "not",
    ast.USub: "minus",
}
_CALLS = {  # what a call is named after: words, and numbers of arguments
    "torch.nn.functional.embedding": (1, 0),
    "torch.nn.functional.linear": (1, 0),
    "_fill": (0,),
    "_own_softmax": ("softmax", 0),
    "_own_log_softmax": ("log_softmax", 0),
    "_common_element": (0, 1),
    "_own_element": (0, 1),
    "_own_values": ("own", 1),
    "_where_any": (0,),
}


def part_name(node: ast.AST, indices: Mapping[str, str]) -> str:
    """A name for a formula; `indices` are the letters of index tensors by their text."""
    words = _words(node, indices)
    return words if words and len(words) <= _MOST and words.isidentifier() else _PLAIN


def _words(node: ast.AST, indices: Mapping[str, str]) -> str:
    letter = indices.get(unparse(node)) if isinstance(node, ast.Call) else None
    if letter is not None:
        return letter
    match node:
        case ast.Compare(
            left=ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant(value=2)),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0 | 1 as rest)],
        ):
            return _joined(_words(left, indices), "is_odd" if rest else "is_even")
        case ast.Name(id=local):
            return local.removesuffix("_padded")
        case ast.Constant(value=int(value)):
            return str(value)
        case ast.Constant(value=float(value)) if value.is_integer():
            return str(int(value))
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return attribute
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return _words(value, indices)
        case ast.BinOp(left=left, op=operator, right=right) | ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _joined(_words(left, indices), _OPERATORS.get(type(operator), ""), _words(right, indices))
        case ast.UnaryOp(op=operator, operand=operand):
            return _joined(_OPERATORS.get(type(operator), ""), _words(operand, indices))
        case ast.Call(func=function, args=arguments):
            text = dotted(function)
            if isinstance(function, ast.Attribute) and not text.startswith("torch."):
                return _words(function.value, indices)
            named = _CALLS.get(text, (text.rpartition(".")[2].strip("_"), 0))
            return _joined(*(_words(arguments[part], indices) if isinstance(part, int) else part for part in named))
        case _:
            return ""


def _joined(*words: str) -> str:
    """The words, if there are all."""
    return "_".join(words) if all(words) else ""
