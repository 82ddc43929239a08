"""The elementwise operations, a row each."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from mathdsl.ir.nodes import Element
from mathdsl.ops import numbers
from mathdsl.ops.abstract import Number, Transfer, added, anything, between, is_whole_power, multiplied, no_faster, subtracted
from mathdsl.ops.model import ANYTHING, BOOLEANS, NUMBERS, REALS, Elementwise, Guard, Signature

_REAL = Signature(1, REALS)
_NUMBER = Signature(1, NUMBERS)
_NUMBERS = Signature(2, NUMBERS)
_INTEGERS = Signature(2, (Element.INTEGER,))
_ROUNDING = Signature(1, REALS, Element.INTEGER)
_COMPARISON = Signature(2, NUMBERS, Element.BOOLEAN)
_EQUALITY = Signature(2, ANYTHING, Element.BOOLEAN)
_LOGIC = Signature(2, BOOLEANS)

_GAMMA_HELPER = '''
def _gamma(x: torch.Tensor) -> torch.Tensor:
    """The gamma function; torch has the logarithm of its absolute value."""
    is_negative = (x < 0) & (torch.floor(x) % 2 != 0)
    return torch.where(is_negative, -1.0, 1.0) * torch.exp(torch.lgamma(x))
'''

_FACTORIAL_HELPER = '''
def _factorial(n: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The product of 1 .. n, exact where the type holds it; infinite where it is too large, and NaN below 0."""
    products = torch.arange(171, dtype=torch.float64, device=n.device).clamp(min=1).cumprod(0)
    found = torch.where(n > 170, torch.inf, products[n.clamp(0, 170)])
    return torch.where(n < 0, torch.nan, found).to(dtype)
'''

_DROPOUT_HELPER = '''
def _dropout(x: torch.Tensor, p: float, training: bool, generator: torch.Generator | None) -> torch.Tensor:
    """Zero each element with probability p and scale the others, so that the mean stays; the identity in evaluation."""
    if not training or p == 0.0:
        return x
    if p == 1.0:
        return x * 0.0
    return x * torch.empty_like(x).bernoulli_(1.0 - p, generator=generator) / (1.0 - p)
'''


_CLOSE_HELPER = '''
def _close(x: torch.Tensor, y: torch.Tensor | float) -> torch.Tensor:
    """Whether two values are equal up to rounding: half of the digits of their type agree."""
    tolerance = torch.finfo(x.dtype).eps ** 0.5
    return torch.isclose(x, torch.as_tensor(y, dtype=x.dtype, device=x.device), rtol=tolerance, atol=tolerance)
