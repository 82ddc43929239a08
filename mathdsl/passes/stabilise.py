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
from mathdsl.ir.nodes import Along, Apply, Element, Equation, Expr, Literal, Module, Program, Range, Read, Reduce
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, map_results, map_step, rewrite, step_targets, substitute_axes
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
    softmaxes = _softmax_values(module)
    fresh = FreshNames(module_names(module))

    def node(expr: Expr) -> Expr:
        match expr:
            case Apply(op="log", arguments=(Read(array=array, index=index),)) if array in softmaxes:
                opened = _element(softmaxes[array], index, fresh)
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


def _softmax_values(module: Module) -> dict[str, Equation]:
    """The equations that define a whole array as a softmax."""
    counts: dict[str, int] = {}
    for step in module.steps:
        for target in step_targets(step):
            counts[target] = counts.get(target, 0) + 1
    found = (step for step in module.steps if isinstance(step, Equation) and counts[step.target] == 1)
    return {step.target: step for step in found if isinstance(step.value, Along) and step.value.op == "softmax"}


def _element(equation: Equation, index: tuple[Poly | Expr, ...], fresh: FreshNames) -> Expr | None:
    """The element as an expression: `at` may be data, the other indices only polynomials."""
    softmax = equation.value
    assert isinstance(softmax, Along)
    values: dict[str, Poly] = {}
    data: tuple[Poly, Expr] | None = None
    for entry, place in zip(equation.index, index, strict=True):
        if isinstance(place, Poly):
            values[next(iter(entry.names), "")] = place
        elif data is None:
            data = entry, place
        else:
            return None
    opened = substitute_axes(replace(softmax, at=Poly.of(0)), values, fresh)
    assert isinstance(opened, Along)
    if data is None:
        return replace(opened, at=softmax.at.substitute(values) if isinstance(softmax.at, Poly) else softmax.at)
    variable, place = data
    if not isinstance(softmax.at, Poly) or not variable.names.isdisjoint({*free_names(opened), *(softmax.at - variable).names}):
        return None
    return replace(_rebased(opened, (softmax.at - variable).substitute(values), fresh), at=place)


def _rebased(along: Along, shift: Poly, fresh: FreshNames) -> Along:
    """The operation over an axis that counts from another base, so that `shift` added to its index is the old one."""
    if shift == Poly.of(0):
        return along
    bounds, name = along.axis.range, along.axis.name
    axis = replace(along.axis, range=Range(bounds.lower - shift, bounds.upper - shift))
    return replace(along, axis=axis, body=substitute_axes(along.body, {name: Poly.of(name) + shift}, fresh))
