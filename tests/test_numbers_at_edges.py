"""Operations on sizes and settings that Python refuses, `1 / (d - 1)` where `d` is 1: numbers have the values that tensors have."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch

import mathdsl

_X = r"X \in \mathbb{R}^{n \times d} & \\"


def _module(formula: str, notation: str, parameters: str = "", rows: str = "") -> Any:
    where = rf"\begin{{where}} {_X} {rows} \end{{where}}"
    if notation == "module":
        text = rf"\Module{{M}}{{X ; {parameters}}} \Return {formula} \\ \EndModule {where}"
    else:
        header = ", ".join(["X", *([parameters] if parameters else [])])
        text = rf"\Procedure{{M}}{{${header}$}} \State \Return ${formula}$ \EndProcedure {where}"
    result = mathdsl.compile(text)
    assert result.ok, [str(one) for one in result.diagnostics]
    return result.load().M


@pytest.mark.parametrize("notation", ["module", "algorithm"])
@pytest.mark.parametrize(
    ("formula", "reference"),
    [
        (r"\frac{1}{d - 1} X", lambda x, d: x / (d - 1)),
        (r"\frac{1 - d}{d - 1} X", lambda x, d: x * ((1 - d) / (d - 1))),
        (r"\frac{1}{d} X", lambda x, d: x / d),
        (r"\log(d - 1) X", lambda x, d: torch.log(d - 1) * x),
        (r"\log_2(d - 2) X", lambda x, d: torch.log2(d - 2) * x),
        (r"\sqrt{d - 2} X", lambda x, d: torch.sqrt(d - 2) * x),
        (r"\sqrt{d} X", lambda x, d: torch.sqrt(d) * x),
        (r"(d - 1)^{-2} X", lambda x, d: (d - 1) ** -2.0 * x),
        (r"(d - 2)^{0.5} X", lambda x, d: (d - 2) ** 0.5 * x),
        (r"\Gamma(d - 1) X", lambda x, d: torch.exp(torch.lgamma(d - 1)) * x),
        (r"\exp(500 d) X", lambda x, d: torch.exp(500 * d) * x),
        (r"\arcsin(d) X", lambda x, d: torch.asin(d) * x),
        (r"\frac{1}{\log d} X", lambda x, d: x / torch.log(d)),
    ],
)
def test_numbers_have_the_values_of_tensors(formula: str, reference: Any, notation: str) -> None:
    module = _module(formula, notation)()
    for d in (0, 1, 2, 3):
        x = torch.arange(1.0, 1.0 + 2 * d, dtype=torch.float64).reshape(2, d).requires_grad_()
        got, wanted = module(x), reference(x, torch.tensor(float(d), dtype=torch.float64))
        torch.testing.assert_close(got, wanted, equal_nan=True)
        gradient, expected = (torch.autograd.grad(value.sum(), x)[0] for value in (got, wanted))
        torch.testing.assert_close(gradient, expected, equal_nan=True)
        batch = torch.stack([x.detach(), 2 * x.detach()])
        torch.testing.assert_close(module(batch), torch.stack([module(one) for one in batch]), equal_nan=True)


def test_a_mean_over_a_size_of_0() -> None:
    module = _module(r"\frac{1}{d} \sum_{i} \sum_{j} X_{i,j}", "module")()
    assert math.isnan(module(torch.zeros(2, 0)))


@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_divisor_of_settings(k: int) -> None:
    module = _module(r"\frac{1}{k - 1} X", "module", "k", r"k \in \mathbb{N} & \\")(k=k)
    x = torch.tensor([[2.0, -3.0]])
    torch.testing.assert_close(module(x), x / (k - 1))


@pytest.mark.parametrize("k", [0.0, 0.5])
def test_a_remainder_of_reals(k: float) -> None:
    module = _module(r"(1.25 \bmod k) X", "module", "k", r"k \in [0, 1] & \\")(k=k)
    x = torch.ones(1, 2)
    torch.testing.assert_close(module(x), torch.remainder(torch.tensor(1.25), k) * x, equal_nan=True)


@pytest.mark.parametrize("formula", [r"(d \bmod k) X", r"\frac{X}{\sum_{i=1}^{d} (i \bmod k)}"])
def test_an_integer_over_0_is_refused_by_the_constructor(formula: str) -> None:
    module = _module(formula, "module", "k", r"k \in \mathbb{N} & \\")
    with pytest.raises(ValueError, match=r"k: expected k \\geq 1, got 0"):
        module(k=0)
    x = torch.ones(1, 5)
    total = 2 if formula.startswith("(") else 1 + 2 + 0 + 1 + 2
    torch.testing.assert_close(module(k=3)(x), x * total if formula.startswith("(") else x / total)


@pytest.mark.parametrize(
    ("formula", "parameters", "rows", "spelled"),
    [
        (r"\frac{X}{\sqrt{d}}", "", "", "X / math.sqrt(d)"),
        (r"\frac{1}{k} X", "k", r"k \in \mathbb{R}_{>0} & \\", "1.0 / self.k * X"),
        (r"\frac{1}{\sqrt{k}} X", "k", r"k \in \mathbb{N} & \\", "1.0 / math.sqrt(self.k) * X"),
        (r"\frac{1}{2 k + 1} X", "k", r"k \in [0, 1] & \\", "1.0 / (2.0 * self.k + 1.0) * X"),
    ],
)
def test_numbers_that_always_have_a_value_are_plain(formula: str, parameters: str, rows: str, spelled: str) -> None:
    where = rf"\begin{{where}} {_X} {rows} \end{{where}}"
    source = mathdsl.compile(rf"\Module{{M}}{{X ; {parameters}}} \Return {formula} \\ \EndModule {where}").source
    assert spelled in source
    assert not {"_number", "_divide"} & set(re.findall(r"\w+", source))


def test_a_compiled_module_divides_by_numbers() -> None:
    module = _module(r"(\frac{1}{d - 1} + \log(d - 1)) X", "module")()
    x = torch.tensor([[1.0, 2.0, 3.0]])
    torch.testing.assert_close(torch.compile(module, backend="eager", fullgraph=True)(x), module(x))
