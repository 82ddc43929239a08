"""Every row of the operations: a sample, its torch form, its gradient, its edges, its LaTeX."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

import pytest
import torch

from mathdsl.ir.nodes import Element
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, Elementwise, Number, find_along, find_function, find_reduction

INF, NAN = math.inf, math.nan

# name: operands and result; then operands at the edge of the domain and what torch makes of them
SAMPLES: dict[str, list[tuple[tuple[Number, ...], Number]]] = {
    "add": [((2.5, -1.0), 1.5), ((2, 3), 5), ((INF, -INF), NAN)],
    "sub": [((2.5, -1.0), 3.5), ((2, 3), -1), ((INF, INF), NAN)],
    "mul": [((2.5, -2.0), -5.0), ((2, 3), 6), ((0.0, INF), NAN)],
    "div": [((1.0, -4.0), -0.25), ((1.0, 0.0), INF), ((-1.0, 0.0), -INF), ((1.0, -0.0), -INF), ((0.0, 0.0), NAN)],
    "neg": [((2.5,), -2.5), ((3,), -3)],
    "pow": [
        ((2.0, 3.0), 8.0),
        ((2, 3), 8),
        ((0.0, -1.0), INF),
        ((0.0, 0.0), 1.0),
        ((-8.0, 0.5), NAN),
        ((1e200, 2.0), INF),
        ((-1e200, 3.0), -INF),
    ],
    "logaddexp": [((0.0, math.log(3.0)), math.log(4.0)), ((1000.0, -1000.0), 1000.0), ((-INF, -INF), -INF), ((NAN, 0.0), NAN)],
    "xlogy": [((2.0, 3.0), 2.0 * math.log(3)), ((0.0, 0.0), 0.0), ((1.0, 0.0), -INF), ((0.0, -1.0), NAN)],
    "times_log": [((2.0, -3.0), -6.0), ((0.0, -INF), 0.0), ((0.0, NAN), 0.0), ((1.0, -INF), -INF), ((NAN, -INF), NAN)],
    "pow_from_0": [((4.0, 0.5), 2.0), ((0.0, 0.5), 0.0), ((INF, 0.5), INF)],
    "mod": [((5.5, 2.0), 1.5), ((-5, 3), 1), ((5.0, -3.0), -1.0), ((1.0, 0.0), NAN), ((INF, 2.0), NAN)],
    "floor_div": [((7, 2), 3), ((-7, 2), -4)],
    "equal": [((2.0, 2.0), True), ((2, 3), False), ((True, True), True), ((NAN, NAN), False)],
    "close": [
        ((1.0, 1.0 + 1e-9), True),
        ((1.0, 1.001), False),
        ((0.0, 1e-9), True),
        ((1e9, 1e9 + 1.0), True),
        ((INF, INF), True),
        ((INF, 1.0), False),
        ((1.0, INF), False),
        ((NAN, NAN), False),
    ],
    "not_equal": [((2.0, 2.0), False), ((2, 3), True), ((True, False), True), ((NAN, NAN), True)],
    "less": [((1.0, 2.0), True), ((3, 3), False), ((NAN, 1.0), False)],
    "less_equal": [((1.0, 2.0), True), ((3, 3), True), ((NAN, 1.0), False)],
    "within": [((1, 2), True), ((3, 3), True), ((4, 3), False)],
    "greater": [((1.0, 2.0), False), ((4, 3), True), ((NAN, 1.0), False)],
    "greater_equal": [((1.0, 2.0), False), ((3, 3), True), ((NAN, 1.0), False)],
    "and": [((True, False), False), ((True, True), True)],
    "or": [((True, False), True), ((False, False), False)],
    "not": [((True,), False), ((False,), True)],
    "abs": [((-2.5,), 2.5), ((-3,), 3)],
    "sign": [((-2.5,), -1.0), ((3,), 1), ((0.0,), 0.0)],
    "floor": [((2.7,), 2), ((-2.2,), -3), ((INF,), -(2**63))],
    "ceil": [((2.2,), 3), ((-2.7,), -2), ((NAN,), -(2**63))],
    "maximum": [((1.5, -2.0), 1.5), ((3, 5), 5), ((NAN, 1.0), NAN), ((1.0, NAN), NAN)],
    "minimum": [((1.5, -2.0), -2.0), ((3, 5), 3), ((NAN, 1.0), NAN), ((1.0, NAN), NAN)],
    "clip": [((1.5, -1.0, 1.0), 1.0), ((0.25, -1.0, 1.0), 0.25), ((-5, 0, 3), 0), ((NAN, 0.0, 1.0), NAN)],
    "exp": [((0.5,), math.exp(0.5)), ((1000.0,), INF), ((-INF,), 0.0)],
    "log": [((2.0,), math.log(2)), ((0.0,), -INF), ((-1.0,), NAN), ((INF,), INF)],
    "log2": [((8.0,), 3.0), ((0.0,), -INF), ((-1.0,), NAN)],
    "sqrt": [((2.25,), 1.5), ((0.0,), 0.0), ((-1.0,), NAN)],
    "sin": [((0.5,), math.sin(0.5)), ((INF,), NAN)],
    "cos": [((0.5,), math.cos(0.5)), ((INF,), NAN)],
    "tan": [((0.5,), math.tan(0.5)), ((INF,), NAN)],
    "sinh": [((0.5,), math.sinh(0.5)), ((1000.0,), INF), ((-1000.0,), -INF)],
    "cosh": [((0.5,), math.cosh(0.5)), ((-1000.0,), INF)],
    "tanh": [((0.5,), math.tanh(0.5)), ((1000.0,), 1.0)],
    "arcsin": [((0.5,), math.asin(0.5)), ((2.0,), NAN)],
    "arccos": [((0.5,), math.acos(0.5)), ((2.0,), NAN)],
    "arctan": [((0.5,), math.atan(0.5)), ((INF,), math.pi / 2)],
    "erf": [((0.5,), math.erf(0.5)), ((INF,), 1.0)],
    "gamma": [((5.0,), 24.0), ((0.5,), math.sqrt(math.pi)), ((-0.5,), -2 * math.sqrt(math.pi)), ((0.0,), INF), ((1000.0,), INF)],
    "factorial": [((0,), 1.0), ((20,), float(math.factorial(20))), ((170,), float(math.factorial(170))), ((171,), INF), ((-1,), NAN)],
    "sigmoid": [((0.5,), 1 / (1 + math.exp(-0.5))), ((-1000.0,), 0.0), ((1000.0,), 1.0)],
    "relu": [((0.5,), 0.5), ((-0.5,), 0.0), ((NAN,), NAN)],
    "gelu": [((0.5,), 0.25 * (1 + math.erf(0.5 / math.sqrt(2)))), ((-50.0,), 0.0)],
    "silu": [((0.5,), 0.5 / (1 + math.exp(-0.5))), ((-1000.0,), 0.0)],
    "softplus": [((0.5,), math.log(1 + math.exp(0.5))), ((1000.0,), 1000.0), ((-1000.0,), 0.0), ((21.0,), 21.0 + math.exp(-21))],
    "elu": [((0.5,), 0.5), ((-0.5,), math.exp(-0.5) - 1), ((-1000.0,), -1.0)],
    "selu": [((0.5,), 0.5 * 1.0507009873554805), ((-0.5,), -0.6917581878028713)],
    "leaky_relu": [((0.5,), 0.5), ((-0.5,), -0.005)],
    "logsigmoid": [((0.5,), -math.log(1 + math.exp(-0.5))), ((-1000.0,), -1000.0), ((1000.0,), 0.0)],
    "mish": [((0.5,), 0.5 * math.tanh(math.log(1 + math.exp(0.5)))), ((-1000.0,), 0.0)],
    "relu6": [((0.5,), 0.5), ((-0.5,), 0.0), ((7.0,), 6.0), ((NAN,), NAN)],
    "hardtanh": [((0.5,), 0.5), ((-3.0,), -1.0), ((INF,), 1.0)],
    "hardsigmoid": [((0.5,), 3.5 / 6), ((-4.0,), 0.0), ((INF,), 1.0)],
    "hardswish": [((0.5,), 1.75 / 6), ((-4.0,), 0.0), ((4.0,), 4.0), ((-INF,), NAN)],
    "softsign": [((0.5,), 1 / 3), ((-4.0,), -0.8), ((INF,), NAN)],
    "tanhshrink": [((0.5,), 0.5 - math.tanh(0.5)), ((-INF,), -INF)],
    "hardshrink": [((0.4,), 0.0), ((-0.75,), -0.75), ((NAN,), NAN)],
    "softshrink": [((0.4,), 0.0), ((-0.75,), -0.25), ((NAN,), NAN)],
    "to_real": [((3,), 3.0), ((True,), 1.0)],
    "stop_gradient": [((0.5,), 0.5)],
    "dropout": [((0.5, 0.3), 0.5)],
}

# values and result, in the order of the axis
REDUCED: dict[str, list[tuple[tuple[Number, ...], Number]]] = {
    "sum": [((1.0, 2.5), 3.5), ((1, 2, 3), 6), ((INF, 1.0), INF), ((), 0)],
    "prod": [((2.0, 2.5), 5.0), ((1, 2, 3), 6), ((), 1)],
    "max": [((1.0, 2.5, -3.0), 2.5), ((1, 3, 2), 3), ((1.0, NAN), NAN)],
    "min": [((1.0, 2.5, -3.0), -3.0), ((1, 3, 2), 1), ((NAN, 1.0), NAN)],
    "mean": [((1.0, 2.5, -0.5), 1.0)],
    "argmax": [((1.0, 2.5, 2.5), 1), ((1, 3, 2), 1), ((-INF, -INF), 0)],
    "argmin": [((1.0, -2.5, -2.5), 1), ((3, 1, 2), 1)],
    "any": [((False, True), True), ((False, False), False), ((), False)],
    "all": [((False, True), False), ((True, True), True), ((), True)],
    "logsumexp": [((0.0, math.log(3.0)), math.log(4.0)), ((1000.0, -1000.0), 1000.0), ((-INF, -INF), -INF), ((), -INF)],
    "norm": [((3.0, -4.0), 5.0), ((0.0, 0.0), 0.0), ((INF, 1.0), INF), ((NAN, INF), NAN), ((), 0.0)],
}
ALONG_AXES: dict[str, tuple[tuple[Number, ...], tuple[Number, ...]]] = {
    "softmax": ((0.0, math.log(3.0), -INF), (0.25, 0.75, 0.0)),
    "log_softmax": ((0.0, math.log(3.0)), (math.log(0.25), math.log(0.75))),
    "cumsum": ((1.0, -2.5, 4.0), (1.0, -1.5, 2.5)),
}


def tensor(value: Number | Sequence[Number]) -> torch.Tensor:
    """A float64, int64 or bool tensor."""
    first = next(iter(value), 0) if isinstance(value, Sequence) else value
    return torch.tensor(value, dtype=torch.float64 if isinstance(first, float) else None)


class _Evaluating:
    training = False


def torch_value(row: Elementwise, *operands: torch.Tensor) -> torch.Tensor:
    """What the row's torch form computes."""
    names = [f"x{i}" for i in range(len(operands))]
    scope: dict[str, object] = {"torch": torch, "self": _Evaluating(), "generator": None, "dtype": torch.float64}
    exec(row.helper, scope)
    result = eval(row.torch.format(*names), scope | dict(zip(names, operands, strict=True)))
    assert isinstance(result, torch.Tensor)
    return result


