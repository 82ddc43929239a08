r"""Powers as ends and sizes, `\sum_{k=1}^{2^{i-1}}`, `b = 0, \dots, 2^{m-s-1} - 1` and `x \in \mathbb{R}^{2^m}`.

Each program stands in the notations that have its construct, beside the same statements in Python.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, check, executed, same, text_of

ZERO = torch.zeros((), dtype=torch.float64)
SIZES = (((4,),), ((1,),), ((2,),), ((0,),))
POWERS = (0, 1, 2, 3)
OF_POWER = (r"m \in \mathbb{N}", r"x \in \mathbb{R}^{2^m}")


def subject_of(text: str, **settings: Any) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    return result.load().F(**settings).double()


def agrees(subject: Any, meaning: Any, *inputs: Tensor) -> None:
    """Values, slopes and a batch."""
    given = [each.clone().requires_grad_() for each in inputs]
    found, wanted = subject(*given), executed(meaning, given)
    same(found, wanted)
    if wanted.requires_grad:
        ours, right = (torch.autograd.grad(value.sin().sum(), given) for value in (found, wanted))
        for slope, other in zip(ours, right, strict=True):
            same(slope, other)
    batch = [torch.stack([each, 0.5 * each, -each]) for each in inputs]
    same(subject(*batch), torch.stack([executed(meaning, [part[k] for part in batch]) for k in range(3)]))


def drawn(count: int) -> Tensor:
    return torch.rand(count, dtype=torch.float64, generator=torch.Generator().manual_seed(count)) - 0.2


# ---- ends of sums, which the loop around moves


def partial_sums(x: Any) -> Any:
    return FromOne(sum((k * x[i] ** 2 for k in range(1, 2 ** (i - 1) + 1)), ZERO) for i in range(1, len(x) + 1))


def from_powers(x: Any) -> Any:
    return FromOne(sum((x[i] / k for k in range(2 ** (i - 1), 3 * 2**i)), ZERO) for i in range(1, len(x) + 1))


SUMS = {
    r"\sum_{k=1}^{2^{i-1}} k x_i^2": partial_sums,
    r"\sum_{k=2^{i-1}}^{3 \cdot 2^i - 1} \frac{x_i}{k}": from_powers,
    r"\sum_{k \in \{2^{i-1}, \dots, 3 \cdot 2^i - 1\}} \frac{x_i}{k}": from_powers,
}


ROW = "\\begin{where} x_i \\in \\mathbb{R}, i = 1, \\dots, n & \\\\ \\end{where}\n"


@pytest.mark.parametrize("notation", [*NOTATIONS, "module"])
@pytest.mark.parametrize("value", SUMS)
def test_a_power_ends_a_sum(value: str, notation: str) -> None:
    if notation == "module":
        text = f"\\Module{{F}}{{x ; }}\ns_i \\gets {value} \\quad (i = 1, \\dots, n) \\\\\n\\Return s \\\\\n\\EndModule\n" + ROW
    else:
        text = text_of(notation, (r"x \in \mathbb{R}^{n}",), "x", f"for i = 1..n; s_i <- {value}; end; return s")
    check(text, SUMS[value], SIZES, shortest=0)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_romberg(notation: str) -> None:
    lines = (
        r"h <- b - a; R_{0,0} <- \frac{h}{2} (\exp(a) + \exp(b)); for i = 1..n; h <- h / 2; "
        r"R_{i,0} <- R_{i-1,0} / 2 + h \sum_{k=1}^{2^{i-1}} \exp(a + (2k - 1) h); "
        r"for j = 1..i; R_{i,j} <- R_{i,j-1} + (R_{i,j-1} - R_{i-1,j-1}) / (4^j - 1); end; end; return R_{n,n}"
    )

    def meaning(a: Tensor, b: Tensor) -> Any:
        h = b - a
        r = {(0, 0): h / 2 * (a.exp() + b.exp())}
        for i in range(1, n + 1):
            h = h / 2
            r[i, 0] = r[i - 1, 0] / 2 + h * sum((a + (2 * k - 1) * h).exp() for k in range(1, 2 ** (i - 1) + 1))
            for j in range(1, i + 1):
                r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
        return r[n, n]

    text = text_of(notation, (r"a \in \mathbb{R}", r"b \in \mathbb{R}", r"n \in \mathbb{N}"), "a, b", lines)
    for n in (1, 3, 5):
        agrees(subject_of(text, n=n), meaning, torch.tensor(0.1, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64))


# ---- ends of loops, and sizes


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_power_ends_a_loop(notation: str) -> None:
    lines = r"t <- 0; for s = 0..m - 1; for b = 0..2^{m-s-1} - 1; t <- 0.5 t + a b + s a^2; end; end; return t"

    def meaning(a: Tensor) -> Any:
        t = ZERO
        for s in range(m):
            for b in range(2 ** (m - s - 1)):
                t = 0.5 * t + a * b + s * a**2
        return t

    text = text_of(notation, (r"m \in \mathbb{N}", r"a \in \mathbb{R}"), "a", lines)
    for m in (1, 2, 4):
        agrees(subject_of(text, m=m), meaning, torch.tensor(0.3, dtype=torch.float64))


def transformed(x: Any) -> Any:
    h = 1
    while 2 * h <= len(x):
        for first in range(1, len(x) + 1, 2 * h):
            for j in range(first, first + h):
                x[j], x[j + h] = x[j] + x[j + h], x[j] - x[j + h]
        h *= 2
    return x


HADAMARD = (
    "for s = 0..m - 1; for b = 0..2^{m-s-1} - 1; for j = 1..2^s; p <- 2^{s+1} b + j; q <- p + 2^s; "
    "u <- x_p; v <- x_q; x_p <- u + v; x_q <- u - v; end; end; end; return x"
)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_fast_transform_of_a_power_of_two(notation: str) -> None:
    text = text_of(notation, OF_POWER, "x", HADAMARD)
    for m in POWERS:
        agrees(subject_of(text, m=m), transformed, drawn(2**m))
    with pytest.raises(ValueError, match="x: expected"):
        subject_of(text, m=2)(drawn(5))


BODIES = {
    r"y <- \sum_{i=1}^{2^m} i x_i^2; return y": lambda x: sum((i * x[i] ** 2 for i in range(1, len(x) + 1)), ZERO),
    r"N <- 2^m; y <- 0; for i = 1..N; y <- 0.5 y + i x_i; end; return y": lambda x: sum(
        (0.5 ** (len(x) - i) * i * x[i] for i in range(1, len(x) + 1)), ZERO
    ),
    r"for i = 1..2^m; y_i <- i x_i^2; end; return y": lambda x: FromOne(i * x[i] ** 2 for i in range(1, len(x) + 1)),
    r"y <- 0; for i = 1..2^{m-1}; y <- y + i x_i; end; return y": lambda x: sum((i * x[i] for i in range(1, len(x) // 2 + 1)), ZERO),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("lines", BODIES)
def test_a_power_is_a_size(lines: str, notation: str) -> None:
    text = text_of(notation, OF_POWER, "x", lines)
    for m in POWERS:
        agrees(subject_of(text, m=m), BODIES[lines], drawn(2**m))


def test_a_power_is_a_size_in_module_notation() -> None:
    text = "\\Module{F}{x \\in \\mathbb{R}^{2^m} ; }\n\\Return \\sum_{i=0}^{2^m - 1} i x[i]^2 \\\\\n\\EndModule\n"
    for m in POWERS:
        agrees(subject_of(text, m=m), lambda x: sum(((i - 1) * x[i] ** 2 for i in range(1, len(x) + 1)), ZERO), drawn(2**m))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_power_of_a_size_that_inputs_have(notation: str) -> None:
    rows = (r"x \in \mathbb{R}^{m}", r"y \in \mathbb{R}^{2^m}")
    subject = subject_of(text_of(notation, rows, "x, y", r"z <- \sum_{i=1}^{m} x_i + \sum_{i=1}^{2^m} y_i^2; return z"))
    agrees(subject, lambda x, y: sum(x, ZERO) + sum((each**2 for each in y), ZERO), drawn(3), drawn(8))
    x, y = drawn(6).reshape(2, 3), drawn(16).reshape(2, 8)
    x[1, 2:], y[1, 4:] = torch.nan, torch.nan
    wanted = torch.stack([x[0].sum() + (y[0] ** 2).sum(), x[1, :2].sum() + (y[1, :4] ** 2).sum()])
    same(subject(x, y, lengths=torch.tensor([3, 2])), wanted)
    with pytest.raises(ValueError, match="y"):
        subject(drawn(3), drawn(7))


# ---- what is no such end, and the help for it


def problem_of(text: str) -> Any:
    (found,) = [d for d in compile(text).diagnostics if d.severity == "error"]
    return found


@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_exponent_that_is_data(notation: str) -> None:
    rows = (r"p \in \mathbb{N}^{n}",)
    text = text_of(notation, rows, "p", r"for i = 1..n; s_i <- \sum_{k=1}^{2^{p_i}} k; end; return s")
    found = problem_of(text)
    assert found.message == "a bound that is computed is not supported yet"
    assert r"\mathbb{1}[i \leq 2^{p_i}]" in found.help
    taken = text.replace(r"\sum_{k=1}^{2^{p_i}} k", r"\sum_{k=1}^{9} k \mathbb{1}[k \leq 2^{p_i}]")
    assert subject_of(taken)(torch.tensor([0, 1, 3])).tolist() == [1, 3, 36]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_exponent_that_may_be_negative(notation: str) -> None:
    text = text_of(notation, (r"x \in \mathbb{R}^{n}",), "x", r"for i = 1..n; s_i <- \sum_{k=1}^{2^{i-2}} k x_i; end; return s")
    assert r"\mathbb{1}[i \leq 2^{i - 2}]" in problem_of(text).help
    taken = text.replace(r"\sum_{k=1}^{2^{i-2}} k x_i", r"\sum_{k=1}^{9} k x_i \mathbb{1}[k \leq 2^{i-2}]")
    same(subject_of(taken)(torch.ones(4, dtype=torch.float64)), torch.tensor([0.0, 1, 3, 10], dtype=torch.float64))
