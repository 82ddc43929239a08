r"""Compute what is written plainly in a form that neither overflows nor cancels.

Before -> after, also where parts are values of their own::

    log(softmax(j: z[j])[i])               ->  log_softmax(j: z[j])[i]
    log(sum(j: exp(z[j])))                 ->  logsumexp(j: z[j])
    log(exp(a) + exp(b))                   ->  logaddexp(a, b)
    log(sigmoid(x)), log(1 - sigmoid(x))   ->  logsigmoid(x), logsigmoid(-x)
    log(1 + exp(x))                        ->  softplus(x)
    exp(z[i]) / sum(j: exp(z[j]))          ->  softmax(j: z[j])[i]
    sum(i: exp(z[i]) * v[i]) / sum(j: exp(z[j]))  ->  sum(i: exp(z[i] - logsumexp(j: z[j])) * v[i])
    1 / (1 + exp(-x))                      ->  sigmoid(x)
    1 - sigmoid(x)                         ->  sigmoid(-x)
    p * log(p)                             ->  xlogy(p, p)               (0 at p = 0, with the gradient 0)
    p * log(p / q)                         ->  p * log(p / q) if p != 0 else 0
    p * log_softmax(j: z[j])[i]            ->  times_log(p, log_softmax(j: z[j])[i])    (0 at p = 0, where z[i] may be infinite)
    norm(i: x[i]) ** 2                     ->  sum(i: x[i] * x[i])
    x * sqrt(x), x ** 2 * x ** 0.5         ->  x ** 1.5, x ** 2.5          (at 0: the slope 0, where the factors have none)
    sqrt(x ** 4), sqrt(x ** 2)             ->  x ** 2, abs(x)

A logarithm goes into products, quotients, sums, powers and selections of exponentials; a quotient by a sum of exponentials takes
its logarithm from the exponents above. Where a value is still read elsewhere, the products inside its exponents become values of
their own, and are computed once. The new form has the value and the gradient of the old one wherever that is finite.

Declines: values that several equations or a call define, random ones, factors inside a sum whose sign nothing tells
(`log(sum(j: w[j] * exp(z[j])))`), and `1 - p` where `p` is a name, unless a logarithm is taken of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Axis,
    Element,
    Equation,
    Expr,
    Kind,
    Literal,
    Module,
    Program,
    Range,
    Read,
    Reduce,
    Select,
    Step,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import (
    free_names,
    map_children,
    map_results,
    module_expressions,
    reads,
    substitute_axes,
)
from mathdsl.passes.definitions import element_of_definition, sole_definitions
from mathdsl.passes.extraction import Extractor, has_contraction, is_random
from mathdsl.passes.masked_logs import MaskedLogs, find_masked_logs
from mathdsl.passes.renaming import module_names

_MOST_ROUNDS = 4  # what is put in the place of a name may have a stable form itself

Axes: TypeAlias = Mapping[str, Range]


def stabilise(program: Program) -> Program:
    """Put the stable forms into each of the document's modules."""
    return replace(program, modules=tuple(_stabilised(module) for module in program.modules))


def _stabilised(module: Module) -> Module:
    opened: set[str] = set()
    stable = _rounds(module, opened)
    still_read = {read.array for expr in module_expressions(stable) for read in reads(expr)}
    shared = {name for name in opened & still_read if has_contraction(sole_definitions(module)[name].value)}
    return _rounds(_with_exponents_apart(module, shared), set()) if shared else stable


def _rounds(module: Module, opened: set[str]) -> Module:
    for _ in range(_MOST_ROUNDS):
        before, module = module, _round(module, opened)
        if module == before:
            break
    return module


def _round(module: Module, opened: set[str]) -> Module:
    parameters = frozenset(array.name for array in module.arrays if array.kind in (Kind.PARAMETER, Kind.BUFFER))
    definitions = sole_definitions(module)
    stable = _Stabiliser(definitions, FreshNames(module_names(module)), opened, parameters, find_masked_logs(module, definitions))
    return replace(
        module,
        steps=tuple(_change_step(step, stable) for step in module.steps),
        checks=tuple(replace(check, condition=stable.change(check.condition, _ranges(check.axes))) for check in module.checks),
        results=map_results(module.results, lambda value: _change_value(value, (), stable)),
    )


def _change_step(step: Step, stable: _Stabiliser) -> Step:
    if isinstance(step, Equation):
        value = replace(stable, inside=frozenset({step.target})).change(step.value, _ranges(step.axes))
        return step if value is step.value else replace(step, value=value)
    arguments = tuple(replace(a, value=_change_value(a.value, step.axes, stable)) for a in step.arguments)
    return replace(step, arguments=arguments)


