r"""What authors are used to write, and TeX sets: `\frac12`, `(x)_+`, `\exp\left[x\right]`, `\quad i = 1, \dots, n`, `\sum_{j \neq i}`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

VECTOR = r"x \in \mathbb{R}^{n} & \\ c \in \mathbb{R} & \\"
FAMILY = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\ c \in \mathbb{R} & \\"
MATRIX = r"x_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n & \\"
RANGE = r" \quad (i = 1, \dots, n)"
N = 5


def compiled(body: str, rows: str, header: str = "{x, c ; }") -> CompileResult:
    body = body if r"\Return" in body else body + r" \\ \Return y"
    return compile_files([SourceFile("-", rf"\Module{{M}}{header} {body} \\ \EndModule \begin{{where}} {rows} \end{{where}}")])


def check(body: str, rows: str, expected: Callable[..., Tensor], header: str = "{x, c ; }") -> None:
    """Values and gradients of an example and of a batch, against plain torch."""
    result = compiled(body, rows, header)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    module = result.load().M().double()
    generator = torch.Generator().manual_seed(0)
    shape = (N, N) if rows == MATRIX else (N,)
    has_scalar = "c" in rows
    x, c = (torch.randn((3, *s), generator=generator, dtype=torch.float64, requires_grad=True) for s in (shape, ()))
    arguments = (x, c) if has_scalar else (x,)
    together = module(*arguments)
    alone = torch.stack([expected(*(argument[k] for argument in arguments)) for k in range(3)])
    torch.testing.assert_close(together, alone)
    torch.testing.assert_close(module(*(argument[0] for argument in arguments)), alone[0])
    wanted, found = (torch.autograd.grad(value.square().sum(), x, allow_unused=True)[0] for value in (alone, together))
    torch.testing.assert_close(found, wanted)


def refused(body: str, rows: str, header: str = "{x, c ; }") -> list[Any]:
    result = compiled(body, rows, header)
    assert not result.ok
    return [d for d in result.diagnostics if d.severity == "error"]


# ---- arguments without braces ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "factor"),
    [
        (r"\frac12 x", 0.5),
        (r"\dfrac12 x", 0.5),
        (r"\tfrac 1 2 x", 0.5),
        (r"\frac1n x", 1 / N),
        (r"\frac{1}n x", 1 / N),
        (r"\frac{1}2 x", 0.5),
        (r"\frac1{2} x", 0.5),
        (r"\frac1{2 n} x", 1 / (2 * N)),
        (r"\frac{2}{\frac13} x", 6.0),
        (r"\frac{\frac12}3 x", 1 / 6),
        (r"\frac\pi2 x", torch.pi / 2),
        (r"\frac2\pi x", 2 / torch.pi),
        (r"\sqrt2 x", 2**0.5),
        (r"\sqrt n x", N**0.5),
        (r"\sqrt\pi x", torch.pi**0.5),
        (r"\frac{1}{\sqrt2} x", 2**-0.5),
        (r"\frac{\sqrt2}2 x", 2**-0.5),
        (r"\frac12(x + x)", 1.0),
        (r"x \cdot \frac34", 0.75),
    ],
)
def test_a_fraction_and_a_root_take_one_character(written: str, factor: float) -> None:
    check(rf"y \gets {written}", VECTOR, lambda x, c: factor * x)


@pytest.mark.parametrize(
    ("written", "factor"),
    [
        (r"x \ln 2", math.log(2)),
        (r"\ln 2 \cdot x", math.log(2)),
        (r"\frac{x}{\ln 10}", 1 / math.log(10)),
        (r"x \log_2 8", 3.0),
        (r"x \sin^2 1", math.sin(1) ** 2),
        (r"2 x \exp 1", 2 * math.e),
        (r"x \operatorname{softplus} 0", math.log(2)),
        (r"x \sqrt 2 \log 2", math.sqrt(2) * math.log(2)),
    ],
)
def test_a_function_takes_the_number_behind_it(written: str, factor: float) -> None:
    check(rf"y \gets {written}", VECTOR, lambda x, c: factor * x)


def test_a_number_and_a_factor_behind_a_function_are_asked_about() -> None:
    assert [d.code for d in refused(r"y \gets \tanh 0.5 x", VECTOR)] == ["E0310"]
    assert [d.code for d in refused(r"y \gets \ln 2 3", VECTOR)] == ["E0224"]


def test_a_mean_written_with_one_n() -> None:
    check(r"y \gets \frac1n\sum_{i=1}^n x_i^2", FAMILY, lambda x, c: x.square().mean())
    check(r"y \gets \frac cn \sum_{i=1}^n x_i", FAMILY, lambda x, c: c * x.mean())
    check(r"y \gets e^{-\frac12 c^2} x", VECTOR, lambda x, c: torch.exp(-c * c / 2) * x)


@pytest.mark.parametrize("written", [r"\frac12x", r"\frac123", r"\frac1nx", r"\frac{1}23", r"\sqrt2x", r"\frac1n^2", r"\sqrt n_1"])
def test_what_touches_such_an_argument_is_refused(written: str) -> None:
    (found,) = refused(rf"y \gets {written} c", VECTOR)
    assert found.code == "E0211"
    assert "braces" in found.help


@pytest.mark.parametrize("written", [r"\frac1", r"\frac{x}", r"\frac(1)(2)", r"\frac1\exp x", r"\frac1\sqrt2", r"\sqrt(x)"])
def test_what_is_no_argument_is_refused(written: str) -> None:
    assert refused(rf"y \gets {written}", VECTOR)[0].code == "E0223"


# ---- the positive part -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("(x)_+", lambda x, c: x.clamp(min=0)),
        ("(x)_{+}", lambda x, c: x.clamp(min=0)),
        ("[x]_+", lambda x, c: x.clamp(min=0)),
        (r"\left[1 - x\right]_{+}", lambda x, c: (1 - x).clamp(min=0)),
        (r"\bigl(x - c\bigr)_+", lambda x, c: (x - c).clamp(min=0)),
        ("(x - c)_+^2", lambda x, c: (x - c).clamp(min=0).square()),
        ("(x - c)^2_+", lambda x, c: (x - c).clamp(min=0).square()),
        ("c (1 - x)_+", lambda x, c: c * (1 - x).clamp(min=0)),
        ("-(x)_+ + (-x)_+", lambda x, c: -x),
        ("((x)_+ - 1)_+", lambda x, c: (x - 1).clamp(min=0)),
        (r"\tanh(x)_+", lambda x, c: x.tanh().clamp(min=0)),
        (r"\exp((x)_+)", lambda x, c: x.clamp(min=0).exp()),
        (r"\frac{(x)_+}{(c)_+ + 1}", lambda x, c: x.clamp(min=0) / (c.clamp(min=0) + 1)),
    ],
)
def test_the_positive_part(written: str, expected: Callable[..., Tensor]) -> None:
    check(rf"y \gets {written}", VECTOR, expected)


def test_the_positive_part_in_sums_and_functions() -> None:
    check(r"y \gets \sum_{i=1}^{n} (1 - c x_i)_+", FAMILY, lambda x, c: (1 - c * x).clamp(min=0).sum())
    check(r"f(z) \gets [z - c]_+ \\ y \gets f(x) + f(x)_+", VECTOR, lambda x, c: 2 * (x - c).clamp(min=0))
    check(r"y_i \gets (x_i)_+" + RANGE, FAMILY, lambda x, c: x.clamp(min=0))


@pytest.mark.parametrize("written", [r"\{x\}_+", "(x, x)_+"])
def test_what_no_parenthesis_precedes_has_no_positive_part(written: str) -> None:
    (found,) = refused(rf"y \gets {written}", VECTOR)
    assert found.code == "E0208"
    assert r"`(x)_+`" in found.help


def test_a_positive_part_is_shown_as_it_is_written() -> None:
    assert r"# y \gets (1 - x)_+^2" in compiled(r"y \gets \left(1 - x\right)_{+}^2", VECTOR).source


# ---- brackets after a function ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"\exp\left[ -x \right]", lambda x, c: torch.exp(-x)),
        (r"\exp[ -x ]", lambda x, c: torch.exp(-x)),
        (r"\exp [ -x ] + c", lambda x, c: torch.exp(-x) + c),
        (r"\exp\bigl[ -x^2 / 2 \bigr]", lambda x, c: torch.exp(-x * x / 2)),
        (r"\log[ 1 + x^2 ]", lambda x, c: torch.log(1 + x * x)),
        (r"\log_2[ 1 + x^2 ]", lambda x, c: torch.log2(1 + x * x)),
        (r"\tanh[ x ]^2", lambda x, c: torch.tanh(x).square()),
        (r"\tanh^2[ x ]", lambda x, c: torch.tanh(x).square()),
        (r"\sigma[ x ]", lambda x, c: torch.sigmoid(x)),
        (r"\softmax[ c \cdot x ]", lambda x, c: torch.softmax(c * x, -1)),
        (r"c \exp\left[ x \left( 1 + c \right) \right]", lambda x, c: c * torch.exp(x * (1 + c))),
    ],
)
def test_brackets_after_a_function_hold_its_argument(written: str, expected: Callable[..., Tensor]) -> None:
    check(rf"y \gets {written}", VECTOR, expected)


def test_brackets_after_a_function_of_an_element() -> None:
    check(r"y_i \gets \sin\left[ x_i \right] \cos[ c ]" + RANGE, FAMILY, lambda x, c: torch.sin(x) * torch.cos(c))


# ---- ranges ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        r"y_i \gets 2 x_i \quad i = 1, \dots, n",
        r"y_i \gets 2 x_i \qquad i = 1, \ldots, n",
        r"y_i = 2 x_i \quad i = 1, \dots, n",
        r"y_i \gets 2 x_i \quad i = 1, 2, \dots, n",
        r"y_i \gets 2 x_i \quad 1 \leq i \leq n",
        r"y_i \gets 2 x_i, \quad 0 < i \leq n",
        r"y_i \gets 2 x_i \quad i \in \{1, \dots, n\}",
        r"y_i \gets 2 x_i \quad \text{for } i = 1, \dots, n",
        r"y_i \gets 2 x_i, \; i = 1, \dots, n",
        r"y_i \gets \begin{cases} 2 x_i & i > 1 \\ x_i + x_1 & \text{otherwise} \end{cases} \quad i = 1, \dots, n",
    ],
)
def test_a_range_behind_a_quad(written: str) -> None:
    check(written, FAMILY, lambda x, c: 2 * x)
    check(written, VECTOR, lambda x, c: 2 * x)


def test_two_ranges_behind_quads() -> None:
    for ranges in (r"i = 1, \dots, n, j = 1, \dots, n", r"i = 1, \dots, n \quad j = 1, \dots, n", r"1 \leq i \leq n \quad 1 \leq j \leq n"):
        check(rf"y_{{i,j}} \gets x_i x_j + c \quad {ranges}", FAMILY, lambda x, c: torch.outer(x, x) + c)


def test_a_range_behind_a_quad_in_a_row() -> None:
    rows = r"x_i \in \mathbb{R} \quad i = 1, \dots, n & the values \\ c \in \mathbb{R} & \\"
    check(r"y \gets \sum_{i=1}^{n} c x_i", rows, lambda x, c: c * x.sum())


def test_a_range_of_a_recurrence_behind_a_quad() -> None:
    def expected(x: Tensor, c: Tensor) -> Tensor:
        h = c
        for value in x:
            h = torch.tanh(h + value)
        return h

    check(r"h_0 \gets c \\ h_i \gets \tanh(h_{i-1} + x_i) \quad i = 1, \dots, n \\ \Return h_n", FAMILY, expected)


def test_a_range_without_a_mark_is_refused_with_the_mark() -> None:
    (found,) = refused(r"y_i \gets 2 x_i \; i = 1, \dots, n", FAMILY)
    assert found.code == "E0220"
    assert r"\quad (i = 1, \dots, n)" in found.help


# ---- sums over a part, over several ----------------------------------------------------------


@pytest.mark.parametrize(
    "below",
    [
        r"_{j=1, j \neq i}^{n}",
        r"_{j \neq i}",
        r"_{j \in \{1, \dots, n\}, j \neq i}",
        r"_{1 \leq j \leq n, j \neq i}",
        r"_{j=1, i \neq j}^n",
    ],
)
def test_a_sum_over_the_others(below: str) -> None:
    check(rf"y_i \gets \sum{below} x_j" + RANGE, FAMILY, lambda x, c: x.sum() - x)
    check(rf"y \gets \sum_{{i=1}}^{{n}} \sum{below} x_i x_j", FAMILY, lambda x, c: x.sum() ** 2 - (x * x).sum())


def test_a_product_over_the_others() -> None:
    def expected(x: Tensor, c: Tensor) -> Tensor:
        return torch.stack([torch.cat([x[:i], x[i + 1 :]]).prod() for i in range(len(x))])

    check(r"y_i \gets \prod_{j=1, j \neq i}^{n} x_j" + RANGE, FAMILY, expected)
    check(r"y_i \gets \sum_{j=1, j \neq i, j > 2}^{n} x_j" + RANGE, FAMILY, lambda x, c: x[2:].sum() - torch.cat([0 * x[:2], x[2:]]))
    check(r"y \gets \sum_{i = 1, \dots, n, i \neq 3} x_i", FAMILY, lambda x, c: x.sum() - x[2])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"\sum_{i,j} x_{i,j}", lambda x: x.sum()),
        (r"\sum_{i, j = 1}^{n} i x_{i,j}", lambda x: (x * torch.arange(1, N + 1)[:, None]).sum()),
        (r"\sum_{i = 1, j = 1}^{n} i x_{i,j}", lambda x: (x * torch.arange(1, N + 1)[:, None]).sum()),
        (r"\sum_{i < j} x_{i,j}", lambda x: x.triu(1).sum()),
        (r"\sum_{i > j} x_{i,j}", lambda x: x.tril(-1).sum()),
        (r"\sum_{i \leq j} x_{i,j}", lambda x: x.triu().sum()),
        (r"\sum_{i \neq j} x_{i,j}", lambda x: x.sum() - x.trace()),
        (r"\sum_{i = 1, j \neq i}^{n} x_{i,j}", lambda x: x.sum() - x.trace()),
        (r"\sum_{i, j, k} x_{i,j} x_{j,k}", lambda x: (x @ x).sum()),
        (r"\prod_{i < j} x_{i,j}", lambda x: (x.triu(1) + torch.ones_like(x).tril()).prod()),
        (r"\max_{i, j} x_{i,j}", lambda x: x.max()),
    ],
)
def test_a_reduction_over_several_indices(written: str, expected: Callable[..., Tensor]) -> None:
    check(rf"y \gets {written}", MATRIX, expected, "{x ; }")


def test_an_index_that_is_bound_outside_is_not_summed_over() -> None:
    check(r"y_j \gets \sum_{i, j} x_{i,j} \quad (j = 1, \dots, n)", MATRIX, lambda x: x.sum(0), "{x ; }")
    check(r"y_j \gets \sum_{i \neq j} x_{i,j} \quad (j = 1, \dots, n)", MATRIX, lambda x: x.sum(0) - x.diagonal(), "{x ; }")
    check(r"y_j \gets \sum_{i = 1, j \neq i}^{n} x_{i,j} \quad (j = 1, \dots, n)", MATRIX, lambda x: x.sum(0) - x.diagonal(), "{x ; }")


def test_a_name_that_indexes_nothing_is_the_bound_of_a_sum() -> None:
    module = compiled(r"y \gets \sum_{k < K} x_k + K", FAMILY.split(r" c ")[0] + r" K \in \mathbb{N} & \\", "{x ; }").load().M(K=3)
    x = torch.arange(1.0, 6.0)
    torch.testing.assert_close(module(x), torch.tensor(6.0))
    check(r"y_i \gets \sum_{i > j} x_j" + RANGE, FAMILY, lambda x, c: x.cumsum(0) - x)
    check(r"y_i \gets \sum_{1 \leq j \leq n, j \leq i} x_j" + RANGE, FAMILY, lambda x, c: x.cumsum(0))


def test_a_sum_over_nothing_new_and_a_mean_over_several_are_refused() -> None:
    (found,) = refused(r"y_{i,j} \gets \sum_{i \neq j} x_{i,j} \quad (i = 1, \dots, n, j = 1, \dots, n)", MATRIX)
    assert found.code == "E0505"
    assert found.message == r"`i` and `j` have values here, so that `\sum` cannot run over them"
    assert refused(r"y \gets \arg\max_{i, j} x_{i,j}", MATRIX)[0].code == "E0701"


# ---- a declaration's range, functions of elements --------------------------------------------


@pytest.mark.parametrize("letter", ["i", r"\ell"])
def test_a_letter_has_its_declared_range(letter: str) -> None:
    rows = FAMILY.replace("x_i", f"x_{letter}").replace("i =", f"{letter} =")
    check(rf"y_{letter} \gets 2 x_{letter}", rows, lambda x, c: 2 * x)
    check(rf"y_{letter} \gets \sum_{{j \neq {letter}}} x_j", rows, lambda x, c: x.sum() - x)


def test_a_function_of_elements_is_called_with_anything() -> None:
    check(
        r"h(X_l, X_j) \gets X_l X_j + 1 \\ y_j \gets h(2 \pi, j) x_j \quad (j = 1, \dots, n)",
        FAMILY,
        lambda x, c: x * (1 + 2 * torch.pi * torch.arange(1, N + 1)),
    )
    check(
        r"h(X_l, X_j) \gets X_l - X_j \\ y_{i,j} \gets h(x_i, x_j) \quad (i = 1, \dots, n, j = 1, \dots, n)",
        FAMILY,
        lambda x, c: x[:, None] - x,
    )
    check(r"k(x_i, x_j) \gets (x_i - x_j)^2 \\ y_i \gets k(x_i, c)" + RANGE, FAMILY, lambda x, c: (x - c) ** 2)


@pytest.mark.parametrize(
    "written",
    [
        r"y_i \gets 2 x_i",
        r"y_i \gets 2 x_i \\ z \gets \sum_{i=1}^{n} y_i \\ \Return z",
        r"y_i \gets 2 x_i \\ \Return y_i",
        r"h_0 \gets 0 \\ h_i \gets h_{i-1} + x_i \\ \Return h",
        r"y_{i,j} \gets x_i x_j \quad (j = 1, \dots, n)",
    ],
)
def test_an_index_without_a_range_is_told_of(written: str) -> None:
    found = refused(written, VECTOR)[0]
    assert found.code == "E0505"
    assert r"\quad (i = 1, \dots, n)" in found.help


def test_a_label_is_no_index() -> None:
    check(r"y_i \gets 2 x \\ z \gets y_i + x \\ \Return z", VECTOR, lambda x, c: 3 * x)
    check(r"y_k \gets \sum_{k=1}^{n} x_k \\ \Return y_k", FAMILY, lambda x, c: x.sum())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"\|x\|^2 \|x\|^2 + \|x\|", lambda x: x.norm() ** 4 + x.norm()),
        (r"\frac{x \cdot x}{\|x\| \|x\|} + \|x\|", lambda x: 1 + x.norm()),
        (r"\|x\|_2^2 \|x\|_1 \|x\|_2^2", lambda x: x.norm() ** 4 * x.abs().sum()),
        (r"||x||^{3} ||x|| - ||x||_1", lambda x: x.norm() ** 4 - x.abs().sum()),
        (r"|x_1|^2 |x_2| + |x_1|", lambda x: x[0] ** 2 * x[1].abs() + x[0].abs()),
    ],
)
def test_norms_with_powers_stand_side_by_side(value: str, expected: Callable[..., Tensor]) -> None:
    check(rf"y \gets {value}", r"x_i \in \mathbb{R}, i = 1, \dots, n & \\", expected, header="{x ; }")


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (r"10{,}000 x", 10000.0),
        (r"1{,}234{,}567 x", 1234567.0),
        (r"1{,}234.5 x", 1234.5),
        (r"10\,000 x", 10000.0),
        (r".5 x", 0.5),
        (r"-.5 x", -0.5),
        (r"\frac{.25}{.5} x", 0.5),
    ],
)
def test_digits_in_groups_and_without_a_zero(written: str, number: float) -> None:
    check(rf"y \gets {written}", VECTOR, lambda x, c: number * x)


@pytest.mark.parametrize("written", [r"1{,}234", r"0{,}125", r"1{,}5", r"10{,}0000"])
def test_a_comma_that_may_be_a_decimal_one_is_asked_about(written: str) -> None:
    (found,) = refused(rf"y \gets {written} x", VECTOR)
    assert (found.code, "thousands" in found.message, "decimal" in found.message) == ("E0224", True, True)


def test_a_number_behind_a_factor_is_refused() -> None:
    (found,) = refused(r"y \gets {x}.5", VECTOR)
    assert (found.code, found.help) == ("E0224", "a number stands first in a product")


# ---- sums whose bodies end before their index ------------------------------------------------------


@pytest.mark.parametrize("value", [r"\sum_{i=1}^{n} x_i + x_i^2", r"c \sum_i x_i \log x_i - 2 (1 - x_i)"])
def test_an_index_behind_its_sum_asks_for_parentheses(value: str) -> None:
    (found, *_) = refused(rf"y \gets {value}", FAMILY)
    assert (found.code, found.message) == ("E0301", r"`i` has no value here: the body of `\sum` ends with its product")
    assert r"\sum_{i} (a + b)" in found.help
