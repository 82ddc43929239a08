r"""Compute what is written plainly in a form that neither overflows nor cancels.

Before -> after, a row each of `ROWS`::

    log(softmax(j: z[j])[i])      ->  log_softmax(j: z[j])[i]
    log(sum(j: exp(z[j])))        ->  logsumexp(j: z[j])
    log(sigmoid(x))               ->  logsigmoid(x)
    log(1 + exp(x))               ->  softplus(x)
    1 - sigmoid(x)                ->  sigmoid(-x)
    norm(i: x[i]) ** 2            ->  sum(i: x[i] * x[i])

also where the softmax is a value of its own that the logarithm reads an element of. The new form has the value and the
gradient of the old one wherever that is finite. Everything else stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Along, Apply, Element, Expr, Literal, Module, Program, Read, Reduce
from mathdsl.ir.traversal import map_results, map_step, rewrite
from mathdsl.passes.definitions import element_of_definition, sole_definitions
from mathdsl.passes.extraction import is_random
from mathdsl.passes.renaming import module_names


@dataclass(frozen=True)
class Row:
    """`rewrite` gives the stable form of an expression that has the form `before`, None for any other."""

    before: str
    after: str
    rewrite: Callable[[Expr], Expr | None]


def _log_of_softmax(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="log", arguments=(Along(op="softmax") as along,)):
            return replace(along, op="log_softmax")
        case _:
            return None


def _log_of_sum_of_exp(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="log", arguments=(Reduce(op="sum", body=Apply(op="exp", arguments=(exponent,))) as reduce,)):
            return replace(reduce, op="logsumexp", body=exponent)
        case _:
            return None


def _log_of_sigmoid(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="log", arguments=(Apply(op="sigmoid", arguments=operands),)):
            return Apply("logsigmoid", operands, Element.REAL)
        case _:
            return None


def _log_of_one_plus_exp(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="log", arguments=(Apply(op="add", arguments=(Literal(value=1), Apply(op="exp", arguments=operands))),)):
            return Apply("softplus", operands, Element.REAL)
        case Apply(op="log", arguments=(Apply(op="add", arguments=(Apply(op="exp", arguments=operands), Literal(value=1))),)):
            return Apply("softplus", operands, Element.REAL)
        case _:
            return None


def _one_minus_sigmoid(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="sub", arguments=(Literal(value=1), Apply(op="sigmoid", arguments=operands))):
            return Apply("sigmoid", (Apply("neg", operands, Element.REAL),), Element.REAL)
        case _:
            return None


def _even_power_of_norm(expr: Expr) -> Expr | None:
    match expr:
        case Apply(op="pow", arguments=(Reduce(op="norm") as norm, Literal(value=power))) if (
            power > 0 and power % 2 == 0 and not is_random(norm)
        ):
            squares = _squared(norm)
            return squares if power == 2 else replace(expr, arguments=(squares, Literal(float(power // 2))))
        case _:
            return None


def _squared(expr: Expr) -> Expr:
    match expr:
        case Reduce(op="norm", body=body):
            return replace(expr, op="sum", body=_squared(body))
        case _:
            return Apply("mul", (expr, expr), Element.REAL)


ROWS: tuple[Row, ...] = (
    Row(r"\log \softmax(z)_i", r"\operatorname{log\,softmax}(z)_i", _log_of_softmax),
    Row(r"\log \sum_j e^{z_j}", r"\operatorname{logsumexp}_j z_j", _log_of_sum_of_exp),
    Row(r"1 - \sigma(x)", r"\sigma(-x)", _one_minus_sigmoid),
    Row(r"\log \sigma(x)", r"\operatorname{logsigmoid}(x)", _log_of_sigmoid),
    Row(r"\lVert x \rVert^2", r"\sum_i x_i^2", _even_power_of_norm),
    Row(r"\log(1 + e^x)", r"\operatorname{softplus}(x)", _log_of_one_plus_exp),
)


def stabilise(program: Program) -> Program:
    """Put the stable forms into each of the document's modules."""
    return replace(program, modules=tuple(_stabilised(module) for module in program.modules))


def _stabilised(module: Module) -> Module:
    definitions = sole_definitions(module)
    softmaxes = {name: e for name, e in definitions.items() if isinstance(e.value, Along) and e.value.op == "softmax"}
    fresh = FreshNames(module_names(module))

    def node(expr: Expr) -> Expr:
        match expr:
            case Apply(op="log", arguments=(Read(array=array) as read,)) if array in softmaxes:
                opened = element_of_definition(softmaxes[array], read, fresh)
                expr = expr if opened is None else replace(expr, arguments=(opened,))
        for row in ROWS:
            stable = row.rewrite(expr)
            if stable is not None:
                return stable
        return expr

    def change(expr: Expr) -> Expr:
        return rewrite(expr, node)

    return replace(
        module,
        steps=tuple(map_step(step, change) for step in module.steps),
        checks=tuple(replace(check, condition=change(check.condition)) for check in module.checks),
        results=map_results(module.results, lambda value: replace(value, value=change(value.value))),
    )