def _change_value(value: Abstraction, around: tuple[Axis, ...], stable: _Stabiliser) -> Abstraction:
    return replace(value, value=stable.change(value.value, _ranges((*around, *value.axes))))


def _ranges(axes: tuple[Axis, ...]) -> Axes:
    return {axis.name: axis.range for axis in axes}


# ---- products inside the exponents of a value that is put elsewhere ------------------------------------


def _with_exponents_apart(module: Module, arrays: set[str]) -> Module:
    """`p[i] = sigmoid(sum(j: W[i, j] * x[j]))` as `W_x[i] = sum(j: …)` and `p[i] = sigmoid(W_x[i])`."""
    extractor = Extractor(module)
    steps: list[Step] = []
    for step in module.steps:
        if isinstance(step, Equation) and step.target in arrays:
            value = _apart(step.value, step.axes, step, extractor)
            steps += extractor.take_equations()
            step = replace(step, value=value)
        steps.append(step)
    return extractor.finish(steps)


def _apart(expr: Expr, around: tuple[Axis, ...], step: Equation, extractor: Extractor) -> Expr:
    match expr:
        case Apply(op="exp" | "sigmoid", arguments=(exponent,)) if has_contraction(exponent):
            return replace(expr, arguments=(extractor.extract(exponent, around, step.origin) or exponent,))
        case Along(op="softmax", axis=axis, body=body) if has_contraction(body):
            return replace(expr, body=extractor.extract(body, (*around, axis), step.origin) or body)
        case Reduce(axis=axis, body=body):
            return replace(expr, body=_apart(body, (*around, axis), step, extractor))
        case Apply():
            return map_children(expr, lambda child: _apart(child, around, step, extractor))
        case _:
            return expr


# ---- the forms -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Log:
    """The logarithm of an expression; `is_of_exp`: of one that can overflow, not only of a probability."""

    value: Expr
    is_of_exp: bool


