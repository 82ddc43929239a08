r"""The factorial, `k!`: what it is of, values by hand, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.differential import check_text
from tests.test_found_by_the_net import codes, compiled, make, module_of, procedure_of, same

COUNTS = (r"x \in \mathbb{R}", r"n, k \in \mathbb{N}")


def factorial(k: Tensor) -> float:
    return float(math.factorial(int(k)))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"n! x", lambda x, n, k: factorial(n) * x),
        (r"x^k \frac{e^{-x}}{k!} + 0 n", lambda x, n, k: x**k * (-x).exp() / factorial(k)),
        (r"\frac{n!}{k! (n-k)!} x", lambda x, n, k: math.comb(int(n), int(k)) * x),
        (r"x / 5! + (2k)! + n_0", lambda x, n, k: x / 120 + factorial(2 * k) + n),
        (r"\log (n - k)! + x", lambda x, n, k: math.log(factorial(n - k)) + x),
        (r"\log n! - \lfloor x + 3.5 \rfloor! x + 0 k", lambda x, n, k: math.log(factorial(n)) - factorial(torch.floor(x + 3.5)) * x),
        (r"\sum_{j=0}^{10} \frac{x^j}{j!} + 0 n k", lambda x, n, k: sum(x**j / math.factorial(j) for j in range(11))),
        (r"(f(k))! x + f(n!)", lambda x, n, k: factorial(k + 1) * x + factorial(n) + 1),
    ],
)
def test_factorials(value: str, wanted: Callable[..., Tensor]) -> None:
    statements = (r"f(m) \gets m + 1", r"n_0 \gets n", rf"\Return {value}")
    text = module_of(*statements, header="x, n, k", rows=(*COUNTS, r"m \in \mathbb{N}"))
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    n, k = torch.tensor(6), torch.tensor(2)
    found, meant = make(text)(x, n, k), wanted(x, n, k)
    same(found, meant)
    same(*(torch.autograd.grad(one, x)[0] for one in (found, meant)))
    batch = make(text)(x.expand(2), torch.tensor([6, 5]), torch.tensor([2, 3]))
    same(batch, torch.stack([wanted(x, n, k), wanted(x, torch.tensor(5), torch.tensor(3))]))


def test_a_factorial_is_exact_as_far_as_the_type_goes() -> None:
    text = module_of(r"y_i \gets n_i! x", r"\Return y", header="x, n", rows=(r"x \in \mathbb{R}", r"n_i \in \mathbb{Z}, i = 1, \dots, m"))
    found = make(text)(torch.ones((), dtype=torch.float64), torch.tensor([0, 1, 22, 170, 171, -1]))
    same(found[:4], torch.tensor([1.0, 1.0, *(float(math.factorial(n)) for n in (22, 170))], dtype=torch.float64))
    assert found[4].isinf()
    assert found[5].isnan()


def test_factorials_in_a_loop() -> None:
    lines = (r"s \gets 0", r"\For{$i = 1, \dots, m$}", r"s \gets s + \frac{x_i}{k_i!}", r"\EndFor", r"\Return s")
    rows = (r"x_i \in \mathbb{R}, i = 1, \dots, m", r"k_i \in \mathbb{N}, i = 1, \dots, m")
    text = procedure_of(*lines, header="x, k", rows=rows)
    x, k = torch.tensor([1.0, -2.0, 6.0], dtype=torch.float64), torch.tensor([0, 2, 3])
    same(make(text)(x, k), torch.tensor(1.0, dtype=torch.float64))
    assert check_text(text) == 1


def test_a_size_and_a_setting_have_factorials() -> None:
    text = module_of(r"\Return \frac{n!}{m!} x", header="x ; n", rows=(r"x \in \mathbb{R}^m", r"n \in \mathbb{N}"))
    same(make(text, n=5)(torch.ones(3, dtype=torch.float64)), torch.full((3,), 20.0, dtype=torch.float64))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (r"x!", "E0406"),
        (r"\log(x)! + n!!", "E0209"),
        (r"n^k!", "E0210"),
        (r"n^{k}!", "E0210"),
        (r"f(n)!", "E0210"),
        (r"\max(n, k)!", "E0210"),
        (r"\mathbb{1}[n != k]", "E0210"),
        (r"\mathbb{1}[!(n = k)]", "E0208"),
        (r"{n + k}!", "E0210"),
        (r"n!^2", "E0209"),
    ],
)
def test_what_is_no_factorial_or_two(value: str, code: str) -> None:
    text = module_of(r"f(m) \gets m + 1", rf"\Return {value}", header="x, n, k", rows=(*COUNTS, r"m \in \mathbb{N}"))
    assert codes(text) == [code]


def test_what_the_help_of_a_real_factorial_offers() -> None:
    text = module_of(r"\Return x!", header="x", rows=(r"x \in \mathbb{R}",))
    (found,) = compiled(text).diagnostics
    assert r"\Gamma(x + 1)" in found.help
    x = torch.tensor(2.5, dtype=torch.float64)
    same(make(text.replace("x!", r"\Gamma(x + 1)"))(x), torch.tensor(math.gamma(3.5), dtype=torch.float64))