def element_of(value: Number) -> Element:
    if isinstance(value, bool):
        return Element.BOOLEAN
    return Element.INTEGER if isinstance(value, int) else Element.REAL


def same(left: Number, right: Number) -> bool:
    return left == pytest.approx(right, rel=1e-14, abs=1e-15, nan_ok=True)


def test_every_row_has_a_sample() -> None:
    assert set(SAMPLES) == set(ELEMENTWISE)
    assert set(REDUCED) == set(REDUCTIONS)
    assert set(ALONG_AXES) == set(ALONG)


CASES = [(name, operands, result) for name, samples in SAMPLES.items() for operands, result in samples]


@pytest.mark.parametrize(("name", "operands", "result"), CASES)
def test_value_element_and_torch_agree(name: str, operands: tuple[Number, ...], result: Number) -> None:
    row = ELEMENTWISE[name]
    assert same(row.evaluate(*operands), result)
    assert row.signature.result_of([element_of(operand) for operand in operands]) is element_of(result)
    compiled = torch_value(row, *(tensor([operand] * 3) for operand in operands))
    assert compiled.shape == (3,)
    assert same(compiled[0].item(), result)
    assert element_of(compiled[0].item()) is element_of(result)


@pytest.mark.parametrize(("name", "operands"), [(name, operands) for name, operands, _ in CASES])
def test_a_number_goes_through_the_scalar_form(name: str, operands: tuple[Number, ...]) -> None:
    row = ELEMENTWISE[name]
    if not row.scalar or not all(math.isfinite(operand) for operand in operands):
        return
    try:
        value = eval(row.scalar.format(*(f"({operand!r})" for operand in operands)), {"math": math})
    except (ValueError, ArithmeticError):
        assert not math.isfinite(row.evaluate(*operands))  # where torch has no number either
        return
    assert isinstance(value, complex) or same(value, row.evaluate(*operands))