@dataclass(frozen=True)
class _Stabiliser:
    """Changes the expressions of one module; `inside` are the arrays whose definitions are around, `opened` those put elsewhere."""

    definitions: Mapping[str, Equation]
    fresh: FreshNames = field(repr=False)
    opened: set[str]
    parameters: frozenset[str]
    masked: MaskedLogs | None  # None where the module has no logarithm
    inside: frozenset[str] = frozenset()

    def change(self, expr: Expr, axes: Axes) -> Expr:
        """The expression with stable forms, inner ones first."""
        match expr:
            case Reduce(axis=axis, body=body):
                inner = self.change(body, {**axes, axis.name: axis.range})
                return expr if inner is body else replace(expr, body=inner)
            case Along(axis=axis, body=body, at=at):
                inner = self.change(body, {**axes, axis.name: axis.range})
                place = at if isinstance(at, Poly) else self.change(at, axes)
                return expr if inner is body and place is at else replace(expr, body=inner, at=place)
            case _:
                return self._node(map_children(expr, lambda child: self.change(child, axes)), axes)

    def _node(self, expr: Expr, axes: Axes) -> Expr:
        match expr:
            case Apply(op="log", arguments=(operand,)):
                return self._log_of(operand, axes) or expr
            case Apply(op="log2", arguments=(operand,)):
                natural = self._log_of(operand, axes)
                return expr if natural is None else _real("mul", Literal(1 / math.log(2.0)), natural)
            case Apply(op="mul", arguments=(left, right), element=Element.REAL):
                return self._product(left, right, axes) or _one_power(expr) or expr
            case Apply(op="div", arguments=(above, below)):
                return self._quotient(above, below, axes) or expr
            case Apply(op="sub", arguments=(Literal(value=1), Apply(op="sigmoid", arguments=(operand,)))):
                return _real("sigmoid", _real("neg", operand))
            case Apply(op="pow", arguments=(Reduce(op="norm") as norm, Literal(value=power))) if power > 0 and power % 2 == 0:
                squares = _squared(norm)
                return expr if is_random(norm) else squares if power == 2 else _real("pow", squares, Literal(float(power // 2)))
            case Apply(op="sqrt", arguments=(Apply(op="pow", arguments=(base, Literal(value=power))),)) if power > 0 and power % 2 == 0:
                size = base if power % 4 == 0 else _real("abs", base)
                return size if power == 2 else _real("pow", size, Literal(power / 2))
            case _:
                return expr

    # ---- logarithms ------------------------------------------------------------------------------

    def _log_of(self, operand: Expr, axes: Axes) -> Expr | None:
        """The logarithm of an operand, of which factors may be anything."""
        whole = self._log(operand, axes)
        if whole is not None:
            return whole.value
        match self._seen(operand, axes):
            case Apply(op="mul" | "div" as op, arguments=(left, right)):
                logs = self._log(left, axes), self._log(right, axes)
                if not any(log is not None and log.is_of_exp for log in logs):
                    return None
                first, second = (_real("log", part) if log is None else log.value for part, log in zip((left, right), logs, strict=True))
                return _real("add" if op == "mul" else "sub", first, second)
            case _:
                return None

    def _seen(self, expr: Expr, axes: Axes) -> Expr:
        """What defines the value that is read; the expression itself where it is no such value."""
        if not isinstance(expr, Read) or expr.array not in self.definitions or expr.array in self.inside:
            return expr
        equation = self.definitions[expr.array]
        found = None if is_random(equation.value) else element_of_definition(equation, expr, self.fresh, axes)
        return expr if found is None else replace(self, inside=self.inside | {expr.array})._seen(found, axes)

    def _log(self, expr: Expr, axes: Axes) -> _Log | None:
        """The logarithm of what exponentials and probabilities are multiplied, divided and summed to; None for anything else."""
        match expr:
            case Read(array=array):
                seen = self._seen(expr, axes)
                found = None if seen is expr else replace(self, inside=self.inside | {array})._log(seen, axes)
                if found is not None:
                    self.opened.add(array)
                return found
            case Literal(value=value) if value > 0:
                return _Log(Literal(math.log(value)), False)
            case Apply(op="exp", arguments=(exponent,)):
                return _Log(exponent, True)
            case Apply(op="sigmoid", arguments=operands):
                return _Log(_real("logsigmoid", *operands), False)
            case Apply(op="sub", arguments=(Literal(value=1), part)):
                return self._log_of_rest(part, axes)
            case Along(op="softmax"):
                return _Log(replace(expr, op="log_softmax"), False)
            case Reduce(op="sum", axis=axis, body=body, element=Element.REAL):
                inner = self._log(body, {**axes, axis.name: axis.range})
                return _Log(replace(expr, op="logsumexp", body=inner.value), True) if inner is not None and inner.is_of_exp else None
            case Apply(op="add" | "mul" | "div" as op, arguments=(left, right)):
                return _joined(op, self._log(left, axes), self._log(right, axes))
            case Apply(op="pow", arguments=(base, Literal() as power)):
                inner = self._log(base, axes)
                return None if inner is None else _Log(_real("mul", Literal(float(power.value)), inner.value), inner.is_of_exp)
            case Apply(op="sqrt", arguments=(base,)):
                inner = self._log(base, axes)
                return None if inner is None else _Log(_real("mul", Literal(0.5), inner.value), inner.is_of_exp)
            case Select(then=then, otherwise=otherwise):
                logs = [_Log(Literal(-math.inf), False) if part == Literal(0.0) else self._log(part, axes) for part in (then, otherwise)]
                if logs[0] is None or logs[1] is None or not (logs[0].is_of_exp or logs[1].is_of_exp):
                    return None
                return _Log(replace(expr, then=logs[0].value, otherwise=logs[1].value), True)
            case _:
                return None

    def _log_of_rest(self, part: Expr, axes: Axes) -> _Log | None:
        """The logarithm of what is missing to 1."""
        match self._seen(part, axes):
            case Apply(op="sigmoid", arguments=(operand,)):
                if isinstance(part, Read):
                    self.opened.add(part.array)
                return _Log(_real("logsigmoid", _real("neg", operand)), False)
            case _:
                return None

    # ---- products with logarithms ------------------------------------------------------------------

    def _product(self, left: Expr, right: Expr, axes: Axes) -> Expr | None:
        """A product of which a factor is a logarithm; None for another product."""
        if self.masked is None:
            return None
        found = self._times_log(left, right, axes) or self._times_log(right, left, axes)
        return found or self._times_stable_log(left, right, self.masked) or self._times_stable_log(right, left, self.masked)

    def _times_log(self, factor: Expr, log: Expr, axes: Axes) -> Expr | None:
        """`p * log(p)` that is 0 where `p` is, with the gradient 0; None for another product."""
        if not self._has_log(log) or not reads(factor):
            return None
        seen = self._seen(log, axes)
        if has_contraction(seen):
            return None
        match seen:
            case Apply(op="neg", arguments=(inner,)):
                found = self._times_log(factor, inner, axes)
                return None if found is None else _real("neg", found)
            case Apply(op="log" | "log2" as op, arguments=(operand,)) if reads(operand) and _may_both_be_0(
                factor, operand, self.parameters
            ):
                product = _real("xlogy", factor, operand)
                return product if op == "log" else _real("mul", Literal(1 / math.log(2.0)), product)
            case Apply(op="xlogy", arguments=(first, operand)) if operand not in _factors(first) and not isinstance(log, Read):
                return _real("xlogy", _real("mul", factor, first), operand) if operand in _factors(factor) else None
            case Apply(op="log" | "log2"):
                zero = next((part for part in _factors(factor) if part in _numerators(seen)), None)
                if zero is None:
                    return None
                is_zero = Apply("equal", (zero, Literal(0.0)), Element.BOOLEAN)
                return Select(is_zero, Literal(0.0), _real("mul", factor, seen), Element.REAL)
            case _:
                return None

    def _times_stable_log(self, factor: Expr, log: Expr, masked: MaskedLogs) -> Expr | None:
        """`p * log_softmax(z)[i]` that is 0 where `p` is and `z[i]` infinite, with the gradient 0; None for another product."""
        is_meant = masked.holds(log) and bool(reads(factor)) and _goes_along(factor, log, self.parameters)
        return _real("times_log", factor, log) if is_meant else None

    def _has_log(self, expr: Expr) -> bool:
        """Whether a logarithm is a term of the expression, or of what defines it; asked before that is put in its place."""
        names: set[str] = set()
        while isinstance(expr, Read) and expr.array in self.definitions and expr.array not in names:
            names.add(expr.array)
            expr = self.definitions[expr.array].value
        match expr:
            case Apply(op="neg", arguments=(inner,)):
                return self._has_log(inner)
            case Apply(op="xlogy"):
                return True
            case _:
                return bool(_numerators(expr))

    # ---- quotients -------------------------------------------------------------------------------

    def _quotient(self, above: Expr, below: Expr, axes: Axes) -> Expr | None:
        """What is divided by a sum of exponentials; None for another quotient."""
        divisor = self._log(below, axes)
        if divisor is None or not divisor.is_of_exp:
            return None
        dividend = self._log(above, axes)
        match divisor.value:
            case Apply(op="softplus", arguments=(operand,)) if dividend is not None and dividend.value in (operand, Literal(0.0)):
                negative = operand.arguments[0] if isinstance(operand, Apply) and operand.op == "neg" else _real("neg", operand)
                return _real("sigmoid", operand if dividend.value == operand else negative)
            case Reduce(op="logsumexp") | Apply(op="logaddexp" | "softplus" | "add"):
                softmax = None if dividend is None else _softmax(dividend.value, divisor.value, axes)
                return softmax or self._over(above, divisor.value, axes)
            case _:
                both = dividend is not None and dividend.is_of_exp
                return _real("exp", _real("sub", dividend.value, divisor.value)) if both and dividend is not None else None

    def _over(self, above: Expr, divisor: Expr, axes: Axes) -> Expr:
        """The expression over a sum of exponentials, whose logarithm goes to the exponents."""
        log = self._log(above, axes)
        if log is not None and log.is_of_exp:
            return _real("exp", _real("sub", log.value, divisor))
        match self._seen(above, axes) if self._has_exp(above, axes) else above:
            case Apply(op="add" | "sub" | "neg" as op, arguments=arguments) if self._has_exp(above, axes):
                return _real(op, *(self._over(part, divisor, axes) for part in arguments))
            case Apply(op="mul", arguments=(left, right)) if self._has_exp(left, axes):
                return _real("mul", self._over(left, divisor, axes), right)
            case Apply(op="mul", arguments=(left, right)) if self._has_exp(right, axes):
                return _real("mul", left, self._over(right, divisor, axes))
            case Reduce(op="sum", axis=axis, body=body) as total if self._has_exp(body, {**axes, axis.name: axis.range}):
                apart = substitute_axes(divisor, {}, self.fresh, (axis.name,))
                return replace(total, body=self._over(body, apart, {**axes, axis.name: axis.range}))
            case _:
                return _real("mul", above, _real("exp", _real("neg", divisor)))

    def _has_exp(self, expr: Expr, axes: Axes) -> bool:
        """Whether exponentials are among the terms and factors of the expression."""
        log = self._log(expr, axes)
        if log is not None:
            return log.is_of_exp
        match self._seen(expr, axes):
            case Apply(op="add" | "sub" | "neg" | "mul", arguments=arguments):
                return any(self._has_exp(part, axes) for part in arguments)
            case Reduce(op="sum", axis=axis, body=body):
                return self._has_exp(body, {**axes, axis.name: axis.range})
            case _:
                return False


def _joined(op: str, left: _Log | None, right: _Log | None) -> _Log | None:
    """The logarithm of a sum, product or quotient."""
    if left is None or right is None:
        return None
    is_of_exp = left.is_of_exp or right.is_of_exp
    if op != "add":
        return _Log(_real("add" if op == "mul" else "sub", left.value, right.value), is_of_exp)
    if not is_of_exp:
        return None
    if Literal(0.0) in (left.value, right.value):
        return _Log(_real("softplus", right.value if left.value == Literal(0.0) else left.value), True)
    for one, other in ((left.value, right.value), (right.value, left.value)):
        if not reads(one):  # a number
            return _Log(_real("add", one, _real("softplus", _real("sub", other, one))), True)
    return _Log(_real("logaddexp", left.value, right.value), True)


def _one_power(product: Expr) -> Expr | None:
    """`x * sqrt(x)` as `x ** 1.5`; None where no root stands beside its own base, or where a whole power would lose that `x >= 0`."""
    factors = _multiplied(product)
    for k, factor in enumerate(factors):
        base, exponent = _power(factor)
        if not exponent % 1:
            continue
        alike = [(j, _power(other)[1]) for j, other in enumerate(factors) if j != k and _power(other)[0] == base]
        total = exponent + sum(power for _, power in alike)
        if alike and total % 1 and not is_random(base):
            rest = [other for j, other in enumerate(factors) if j != k and j not in dict(alike)]
            return reduce(lambda left, right: _real("mul", left, right), [*rest, _real("pow", base, Literal(total))])
    return None


def _multiplied(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Apply(op="mul", arguments=(left, right)):
            return (*_multiplied(left), *_multiplied(right))
        case _:
            return (expr,)


def _power(expr: Expr) -> tuple[Expr, float]:
    """The base and the positive exponent of a factor: `x` and 0.5 of `sqrt(x)`; itself and 1 of anything else."""
    match expr:
        case Apply(op="sqrt", arguments=(base,)):
            return base, 0.5
        case Apply(op="pow", arguments=(base, Literal(value=power))) if power > 0:
            return base, float(power)
        case _:
            return expr, 1.0


def _factors(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Apply(op="mul", arguments=(left, right)):
            return (*_factors(left), *_factors(right))
        case Apply(op="neg", arguments=(inner,)) | Apply(op="div", arguments=(inner, _)):
            return _factors(inner)
        case _:
            return (expr,)


def _numerators(expr: Expr) -> tuple[Expr, ...]:
    """What is 0 where a logarithm among the terms is infinite: `p` in `log(p / q)` and in `log(p) - log(q)`."""
    match expr:
        case Apply(op="log" | "log2", arguments=(operand,)):
            return _factors(operand)
        case Apply(op="add" | "sub" | "neg", arguments=arguments):
            return tuple(found for part in arguments for found in _numerators(part))
        case _:
            return ()


def _may_both_be_0(factor: Expr, operand: Expr, parameters: frozenset[str]) -> bool:
    """Whether `0 log 0` is possible; not where that would keep a matrix product from being one."""
    match operand:
        case Apply(op="add", arguments=(_, Literal(value=value)) | (Literal(value=value), _)) if value > 0:
            return False
        case Apply(op="div" | "exp"):
            return False
    if isinstance(factor, Apply) and factor.op == "exp":
        return False
    return _goes_along(factor, operand, parameters)


def _goes_along(factor: Expr, operand: Expr, parameters: frozenset[str]) -> bool:
    """Whether the product is no part of a matrix product, which it would keep from being one."""
    outer, inner = set(free_names(factor)), set(free_names(operand))
    return outer <= inner or inner < outer and any(read.array not in parameters for read in reads(factor))


def _softmax(exponent: Expr, divisor: Expr, axes: Axes) -> Expr | None:
    """The softmax of which the exponent is an element, at an index with the range of the sum."""
    if not isinstance(divisor, Reduce):
        return None
    bounds, name = divisor.axis.range, divisor.axis.name
    for place in dict.fromkeys(free_names(exponent)):
        element = substitute_axes(divisor.body, {name: Poly.of(place)}, FreshNames())
        if place in axes and axes[place] == bounds and element == exponent:
            return Along("softmax", divisor.axis, divisor.body, Poly.of(place), Element.REAL)
    return None


def _squared(expr: Expr) -> Expr:
    match expr:
        case Reduce(op="norm", body=body):
            return replace(expr, op="sum", body=_squared(body))
        case _:
            return _real("mul", expr, expr)


def _real(op: str, *arguments: Expr) -> Expr:
    return Apply(op, arguments, Element.REAL)
