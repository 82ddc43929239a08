"""What is known of an expression without computing it: the rows of the operations say what each makes of what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from mathdsl.ir.nodes import Along, Apply, Expr, IndexValue, Literal, Read, Reduce, Select, Setting
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS
from mathdsl.ops.abstract import Abstract, only


def nothing(expr: Expr) -> None:
    """Where nothing is known of arrays."""


def interpret(expr: Expr, known: Callable[[Expr], Abstract | None]) -> Abstract:
    """What is known of the value of an expression; `known` answers for what is read, or for any part before its own parts are asked."""
    found = known(expr)
    if found is not None:
        return found
    match expr:
        case Literal(value=value):
            return only(value)
        case IndexValue() | Setting() | Read():
            return Abstract()
        case Apply(op=op, arguments=arguments):
            return interpret_operation(op, [interpret(argument, known) for argument in arguments])
        case Reduce(op=op, body=body):
            return REDUCTIONS[op].abstract(interpret(body, known))
        case Along(op=op, body=body):
            return ALONG[op].abstract(interpret(body, known))
        case Select(then=one, otherwise=other):
            return interpret(one, known).joined(interpret(other, known))
        case _:
            assert_never(expr)


def interpret_operation(op: str, operands: Sequence[Abstract]) -> Abstract:
    """What an elementwise operation makes of its operands: of numbers that are known, the number that the row computes."""
    row = ELEMENTWISE[op]
    values = [value for operand in operands if (value := operand.point) is not None]
    if row.decided_by is not None and any(value is row.decided_by for value in values):
        return only(row.decided_by)
    if len(values) == len(operands) and not row.random:
        try:
            return only(row.evaluate(*values))
        except OverflowError:
            return only(float("inf"))  # a whole number beyond all bounds
        except (ArithmeticError, ValueError):
            pass
    return row.abstract(*operands)


def partial_operand(expr: Expr) -> Expr | None:
    """The operand at which an operation can fail or overflow; None where it cannot."""
    row = ELEMENTWISE[expr.op] if isinstance(expr, Apply) else None
    if not isinstance(expr, Apply) or row is None or row.safe is None:
        return None
    if row.is_total is not None and row.is_total(*(interpret(argument, nothing) for argument in expr.arguments)):
        return None
    return expr.arguments[row.safe.operand]