REAL_ROWS = [row for row in ELEMENTWISE.values() if row.signature.result_of([Element.REAL] * row.signature.arity) is Element.REAL]


@pytest.mark.parametrize("row", REAL_ROWS, ids=lambda row: row.name)
def test_gradient_is_that_of_the_value(row: Elementwise) -> None:
    operands = [0.7, 0.4, 0.9][: row.signature.arity]
    made = [tensor(operand).requires_grad_() for operand in operands]
    value = torch_value(row, *made)
    gradients = torch.autograd.grad(value, made, allow_unused=True) if value.requires_grad else [None] * len(made)
    if row.name == "stop_gradient":
        assert gradients == [None]
        return
    for i, gradient in enumerate(gradients):
        step = 1e-6
        up, down = ([x + s * (j == i) for j, x in enumerate(operands)] for s in (step, -step))
        expected = (row.evaluate(*up) - row.evaluate(*down)) / (2 * step)
        assert (0.0 if gradient is None else gradient.item()) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("row", [row for row in REAL_ROWS if row.safe], ids=lambda row: row.name)
def test_a_guarded_operation_lets_no_nan_through(row: Elementwise) -> None:
    assert row.safe is not None
    for outside in (-1e200, -1.0, 0.0, 1e200):
        operands = [tensor(outside).requires_grad_() for _ in range(row.signature.arity)]
        guarded = [torch.where(tensor(False), x, row.safe.value) if i == row.safe.operand else x for i, x in enumerate(operands)]
        value = torch.where(tensor(False), torch_value(row, *guarded), 0.0)
        value.backward()
        assert all(x.grad is None or x.grad.item() == 0.0 for x in operands), (row.name, outside)