'''

_XLOGY_HELPER = '''
def _xlogy(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x log y; 0 with the gradient 0 where both are 0."""
    is_zero = (x == 0.0) & (y == 0.0)
    return torch.where(is_zero, 0.0, x * torch.log(torch.where(is_zero, 1.0, y)))
'''

_TIMES_LOG_HELPER = '''
def _times_log(x: torch.Tensor, log: torch.Tensor) -> torch.Tensor:
    """The product with a logarithm; 0 with the gradient 0 where x is 0 and the logarithm infinite."""
    is_zero = (x == 0.0) & ~torch.isfinite(log)
    return x * torch.where(is_zero, 0.0, log)
'''

_POW_FROM_0_HELPER = '''
def _pow_from_0(x: torch.Tensor, p: torch.Tensor | float) -> torch.Tensor:
    """A positive power of what is not negative; 0 with the gradient 0 at 0."""
    is_zero = x == 0.0
    return torch.where(is_zero, 0.0, torch.where(is_zero, 1.0, x) ** p)
'''


def _operator(
    name: str,
    signature: Signature,
    evaluate: Callable[..., Number],
    text: str,
    latex: str,
    *,
    scalar: str | None = None,
    edges: str = "",
    safe: Guard | None = None,
    keeps_zero: bool = False,
    decided_by: bool | None = None,
    abstract: Transfer = anything,
    is_total: Callable[..., bool] | None = None,
) -> Elementwise:
    """A Python operator, alike for tensors and numbers unless `scalar` says otherwise."""
    return Elementwise(
        name,
        signature,
        evaluate,
        text,
        latex,
        text if scalar is None else scalar,
        edges=edges,
        safe=safe,
        keeps_zero=keeps_zero,
        decided_by=decided_by,
        abstract=abstract,
        is_total=is_total,
    )


def _function(
    name: str,
    evaluate: Callable[..., Number],
    *notations: str,
    signature: Signature = _REAL,
    torch: str = "",
    latex: str = "",
    scalar: str = "",
    safe: Guard | None = None,
    keeps_zero: bool = False,
    helper: str = "",
    abstract: Transfer = anything,
) -> Elementwise:
    """A named function: `torch.name(x)`, `\\operatorname{name}(x)`, written by its name, unless said otherwise."""
    torch = torch or f"torch.{name}({{0}})"
    has_edges = scalar and safe is not None
    return Elementwise(
        name,
        signature,
        evaluate,
        torch,
        latex or rf"\operatorname{{{name}}}({{0}})",
        scalar,
        notations or (name,),
        edges=f"_number({scalar.split('(')[0]}, {torch.split('(')[0]}, {{0}})" if has_edges else "",
        safe=safe,
        keeps_zero=keeps_zero,
        helper=helper,
        abstract=abstract,
    )


def _activation(
    name: str,
    evaluate: Callable[[float], float],
    *notations: str,
    torch: str = "",
    keeps_zero: bool = True,
    abstract: Transfer = anything,
) -> Elementwise:
    """An activation: `torch.nn.functional.name(x)` unless said otherwise; its name is written in any case."""
    return Elementwise(
        name,
        _REAL,
        evaluate,
        torch or f"torch.nn.functional.{name}({{0}})",
        rf"\operatorname{{{name}}}({{0}})",
        notations=notations or (name,),
        any_case=True,
        keeps_zero=keeps_zero,
        abstract=abstract,
    )


_AT_0 = Guard(0, 0.0)  # exp and its kin overflow: infinity times a gradient of 0 would be NaN
_AT_1 = Guard(0, 1.0)
_POWER = "_number(math.pow, torch.pow, {0}, {1})"
_REMAINDER = "_number(float.__mod__, torch.remainder, {0}, {1})"

_ARITHMETIC = (
    _operator("add", _NUMBERS, operator.add, "{0} + {1}", "{0} + {1}", keeps_zero=True, abstract=added),
    _operator("sub", _NUMBERS, operator.sub, "{0} - {1}", "{0} - {1}", keeps_zero=True, abstract=subtracted),
    _operator("mul", _NUMBERS, operator.mul, "{0} * {1}", r"{0} \cdot {1}", keeps_zero=True, abstract=multiplied),
    _operator("div", Signature(2, REALS), numbers.divide, "{0} / {1}", r"\frac{{0}}{{1}}", edges="_divide({0}, {1})", safe=Guard(1, 1.0)),
    _operator("neg", _NUMBER, operator.neg, "-{0}", "-{0}", keeps_zero=True, abstract=no_faster),
    _operator("pow", _NUMBERS, numbers.power, "{0} ** {1}", "{0}^{{1}}", edges=_POWER, safe=_AT_1, is_total=is_whole_power),
    _operator("floor_div", _INTEGERS, operator.floordiv, "{0} // {1}", r"\lfloor {0} / {1} \rfloor", safe=Guard(1, 1.0)),
    _operator("mod", _NUMBERS, numbers.remainder, "{0} % {1}", r"{0} \bmod {1}", edges=_REMAINDER, safe=Guard(1, 1.0)),
)

_RELATIONS = (
    _operator("equal", _EQUALITY, operator.eq, "{0} == {1}", "{0} = {1}"),
    # what an author asserts of reals
    Elementwise("close", Signature(2, REALS, Element.BOOLEAN), numbers.close, "_close({0}, {1})", r"{0} = {1}", helper=_CLOSE_HELPER),
    _operator("not_equal", _EQUALITY, operator.ne, "{0} != {1}", r"{0} \neq {1}", keeps_zero=True),
    _operator("less", _COMPARISON, operator.lt, "{0} < {1}", "{0} < {1}", keeps_zero=True),
    _operator("less_equal", _COMPARISON, operator.le, "{0} <= {1}", r"{0} \leq {1}"),
    # the condition of what is an example's own, and no padding: where the example fills its padding, it holds
    _operator("within", Signature(2, (Element.INTEGER,), Element.BOOLEAN), operator.le, "{0} <= {1}", r"{0} \leq {1}"),
    _operator("greater", _COMPARISON, operator.gt, "{0} > {1}", "{0} > {1}", keeps_zero=True),
    _operator("greater_equal", _COMPARISON, operator.ge, "{0} >= {1}", r"{0} \geq {1}"),
    _operator("and", _LOGIC, lambda a, b: a and b, "{0} & {1}", r"{0} \land {1}", scalar="{0} and {1}", keeps_zero=True, decided_by=False),
    _operator("or", _LOGIC, lambda a, b: a or b, "{0} | {1}", r"{0} \lor {1}", scalar="{0} or {1}", keeps_zero=True, decided_by=True),
    _operator("not", Signature(1, BOOLEANS), operator.not_, "~{0}", r"\lnot {0}", scalar="not {0}"),
)

_ROUNDINGS = (
    _function("abs", abs, signature=_NUMBER, latex=r"\lvert {0} \rvert", scalar="abs({0})", keeps_zero=True, abstract=no_faster),
    _function("sign", numbers.sign, "sign", "sgn", signature=_NUMBER, keeps_zero=True, abstract=between(-1.0, 1.0)),
    _function(
        "floor",
        numbers.integral(math.floor),
        signature=_ROUNDING,
        torch="torch.floor({0}).to(torch.int64)",
        latex=r"\lfloor {0} \rfloor",
        scalar="math.floor({0})",
        keeps_zero=True,
        abstract=no_faster,
    ),
    _function(
        "ceil",
        numbers.integral(math.ceil),
        signature=_ROUNDING,
        torch="torch.ceil({0}).to(torch.int64)",
        latex=r"\lceil {0} \rceil",
        scalar="math.ceil({0})",
        keeps_zero=True,
        abstract=no_faster,
    ),
    _function(
        "maximum",
        numbers.maximum,
        "max",
        signature=_NUMBERS,
        torch="torch.maximum({0}, {1})",
        latex=r"\max({0}, {1})",
        scalar="max({0}, {1})",
        keeps_zero=True,
        abstract=no_faster,
    ),
    _function(
        "minimum",
        numbers.minimum,
        "min",
        signature=_NUMBERS,
        torch="torch.minimum({0}, {1})",
        latex=r"\min({0}, {1})",
        scalar="min({0}, {1})",
        keeps_zero=True,
        abstract=no_faster,
    ),
    _function(
        "clip",
        numbers.clip,
        signature=Signature(3, NUMBERS),
        torch="torch.clamp({0}, {1}, {2})",
        latex=r"\operatorname{clip}({0}, {1}, {2})",
        scalar="min(max({0}, {1}), {2})",
        keeps_zero=True,
    ),
)

_FUNCTIONS = (
    _function("exp", numbers.total(math.exp), latex=r"\exp({0})", scalar="math.exp({0})", safe=_AT_0),
    _function("log", numbers.logarithm(math.log), "log", "ln", latex=r"\log({0})", scalar="math.log({0})", safe=_AT_1),
    _function("log2", numbers.logarithm(math.log2), "log_2", latex=r"\log_2({0})", scalar="math.log2({0})", safe=_AT_1),
    _function("sqrt", numbers.total(math.sqrt), latex=r"\sqrt{{0}}", scalar="math.sqrt({0})", safe=_AT_1, keeps_zero=True),
    _function("sin", numbers.total(math.sin), latex=r"\sin({0})", scalar="math.sin({0})", keeps_zero=True, abstract=between(-1.0, 1.0)),
    _function("cos", numbers.total(math.cos), latex=r"\cos({0})", scalar="math.cos({0})", abstract=between(-1.0, 1.0)),
    _function("tan", numbers.total(math.tan), latex=r"\tan({0})", scalar="math.tan({0})", keeps_zero=True),
    _function("sinh", numbers.total(math.sinh), latex=r"\sinh({0})", scalar="math.sinh({0})", safe=_AT_0, keeps_zero=True),
    _function("cosh", numbers.total(math.cosh), latex=r"\cosh({0})", scalar="math.cosh({0})", safe=_AT_0),
    _function("tanh", math.tanh, latex=r"\tanh({0})", scalar="math.tanh({0})", keeps_zero=True, abstract=between(-1.0, 1.0)),
    _function("arcsin", numbers.total(math.asin), latex=r"\arcsin({0})", scalar="math.asin({0})", safe=_AT_0, keeps_zero=True),
    _function("arccos", numbers.total(math.acos), latex=r"\arccos({0})", scalar="math.acos({0})", safe=_AT_0),
    _function("arctan", math.atan, latex=r"\arctan({0})", scalar="math.atan({0})", keeps_zero=True, abstract=between(-2.0, 2.0)),
    _function("erf", math.erf, scalar="math.erf({0})", keeps_zero=True, abstract=between(-1.0, 1.0)),
    _function(
        "gamma",
        numbers.gamma,
        "Gamma",
        torch="_gamma({0})",
        latex=r"\Gamma({0})",
        scalar="math.gamma({0})",
        safe=_AT_1,
        helper=_GAMMA_HELPER,
    ),
    Elementwise(
        "factorial",
        Signature(1, (Element.INTEGER,), Element.REAL),
        numbers.factorial,
        "_factorial({0}, dtype)",
        "{0}!",
        helper=_FACTORIAL_HELPER,
    ),
)

_ACTIVATIONS = (
    _activation("sigmoid", numbers.sigmoid, "sigmoid", "sigma", torch="torch.sigmoid({0})", keeps_zero=False, abstract=between(0.0, 1.0)),
    _activation("relu", numbers.relu, torch="torch.relu({0})", abstract=no_faster),
    _activation("gelu", numbers.gelu),
    _activation("silu", lambda x: x * numbers.sigmoid(x), "silu", "swish"),
    # torch's own softplus is the identity from 20 on, which is 2e-9 off
    _activation("softplus", numbers.softplus, torch="-torch.nn.functional.logsigmoid(-{0})", keeps_zero=False),
    _activation("elu", numbers.elu),
    _activation("selu", numbers.selu),
    _activation("leaky_relu", lambda x: x if x > 0 else 0.01 * x, "leaky_relu", "leakyrelu"),
    _activation("logsigmoid", lambda x: -numbers.softplus(-x), keeps_zero=False),
    _activation("mish", lambda x: x * math.tanh(numbers.softplus(x))),
    _activation("relu6", lambda x: numbers.clip(x, 0.0, 6.0)),
    _activation("hardtanh", lambda x: numbers.clip(x, -1.0, 1.0)),
    _activation("hardsigmoid", lambda x: numbers.clip(x + 3, 0.0, 6.0) / 6, keeps_zero=False),
    _activation("hardswish", lambda x: x * numbers.clip(x + 3, 0.0, 6.0) / 6),
    _activation("softsign", lambda x: numbers.divide(x, 1 + abs(x))),
    _activation("tanhshrink", lambda x: x - math.tanh(x)),
    _activation("hardshrink", lambda x: 0.0 if abs(x) <= 0.5 else x),
    _activation("softshrink", lambda x: 0.0 if abs(x) <= 0.5 else x - math.copysign(0.5, x)),
)

_OTHERS = (
    Elementwise(
        "to_real",
        Signature(1, ANYTHING, Element.REAL),
        float,
        "{0}.to(dtype)",
        "{0}",
        "float({0})",
        keeps_zero=True,
        abstract=no_faster,
    ),
    _function(
        "stop_gradient",
        operator.pos,
        "sg",
        "stopgrad",
        torch="{0}.detach()",
        latex=r"\operatorname{sg}({0})",
        scalar="{0}",
        keeps_zero=True,
        abstract=no_faster,
    ),
    Elementwise(  # of a product with a logarithm
        "xlogy",
        Signature(2, REALS),
        lambda x, y: 0.0 if x == y == 0 else x * numbers.logarithm(math.log)(y),
        "_xlogy({0}, {1})",
        r"{0} \log({1})",
        safe=Guard(1, 1.0),
        keeps_zero=True,
        helper=_XLOGY_HELPER,
    ),
    Elementwise(  # of a product with the logarithm of a softmax
        "times_log",
        Signature(2, REALS),
        lambda x, log: 0.0 if x == 0 and not math.isfinite(log) else x * log,
        "_times_log({0}, {1})",
        r"{0} {1}",
        keeps_zero=True,
        helper=_TIMES_LOG_HELPER,
    ),
    Elementwise(  # of a sum of two exponentials
        "logaddexp",
        Signature(2, REALS),
        lambda x, y: numbers.log_sum_exp((x, y)),
        "torch.logaddexp({0}, {1})",
        r"\operatorname{logaddexp}({0}, {1})",
    ),
    Elementwise(  # in norms
        "pow_from_0",
        Signature(2, REALS),
        lambda x, p: 0.0 if x == 0 else numbers.power(x, p),
        "_pow_from_0({0}, {1})",
        r"{0}^{{1}}",
        safe=_AT_1,
        keeps_zero=True,
        helper=_POW_FROM_0_HELPER,
    ),
    Elementwise(
        "dropout",
        Signature(2, REALS),
        lambda x, p: x,  # the oracle evaluates; it never trains
        "_dropout({0}, {1}, self.training, generator)",
        r"\operatorname{Dropout}({0}, {1})",
        notations=("dropout", "drop"),
        keeps_zero=True,
        random=True,
        helper=_DROPOUT_HELPER,
    ),
)

ELEMENTWISE: Mapping[str, Elementwise] = {
    row.name: row for row in (*_ARITHMETIC, *_RELATIONS, *_ROUNDINGS, *_FUNCTIONS, *_ACTIVATIONS, *_OTHERS)
}