@pytest.mark.parametrize("row", ELEMENTWISE.values(), ids=lambda row: row.name)
def test_zero_is_kept_exactly_where_the_row_says_so(row: Elementwise) -> None:
    element = row.signature.operands[0]
    zero: Number = {Element.REAL: 0.0, Element.INTEGER: 0, Element.BOOLEAN: False}[element]
    operands = [zero] * row.signature.arity
    kept = row.name not in ("mod", "floor_div") and row.evaluate(*operands) == 0
    assert row.keeps_zero is kept


@pytest.mark.parametrize("row", ELEMENTWISE.values(), ids=lambda row: row.name)
def test_templates_are_python_and_use_every_operand(row: Elementwise) -> None:
    for text in filter(None, (row.torch, row.scalar)):
        ast.parse(text, mode="eval")
        assert all(f"{{{i}}}" in text for i in range(row.signature.arity))
    assert all(f"{{{i}}}" in row.latex for i in range(row.signature.arity))


def test_operands_that_do_not_fit_are_refused() -> None:
    real, integer, boolean = Element.REAL, Element.INTEGER, Element.BOOLEAN
    assert ELEMENTWISE["add"].signature.result_of([real, integer]) is None
    assert ELEMENTWISE["add"].signature.result_of([boolean, boolean]) is None
    assert ELEMENTWISE["div"].signature.result_of([integer, integer]) is None
    assert ELEMENTWISE["tanh"].signature.result_of([integer]) is None
    assert ELEMENTWISE["tanh"].signature.result_of([real, real]) is None
    assert ELEMENTWISE["less"].signature.result_of([integer, integer]) is boolean
    assert REDUCTIONS["argmax"].signature.result_of([real]) is integer


def test_integer_arithmetic_raises_where_torch_does() -> None:
    with pytest.raises(ValueError, match="negative power"):
        ELEMENTWISE["pow"].evaluate(2, -1)
    with pytest.raises(ZeroDivisionError):
        ELEMENTWISE["mod"].evaluate(2, 0)


def test_dropout_keeps_the_mean_and_zeroes_whole_elements() -> None:
    scope: dict[str, object] = {"torch": torch}
    exec(ELEMENTWISE["dropout"].helper, scope)
    dropout = scope["_dropout"]
    assert callable(dropout)
    generator = torch.Generator().manual_seed(0)
    dropped = dropout(torch.ones(10_000), 0.25, True, generator)
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.02)
    assert dropout(torch.ones(4), 1.0, True, generator).tolist() == [0.0] * 4
    assert dropout(torch.ones(4), 0.25, False, generator).tolist() == [1.0] * 4


@pytest.mark.parametrize(("name", "values", "result"), [(n, v, r) for n, samples in REDUCED.items() for v, r in samples])
def test_reductions(name: str, values: tuple[Number, ...], result: Number) -> None:
    row = REDUCTIONS[name]
    if not values:
        assert row.of_nothing == result
        assert row.evaluate([row.neutral]) == result  # padding alone is nothing
        return
    assert same(row.evaluate(values), result)
    assert same(eval(row.torch.format("x", "0"), {"torch": torch, "x": tensor(values)}).item(), result)
    if not row.divides_by_extent and not any(math.isinf(v) or math.isnan(v) for v in values):
        assert same(row.evaluate([*values, row.neutral]), result)


@pytest.mark.parametrize("name", ALONG_AXES)
def test_operations_along_an_axis(name: str) -> None:
    row = ALONG[name]
    values, result = ALONG_AXES[name]
    assert row.evaluate(values) == pytest.approx(result, abs=1e-15)
    assert eval(row.torch.format("x", "0"), {"torch": torch, "x": tensor(values)}).tolist() == pytest.approx(result, abs=1e-15)
    assert row.evaluate([*values, row.fill_before])[: len(values)] == pytest.approx(result, abs=1e-15)


def test_notations() -> None:
    for spelling in (
        "tanh",
        "Tanh",
        "ReLU",
        "reLU",
        "RELU",
        "GELU",
        "Gelu",
        "SiLU",
        "LeakyReLU",
        "sigma",
        "Sigmoid",
        "ln",
        "Gamma",
        "log_2",
        "sg",
    ):
        assert find_function(spelling) is not None, spelling
    assert find_function("gamma") is None  # another letter
    assert find_function("Sigma") is None
    assert find_function("TANH") is None  # only the first letter may vary
    assert find_function("softmax") is None
    assert (find_function("max"), find_reduction("Max")) == (ELEMENTWISE["maximum"], REDUCTIONS["max"])
    assert find_along("Softmax") is ALONG["softmax"]
    for rows in (ELEMENTWISE, REDUCTIONS, ALONG):
        spellings = [spelling for row in rows.values() for spelling in row.notations]
        assert len(spellings) == len(set(spellings))
